# SPDX-License-Identifier: MIT
# The manual page of a command from what its --help prints:
# awk -v page=nvfifo-NAME -v summary=TEXT -v version=VERSION -v date=DATE -f tools/man/subcommand.awk
# Paragraphs and options are filled. Other indented lines, such as tables, stay as they are.
BEGIN {
	WIDTH = 79
	INDENT = 7
	OPTION = "^  (-[A-Za-z0-9], )?--[a-z0-9-]+(\\[[^]]*\\])?( \\[[^]]*\\]| [A-Z][A-Z0-9_=]*)?( |$)"
}

function escape(line)
{
	gsub(/\\/, "\\e", line)
	gsub(/-/, "\\-", line)
	if (line ~ /^[.']/)
		line = "\\&" line
	return line
}

# Print the lines of a table, further to the left if they are long.
function end_table(    i, longest, indent)
{
	if (!rows)
		return
	for (i = 1; i <= rows; i++)
		longest = length(row[i]) > longest ? length(row[i]) : longest
	indent = WIDTH - longest
	if (indent > INDENT)
		indent = INDENT
	print ".PP"
	print ".in " (indent > 0 ? indent : 0) "n"
	print ".nf"
	for (i = 1; i <= rows; i++)
		print escape(row[i])
	print ".fi"
	print ".in"
	rows = 0
}

function section(title)
{
	end_table()
	print ".SH " title
	begun = 1
	column = 0
}

function option(line,    tag)
{
	end_table()
	match(line, OPTION)
	tag = substr(line, 3, RLENGTH - 2)
	sub(/ +$/, "", tag)
	line = substr(line, RLENGTH + 1)
	column = RLENGTH
	while (line ~ /^ /) {
		line = substr(line, 2)
		column++
	}
	if (line == "")
		column = 0
	print ".TP"
	print ".B " escape(tag)
	if (line != "")
		print escape(line)
	within = 1
}

# A line of an option's text; what is indented further begins a line.
function more(line,    indent)
{
	match(line, /^ +/)
	indent = RLENGTH
	if (!column)
		column = indent
	if (indent > column)
		print ".br"
	sub(/^ +/, "", line)
	print (indent > column && line ~ /^[a-z0-9-]+=/ ? ".B " : "") escape(line)
}

function prose(line)
{
	end_table()
	if (!begun)
		print ".PP"
	begun = 1
	within = 0
	print escape(line)
}

NR == 1 {
	print ".\\\" SPDX-License-Identifier: MIT"
	printf ".TH %s 1 \"%s\" \"nvfifo %s\" \"User Commands\"\n", escape(toupper(page)), date, version
	print ".nh"
	print ".ad l"
	print ".SH NAME"
	printf "%s \\- %s\n", escape(page), escape(summary)
	print ".SH SYNOPSIS"
	print ".nf"
	sub(/^Usage: /, "")
	print escape($0)
	next
}

/^$/ && !described { described = 1; print ".fi"; section("DESCRIPTION"); next }
!described { sub(/^ +(or: )?/, ""); print escape($0); next }
/^Options:$/ { section("OPTIONS"); within = 0; next }
/^Examples:$/ { section("EXAMPLES"); within = 0; examples = 1; next }
/^Exit (codes|status): / { section("EXIT STATUS"); sub(/^Exit (codes|status): /, ""); within = 0 }
/^$/ { end_table(); begun = 0; within = 0; next }
!examples && $0 ~ OPTION { option($0); next }
/^   / && within { more($0); next }
/^ / { begun = 0; row[++rows] = $0; next }
{ prose($0) }

END {
	end_table()
	print ".SH SEE ALSO"
	print ".BR nvfifo (1),"
	print ".BR nvfifo\\-program (5)"
}
