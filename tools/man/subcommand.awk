# SPDX-License-Identifier: MIT
# The manual page of a command from what its --help prints:
# awk -v page=nvfifo-NAME -v summary=TEXT -v version=VERSION -v date=DATE -f tools/man/subcommand.awk
function escape(line)
{
	gsub(/\\/, "\\e", line)
	gsub(/-/, "\\-", line)
	if (line ~ /^[.']/)
		line = "\\&" line
	return line
}

function section(title)
{
	if (filled)
		print ".fi"
	print ".SH " title
	print ".nf"
	filled = 1
}

NR == 1 {
	print ".\\\" SPDX-License-Identifier: MIT"
	printf ".TH %s 1 \"%s\" \"nvfifo %s\" \"User Commands\"\n", escape(toupper(page)), date, version
	print ".SH NAME"
	printf "%s \\- %s\n", escape(page), escape(summary)
	section("SYNOPSIS")
	sub(/^Usage: /, "")
	print escape($0)
	next
}

/^$/ && !described { described = 1; section("DESCRIPTION"); next }
!described { sub(/^ +(or: )?/, ""); print escape($0); next }
/^Options:$/ { section("OPTIONS"); next }
/^Examples:$/ { section("EXAMPLES"); next }
/^Exit codes: / { section("EXIT STATUS"); sub(/^Exit codes: /, "") }
{ print escape($0) }

END {
	print ".fi"
	print ".SH SEE ALSO"
	print ".BR nvfifo (1),"
	print ".BR nvfifo\\-program (5)"
}
