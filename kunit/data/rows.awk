# SPDX-License-Identifier: GPL-2.0-only
# Make rows of a C array from a table of comma separated values: Kbuild runs this for the
# vectors of the KUnit suites. The first line that is no comment names the columns. A column
# named "out" is a list of VALUE or VALUE:TIMES, and becomes { { VALUE, TIMES }, ... }.
BEGIN {
	FS = ","
}

/^#/ || /^$/ {
	next
}

!columns {
	columns = NF
	for (i = 1; i <= NF; i++)
		name[i] = $i
	next
}

NF != columns {
	print FILENAME ":" FNR ": " NF " columns, not " columns >"/dev/stderr"
	exit 1
}

{
	line = ""
	for (i = 1; i <= NF; i++) {
		value = $i
		if (name[i] == "out")
			value = list(value)
		line = line value ", "
	}
	print "{ " line "},"
}

function list(text, parts, pair, n, k, out)
{
	n = split(text, parts, " ")
	for (k = 1; k <= n; k++) {
		if (split(parts[k], pair, ":") == 1)
			pair[2] = 1
		out = out "{ " pair[1] ", " pair[2] " }, "
	}
	return "{ " out "}"
}
