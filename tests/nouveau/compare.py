#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What nouveau and nvfifo do to the model, register by register.

    compare.py --nvsim PROGRAM --table FILE DIR [CHIP]...
    compare.py --nvsim PROGRAM --show PROCEDURE DIR CHIP

DIR has for each chip the records and outputs of compare.sh: CHIP.DRIVER.record, CHIP.DRIVER.out.
The accesses between two marks are a step. Procedures that both drivers have are cut out of the
steps and compared by themselves: each stands in the step as one token.

A token is "W NAME VALUE", "R NAME" for a read that a driver decides by, or "P PROCEDURE". Values that
depend on where a driver has its memory are compared in the bits of MASKS only. Each difference has
to have a row in the table, and each row a difference on each of its chips; the columns are

    procedure   step or procedure
    chips       names, all, or "all but" and names; "~" in front: may be missing, as it is a matter of time
    access      what is different
    nouveau     the value there, "-" if it has no such access
    nvfifo      the same
    reason      why that is so

All but chips and reason may have patterns with * and ?, and several ones with "|" between them. A
read has the value "yes".
Exit status: 0 all as in the table, 1 not, 2 wrong usage. --suggest prints rows that are missing.
"""
import argparse
import csv
import difflib
import fnmatch
import os
import re
import subprocess
import sys
import zlib

DRIVERS = ("nouveau", "nvfifo")

# Reads that a driver decides by; all others only fill its messages and dumps.
DECIDING = re.compile(
    r"PMC\.(BOOT_0|ENDIAN|INTR_HOST|INTR_EN_HOST|VRAM_HIDE_LOW)$|PFLUSH\.|PFB\.(TLB_FLUSH|VM_FAULT)$|"
    r"CACHE1\.(PLAYLIST_LEN|KICK_CHANNEL|PUSH1|PULL0|DMA_PUSH|FLUSH_CTRL_G80)$|PBUS\.INTR|"
    r"PFIFO\.(INTR|CACHES|FREEZE|ENGINE_IDLE)$|"
    r"PGRAPH\.(VSTATUS|STATUS$|INTR$|TRAP$|\w+_TRAP|CTXCTL_CUR$|CTXCTL_FLAGS_0$)|"
    r"PRMIO\.|PSTRAPS\.|PFB\.(MEM_AMOUNT|COMP_MAX_TAG|BANKCFG|CFG)")

# Bits that are compared, of values with addresses, numbers of channels, or what the firmware left.
MASKS = (
    (r"PFIFO\.CHAN_TABLE", 0xc0000000),
    (r"CACHE1\.(PLAYLIST|KICK_CHANNEL)$", 0xf0000000),
    (r"CACHE1\.PLAYLIST_LEN", 0),
    (r"CACHE1\.(GET|PUT|IB_GET|IB_PUT|DMA_GET|DMA_PUT)", 0),
    (r"USER\.", 0),
    (r"PBUS\.HOST_MEM_(BAR[13]|CHAN|PEEPHOLE)", 0xf0000000),
    (r"PBUS\.HOST_MEM_PMEM", 0),
    (r"PFB\.SYSRAM_ADDR", 0),
    (r"PGRAPH\.CTXCTL_(CUR|NEXT|SWAP)", 0x80000000),
    (r"RAMFC\.(50|48|80|88|98)", 0),
    (r"RAMFC\.54", 0xff00ff00),
    (r"RAMFC\.(00|04|08|0c|10|14|18|1c|20|24|28|2c|34|38|84)$", 0),
    (r"CHAN_TABLE\.00", 0xc0000000),
    (r"PGRAPH\.(04|08)|PUSHBUF\.(04|08)", 0),
)

LINE = re.compile(r"^\s*\d+\s+[\d.]+ ([RW]) (?:[0-9a-f]{6} )?(\S.*?) (?:=|<-) ([0-9a-f]+)\b(.*)$")
MARK = re.compile(r"NVSIM\.CMD <- 00000001  MARK ([0-9a-f]+)$")
MEMORY = re.compile(r"(PMEM |BAR[13]\+|PROM\+|config (?!MSI\.ID$)|PTIMER\.TIME|PPCI )")

BAR_FLUSH = r"(?:P BAR flush\n)?"
POLL = r"(?:R \S+\n)*"
PROCEDURES = (
    ("BAR flush", r"(?:W (?:PFLUSH\.BAR_FLUSH|CACHE1\.FLUSH_CTRL_G80)(?:\[\])? \S+\n"
     r"(?:R (?:PFLUSH\.BAR_FLUSH|CACHE1\.FLUSH_CTRL_G80)\n)*)+"),
    ("TLB flush of PGRAPH",
     r"W PGRAPH\.CONTROL 00010000\n(?:R PGRAPH\S+\n)*(?:W PGRAPH\S+ \S+\n)*W PFB\.TLB_FLUSH 00000001\n"
     r"R PFB\.TLB_FLUSH\n" r"W PGRAPH\.CONTROL 00010001\n"),
    ("TLB flush", r"W PFB\.TLB_FLUSH 000.0001\n(?:R PFB\.TLB_FLUSH\n)+"),
    ("PFIFO set-up", r"(?:W PFIFO\.INTR_EN 00000000\n(?:W (?:PFIFO\.CACHES|CACHE1\.\w+) 00000000\n)+)?"
     r"(?:W PMC\.ENABLE \S+\n)+W PFIFO\.CHSW_DEBUG_1 (?:.*\n){1,40}?W PFIFO\.CACHES 00000001\n"),
    ("PGRAPH set-up", r"(?:W PMC\.ENABLE \S+\n)*"
     r"W PGRAPH\.DEBUG_3 .*\n(?:W PGRAPH[.+][^ ]+ .*\n|R PGRAPH\S+\n)*W PGRAPH\.CTXCTL_DATA .*\n"
     r"(?:W PGRAPH[.+][^ ]+ .*\n|R PGRAPH\S+\n)*"),
    ("playlist", r"(?:R CACHE1\.PLAYLIST_LEN\n)?" + BAR_FLUSH +
     r"W CACHE1\.PLAYLIST \S+\nW CACHE1\.PLAYLIST_LEN \S+\n(?:R CACHE1\.PLAYLIST_LEN\n)*"),
    ("kick", r"(?:W PFIFO\.ENGINE_CTRL \S+\n|W PME\S+ \S+\n)*W CACHE1\.KICK_CHANNEL \S+\n"
     r"(?:R CACHE1\.KICK_CHANNEL\n)*(?:W PFIFO\.ENGINE_CTRL \S+\n|W PME\S+ \S+\n)*"),
)


def plain(name):
    """The name without the number of a channel."""
    return re.sub(r"^USER\[\d+\]", "USER", re.sub(r"^PFIFO\.CHAN_TABLE\[\d+\]", "PFIFO.CHAN_TABLE", name))


def masked(name, value):
    """The value with what cannot be compared as 0."""
    for pattern, mask in MASKS:
        if re.match(pattern, name):
            value &= mask
            break
    return "%08x" % value


def accesses(nvsim, record):
    """(step number or None, op, name, value) of each access of registers."""
    step = None
    args = [nvsim, "--decode", record, "--only", "config,mmio", "--all"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, text=True) as decode:
        for line in decode.stdout:
            # Most of a record, and nothing else than what MEMORY is for.
            if " BAR" in line or " PMEM " in line:
                continue
            mark = MARK.search(line)
            if mark:
                step = int(mark.group(1), 16)
                continue
            found = LINE.match(line)
            if found and not MEMORY.match(found.group(2)):
                yield step, found.group(1), found.group(2), int(found.group(3), 16)


def steps_of(nvsim, directory, chip, driver):
    """Tokens of each step, by its name, and the words of the structures as one more."""
    base = os.path.join(directory, "%s.%s" % (chip, driver))
    names = {None: "probe"}
    steps = {"structures": []}
    with open(base + ".out", encoding="utf-8") as out:
        for line in out:
            word = line.split()
            if word[:1] == ["mark"]:
                names[int(word[1])] = word[2]
            elif word[:1] == ["word"]:
                steps["structures"].append("W %s %s" % (word[1], masked(word[1], int(word[2], 16))))
            elif word[:1] == ["failed"]:
                sys.exit("compare: %s on %s: %s" % (driver, chip, line.strip()))
    for step, op, name, value in accesses(nvsim, base + ".record"):
        name = plain(name).replace(" ", "_")
        if op == "W":
            token = "W %s %s" % (name, masked(name, value))
        elif DECIDING.match(name):
            token = "R " + name
        else:
            continue
        if names[step] != "structures":
            steps.setdefault(names[step], []).append(token)
    return steps


def fold(tokens):
    """Polls, arrays and uploads as one token each."""
    out = []
    i = 0
    while i < len(tokens):
        same = re.match(r"W (\S+?)(\[\d+\])? (\S+)$", tokens[i])
        if same:
            j = i
            if same.group(1) == "PGRAPH.CTXCTL_DATA":
                while j < len(tokens) and tokens[j].startswith("W PGRAPH.CTXCTL_DATA "):
                    j += 1
                text = "\n".join(tokens[i:j]).encode()
                out.append("W PGRAPH.CTXCTL_DATA %d_words_%08x" % (j - i, zlib.crc32(text)))
                i = j
                continue
            while j < len(tokens) and re.match(r"W %s(\[\d+\])? %s$" % (re.escape(same.group(1)), same.group(3)),
                                               tokens[j]):
                j += 1
            if j - i > 1:
                out.append("W %s[] %s" % (same.group(1), same.group(3)))
                i = j
                continue
        token = re.sub(r"^R (\S+)\[\d+\]$", r"R \1", tokens[i])
        # What was read already since the last write, a poll above all
        k = len(out)
        while k and out[k - 1].startswith("R "):
            k -= 1
        if not (token.startswith("R ") and token in out[k:]):
            out.append(token)
        i += 1
    return out


def is_dump(run):
    """Does a driver write down all that it can read, rather than decide?"""
    return len(run) > 25


def undump(tokens):
    """Long runs of reads are a dump."""
    out, run = [], []
    for token in tokens + [None]:
        if token and token.startswith("R "):
            run.append(token)
            continue
        out += ["R (dump)"] if is_dump(run) else run
        run = []
        if token:
            out.append(token)
    return out


def cut(tokens, found):
    """The tokens with the procedures in them cut out, which go to @found by name."""
    text = "\n".join(tokens) + "\n"
    for name, pattern in PROCEDURES:
        def keep(match, name=name):
            body = tuple(match.group(0).strip().split("\n"))
            title = name
            if name == "TLB flush":
                title = "TLB flush of engine " + body[0].split()[2][3]
            if title not in ("BAR flush",) or len(body) <= 2:
                found.setdefault(title, set()).add(body)
            return "P %s\n" % title
        text = re.sub("(?m)^" + pattern, keep, text)
    out = []
    for token in text.strip().split("\n"):
        if not (out and token == out[-1] and token.startswith("P ")):
            out.append(token)
    return out


def load(nvsim, directory, chip, driver):
    """All steps and procedures of one run: name to a list of variants."""
    procedures = {}
    result = {}
    for step, tokens in sorted(steps_of(nvsim, directory, chip, driver).items()):
        if step == "structures":
            result[step] = [tokens]
            continue
        tokens = cut(undump(fold(tokens)), procedures)
        if step != "other":
            result[step] = [tokens]
    # Its driver has no such method.
    if driver == "nouveau":
        result["shutdown"] = [[]]
    for name, variants in procedures.items():
        result[name] = [list(v) for v in sorted(variants)]
    return result


def align(theirs, ours):
    """Differences of two lists of tokens: (access, value there, value here)."""
    def key(token):
        return token if token.startswith("P ") else " ".join(token.split()[:2])

    def value(token):
        return (token.split(" ", 2) + [""])[2] if token.startswith("W ") else ""

    out = []
    matcher = difflib.SequenceMatcher(None, [key(t) for t in theirs], [key(t) for t in ours], autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what == "equal":
            for one, other in zip(theirs[a:b], ours[c:d]):
                if value(one) != value(other):
                    out.append((key(one), value(one), value(other)))
            continue
        out += [(key(t), value(t) or "yes", "-") for t in theirs[a:b]]
        out += [(key(t), "-", value(t) or "yes") for t in ours[c:d]]
    return out


def differences(nouveau, nvfifo):
    """(procedure, access, there, here) of all."""
    out = []
    for name in sorted(set(nouveau) | set(nvfifo)):
        theirs, ours = nouveau.get(name), nvfifo.get(name)
        if not theirs or not ours:
            out.append((name, "all of it", "yes" if theirs else "-", "yes" if ours else "-"))
            continue
        seen = []
        for mine in ours:
            seen += min((align(their, mine) for their in theirs), key=len)
        for their in theirs:
            seen += min((align(their, mine) for mine in ours), key=len)
        for d in seen:
            if (name,) + d not in out:
                out.append((name,) + d)
    return out


def is_one_of(value, patterns):
    """Does it match one of those between the bars?"""
    return any(fnmatch.fnmatchcase(value, p.strip().replace("[", "[[]")) for p in patterns.split("|"))


class Row:
    """One reason."""

    def __init__(self, line, fields):
        self.line = line
        self.procedure, self.chips, self.access, self.nouveau, self.nvfifo, self.reason = fields
        self.may = self.chips.startswith("~")
        self.matched = set()
        if not self.reason.strip():
            sys.exit("compare: line %d has no reason" % line)

    def is_for(self, chip):
        """Is the row about this chip?"""
        chips = self.chips.lstrip("~").split()
        if chips[:2] == ["all", "but"]:
            return chip not in chips[2:]
        return chips == ["all"] or chip in chips

    def matches(self, chip, difference):
        """Does it give the reason for this?"""
        pairs = zip((self.procedure, self.access, self.nouveau, self.nvfifo), difference)
        return self.is_for(chip) and all(is_one_of(value, patterns) for patterns, value in pairs)


def rows_of(path):
    """The table."""
    with open(path, encoding="utf-8", newline="") as f:
        reader = csv.reader(f)
        next(reader)
        return [Row(reader.line_num, fields) for fields in reader if fields]


def main():
    """Compare, and say what is not in the table."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--nvsim", required=True)
    args.add_argument("--table")
    args.add_argument("--show", metavar="PROCEDURE")
    args.add_argument("--suggest", action="store_true")
    args.add_argument("--without", default="", help="steps that were not run, separated by commas")
    args.add_argument("directory")
    args.add_argument("chips", nargs="+")
    opt = args.parse_args()
    rows = rows_of(opt.table) if opt.table else []
    bad = 0
    missing = {}
    for chip in opt.chips:
        nouveau, nvfifo = (load(opt.nvsim, opt.directory, chip, d) for d in DRIVERS)
        if opt.show:
            for driver, run in zip(DRIVERS, (nouveau, nvfifo)):
                for variant in run.get(opt.show, []):
                    print("--- %s %s" % (driver, chip), *variant, sep="\n")
            continue
        found = differences(nouveau, nvfifo)
        for d in found:
            reasons = [r for r in rows if r.matches(chip, d)]
            for r in reasons:
                r.matched.add(chip)
            if not reasons:
                missing.setdefault(d, []).append(chip)
        for r in rows:
            ran = not any(s == r.procedure for s in opt.without.split(",") if s)
            if ran and r.is_for(chip) and not r.may and chip not in r.matched:
                print("%s:%d: no longer so on %s: %s, %s" % (opt.table, r.line, chip, r.procedure, r.access))
                bad += 1
        print("%s: %d differences" % (chip, len(found)))
    for d, chips in sorted(missing.items()):
        bad += 1
        if opt.suggest:
            chips = ["all"] if chips == opt.chips else chips
            csv.writer(sys.stdout).writerow([d[0], " ".join(chips), d[1], d[2], d[3], ""])
        else:
            print("no reason on %s: %s: %s: nouveau %s, nvfifo %s" % ((" ".join(chips),) + d))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
