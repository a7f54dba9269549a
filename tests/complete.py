#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shells make of a line of the nvfifo command after which the tab key is pressed: TAP.

Takes bash; zsh and fish where they are installed. Runs at the top of the tree, with the command
and the completion of build/, or with installed ones:

    complete.py [installed]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from results import report

TOP = pathlib.Path(__file__).resolve().parent.parent
PLACES = {
    "bash": TOP / "tools/completion/nvfifo",
    "fish": TOP / "tools/completion/nvfifo.fish",
    "zsh": TOP / "tools/completion/_nvfifo",
}
INSTALLED = {
    "bash": pathlib.Path("/usr/share/bash-completion/completions/nvfifo"),
    "fish": pathlib.Path("/usr/share/fish/vendor_completions.d/nvfifo.fish"),
    "zsh": pathlib.Path("/usr/share/zsh/vendor-completions/_nvfifo"),
}

# A line, and all its candidates. @ is a sysfs with a G84, its sound function, and another's card.
ROWS = (
    ("nvfifo dis", "disasm"),
    ("nvfifo --v", "--version"),
    ("nvfifo hel", "help"),
    ("nvfifo help b", "bench bind"),
    ("nvfifo help bind b", ""),
    ("nvfifo disasm --strict --chip", "--chipset"),
    ("nvfifo disasm --chipset gt21", "gt215 gt216 gt218"),
    ("nvfifo run --model=mcp8", "--model=mcp89"),
    ("nvfifo info --color=a", "--color=auto --color=always"),
    ("nvfifo lint --input p", "program"),
    ("nvfifo disasm --input p", ""),
    ("nvfifo asm --format nvc", "nvc0"),
    ("nvfifo peek CACHE1.PULL", "CACHE1.PULL0 CACHE1.PULL1"),
    ("nvfifo poke --mask 1 CACHE1.PULL", "CACHE1.PULL0 CACHE1.PULL1"),
    ("nvfifo methods M2M", "M2MF"),
    ("nvfifo methods --chipset g84 2D BLIT_SRC_X_I", "BLIT_SRC_X_INT"),
    ("nvfifo methods pfifo REF", "REF_CNT"),
    ("nvfifo calc dma", "dmaobj dma-state"),
    ("nvfifo calc pte long", "long_cycle="),
    ("nvfifo gl --print", "--print"),
    ("nvfifo gl --prog", ""),
    ("nvfifo bind --sysfs @ 0", "0000:01:00.0"),
    ("nvfifo unbind --sysfs @ 0000:0", "0000:01:00.0"),
    ("nvfifo dump --sysfs @ -d 0000:01:0", "0000:01:00.0"),
    ("nvfifo dump --sysfs @ --device=0000:0", "--device=0000:01:00.0"),
    ("nvfifo run ", "dir.d/ my.nvp"),
    ("nvfifo run m", "my.nvp"),
    ("nvfifo lint m", "main.c my.nvp"),
)

# As the shell does, files where the function finds nothing; slashes as with "filenames".
BASH = """
compopt() { :; }
. "$COMPLETION"
COMP_LINE=$LINE COMP_POINT=${#LINE}
_nvfifo nvfifo
cur=${LINE##* }
last=${cur##*[=:]}
if [ -z "${COMPREPLY[*]}" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$last")
fi
for word in "${COMPREPLY[@]}"; do
    [ ! -d "$word" ] || word=$word/
    printf '%s\\n' "${cur%"$last"}$word"
done
"""
FISH = """
source $COMPLETION
complete -C"$LINE"
"""


def make_folder(folder):
    """The folder "work" with files, and a sysfs."""
    (folder / "work/dir.d").mkdir(parents=True)
    for name in ("my.nvp", "main.c"):
        (folder / "work" / name).touch()
    for address, vendor, device_class in (("0000:01:00.0", "0x10de", "0x030000"), ("0000:01:00.1", "0x10de", "0x040300"),
                                          ("0000:02:00.0", "0x1002", "0x030000")):
        device = folder / "sys/bus/pci/devices" / address
        device.mkdir(parents=True)
        (device / "vendor").write_text(vendor + "\n")
        (device / "class").write_text(device_class + "\n")


def ask(command, folder, **variables):
    """What a command prints, and its errors."""
    environment = dict(os.environ, PATH=f"{folder}/bin:{os.environ['PATH']}", **variables)
    done = subprocess.run(command, cwd=folder / "work", env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, errors="replace", timeout=600, check=False)
    return done.stdout, done.stderr


def wrong(command, line, wanted, folder, file):
    """What is wrong with the answer of a shell, or nothing."""
    out, err = ask(command, folder, LINE=line.replace("@", "../sys"), COMPLETION=str(file))
    if err:
        return err.strip()
    # A description follows a tab.
    found = {candidate.split("\t")[0] for candidate in out.splitlines()}
    # fish also offers words that contain what is typed.
    right = set(wanted.split()) <= found if command[0] == "fish" else set(wanted.split()) == found
    return None if right else f"it offers {' '.join(sorted(found)[:20]) or 'nothing'}"


def wrong_in_zsh(folder, file):
    """What is wrong with the screen of zsh after some of the lines, which take seconds each, or nothing."""
    rows = [row for row in ROWS if row[1] and row[0].split()[1] in ("dis", "help", "bind", "calc", "dump", "run")]
    lines = [line.replace("@", "../sys") for line, _ in rows]
    screen, _ = ask([TOP / "testbox/complete.zsh", *lines], folder, COMPLETION=str(file.parent))
    missing = [word for _, wanted in rows for word in wanted.split() if word not in screen]
    return f"not on its screen: {' '.join(missing)}" if missing else None


def main():
    """All lines in all shells."""
    results = []
    installed = "installed" in sys.argv
    places = INSTALLED if installed else PLACES
    with tempfile.TemporaryDirectory(prefix="complete-") as name:
        folder = pathlib.Path(name)
        make_folder(folder)
        if not installed:
            (folder / "bin").mkdir()
            shutil.copy2("build/bin/nvfifo", folder / "bin/nvfifo")
        for shell, command in (("bash", ["bash", "--norc", "-c", BASH]), ("fish", ["fish", "--no-config", "-c", FISH])):
            if shutil.which(shell):
                results += [(f"{shell}: {line}", wrong(command, line, wanted, folder, places[shell]))
                            for line, wanted in ROWS]
        if shutil.which("zsh"):
            results.append(("zsh", wrong_in_zsh(folder, places["zsh"])))
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
