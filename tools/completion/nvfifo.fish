# SPDX-License-Identifier: MIT
# fish completion for nvfifo. Subcommands, options and names come from nvfifo itself.

function __nvfifo_subcommands
	nvfifo --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __nvfifo_options
	set -l words (commandline -opc)
	nvfifo $words[2] --help 2>/dev/null | grep -o -e '--[a-z][a-z0-9-]*' | sort -u
end

function __nvfifo_registers
	nvfifo peek --list 2>/dev/null | sed 's/^[0-9a-f]*  [A-Z1]*  *\([A-Z0-9_.]*\).*/\1/'
end

function __nvfifo_chipsets
	nvfifo chips 2>/dev/null | awk 'NR > 1 { print tolower($2) }'
end

complete -c nvfifo -n __fish_use_subcommand -f -a '(__nvfifo_subcommands)'
complete -c nvfifo -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' \
	-f -a '(__nvfifo_options)'
function __nvfifo_class_methods
	set -l words (commandline -opc)
	nvfifo methods --names $words[3] 2>/dev/null | sed 's/^[A-Z0-9]*\.//'
end

complete -c nvfifo -n '__fish_seen_subcommand_from methods; and test (count (commandline -opc)) -gt 2' -f \
	-a '(__nvfifo_class_methods)'
complete -c nvfifo -n '__fish_seen_subcommand_from methods; and test (count (commandline -opc)) -eq 2' -f \
	-a 'PFIFO 2D M2MF 3D COMPUTE (nvfifo methods --names 2>/dev/null)'
complete -c nvfifo -n '__fish_seen_subcommand_from peek poke watch' -f -a '(__nvfifo_registers)'
complete -c nvfifo -n '__fish_seen_subcommand_from calc' -f \
	-a 'pte pde dmaobj ramht ib chan fault dma-state pull0 kind ramfc ectx tlb pgraph'
complete -c nvfifo -l chipset -x -a '(__nvfifo_chipsets)'
complete -c nvfifo -l model -a '(__nvfifo_chipsets)'
complete -c nvfifo -l format -x -a 'nv04 nv04-dma nvc0'
complete -c nvfifo -l input -x -a 'hex binary capture program'
complete -c nvfifo -l color -x -a 'auto always never'
