# SPDX-License-Identifier: MIT
# fish completion for nvfifo. The candidates come from nvfifo --complete.

function __nvfifo_found
	set -l words (commandline -opc)
	set -l current (commandline -ct)
	$words[1] --complete $words[2..-1] "$current" 2>/dev/null
end

function __nvfifo_complete
	set -l found (__nvfifo_found)
	if test "$found" = '*.nvp'
		__fish_complete_suffix .nvp
	else
		printf '%s\n' $found
	end
end

# Files where it finds nothing.
complete -c nvfifo -n 'test (count (__nvfifo_found)) -gt 0' -f -a '(__nvfifo_complete)'
