#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A person's mistakes get one clear line, the right exit status and nothing half written: TAP.

Each row is a command line of the nvfifo command, its exit status, and a regular expression
for what it writes to standard error. Runs at the top of the tree; takes neither a card nor a
kernel.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from results import report

TOP = pathlib.Path.cwd()
BUILD = TOP / "build"
DRAWING = pathlib.Path("examples/08-drawing.nvp").resolve()
FIRST = pathlib.Path("examples/01-refcnt-semaphore.nvp").resolve()
GOLDEN = pathlib.Path("tests/golden").resolve()
TERMINAL = """printf '\\4' | python3 -c 'import pty, sys; sys.exit(pty.spawn(["sh", "-c", sys.argv[1]]) >> 8)'"""
# All words of RAMFC, as nouveau's vectors have them
RAMFC = "{" + ",".join(f'"{word:02x}":"{word:08x}"' for word in range(0, 0xa4, 4)) + "}"
# The first line of vectors of nouveau for PTEs
PTE = "target,stolen,page_shift,kind,comp,tag_base,offset,ret,type\\n"
CACHE_ERROR = "nouveau 0000:01:00.0: fifo: CACHE_ERROR - ch 4 [Xorg[700]]"

ROWS = (
    # Options before the subcommand, and misspelt ones
    ("nvfifo --chipset g84 run x", 2, "unknown option '--chipset'; the options of a subcommand follow its name"),
    ("nvfifo --verison", 2, "unknown option '--verison'; did you mean --version"),
    # Folders and files that cannot be written are found before the card draws
    (f"nvfifo run --model --images /nosuch {DRAWING}", 2, "--images is a folder .* not '/nosuch': No such file"),
    (f"nvfifo run --model --images {FIRST} {DRAWING}", 2, "--images is a folder .*: Not a directory"),
    (f"nvfifo run --model --images '' {DRAWING}", 2, "--images is empty"),
    (f"nvfifo run --dry-run --images . {DRAWING}", 2, "--images goes without --dry-run"),
    ("nvfifo asm -o '' </dev/null", 2, "--output is empty"),
    ("nvfifo gl --model --capture /nosuch/x true", 2, "--capture cannot write '/nosuch/x': No such file"),
    ("nvfifo gl --model --capture . true", 2, "--capture is a file, and '.' is a folder"),
    ("nvfifo gl --model --capture-mib 5 true", 2, "--capture-mib goes with --capture only"),
    # Descriptors that are closed or full
    ("nvfifo asm <&-", 2, "cannot read standard input: Bad file descriptor"),
    ("nvfifo explain <&-", 2, "cannot read standard input: Bad file descriptor"),
    ("nvfifo trace - <&-", 2, "cannot read standard input: Bad file descriptor"),
    ("nvfifo chips >&-", 2, "cannot write the output: Bad file descriptor"),
    ("nvfifo --version >&-", 2, "cannot write the output: Bad file descriptor"),
    ("nvfifo --help >/dev/full", 2, "cannot write the output: No space left"),
    ("nvfifo chips --json >/dev/full", 2, "cannot write the output: No space left"),
    (f"nvfifo run --model --json {FIRST} >/dev/full", 2, "cannot write the output: No space left"),
    ("echo nop | nvfifo asm -o /dev/full", 2, "cannot write /dev/full: No space left"),
    # Options that exclude each other
    ("nvfifo lint --rules --json", 2, "--rules goes without --json and files"),
    ("nvfifo methods --names --json", 2, "--names and --json exclude each other"),
    ("nvfifo report", 2, "the report is missing"),
    (f"nvfifo dump --json --program {GOLDEN}/semaphore.dump", 2, "--program goes without --json, --summary"),
    (f"nvfifo dump -d 01:00.0 {GOLDEN}/semaphore.dump", 2, "either --device or a file, not both"),
    (f"nvfifo dump --segment 0 --summary {GOLDEN}/semaphore.dump", 2, "--segment goes without --summary and --json"),
    (f"nvfifo dump --summary --json {GOLDEN}/semaphore.dump", 2, "--summary and --json exclude each other"),
    ("nvfifo disasm --json --source", 2, "--json and --source exclude each other"),
    ("nvfifo calc --list --json", 2, "--list and --json exclude each other"),
    ("nvfifo peek --list --json intr", 2, "--list goes without --decode, --json"),
    ("nvfifo peek --list --decode 1", 2, "--list goes without --decode"),
    ("nvfifo peek --decode 1 --file /dev/zero PFIFO.INTR", 2, "--decode goes without --file and --device"),
    ("nvfifo peek --file /dev/zero -d 01:00.0 0", 2, "either --device or --file, not both"),
    (f"nvfifo run --dry-run -d 01:00.0 {FIRST}", 2, "--dry-run goes without --device"),
    (f"nvfifo lint --get 1 {GOLDEN}/words.txt", 2, "--get goes with --ring only"),
    (f"nvfifo lint --format nv04-dma {FIRST}", 2, "--format is for words, and .* is a program"),
    (f"nvfifo lint --class 0x1=M2MF {FIRST}", 2, "--class is for words, and .* is a program"),
    ("nvfifo disasm --class 1=0x5039 --class 0x1=2D", 2, "gives handle 0x1 two classes, 0x5039 and 0x502d"),
    # Options of other subcommands, classes of other chips, two cards at once
    (f"nvfifo run --chipset=g84 {FIRST}", 2, "unknown option '--chipset=g84'; .* the model has --model=CHIP"),
    ("nvfifo gl --chipset g84 true", 2, "unknown option '--chipset'; .* the model has --model=CHIP"),
    ("nvfifo disasm --class 1=0x9097", 2, "the family has no class 0x9097"),
    ("nvfifo disasm --chipset g80 --class 1=0x8297", 2, "G80 has no class 0x8297"),
    ("nvfifo disasm --class 1=5039", 2, "the family has no class 0x13af"),
    ("nvfifo disasm --class beef5039=M2MF", 2, "--class is HANDLE=CLASS, such as 0xbeef5039=0x5039"),
    (f"nvfifo trace --channel 99 {GOLDEN}/words.trace", 1, "no event of the driver is about channel 99"),
    (f"nvfifo explain {FIRST}", 1, "no line of nvfifo, nouveau or pscnv was understood"),
    ("nvfifo version", 2, "no subcommand 'version'; did you mean --version\\?"),
    ("nvfifo calc ramht 1 2", 2, "'2' is one word too many: ramht has 'context'"),
    ("nvfifo bind 01:00.0 02:00.0", 2, "one card at a time: unexpected argument '02:00.0'"),
    ("nvfifo help runn", 2, "there is no subcommand 'runn'; did you mean run"),
    ("nvfifo methods 2D 200", 1, "no method of 2D has the name '200'; a number is 0x200"),
    # Numbers out of their range name it
    (f"nvfifo lint --ring --put 99999999999 {GOLDEN}/ring.txt", 2, "--put is 0 to 4294967295, not '99999999999'"),
    ("echo 'mthd 4 3D.RT[8].FORMAT : 1' | nvfifo asm", 2, "'3D.RT.8..FORMAT' has no such element, only 0 to 7"),
    # A number with a leading 0 is decimal, a value that cannot be is refused, not waited for
    (f"nvfifo lint --ring --put 010 {GOLDEN}/ring.txt >&2", 1, "IB_PUT 10 of a ring"),
    ("nvfifo disasm --class 010=2D --class 8=M2MF --class 10=M2MF", 2, "gives handle 0xa two classes, 0x502d and 0x5039"),
    (f"nvfifo lint --ring --put ' 1' {GOLDEN}/ring.txt", 2, "--put is 0 to 4294967295, not ' 1'"),
    (f"nvfifo lint --ring --put +1 {GOLDEN}/ring.txt", 2, r"--put is 0 to 4294967295, not '\+1'"),
    # Arguments in the wrong order
    ("nvfifo methods format 2D", 2, "the class stands first: did you mean '2D format'"),
    ("nvfifo methods ref pfifo", 2, "the class stands first: did you mean 'pfifo ref'"),
    ("nvfifo peek --decode zz PFIFO.RAMHT", 2, "--decode is a hexadecimal word, 0 to ffffffff, not 'zz'"),
    ("nvfifo peek --decode 1 PFIFO.RAMHT 2", 2, "--decode accepts one register, and no COUNT"),
    ("nvfifo peek --decode 1 --chipset g80 PCIPHER.INTR", 2, "G80 has no register 'PCIPHER.INTR'"),
    # Files that are no program: written by an editor in UTF-16, a loop of links, a folder, nothing
    (f"nvfifo run --model <(iconv -t utf16 {FIRST})", 2, ":1:1: the text is UTF-16, and must be UTF-8"),
    (f"iconv -t utf16be <(printf '\\ufeff'; cat {FIRST}) | nvfifo run --model -", 2, "the text is UTF-16"),
    ("(ln -s l l; nvfifo run --model l; s=$?; rm l; exit $s)", 2, "cannot open l: Too many levels of symbolic links"),
    ("nvfifo run --model .", 2, "cannot read .: Is a directory"),
    ("nvfifo run --model /dev/null", 2, "/dev/null: the program has no statement that does something"),
    ("(ln -s l l; echo nop | nvfifo asm -o l; s=$?; rm l; exit $s)", 2, "cannot write l: Too many levels"),
    ("head -c 3000000 /dev/zero | tr '\\0' x | nvfifo run --model -", 2, ":1:1: expected a statement .* found 'x{40}'"),
    # A word or a character is missing
    (f"nvfifo run --model {str(FIRST).removesuffix('.nvp')}", 2, "No such file or directory; did you mean .*semaphore.nvp"),
    ("nvfifo peek --decode PFIFO.INTR", 2, "--decode is a hexadecimal word, 0 to ffffffff, not 'PFIFO.INTR'"),
    ("echo 'mthd REF_CNT : 1' | nvfifo asm", 2, "1:6: the subchannel, 0 to 7, stands before the method 'REF_CNT'"),
    ("echo '// words' | nvfifo asm", 2, "1:1: expected a command .* found '/'; a comment begins with '#'"),
    (f"sed 's/object 0x/object /' {FIRST} | nvfifo run --model -", 2, ":22:8: .* the hexadecimal number is 0xbeef0001"),
    (f"sed 's/ 0xdeadbeef//' {FIRST} | nvfifo run --model -", 2, ":14:14: expected a number .* found the end of the line"),
    (f"sed 's/0, 0x12345678/0 0x12345678/' {FIRST} | nvfifo run --model -", 2, ":47:19: expected ',' or the end of the line"),
    (f"sed 's/sem 4K system/sem 4KiB system/' {FIRST} | nvfifo run --model -", 2, r"'4KiB' is not a number .* 64K, 16M, 1G\)"),
    (f"sed '/^push/d' {FIRST} | nvfifo run --model -", 2, ":28:2: 'mthd' is a command of a pushbuffer: it stands in push"),
    # Targets of make
    (f"make -s -C '{TOP}' tset", 2, "No rule to make target 'tset'; did you mean test\\?"),
    (f"make -s -C '{TOP}' gl_demo", 2, "No rule to make target 'gl_demo'; did you mean gl-demo\\?"),
    (f"make -n -C '{TOP}' distclean >/dev/null", 2, "No rule to make target 'distclean'"),
    (f"make -s -C '{TOP}' frob", 2, "No rule to make target 'frob' .'make help' lists"),
    # Addresses that no bus has, and units where the number has none
    ("nvfifo bind 0000:01:99.0", 2, "'0000:01:99.0' is not a PCI address .* device is 00 to 1f and function 0 to 7"),
    ("nvfifo unbind 01:00.9", 2, "device is 00 to 1f and function 0 to 7"),
    (f"nvfifo run --model --timeout 10s {FIRST}", 2, "--timeout is 1 to 600000 ms, not '10s'"),
    ("nvfifo peek PFIFO.INTR 99999999999999999999", 2, "COUNT is 1 to 4194304, not '9{20}'"),
    ("nvfifo calc pte address=1234G", 2, "address must be a hexadecimal number up to ffffffffff, not '1234G'"),
    ("nvfifo calc ib va=2000 words=4194304", 2, "words must be a number up to 2097151"),
    ("nvfifo calc dmaobj start=5000 limit=4000", 2, "limit is below start"),
    # calc
    ("nvfifo calc pte address=", 2, "address has no value"),
    ("nvfifo calc ectx engine=me gen=g84 ctx_addr=45000 ctx_size=8000", 2, "'me' has no context object on the G84"),
    ("nvfifo calc ectx engine=vcomp gen=g80 ctx_addr=45000 ctx_size=8000", 2, "'vcomp' has no context object on the G80"),
    ("""nvfifo calc ramfc '{"3d":"0"}'""", 2, "RAMFC has no word at '3d', 0 to a0 in steps of 4"),
    ("nvfifo calc ectx engine=copy ctx_addr=45000 ctx_size=8000", 2, "no engine has the name 'copy' on the G84"),
    ("nvfifo calc ectx engine=gr ctx_addr=45000 ctx_size=0", 2, "ctx_size must be 1 to fffffbb000 at this address"),
    ("nvfifo calc ectx engine=gr ctx_addr=fffffff000 ctx_size=1001", 2, "ctx_size must be 1 to 1000 at this address"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 ib_bytes=24", 2, "ib_bytes must be a power of two, .* not 24"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 ib_bytes=4", 2, "ib_bytes must be a power of two, .* not 4"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 push_node_offset=18", 2, "push_node_offset must be a multiple of 0x10"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 off_ramht=5408", 2, "off_ramht must be a multiple of 0x10"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 off_cache=4600", 2, "off_cache must be a multiple of 0x400"),
    ("nvfifo calc ramfc inst=1000 ib_offset=0 off_ramfc=4280", 2, "off_ramfc must be a multiple of 0x100"),
    # A value out of range is the mistake, not the columns that are not read because of it.
    (f"printf '{PTE}vram,0,16,00,1,fff,30000,,\\n' | nvfifo calc pte >/dev/null", 2, "needs tag cell 1002, .* has 12 bits"),
    (f"printf '{PTE}vram,10000000000,16,00,0,0,0,,\\n' | nvfifo calc pte >/dev/null", 2, "stolen must be .* up to f{7}000,"),
    ("nvfifo calc pte addres=1000", 2, "pte has no field 'addres'; did you mean address"),
    ("nvfifo calc fault chipst=84", 2, "fault has no field 'chipst'; did you mean chipset"),
    # A chip's number is hexadecimal everywhere: 132 would be the G84.
    ("nvfifo methods --chipset 132", 2, "'132' is not a chipset"),
    ("nvfifo methods --chipset 80", 2, "'80' is not a chipset, 'nvfifo chips' lists them; did you mean G80"),
    # An image of BAR0 is no card.
    ("nvfifo peek --file /nosuch PMC.BOOT_0", 2, "cannot open /nosuch: No such file or directory\n$"),
    ("nvfifo peek --file /dev/null PMC.BOOT_0", 2, "/dev/null ends before the register at 000000"),
    ("nvfifo calc --list frob", 2, "there is no kind 'frob'"),
    ("nvfifo calc --list pte 5", 2, "--list accepts one kind, and no words"),
    ("nvfifo calc fault chipset=g97 0 0 0 0 0 0", 2, "chipset 'g97' is none of the NV50 family"),
    ("head -c 64 /bin/sh | nvfifo calc pte", 2, "standard input: no text: the byte 0x7f at offset 0"),
    ("seq -f a%.0f,b 50 | nvfifo calc pte", 2, "10 wrong lines, the rest is not read"),
    ("""echo '{"va":"2000","bytes":16}' | nvfifo calc ib""", 2, "bytes is hexadecimal, which JSON writes as a string"),
)

# What is right must go on: (command line, regular expression for standard output).
RIGHT = (
    # What Windows' editors add, and a file without an end of its last line
    (f"nvfifo run --model -q <(printf '\\xef\\xbb\\xbf'; sed 's/$/\\r/' {FIRST})", "^PASS"),
    ("nvfifo methods '3D.RT[3].FORMAT'", r"0208 +3D\.RT\[\]\.FORMAT +8 elements"),
    ("nvfifo methods --chipset a3 COPY NOP", "COPY.NOP"),
    ("nvfifo methods --chipset NVA3 COPY NOP", "COPY.NOP"),
    ("nvfifo methods --chipset 0xa3 COPY NOP", "COPY.NOP"),
    # A damaged line, and a method of PFIFO's own: neither is about a handle or an object.
    (f"echo '{CACHE_ERROR} subc 7 mthd zz60 data 1' | nvfifo explain", "This line is cut"),
    (f"echo '{CACHE_ERROR} subc 7 mthd 0008 data 1' | nvfifo explain", "This line is cut"),
    (f"echo '{CACHE_ERROR} subc 7 mthd 0100 data 1' | nvfifo explain", "bind one with method 0 first"),
    ("nvfifo calc dmaobj target=vram access=vm start=0 limit=1 2>&1", "not paged, so no PTE decides access"),
    ("nvfifo calc dmaobj 190000 4cfff 45000 0 0 0 2>&1", r"comp_start  0\n\Z"),
    ("nvfifo calc --list pte", r"^pte +page table entry\n(.*\n){2}$"),
    ("nvfifo calc fault chipset=g96 00000265 00001054 0 00005000 00000012 00000100", "NULL_DMAOBJ"),
    ("""echo '{"va":"2000","bytes":"10"}' | nvfifo calc ib""", '"w1":"00001000"'),
    # A first line without an address does not take the column from the second one.
    ("printf 'pde\\n0\\n12345003\\n' | nvfifo calc --all pde", r"\n0+12345003,4k,.*0012345000"),
    # Lines that are refused do not end a file that has right ones.
    ("(echo pte; echo 1; seq -f zz%.0f 20; echo 2001) | nvfifo calc --all pte 2>/dev/null; true", r"\n0*2001,"),
    # Registers that no driver of this family's cards touches have rnndb's names, too.
    ("nvfifo peek --decode 80054104 400808", r"DISPATCH_STUCK\n +METHOD +041 .*0104\n +SUBCHANNEL +5\n(.*\n)?.*VALID +1"),
    ("nvfifo peek --decode 123 --chipset g200 102130", r"PCIPHER\.INTR\n +INVALID_STATE +1 .*\n +ILLEGAL_MTHD +1 .*\n +FAULT +1"),
    ("nvfifo peek --decode 1001 PDAEMON.IREDIR_TRIGGER", r"10a68c .*\n +HOST_REQ +1\n +HOST +1"),
    ("nvfifo peek --decode 40021 --chipset g84 400504", r"FIFO_STATUS\n +EMPTY +1"),
    ("nvfifo peek --decode 12340001 19e0", r"P2P_WRITE_WINDOW\[0\]\n +DISABLE +1\n +OFFSET +1234"),
    ("""nvfifo calc ramfc '{"54":"00090001","30":"80006d7c"}'""", "IB_CONFIG +00090001 +# ADDRESS_HIGH 1, ORDER 9\nDMA_STATE +80006d7c .*ERROR 4"),
    ("nvfifo calc kind 2c", "Z24_C8_MS4_CS4_LSR: block linear, swizzled bank order"),
    ("nvfifo calc tlb engine=9", "engine +9 +# PBSP, PVLD"),
    ("nvfifo calc fault 00000265 0 0 0 0 0 2>&1", "without chipset= this is the record of G80"),
    ("nvfifo calc fault chipset=g84 265 1054 2000 0 0 0", "inst +20001054000 +# .* structure is at 0001054000, SYSRAM_SNOOP"),
    # Arguments of any length are read to their end: 300 zeros and a word, all words of RAMFC.
    ("nvfifo calc pte $(printf '%0300d' 0)12345001", "address +0012345000"),
    (f"nvfifo calc ramfc '{RAMFC}'", r"CHAN_INST +00000098 (.|\n)*MTHD_UNK28 +0000009c *\nUNK304 +000000a0"),
    ("nvfifo calc ramht handle=beef0201 bits=13 2>&1", "the card has no table of that size"),
    ("nvfifo lint /dev/null 2>&1", "/dev/null is empty: nothing was checked"),
    # Standard input is a terminal on which Ctrl-D is pressed
    (f"{TERMINAL} 'nvfifo explain || :'", "reading from the terminal"),
    (f"{TERMINAL} 'nvfifo trace - || :'", "reading from the terminal"),
    (f"{TERMINAL} 'nvfifo asm'", "reading from the terminal"),
    # A listing on a terminal is as wide as that, and goes through the pager; without one the line is whole.
    (f"{TERMINAL} 'COLUMNS=60 TERM=xterm NVFIFO_PAGER=\"sed s/^/P:/\" nvfifo methods 2D 0x200' | tr -d '\\r'",
     r"\A(P:.{1,59}\n){10,}\Z"),
    (f"{TERMINAL} 'TERM=xterm NVFIFO_PAGER=missing nvfifo chips' | tr -d '\\r'", "^id +name"),
    ("nvfifo methods 2D 0x200", r"\A.{900,}\n\Z"),
    ("echo 00040000 beef5039 00040320 7 | nvfifo disasm --class 0xbeef5039=M2MF", "M2MF.LINE_COUNT"),
    # A chip's own units, and no unit of another chip
    ("nvfifo peek --decode 40044000 --chipset g80 PMC.INTR_HOST", r"INTR_HOST\n +.bits without a name. +40044000"),
    ("nvfifo peek --decode 4000 --chipset mcp89 PMC.INTR_HOST", "PCRYPT +1 +# PVCOMP"),
    ("nvfifo peek --decode 4 --chipset g84 PFIFO.ENGINE_IDLE", "PME_PCOPY +1 +# no such unit on this chip"),
    # "expect dead" expects one mistake of its own channel.
    ("printf 'channel a\\nchannel b\\npush p { mthd 0 0x70 : 5, 6 }\\nsubmit b p\\nexpect dead a\\n' | nvfifo lint; true",
     r"\n2 errors, 0 warnings\n\Z"),
    ("printf 'channel a\\npush p { mthd 0 0x70 : 5, 6 }\\nsubmit a p\\nexpect dead a\\n' | nvfifo lint; true",
     r"\n1 error, 0 warnings, 1 expected\n\Z"),
    # A closed standard input is its end, not the program's text.
    (f"nvfifo run --model --step -q {FIRST} <&-", "^step> *\n?(.*\n)*PASS"),
    # Each of these lines is no command of --step, or the whole program would run.
    (f"printf '%s\\n' 's x' sss 'q q' 'b 0' 'c 5' 's -1' 's 0' g {300 * 's'} q | nvfifo run --model --step -q {FIRST}",
     "^(step> +Enter, s(.*\n)+?){9}step> STOPPED .*after word 1$"),
    # Methods of other classes have the same number; this program has 2D's only.
    (f"echo 'u 3D.RT[0].ADDRESS_HIGH' | nvfifo run --model --step -q {DRAWING}",
     r"^the program ended before the card executed 3D\.RT\[0\]\.ADDRESS_HIGH$"),
    (f"echo 'u 0x200' | nvfifo run --model --step -q {DRAWING}", r"executes mthd 4 2D\.DST_FORMAT"),
    (f"printf '%s\\n' 'x sem 0' 'x sem 4097' q | nvfifo run --model --step -q {FIRST}",
     "^step> x prints 1 to 4096 words, not '0'\nstep> x prints 1 to 4096 words, not '4097'$"),
    (f"printf '%s\\n' 'x sem+0x1000' q | nvfifo run --model --step -q {FIRST}",
     "^step> sem has 0x1000 bytes; an offset is less, and a multiple of 4$"),
)


def run(command, folder):
    """Exit status, standard output and standard error of a command line."""
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", NO_COLOR="1")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace", timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def wrong(command, status, pattern, folder):
    """What is wrong with the answer to a mistake, or nothing."""
    before = sorted(os.listdir(folder))
    code, out, err = run(command, folder)
    if code != status:
        return f"exit status {code}, not {status}: {err.strip()}"
    if not re.search(pattern, err):
        return f"no /{pattern}/ in: {err.strip()}"
    if out:
        return f"it printed {len(out)} bytes: {out.splitlines()[0]}"
    if sorted(os.listdir(folder)) != before:
        return "it left a file"
    return None


def not_right(command, pattern, folder):
    """What is wrong with the answer to a right command, or nothing."""
    code, out, err = run(command, folder)
    if code:
        return f"exit status {code}: {err.strip()}"
    return None if re.search(pattern, out, re.MULTILINE) else f"no /{pattern}/ in: {out[-400:]!r}"


def preloaded(folder):
    """What is wrong with 'nvfifo gl' in a folder whose name has a blank, or nothing."""
    if not (folder / "lib/libnvfifo-nouveau-model.so").exists():
        return None
    code, out, err = run("nvfifo gl --model -- grep -c libnvfifo-nouveau-model /proc/self/maps", folder)
    return None if not code and int(out) else f"exit status {code}, {out.strip()} maps: {err.strip()}"


def main():
    """Run everything in a folder with a blank and an umlaut in its name."""
    results = []
    with tempfile.TemporaryDirectory(prefix="mistakes of Jörg ") as name:
        folder = pathlib.Path(name)
        for part in ("bin", "lib"):
            shutil.copytree(BUILD / part, folder / part, symlinks=True)
        for command, status, pattern in ROWS:
            results.append((command, wrong(command, status, pattern, folder)))
        for command, pattern in RIGHT:
            results.append((command, not_right(command, pattern, folder)))
        results.append(("nvfifo gl in a folder with a blank", preloaded(folder)))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
