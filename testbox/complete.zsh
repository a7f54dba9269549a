#!/bin/zsh -f
# SPDX-License-Identifier: MIT
#
# What an interactive zsh makes of lines after which the tab key is pressed. It prints its screen.
#
#	complete.zsh line...
#
# Environment:
#	COMPLETION	a folder whose completion functions come before the installed ones
zmodload zsh/zpty

# What comes until nothing has come for some seconds.
drain() # seconds
{
	local part silent=0

	while (( silent < $1 )); do
		if zpty -r -t z part; then
			print -rn -- $part
			silent=0
		else
			sleep 1
			(( ++silent ))
		fi
	done
}

zpty z zsh -f -i
zpty -w z 'fpath=(${COMPLETION-} $fpath); autoload -Uz compinit; compinit -u; bindkey "^I" complete-word; stty rows 99 cols 200'
# Said when the candidates are there, which the shell then shows. It forgets the function each time.
zpty -w z 'found() { print -n found-$((41 + 1)) >/dev/tty; comppostfuncs=(found) }; comppostfuncs=(found)'
# The answer, not the echo of the question.
zpty -w z 'print ready-$((41 + 1))'
zpty -r -m z answer '*ready-42*'
drain 1 >/dev/null
for line; do
	zpty -w -n z $line$'\t'
	zpty -r -m z answer '*found-42*'
	print -rn -- ${answer%found-42*}
	drain 3
	# Forget the line.
	zpty -w -n z $'\x15'
done
drain 1
zpty -d z
