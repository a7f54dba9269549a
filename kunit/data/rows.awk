# SPDX-License-Identifier: GPL-2.0-only
# Make rows of a C array from a table of comma separated values: Kbuild runs this for the
# vectors of the KUnit suites. The first line that is no comment names the columns. A column
# whose name ends in [] is a list, with a blank between two items. An item with colons is a
# structure: "1:2 3:4" becomes { { 1, 2 }, { 3, 4 }, }.
BEGIN {
	FS = ","
}

/^#/ || /^$/ {
	next
}

!columns {
	columns = NF
	for (i = 1; i <= NF; i++)
		is_list[i] = $i ~ /\[\]$/
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
		if (is_list[i])
			value = list(value)
		line = line value ", "
	}
	print "{ " line "},"
}

function list(text, items, n, k, out)
{
	n = split(text, items, " ")
	for (k = 1; k <= n; k++) {
		if (gsub(":", ", ", items[k]))
			items[k] = "{ " items[k] " }"
		out = out items[k] ", "
	}
	return "{ " out "}"
}
