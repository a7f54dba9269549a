#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the sources with themselves and with their documents.

    check_source.py CHECK...

    names      ctags defines every identifier of the driver that is not the kernel's
               (KERNEL=dir: the kernel's tree); register definitions and rows agree; a
               function that crosses a file has kernel-doc, whose title has "()"
    docs       functions, structs, parameters, locks, registers, files and options in
               Documentation/ and tools/man/ are those of the sources
    questions  each row of Documentation/open-questions.rst has a state, and names quirks of the
               model, module parameters and lines of the self-test that exist; each quirk, each
               parameter of the trials and each question of the self-test's report has a row
    missing    Documentation/not-modelled.rst has a row for each kind of sim/nvsim_missing.h, in
               that order, and each kind is used by the model
    folders    a folder of the driver calls only those that Documentation/files.rst lists,
               and function pointers are those of its table, at most 5
    locks      each lock that the driver initialises is in the table of nvfifo_drv.h, and
               the other way round
    guards     each suite of tests/guest says in one line, "Guards", what it tests, in which
               page, and on which chips; the page exists
    exports    the driver exports no function
    english    a sentence of a comment has at most 25 words, and its subject is a named
               thing: it does not begin with What, Who, Whatever, Whoever or Those. In no
               folder more sentences than before hide their subject (WEAK, WEAK_MAX).
               Some words are wrong in comments and pages (FOREIGN)
    plainness  figures of the driver, next to those of v3d (V3D=dir); a fault is a
               conditional operator too many, a function of more than 60 lines, or a share
               of blank lines outside of 15 to 20 %
    numbers    no file outside of lib/nvfifo_text.c reads a number by strtoul() and its kin or digit by
               digit, but for those of OWN_NUMBERS; sscanf() reads those of a line
    json       no file outside of lib/nvfifo_json.[ch] puts JSON together or takes it apart, but for
               those of OWN_JSON
    lines      no file outside of lib/nvfifo_text.h looks for the ends of lines, but for those of OWN_LINES
    stacked    no statement of user space, of KUnit's suites and of the tests has two
               conditional operators or GNU's "?:", and no function has more than 60 lines

It prints a line for each fault. plainness prints its table on stdout.
"""
import glob
import os
import re
import statistics
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# KUnit's card, a structure of functions that leads down to the hardware.
IO_OPS = "nvfifo_io_ops"

# Pointers to functions that the driver's structures may have.
CALLBACKS_MAX = 5

# The driver's files: the fixed names, and the folders that they outgrew.
DRIVER_C = ("nvfifo_*.c", "driver/*/*.c")
DRIVER_H = ("nvfifo_*.h", "driver/*/*.h")
DRIVER = DRIVER_C + DRIVER_H


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def files(*patterns):
    found = []
    for pattern in patterns:
        found += sorted(glob.glob(pattern))
    return found


def bare(text):
    """The text without comments and without what is in quotes, on the same lines."""
    def blanks(match):
        found = match.group(0)
        if found[0] in "\"'":
            return found[0] + " " * (len(found) - 2) + found[0]
        return re.sub(r"[^\n]", " ", found)
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  blanks, text, flags=re.S)


def tags(paths, kinds):
    """Tags of those kinds as (name, kind, file, first line, last line, scope)."""
    out = subprocess.run(
        ["ctags", "-x", "--language-force=C", "--kinds-C=" + kinds, "--extras=+F",
         "--_xformat=%N\t%K\t%F\t%n\t%{end}\t%s", "-o", "-"] + paths,
        capture_output=True, text=True, check=True).stdout
    rows = []
    for line in out.splitlines():
        name, kind, path, first, last, scope = (line.split("\t") + [""] * 6)[:6]
        rows.append((name, kind, path, int(first), int(last or first), scope))
    return rows


# --- names -------------------------------------------------------------------

KEYWORDS = set("""
auto break case char const continue default do double else enum extern float for goto if
inline int long register return short signed sizeof static struct switch typedef union
unsigned void volatile while bool true false NULL asm typeof define undef ifdef ifndef endif
elif include pragma defined error warning once __VA_ARGS__ __KERNEL__ __cplusplus C
""".split())


def kernel_words(kernel):
    words = set()
    for root in ("include", "arch/um/include", "arch/x86/include", "arch/x86/um"):
        for path, _, names in os.walk(os.path.join(kernel, root)):
            for name in names:
                if name.endswith(".h"):
                    words.update(re.findall(r"[A-Za-z_]\w*", read(os.path.join(path, name))))
    return words


def made_by_kernel_macros(text):
    """Names that macros of the kernel define, which ctags does not follow."""
    names = set()
    for args in re.findall(r"\b(?:(?:DEFINE|DECLARE)_\w+|TRACE_EVENT|LIST_HEAD)\(([\w\s,]+)", text):
        for name in re.findall(r"\w+", args):
            names |= {name, name + "_fops"}
    return names | set(re.findall(r"#define TRACE_SYSTEM (\w+)", text))


def check_names():
    driver = files(*DRIVER, "hw/*.[ch]")
    known = {row[0] for row in tags(driver + files("uapi/*.h"), "+defghlmpstuvxzL")}
    # Macros of the compiler's command line.
    kbuild = read("Kbuild")
    known |= set(re.findall(r"-D([A-Z]\w+)", kbuild))
    known |= {f"NVFIFO_HAVE_{name}" for name in re.findall(r"\$\(call have,.*,(\w+)\)", kbuild)}
    for path in driver:
        text = read(path)
        known |= made_by_kernel_macros(text)
        # Parameters of macros
        for args in re.findall(r"^#define \w+\(([\w\s,]+)", text, re.M):
            known |= set(re.findall(r"\w+", args))
    kernel = os.environ.get("KERNEL")
    theirs = kernel_words(kernel) if kernel else None
    faults = []
    for path in driver:
        for n, line in enumerate(bare(read(path)).split("\n"), 1):
            if re.match(r"\s*#\s*(include|pragma|error)", line):
                continue
            # The block's name, the first of a row, is a part of the register's.
            line = re.sub(r"\bREG\(\w+,", "REG(", line)
            # The kernel's macro puts DRM_ before its first argument.
            line = re.sub(r"\bDRM_IOCTL_DEF_DRV\(", "DRM_IOCTL_DEF_DRV, DRM_", line)
            for word in re.findall(r"(?<![\w.'])[A-Za-z_]\w*", line):
                ours = re.match(r"(DRM_)?(NVFIFO|NV|nvfifo)_", word)
                if word in known or word in KEYWORDS or word.startswith("__builtin_"):
                    continue
                if re.match(r"(trace|to|DRM_IOCTL|_NVFIFO)_", word):
                    continue
                if word in ("__STRIDE", "nvfifo_trace", "mutex_intr", "drm_gem_vmap", "drm_gem_vunmap",
                            "drm_dev_wedged_event", "DRM_WEDGE_RECOVERY_REBIND", "drm_gem_huge_mnt_create"):
                    continue
                if theirs is None and not ours:
                    continue
                if theirs is not None and not ours and word in theirs:
                    continue
                faults.append(f"{path}:{n}: ctags finds no definition of {word}")
        for n, line in enumerate(read(path).split("\n"), 1):
            if re.search(r"##(?!__VA_ARGS__|__STRIDE)", line):
                faults.append(f"{path}:{n}: a macro puts names together: {line.strip()}")
    return sorted(set(faults)) + check_rows() + check_kernel_doc()


def check_kernel_doc():
    """A function that crosses a file has kernel-doc at its definition."""
    faults = []
    paths = files(*DRIVER_C, "hw/*.c")
    documented = set()
    for path in paths:
        documented |= set(re.findall(r"^/\*\*\n \* (\w+)(?:\(\))? - ", read(path), re.M))
    declared = set(re.findall(r"\b(nvfifo_\w+)\(", "".join(read(path) for path in files(*DRIVER_H, "hw/*.h"))))
    for name, _, path, first, _, _ in tags(paths, "f"):
        lines = read(path).split("\n")[max(first - 2, 0):first]
        if name in declared and name not in documented and not any("static" in line for line in lines):
            faults.append(f"{path}:{first}: {name}() crosses a file and has no kernel-doc")
    return faults + kernel_doc_titles()


def kernel_doc_titles():
    """The title of a function's kernel-doc has parentheses, as the kernel's guide has it."""
    faults = []
    paths = subprocess.run(["git", "ls-files", "*.c", "*.h"], capture_output=True, text=True, check=True)
    for path in paths.stdout.split():
        if not os.path.exists(path):
            continue
        text = read(path)
        for match in re.finditer(r"^\s*/\*\*\n\s*\* (\w+) - ", text, re.M):
            line = text.count("\n", 0, match.start(1)) + 1
            faults.append(f"{path}:{line}: the kernel-doc's title is {match.group(1)}(), with parentheses")
    return faults


def check_rows():
    path = "hw/nvfifo_reg_table.h"
    text = read(path)
    defined = set(re.findall(r"^#define (NV_[A-Z0-9]+_\w+)[ \t]+(?:0x|NV_BITS)", text, re.M))
    defined = {name for name in defined if not name.endswith("__STRIDE")}
    defined -= {"NV_BAR0_SIZE", "NV_DUMP_PGRAPH"}
    rows = re.findall(r"^\t+REG\((\w+), (\w+),", text, re.M)
    fields = re.findall(r"^\t+FLD\((\w+), (\w+)\)", text, re.M)
    faults = []
    for block, name in rows:
        if not name.startswith(f"NV_{block}_"):
            faults.append(f"{path}: the row of {name} says block {block}")
    for register, name in fields:
        if not name.startswith(register + "__"):
            faults.append(f"{path}: the row of {name} says register {register}")
    listed = {name for _, name in rows} | {name for _, name in fields}
    faults += [f"{path}: {name} has no row" for name in sorted(defined - listed)]
    faults += [f"{path}: the row of {name} has no definition" for name in sorted(listed - defined)]
    return faults


# --- docs --------------------------------------------------------------------

def check_docs():
    return (doc_names() + doc_files() + doc_paths() + doc_links() + doc_parameters() + doc_registers() +
            man_options() + doc_blocks() + maintainers())


def doc_names():
    sources = files(*DRIVER, "hw/*.[ch]", "uapi/*.h", "lib/*.[ch]", "sim/**/*.[ch]",
                    "sim/*.[ch]", "tools/*.[ch]", "kunit/*.[ch]", "tests/**/*.[ch]")
    rows = tags(sources, "+dfpst")
    functions = {row[0] for row in rows if row[1] in ("function", "prototype", "macro")}
    structs = {row[0] for row in rows if row[1] in ("struct", "typedef")}
    events = set(re.findall(r"(?:TRACE_EVENT|DEFINE_EVENT)\((?:\w+, )?(\w+)",
                            read("driver/debug/nvfifo_trace.h")))
    faults = []
    for path in files("Documentation/*.rst", "Documentation/guides/*.rst"):
        for n, line in enumerate(read(path).split("\n"), 1):
            for name in re.findall(r"``(\w+)\(\)``", line):
                if name not in functions and not libc_or_kernel(name):
                    faults.append(f"{path}:{n}: there is no function {name}()")
            for name in re.findall(r"``struct (\w+)``", line):
                if name not in structs and not libc_or_kernel(name):
                    faults.append(f"{path}:{n}: there is no struct {name}")
            for name in re.findall(r"``(nvfifo_\w+)`` event", line):
                if name not in events:
                    faults.append(f"{path}:{n}: there is no trace event {name}")
    return faults


def libc_or_kernel(name):
    """Names of others. A new one has to be added here, which makes its writer look."""
    return name in {
        "close", "fork", "ioctl", "mmap", "munmap", "open", "poll", "printf", "read", "dup", "wait",
        "write", "pread", "readdir", "drm_dev_enter", "drm_dev_unplug", "drm_sched_job",
        "pci_enable_msi", "dma_map_sgtable", "kvmalloc", "dma_fence", "drm_gem_object",
        "sync_file", "pci_dev", "copy_to_user", "copy_from_user", "vmf_insert_pfn",
        "memcg", "memcpy", "memcpy_toio", "memcpy_fromio", "memset_io", "crc32", "iowrite32",
        "iowrite8", "nv40_pci_msi_rearm", "nv50_mc_init", "nv41_timer_init", "t_something", "dma_resv", "drm_file", "work_struct", "fault_attr",
    }


def doc_files():
    """Each file that a page's table of files names is there, and each of the driver is named."""
    text = read("Documentation/architecture.rst")
    faults = []
    named = set(re.findall(r"``((?:hw/|driver/\w+/)?nvfifo_\w+\.[ch])``", text))
    for path in sorted(named):
        if not os.path.exists(path):
            faults.append(f"Documentation/architecture.rst: there is no file {path}")
    # The walk of a SUBMIT: a row has a file and functions of it.
    for path, names in re.findall(r"\* - ``([\w/]+\.c)``\n +- (``\w+\(\)``(?:, ``\w+\(\)``)*)\n", text):
        defined = {row[0] for row in tags([path], "f")} if os.path.exists(path) else set()
        faults += [f"Documentation/architecture.rst: {path} has no function {name}()"
                   for name in re.findall(r"\w+", names) if name not in defined]
    for path in files(*DRIVER, "hw/*.[ch]"):
        # A file and its header are one.
        if path not in named and path[:-1] + "c" not in named:
            faults.append(f"Documentation/architecture.rst: {path} is in no table")
    faults += [f"README.md:{n}: {len(line)} columns, and 89 fit"
               for n, line in enumerate(read("README.md").split("\n"), 1) if len(line) > 89]
    for page in ("README.md", "sim/README.md"):
        for path in re.findall(r"`((?:\w+/)*\w+\.(?:[ch]|sh|py|rst|md|nvp))`", read(page)):
            if not os.path.exists(path) and not os.path.exists(os.path.join("sim", path)) and \
                    not glob.glob("**/" + path, recursive=True):
                faults.append(f"{page}: there is no file {path}")
    faults += [f"{path}:{n}: {len(line)} columns, and 79 fit" for path in files("NEWS", "tests/golden/help*.out")
               for n, line in enumerate(read(path).split("\n"), 1) if len(line) > 79]
    model = read("sim/README.md")
    for path in files("sim/core/*.c", "sim/core/*/*.c", "sim/tests/*.c"):
        if f"`{path.split('/', 2)[2]}`" not in model and f"`{path[4:]}`" not in model:
            faults.append(f"sim/README.md: {path} is in no table")
    return faults


def doc_paths():
    """Each path in backticks that begins with a folder of this tree is there, whole or as a beginning."""
    listed = [path.split("/") for path in
              subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")]
    folders = {parts[0] for parts in listed if len(parts) > 1}
    faults = []
    for page in ["/".join(parts) for parts in listed if parts[-1].endswith((".rst", ".md"))]:
        for n, line in enumerate(read(page).split("\n"), 1):
            for path in re.findall(r"`((?:[\w.*-]+/)+[\w.*-]*)`", line):
                places = (path, os.path.join("*", path), os.path.join(os.path.dirname(page), path))
                if path.split("/")[0] in folders and not any(glob.glob(place + "*") for place in places):
                    faults.append(f"{page}:{n}: there is no {path}")
    return faults


def doc_links():
    """A page can be read where the repository is browsed: without Sphinx's roles, and each link leads to a file."""
    faults = []
    for page in tracked(["*.rst"]):
        text = read(page)
        faults += [f"{page}: {role} is shown as it is by GitHub: write `text <page.rst>`__"
                   for role in re.findall(r":(?:doc|ref|term|any):`[^`]*`", text)]
        for target in re.findall(r"<([^<>\s#]+\.rst)(?:#[^>]*)?>`__", text):
            if "://" not in target and not os.path.exists(os.path.join(os.path.dirname(page), target)):
                faults.append(f"{page}: there is no {target}")
    return faults


def doc_blocks():
    """Each DOC: block that a page shows is in its file."""
    faults = []
    for page in files("Documentation/*.rst"):
        for path, title in re.findall(r"^\.\. kernel-doc:: (\S+)\n   :doc: (.*)$", read(page), re.M):
            if not os.path.exists(path) or f" DOC: {title}\n" not in read(path):
                faults.append(f"{page}: {path} has no block 'DOC: {title}'")
    return faults


def maintainers():
    """Each pattern of MAINTAINERS matches files, and each folder and file of the top belongs to an area."""
    page = "Documentation/MAINTAINERS"
    patterns = re.findall(r"^F:\t(.*)$", read(page), re.M)
    faults = [f"{page}: nothing matches {pattern}" for pattern in patterns if not glob.glob(pattern)]
    for path in subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split():
        top, slash, _ = path.partition("/")
        if slash and top + "/" not in patterns:
            faults.append(f"{page}: {top}/ is in no area")
    return sorted(set(faults))


def doc_parameters():
    """Module parameters: names, types and defaults of the page are those of the sources."""
    page = "Documentation/quick-start.rst"
    declared, defaults = {}, {}
    for path in files(*DRIVER_C):
        text = read(path)
        for name, kind in re.findall(r"^module_param\((\w+), (\w+),", text, re.M):
            value = re.search(rf"^static [\w ]+\b{name}(?: = ([^;]+))?;", text, re.M)
            declared[name] = kind
            defaults[name] = (value[1] or "0").replace("true", "1").replace("false", "0")
    rows = re.findall(r"^   \* - ``(\w+)``\n     - (bool|uint|int|charp)\n     - (\S+)", read(page), re.M)
    named = {name: kind for name, kind, _ in rows}
    faults = [f"{page}: no parameter {name}, which the module has" for name in declared.keys() - named.keys()]
    faults += [f"{page}: the module has no parameter {name}" for name in named.keys() - declared.keys()]
    faults += [f"{page}: {name} is {declared[name]}" for name in named if declared.get(name, named[name]) != named[name]]
    faults += [f"{page}: the default of {name} is {defaults.get(name)}, not {value}" for name, _, value in rows
               if defaults.get(name) != value]
    return sorted(faults)


def doc_registers():
    """Names and offsets of the page are those of the table."""
    page = "Documentation/registers.rst"
    table = dict(re.findall(r"^#define NV_([A-Z0-9]+_\w+?)[ \t]+0x([0-9a-f]+)$",
                            read("hw/nvfifo_reg_table.h"), re.M))
    faults = []
    for block, name, offset in re.findall(r"^   \* - (\w+)\.(\w+)(?:\[\w*\])?\n     - ([0-9a-f]{6})",
                                          read(page), re.M):
        key = f"{block}_{name}"
        if key not in table:
            faults.append(f"{page}: there is no register {block}.{name}")
        elif int(table[key], 16) != int(offset, 16):
            faults.append(f"{page}: {block}.{name} is at {table[key]}, not at {offset}")
    return faults


def man_options():
    """Long options: of the command's sources, its help texts, and the manual page."""
    page = read("tools/man/nvfifo.1").replace("\\-", "-")
    manual = set(re.findall(r"--[a-z][a-z0-9-]+", page))
    declared = {"--help", "--version"}
    for path in files("tools/*.c") + files("tools/*.h"):
        declared |= {"--" + name for name in
                     re.findall(r'\bOPTION_[A-Z]+\("([a-z][a-z0-9-]+)"', read(path))}
    if not declared:
        return ["tools: found no options"]
    faults = [f"tools/man/nvfifo.1: option {name} is missing" for name in declared - manual - {"--version"}]
    faults += [f"tools/man/nvfifo.1: no tool has the option {name}" for name in manual - declared]
    return sorted(faults)


# --- layers ------------------------------------------------------------------

def question_rows(page):
    """(question, sources, state, quirk, sign on a card, self-test) of each question."""
    text = read(page).split("\nThe questions\n")[1]
    text = re.split(r"^[^\n]+\n=+\n", text.split("\n", 1)[1], flags=re.M)[0]
    rows = []
    for title, body in re.findall(r"^([^\n]+)\n-+\n(.*?)(?=^[^\n]+\n-+\n|\Z)", text, re.M | re.S):
        state, *fields = re.split(r"^:(Sources|A card would show|Quirk|Self-test): ", body, flags=re.M)
        cells = {name: re.sub(r"\s+", " ", value).strip() for name, value in zip(fields[::2], fields[1::2])}
        rows.append([title, re.sub(r"\s+", " ", state).strip(), cells])
    return [[title, cells.get("Sources"), state, cells.get("Quirk"), cells.get("A card would show"),
             cells.get("Self-test")] for title, state, cells in rows]


def check_missing():
    page, header = "Documentation/not-modelled.rst", "sim/nvsim_missing.h"
    rows = re.findall(r'ROW\((\w+), "([^"]*)"\)', read(header))
    if len(rows) < 10:
        return [f"{header}: the rows are written in another way now"]

    kinds, said, codes = re.split(r"^(?:What is said of an instruction|Codes of DATA_ERROR)\n=+\n", read(page), flags=re.M)
    listed = re.findall(r"^   \* - (.*)", kinds, re.M)[1:]
    model = "".join(read(path) for path in files("sim/core/*.c", "sim/core/gr3d/*.c"))
    faults = [f"{header}: the model never uses {token}" for token, _ in rows
              if not re.search(rf"NVSIM_MISSING_{token}\b", model)]
    if listed != [name for _, name in rows]:
        faults.append(f"{page}: the rows are not those of {header}: {listed}")
    return faults + said_of_instructions(page, said) + data_errors(page, codes) + without_effect() + typed_values()


def said_of_instructions(page, text):
    """The texts of fail() in the model of programs, and the page's."""
    listed = set(re.findall(r"^   \* - ``([^`]*)``$", text, re.M))
    model = set(re.findall(r'\bfail\(m, "([^"]*)"\)', read("sim/core/gr3d/program.c")))
    faults = [f"sim/core/gr3d/program.c: a call of fail() has no text in it: {call}" for call in
              re.findall(r"\bfail\(m, [^\"].*", read("sim/core/gr3d/program.c"))]
    return faults + [f"{page}: no row for ``{name}``" for name in sorted(model - listed)] + \
        [f"{page}: the model never says ``{name}``" for name in sorted(listed - model)]


def data_errors(page, text):
    """Codes of DATA_ERROR: the table of names, the page's rules, what the model raises and what its tests expect."""
    table, header = "hw/nvfifo_code_table.h", "sim/core/gr.h"
    named = [(int(code, 16), name) for code, name in re.findall(r'X\((0x\w\w), "(\w+)",[ \\\n\t]+"', read(table))]
    rows = [(int(code, 16), name, rule) for code, name, rule in
            re.findall(r"^   \* - (\w\w)\n     - (\w+)\n     - (.*)", text, re.M)]
    if len(named) < 40:
        return [f"{table}: the codes of DATA_ERROR are written in another way now"]

    faults = []
    if [row[:2] for row in rows] != named:
        faults.append(f"{page}: the codes of DATA_ERROR are not those of {table}: {set(named) ^ {row[:2] for row in rows}}")
    body = re.search(r"enum sim_gr_error \{(.*?)\n\}", read(header), re.S).group(1)
    enum = {name: int(code, 16) for name, code in re.findall(r"GR_(\w+) = (0x\w+)", body)}
    faults += [f"{header}: GR_{name} is not in {table}" for name, code in enum.items() if (code, name) not in named]
    model = "".join(read(path) for path in files("sim/core/*.c", "sim/core/gr3d/*.c"))
    tests = read("sim/tests/test_rules.c") + read("sim/tests/test_pgraph.c")
    for code, name, rule in rows:
        raised = re.search(rf"\bGR_{name}\b", model)
        if bool(raised) == rule.startswith("not checked"):
            faults.append(f"{page}: {name}: the model {'raises' if raised else 'never raises'} it")
        if raised and not re.search(rf"\b0x0?{code:x}\b|, {code} \}}", tests):
            faults.append(f"sim/tests/test_rules.c: no row expects {name}, {code:x}")
    return faults


# Values of enumerations and flags that sim/core/values.c leaves to others, and where the model looks at them
ELSEWHERE = {
    "NOTIFY": "pgraph.c", "COND_MODE": "methods.c", "FORMAT": "m2mf.c", "QUERY_GET": "gr3d/query.c",
    "COUNTER_RESET": "gr3d/query.c", "VERTEX_ARRAY_ATTRIB": "gr3d/vertex.c", "VERTEX_ARRAY_ATTRIB_ALT": "no_effect.c",
}

# Lists with fewer values than the method table, which has those of later cards and of the other engines
FEWER = {"ZERO", "DST_2D", "SRC_2D", "DRAW_2D"}


def type_values(value, types):
    """The values of an enumeration of the method table, None for other types."""
    value = types.get(value[1:], "") if value.startswith("@") else value
    if value == "bool":
        return {0, 1}
    return {int(number, 16) for number in re.findall(r"([0-9a-f]+):", value)} if value.startswith("=") else None


def typed_fields(value, types):
    """(high, low, values) of each enumeration and flag of a method's data."""
    text = types.get(value[1:], value) if value.startswith("@") else value
    if not text.startswith("{"):
        return [(31, 0, type_values(text, types))]
    fields = [re.match(r"\S+ (\d+)(?::(\d+))? ?(.*?) ?(?:\^\d+)?$", field).groups() for field in text[1:-1].split("|")]
    return [(int(high), int(low or high), type_values(data, types)) for high, low, data in fields]


def typed_values():
    """Enumerations and flags of the method table of 3D, compute, 2D and M2MF, and the model's lists."""
    path, table = "sim/core/values.c", read("lib/nvfifo_method_table.c")
    types = {name: "".join(re.findall(r'"([^"]*)"', text)) for name, text in
             re.findall(r'\{ "(\w+)",\s*((?:"[^"]*"\s*)+)\}', table)}
    lists = {name: {n for first, last in re.findall(r"\{ (\w+), (\w+)", spans) for n in range(int(first, 0), int(last, 0) + 1)}
             for name, spans in re.findall(r"\[(\w+)\] = \{ \d+, \{(.*?)\} \},", read(path), re.S)}
    rules = {(family, int(method, 16) + i * int(stride)) for name in ("methods.c", "no_effect.c") for family, method, count, stride in
             re.findall(r"\{ CLASS_(\w+), (0x\w+), (\d+), (\d+),", read("sim/core/" + name)) for i in range(int(count))}
    if len(lists) < 20:
        return [f"{path}: the lists are written in another way now"]

    faults = []
    for family in "3D", "COMPUTE", "2D", "M2MF":
        rows = {(int(method, 16), int(high), int(low)): name for method, high, low, name in re.findall(
            rf"\{{ CLASS_{family}, (0x\w+), \d+, \d+, (\d+), (\d+), (\w+) \}}", read(path))}
        body = table.split(f"nvfifo_methods_{family.lower()}[] = {{")[1].split("\n};")[0]
        for method, name, text in re.findall(r'\{ (0x\w+), \d+, \d+, 0x\w+, "([^"]*)",\s*((?:"[^"]*"\s*)+)\}', body):
            where, value = name.split("[")[0], "".join(re.findall(r'"([^"]*)"', text))
            for high, low, wanted in typed_fields(value, types):
                if not wanted or high == low or where in ELSEWHERE:
                    continue
                found = rows.get((int(method, 16), high, low))
                if not found and (family, int(method, 16)) not in rules:
                    faults.append(f"{path}: no row for {family}.{name}, bits {high}:{low}")
                elif found and lists[found] - {0} - wanted or found not in FEWER and wanted - lists.get(found, wanted):
                    faults.append(f"{path}: {found} does not have the values of {family}.{name}")
    return faults


def without_effect():
    """Rows of sim/core/no_effect.c: methods that exist, and each that has no name but what it does."""
    path, table = "sim/core/no_effect.c", read("lib/nvfifo_method_table.c")
    faults = []
    for family in "3D", "COMPUTE", "2D":
        body = table.split(f"nvfifo_methods_{family.lower()}[] = {{")[1].split("\n};")[0]
        names = {int(method, 16) + i * int(stride): name for method, stride, count, name in
                 re.findall(r'\{ (0x\w+), (\d+), (\d+), 0x\w+, "([^"]*)"', body) for i in range(int(count))}
        rows = {int(method, 16) + i * int(stride) for method, count, stride in
                re.findall(rf"\{{ CLASS_{family}, (0x\w+), (\d+), (\d+), ", read(path)) for i in range(int(count))}
        # Bit 8 of compute's 384 is ALL_BLOCKS.
        unnamed = {method for method, name in names.items() if "UNK" in name} - {0x384}
        faults += [f"{path}: {family} has no method {method:04x}" for method in sorted(rows - set(names))]
        faults += [f"{path}: no row for {family}.{names[method]}" for method in sorted(unnamed - rows)]
    return faults


def check_questions():
    page = "Documentation/open-questions.rst"
    quirks = dict(re.findall(r'"([\w-]+)", \{ "[\w-]+", "([\w-]+)" \}', read("sim/core/quirk.c")))
    injections = set(re.findall(r'\[SIM_\w+\] = "([\w-]+)"',
                                read("sim/core/command.c") + read("sim/core/fault.c")))
    lefts = re.search(r"lefts\[\] = \{(.*?), NULL\};", read("sim/transport/options.c"), re.S).group(1)
    states = {"left=" + name for name in re.findall(r'"([\w-]+)"', lefts)}
    parameters = {name: path for path in files(*DRIVER_C)
                  for name in re.findall(r"^module_param(?:_named)?\((\w+),", read(path), re.M)}
    lines = set(re.findall(r'^\t\{ "([\w-]+)", "[^"]*", (?:ask_|NULL)', read("tools/questions.c"), re.M))
    table = re.search(r"selftest_steps\[\] = \{(.*?)^\};", read("tools/cmd_selftest.c"), re.S | re.M).group(1)
    steps = len(re.findall(r'^\t\{ "', table, re.M))
    if len(quirks) < 20 or len(lines) < 10 or steps < 10 or not injections:
        return ["check_source.py: the quirks, injections, lines or steps are written in another way now"]

    faults, named = [], set()
    for cells in question_rows(page):
        where = f"{page}: {cells[0]}"
        if None in cells:
            faults.append(f"{where}: not all of Sources, A card would show, Quirk and Self-test")
            continue
        if not re.match(r"\*\*(Settled|Either way|Open)\.?\*\*", cells[2]):
            faults.append(f"{where}: the state is not Settled, Either way or Open")
        for name, value in re.findall(r"(?:--quirk |``)([\w-]+)=([\w-]+)``", " ".join(cells)):
            named.add(name)
            if name in quirks and quirks[name] != value:
                faults.append(f"{where}: quirk {name} has no other side {value}")
        for word in re.sub(r"``|,| and ", " ", cells[3]).split():
            name = word.split("=")[0]
            if word in states:
                continue
            if "=" in word and name not in quirks or "=" not in word and word not in {"none", "inject"} | injections:
                faults.append(f"{where}: the model has no quirk or injection {word}")
        for name in re.findall(r"(?:module parameter|without a trial \(|as long as a job \()\s*``(\w+)``", cells[2]):
            named.add(name)
            if name not in parameters:
                faults.append(f"{where}: the driver has no parameter {name}")
        named |= set(re.findall(r"``([\w-]+)``", cells[5]))
        for name in set(re.findall(r"``([\w-]+)``", cells[5])) - lines:
            faults.append(f"{where}: the report of the self-test has no line {name}")
        for numbers in re.findall(r"steps? ([\d, ]+)", cells[5]):
            if max(int(n) for n in re.findall(r"\d+", numbers)) > steps:
                faults.append(f"{where}: the self-test has {steps} steps")
        rest = re.sub(r"``[\w-]+``|steps? [\d, ]+|[, ]| and |none|the kernel log|the channel's line|probe|every other wait of the report", "", cells[5])
        if rest.replace("and", ""):
            faults.append(f"{where}: '{rest}' is no line of the self-test")
    faults += [f"{page}: no row has the quirk or line {name}" for name in sorted((set(quirks) | lines) - named)]
    return faults


def folder(path):
    """The folder of a file of the driver; each of the root's files counts as one."""
    parts = path.split("/")
    return parts[1] if parts[0] == "driver" else os.path.basename(path)[7:-2]


def folder_calls():
    """Pairs (from, to) of folders, with an example: a function that one names of the other."""
    sources = files(*DRIVER_C)
    home = {}
    for name, _, path, _, _, _ in tags(sources, "f"):
        home.setdefault(name, path)
    calls = {}
    for path in sources:
        for name in sorted(set(re.findall(r"\b(nvfifo_\w+)\b", bare(read(path))))):
            there = home.get(name)
            if there and folder(there) != folder(path):
                calls.setdefault((folder(path), folder(there)), f"{path}: {name}()")
    return calls


def function_pointers():
    """Members of the driver's structures that point to functions, as (struct, member)."""
    found = []
    for path in files(*DRIVER_H):
        text = bare(read(path))
        for name, body in re.findall(r"^struct (\w+) \{\n(.*?)^\}", text, re.M | re.S):
            found += [(name, member) for member in re.findall(r"\(\*(\w+)\)\(", body)]
    return found


def check_folders():
    page = "Documentation/files.rst"
    text = read(page)
    listed = {(here, there) for here, cell in re.findall(r"^   \* - ``([\w/]+)``\n     - calls: (.*)$", text, re.M)
              for there in re.findall(r"``(\w+)``", cell)}
    calls = folder_calls()
    faults = [f"{page}: {here} calls {there} ({calls[here, there]})" for here, there in sorted(set(calls) - listed)]
    faults += [f"{page}: {here} does not call {there}" for here, there in sorted(listed - set(calls))]
    pointers = [(name, member) for name, member in function_pointers() if name != IO_OPS]
    faults += [f"{page}: no row for {name}.{member}" for name, member in pointers if f"``{name}.{member}``" not in text]
    if len(pointers) > CALLBACKS_MAX:
        faults.append(f"{len(pointers)} pointers to functions, more than {CALLBACKS_MAX}")
    return faults


# --- locks -------------------------------------------------------------------

def check_locks():
    """Lockdep names a lock by the argument of its initialiser, and so does the table."""
    head = read("nvfifo_drv.h").split("Lock order", 1)[1].split("*/", 1)[0]
    table = re.findall(r"^ \*\t&(\S+)[\t ]", head, re.M)
    made = {}
    for path in files(*DRIVER_C):
        for name in re.findall(r"\b(?:mutex_init|spin_lock_init|init_rwsem)\(&([^)]+)\);", bare(read(path))):
            made.setdefault(name, path)
    faults = [f"nvfifo_drv.h: {name} of {path} is not in the lock order" for name, path in sorted(made.items())
              if name not in table]
    faults += [f"nvfifo_drv.h: no source initialises {name}" for name in table if name not in made]
    faults += [f"{path}: a static lock has no place in the lock order" for path in files(*DRIVER_C)
               if re.search(r"^static DEFINE_(MUTEX|SPINLOCK|RWLOCK)", read(path), re.M)]
    return faults


# --- exports -----------------------------------------------------------------

def check_exports():
    """No other module can call the driver: its functions are not exported."""
    return [f"{path}:{n}: {macro}" for path in files(*DRIVER, "hw/*.[ch]", "kunit/*.[ch]")
            for n, line in enumerate(bare(read(path)).split("\n"), 1)
            for macro in re.findall(r"\b_*EXPORT_\w*SYMBOL\w*", line)]


# --- guards ------------------------------------------------------------------

def check_guards():
    """Each suite of tests/guest says what it is for; tests/plan.sh reads where it runs."""
    line = re.compile(r"^(?: \*|#) Guards (.+) \(([\w.-]+)\), on (one chip|each generation)\.$", re.M)
    faults = []
    for path in files("tests/guest/*.c", "tests/guest/*.sh"):
        found = line.findall(read(path))
        if len(found) != 1:
            faults.append(f"{path}: {len(found)} lines 'Guards THING (PAGE), on one chip|each generation.'")
        for _, page, _ in found:
            if not files("Documentation/" + page, "Documentation/guides/" + page):
                faults.append(f"{path}: there is no page {page}")
    return faults


# --- english -----------------------------------------------------------------

SENTENCE_MAX = 25
NO_SUBJECT = re.compile(r"(What|Who|Whatever|Whoever|Those)\b")


# Sentences that begin with a pronoun or a clause, and phrases that stand for a noun.
WEAK = re.compile(r"^(That|Where|Nobody|Somebody|None of|The ones?|that|where|nobody|somebody|the one) |"
                  r"\b(the|The) ones? (that|which|who)\b|\bis to follow\b|"
                  r"\b(behind|anew|[nN]obody|[sS]omebody|(?<!@)what)\b")

# How many of them a folder may have. In sim/ and tests/gl "behind" is the place of a thing in a picture.
WEAK_MAX = {"kunit": 1, "lib": 1, "sim": 5, "tests": 4, "tools": 0}


# Words that are not the English of the field, in comments and pages. They are right in no sentence.
FOREIGN = re.compile(r"\b(in (the )?place of|no such one|nevertheless|leave it away|from its begin|"
                     r"also (if|when|after|before|though|without|while|where))\b".replace(" ", r"[\s*]+"), re.I)
PAGES = ["*.rst", "*.md", "NEWS", "tools/man/*.[15]", ":!tests"]


def foreign(path, first, text):
    return [f"{path}:{first + text.count(chr(10), 0, match.start())}: '{match.group(0)}' is not the English of the field"
            for match in FOREIGN.finditer(text)]


def comments(text):
    """Comments as (number of the first line, text)."""
    token = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    for match in token.finditer(text):
        if match.group(0)[0] == "/":
            yield text.count("\n", 0, match.start()) + 1, match.group(0)


def paragraphs(comment, first):
    """Paragraphs and entries of lists as (line, text), without tables and examples."""
    body = comment[2:-2] if comment.startswith("/*") else comment[2:]
    start, words = first, []
    for n, line in enumerate(body.split("\n"), first):
        line = line.lstrip("*") if n == first else re.sub(r"^\s*\*+ ?", "", line)
        plain = line.strip()
        indented = line.startswith(("\t", "  "))
        entry = re.match(r"(@[\w.>-]+:|[-*]|\d+\.|\w+(?:\(\))? -|\w+:)(\s+|$)", plain)
        if words and (not plain or indented or entry):
            yield start, " ".join(words)
            words = []
        if not plain or line.startswith("\t") or plain.startswith("SPDX"):
            continue
        if not words:
            start = n
        words.append(plain[entry.end():] if entry else plain)
    if words:
        yield start, " ".join(words)


def sentences(path):
    """Sentences of a file's comments, each with its line."""
    for first, comment in comments(read(path)):
        for line, text in paragraphs(comment, first):
            text = re.sub(r"\b(e\.g|i\.e|etc|cf|vs)\.", r"\1", text)
            for sentence in re.split(r"(?<=[.!?])[\"')]*\s+|(?<=:)\s+(?=[A-Z])", text):
                yield line, sentence


def check_english():
    faults = []
    weak = {}
    paths = subprocess.run(["git", "ls-files", "*.c", "*.h"], capture_output=True, text=True, check=True)
    for path in paths.stdout.split():
        if not os.path.exists(path):
            continue
        for line, sentence in sentences(path):
            count = sum(bool(re.search(r"\w", word)) for word in sentence.split())
            if count > SENTENCE_MAX:
                faults.append(f"{path}:{line}: {count} words: {sentence}")
            if NO_SUBJECT.match(sentence) and not sentence.endswith("?"):
                faults.append(f"{path}:{line}: name the subject: {sentence}")
            if WEAK.search(sentence) and not sentence.endswith("?"):
                folder = os.path.dirname(path).split("/")[0]
                weak.setdefault(folder, []).append(f"{path}:{line}: {sentence}")
        for first, comment in comments(read(path)):
            faults += foreign(path, first, comment)
    for path in tracked(PAGES):
        faults += foreign(path, 1, read(path))
    return faults + weak_faults(weak)


def weak_faults(weak):
    """The folders with too many weak sentences, with all of them. WEAK=1: all folders."""
    faults = []
    for folder in sorted(weak):
        most = WEAK_MAX.get(folder, 0)
        if len(weak[folder]) > most or os.environ.get("WEAK"):
            faults.append(f"{folder or '.'}/: {len(weak[folder])} sentences hide their subject, {most} may:")
            faults += ["    " + line for line in weak[folder]]
    return faults


# --- plainness ---------------------------------------------------------------

FUNCTION_MAX = 60

# Share of blank lines in the driver, in percent; v3d has 18.
BLANK_MIN, BLANK_MAX = 15, 20


def figures(paths):
    lines = blank = code = comment = marks = gnu = stacked = wide = 0
    for path in paths:
        text = read(path)
        rest = bare(text).split("\n")
        for raw, left in zip(text.split("\n")[:-1], rest):
            lines += 1
            blank += not raw.strip()
            code += bool(left.strip())
            comment += bool(raw.strip()) and not left.strip()
            wide += len(raw.expandtabs(8)) > 80
        plain = "\n".join(rest)
        marks += plain.count("?")
        gnu += len(re.findall(r"\?\s*:", plain))
        stacked += sum(part.count("?") > 1 for part in re.split(r"[;{}]", plain))
    sizes = sorted((last - first + 1, name) for name, _, _, first, last, _ in tags(paths, "f"))
    rows = [
        ("conditional operators per 1000 code lines", f"{1000 * marks / max(code, 1):.1f}"),
        ("GNU ?:", f"{gnu}"),
        ("statements with two or more ?", f"{stacked}"),
        ("blank lines, %", f"{100 * blank / max(lines, 1):.1f}"),
        ("comment of code and comment, %", f"{100 * comment / max(code + comment, 1):.0f}"),
        ("lines over 80 columns, %", f"{100 * wide / max(lines, 1):.1f}"),
        ("functions, median lines",
         f"{len(sizes)}, {statistics.median(s for s, _ in sizes):g}"),
        ("longest function", f"{sizes[-1][0]} {sizes[-1][1]}"),
    ]
    faults = []
    if gnu or stacked:
        faults.append(f"{gnu} GNU ?: and {stacked} statements with two or more ?")
    faults += [f"{name}() has {size} lines" for size, name in sizes if size > FUNCTION_MAX]
    if not BLANK_MIN <= 100 * blank / max(lines, 1) <= BLANK_MAX:
        faults.append(f"{100 * blank / max(lines, 1):.1f} % of the lines are blank, not {BLANK_MIN} to {BLANK_MAX} %")
    return rows, faults


def plainness():
    ours, faults = figures(files(*DRIVER, "hw/*.[ch]"))
    v3d = os.environ.get("V3D")
    theirs = figures(files(v3d + "/*.[ch]"))[0] if v3d else [("", "-")] * len(ours)
    print(f"      {'plainness':44} {'nvfifo':>28} {'v3d':>28}")
    for (title, mine), (_, other) in zip(ours, theirs):
        print(f"      {title:44} {mine:>28} {other:>28}")
    return faults


# Files outside the driver whose statements have one conditional operator at most. pathspecs of
# git, so that a new file counts too.
PLAIN_FOLDERS = ["sim/*.[ch]", "kunit/*.[ch]", "tests/*.[ch]", "gl/*.[ch]", "examples/*.[ch]",
                 "lib/*.[ch]", "tools/*.[ch]", ":!sim/core/gr3d*"]

# Files outside the driver whose functions fit on a page.
SHORT_FILES = ["sim/*.c", "kunit/*.c", "tests/*.c", "gl/*.c", "examples/*.c", "lib/*.c", "tools/*.c",
               ":!sim/core/gr3d*"]


def tracked(pathspecs):
    out = subprocess.run(["git", "ls-files", *pathspecs], capture_output=True, text=True, check=True)
    return [path for path in out.stdout.split() if os.path.exists(path)]


def check_stacked():
    faults = []
    for path in tracked(PLAIN_FOLDERS):
        text = bare(read(path))
        for part in re.finditer(r"[^;{}]+", text):
            statement = part.group()
            line = text.count("\n", 0, part.start() + statement.find("?")) + 1
            if statement.count("?") > 1:
                faults.append(f"{path}:{line}: {statement.count('?')} conditional operators in a statement")
            if re.search(r"\?\s*:", statement):
                faults.append(f"{path}:{line}: GNU's ?: leaves out an operand")
    for name, _, path, first, last, _ in tags(tracked(SHORT_FILES), "f"):
        if last - first + 1 > FUNCTION_MAX:
            faults.append(f"{path}:{first}: {name}() has {last - first + 1} lines")
    return faults


# Readers of numbers: calls of the C library, and digits by hand
NUMBER_CALL = re.compile(r"\b(?:strto(?:u?ll?|[iu]max)|ato(?:i|ll?))\(|[-] ?'[0aA]'")

# Files and folders that read numbers themselves, each with its reason
OWN_NUMBERS = {
    "lib/tests/lib_hex.c": "it compares the text layer with the C library",
    "tests/gl/": "programs that use OpenGL and nothing of this tree",
    "tests/bench/pt.c": "linked with nouveau's page tables, without the library",
}


# The marks of JSON around names and values, in a text of C
JSON_MARKS = re.compile(r'"\\":"|\\"\w+\\":|\\":\s*\\"|[\[{]\\"|\\"[\]}]|\bf?put(?:s|c|char)\w*\(["\'][\[{]')

# Files with JSON of their own, each with its reason
OWN_JSON = {
    "lib/nvfifo_json.h": "the writer",
    "lib/nvfifo_calc": "errors and lists of register accesses",
    "sim/transport/options.c": "a command line of QEMU",
}
JSON_FILES = ["lib/*.[ch]", "tools/*.[ch]", "sim/*.[ch]", "gl/*.[ch]", "examples/*.[ch]", ":!*/tests/*"]

# Searches for the end of a line
LINE_CALL = re.compile(r"\b(?:\w*mem\w*chr|strchrnul|strcspn)\([^;]*?(?:'\\n'|\"(?:\\r)?\\n\")\s*[,)]")

OWN_LINES = {
    "lib/nvfifo_text.": "the reader of lines",
}


def own(path, table, used):
    """Whether the table has the file; its entry is then used."""
    name = next((name for name in table if path.startswith(name)), None)
    used.add(name)
    return name


def check_patterns(pattern, table, paths, says):
    """A fault for each match in a file that the table does not have, and for each entry without one."""
    faults = []
    used = set()
    for path in tracked(paths):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda match: re.sub(r"[^\n]", " ", match.group()), read(path), flags=re.S)
        for match in pattern.finditer(text):
            if not own(path, table, used):
                line = text.count("\n", 0, match.start()) + 1
                faults.append(f"{path}:{line}: {match.group().split(chr(10))[0]} {says}")
    return faults + [f"testbox/check_source.py: {name} needs no entry" for name in sorted(set(table) - used)]


def check_numbers():
    return check_patterns(NUMBER_CALL, OWN_NUMBERS,
                          ["lib/*.[ch]", "tools/*.[ch]", "sim/*.[ch]", "gl/*.[ch]", "tests/*.[ch]", "examples/*.[ch]"],
                          "reads a number; lib/nvfifo_text.h does")


def check_json():
    return check_patterns(JSON_MARKS, OWN_JSON, JSON_FILES, "is JSON; lib/nvfifo_json.h writes it, lib/nvfifo_row.h reads it")


def check_lines():
    return check_patterns(LINE_CALL, OWN_LINES, JSON_FILES, "looks for the end of a line; lib/nvfifo_text.h does")


def main():
    os.chdir(TOP)
    checks = {"names": check_names, "docs": check_docs, "questions": check_questions, "folders": check_folders,
              "locks": check_locks, "missing": check_missing,
              "exports": check_exports, "guards": check_guards, "english": check_english, "plainness": plainness,
              "stacked": check_stacked, "numbers": check_numbers,
              "json": check_json, "lines": check_lines}
    wanted = sys.argv[1:]
    if not wanted or any(name not in checks for name in wanted):
        sys.exit(__doc__)
    faults = []
    for name in wanted:
        faults += checks[name]()
    for fault in faults:
        print(fault)
    sys.exit(bool(faults))


main()
