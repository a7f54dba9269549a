#!/bin/zsh -f
# SPDX-License-Identifier: MIT
#
# What an interactive zsh makes of lines after which the tab key is pressed. It prints its screen.
#
#	complete.zsh line...
zmodload zsh/zpty

# Until this long nothing more comes.
drain()
{
	local part

	sleep $1
	while zpty -r -t z part; do
		print -rn -- $part
	done
}

zpty z zsh -f -i
drain 1 >/dev/null
zpty -w z 'autoload -Uz compinit; compinit -u; bindkey "^I" complete-word; stty rows 99 cols 200'
drain 3 >/dev/null
for line; do
	zpty -w -n z $line$'\t'
	drain 2
	# Forget the line.
	zpty -w -n z $'\x15'
done
drain 1
zpty -d z
