# SPDX-License-Identifier: GPL-2.0-only
# Make C arrays of the records in tests/data/grctx: Kbuild runs this for grctx_test.c. The name of
# a file is CHIP-UNITS.txt or CHIP-UNITS-gddr5.txt; tests/data/README.md describes its contents.
# All numbers but the counts after a title are hexadecimal.
FNR == 1 {
	end_array()
	name = FILENAME
	sub(/.*\//, "", name)
	sub(/\.txt$/, "", name)
	array = name
	gsub("-", "_", array)
	next
}

$1 == "card" {
	chip = toupper(name)
	sub(/-.*/, "", chip)
	card = "{ NV_CHIP_" chip ", 0x" $3 ", " $4 " }"
	next
}

$1 == "program" {
	begin_array("u32", "program")
	next
}

$1 == "image" {
	begin_array("struct grctx_word", "image")
	bytes = $2
	next
}

$1 == "init" {
	begin_array("struct grctx_word", "init")
	next
}

$1 == "windows" || $1 == "areas" {
	end_array()
	next
}

part == "program" {
	for (i = 1; i <= NF; i++)
		print "0x" $i ","
}

# The offset of the first word of a line, and the words from there on.
part == "image" {
	sub(/:$/, "", $1)
	for (i = 2; i <= NF; i++)
		print "{ 0x" $1 " + " (i - 2) * 4 ", 0x" $i " },"
}

# The place of the upload follows from the write that starts it.
part == "init" {
	for (i = 1; i <= NF; i++)
		if (split($i, write, "=") == 2)
			print "{ 0x" write[1] ", 0x" write[2] " },"
}

END {
	end_array()
	print "static const struct grctx_row grctx_rows[] = {\n" rows "};"
}

function begin_array(type, title)
{
	end_array()
	part = title
	print "static const " type " " array "_" part "[] = {"
}

function end_array()
{
	if (!part)
		return
	print "};"
	if (part == "init")
		rows = rows "{ \"" name "\", " card ", " bytes ", " \
			member("program") member("init") member("image") "},\n"
	part = ""
}

function member(title)
{
	return array "_" title ", ARRAY_SIZE(" array "_" title "), "
}
