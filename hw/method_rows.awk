# SPDX-License-Identifier: GPL-2.0-only
# Make the driver's table of method names from the library's: Kbuild runs this for
# nvfifo_method_name.c. The descriptions of data, which are most of the library's table, are left
# out. Each name is on the line on which its row begins.
function fail(why)
{
	print FILENAME ":" FNR ": " why >"/dev/stderr"
	failed = 1
	exit 1
}

/^const struct nvfifo_method_row / {
	if (!match($0, /nvfifo_methods_[a-z0-9]+/))
		fail("an array of rows has another name")
	family = "FAMILY_" toupper(substr($0, RSTART + 15, RLENGTH - 15))
	next
}

/^\};/ {
	family = ""
	next
}

family && /^\t\{ 0x/ {
	if (!match($0, /^\t\{ 0x[0-9a-f]+, [0-9]+, [0-9]+, 0x[0-9a-f]+, "[^"]*"/))
		fail("a row of another form")
	print "\t{ " family ", " substr($0, 4, RLENGTH - 3) " },"
	rows++
}

END {
	if (!failed && !rows) {
		print FILENAME ": no rows" >"/dev/stderr"
		exit 1
	}
}
