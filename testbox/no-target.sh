#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Say that make knows nothing of a name, and which targets have nearly the name. The first words
# are make's own: debhelper looks for them to find out whether there is a target.
#
#	no-target.sh NAME
cd "$(dirname "$0")/.." || exit
# The distance of two names is the number of letters to insert, delete, replace or swap.
near=$(sed -n 's/^\([a-z-]*\):.* ## .*/\1/p' Makefile | WANTED=$1 awk '
	function least(a, b) { return a < b ? a : b }
	function distance(s, t,    i, j, d, cost) {
		for (i = 0; i <= length(s); i++)
			d[i, 0] = i
		for (j = 0; j <= length(t); j++)
			d[0, j] = j
		for (i = 1; i <= length(s); i++) {
			for (j = 1; j <= length(t); j++) {
				cost = substr(s, i, 1) != substr(t, j, 1)
				d[i, j] = least(least(d[i - 1, j], d[i, j - 1]) + 1, d[i - 1, j - 1] + cost)
				if (i > 1 && j > 1 && substr(s, i - 1, 2) == substr(t, j, 1) substr(t, j - 1, 1))
					d[i, j] = least(d[i, j], d[i - 2, j - 2] + 1)
			}
		}
		return d[length(s), length(t)]
	}
	{ found = distance(ENVIRON["WANTED"], $0) }
	found <= length($0) / 3 && (!best || found <= best) {
		names = found == best ? names " or " $0 : $0
		best = found
	}
	END { print names }')
echo "make: *** No rule to make target '$1'${near:+; did you mean $near?} ('make help' lists the targets)" >&2
exit 2
