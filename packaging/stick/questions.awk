# SPDX-License-Identifier: MIT
#
# List the questions of Documentation/open-questions.rst: state, the self-test's part, title, with
# tabs between them. Only what has a field "Self-test" is a question.
/^---/ { title = last; state = "" }
state == "" && match($0, /^\*\*[A-Z][a-z ]*\.?\*\*/) {
	state = tolower(substr($0, 3, RLENGTH - 4))
	sub(/\.$/, "", state)
}
sub(/^:Self-test: /, "") { print state "\t" $0 "\t" title }
{ last = $0 }
