#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boot the stick's image in QEMU, with the model as the card, press keys, and read the reports.

	tests/stick.py [--list] [case]...

The stick is a USB disk on xhci, and the machine has no other. Prints TAP. Each wait is for a line
of the serial console, for at most LIMIT seconds.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
IMAGE = TOP / "build/nvfifo-stick.img"
NVSIM = TOP / "build/sim/nvsim"
NVFIFO = TOP / "build/guest/nvfifo"
OVMF = pathlib.Path("/usr/share/OVMF")
# The partition NVREPORT, for mtools
PARTITION = "@@1M"
LIMIT = 900
MENU = "Press a key; without one"


class Failed(Exception):
    pass


def mtools(image, *args):
    """Run a command of mtools on the partition."""
    command = [args[0], "-i", f"{image}{PARTITION}", *args[1:]]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "MTOOLS_SKIP_CHECK": "1"})
    if done.returncode:
        raise Failed(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout.decode(errors="replace")


class Machine:
    """A machine with one stick and one card."""

    def __init__(self, chipset=None, uefi=False, sim=(), qemu=(), vga="std", readonly=False):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="nvfifo."))
        self.image = self.dir / "stick.img"
        shutil.copy(IMAGE, self.image)
        self.chipset, self.uefi, self.sim = chipset, uefi, list(sim)
        self.qemu_options, self.vga, self.readonly = list(qemu), vga, readonly
        self.model = self.qemu = None
        self.serial = self.dir / "serial"
        self.seen = 0

    def start_model(self):
        socket = self.dir / "card"
        socket.unlink(missing_ok=True)
        with open(self.dir / "model.log", "wb") as log:
            self.model = subprocess.Popen(
                [NVSIM, "--vfio-user", "card", "--chipset", self.chipset, "--vram", "64",
                 "--report", "violations", *self.sim], cwd=self.dir, stdout=log, stderr=log)
        end = time.monotonic() + LIMIT
        while not socket.exists():
            if self.model.poll() is not None or time.monotonic() > end:
                raise Failed("the model did not start")
            time.sleep(0.05)

    def start(self):
        setup = subprocess.run([TOP / "testbox/qemu-setup.sh"], stdout=subprocess.PIPE, check=True)
        options = [
            "-accel", "tcg,thread=multi", "-cpu", "max,erms=off,fsrm=off,fsrs=off,fzrm=off",
            "-M", "q35,memory-backend=mem", "-m", "512", "-smp", "1",
            "-object", "memory-backend-memfd,id=mem,size=512M,share=on",
            "-nodefaults", "-display", "none", "-no-reboot", "-net", "none", "-vga", self.vga,
            "-global", "ICH9-LPC.noreboot=false",
            "-device", "qemu-xhci,id=usb", "-device", "usb-kbd,bus=usb.0",
            "-drive", f"if=none,id=stick,file=stick.img,format=raw,readonly={'on' if self.readonly else 'off'}",
            "-device", "usb-storage,id=stick,bus=usb.0,drive=stick,bootindex=0,serial=XYZZY4711",
            "-serial", "file:serial", "-monitor", "stdio", *self.qemu_options]
        if self.uefi:
            shutil.copy(OVMF / "OVMF_VARS_4M.fd", self.dir / "variables")
            options += ["-drive", f"if=pflash,format=raw,readonly=on,file={OVMF / 'OVMF_CODE_4M.fd'}",
                        "-drive", "if=pflash,format=raw,file=variables"]
        if self.chipset:
            self.start_model()
            options += [
                "-device", "pcie-root-port,id=rp0,chassis=1,slot=1",
                "-device", '{"driver":"vfio-user-pci","bus":"rp0","id":"gpu0","x-msg-timeout":600000,'
                '"x-send-queued":true,"socket":{"type":"unix","path":"card"}}']
        self.serial.write_bytes(b"")
        self.seen = 0
        with open(self.dir / "qemu.log", "wb") as log:
            self.qemu = subprocess.Popen([pathlib.Path(setup.stdout.decode().strip()) / "qemu", *options],
                                         cwd=self.dir, stdin=subprocess.PIPE, stdout=log, stderr=log)

    def text(self):
        return self.serial.read_bytes().decode(errors="replace").replace("\r", "")

    def wait(self, pattern):
        """Wait for a text after the last one that was waited for."""
        end = time.monotonic() + LIMIT
        while True:
            found = re.search(pattern, self.text()[self.seen:])
            if found:
                self.seen += found.end()
                return found
            if self.qemu.poll() is not None:
                raise Failed(f"the machine went off before '{pattern}'")
            if time.monotonic() > end:
                raise Failed(f"no '{pattern}'")
            time.sleep(0.1)

    def command(self, line):
        self.qemu.stdin.write(f"{line}\n".encode())
        self.qemu.stdin.flush()

    def press(self, key):
        """Wait for the menu, which reads keys from then on, and press one until it is heard."""
        self.wait(re.escape(MENU))
        self.command(f"sendkey {key}")

    def wait_off(self):
        try:
            self.qemu.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Failed("the machine does not switch off") from None
        self.stop()

    def stop(self):
        for process in (self.qemu, self.model):
            if process and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()
        self.qemu = self.model = None

    def names(self):
        return [n for n in mtools(self.image, "mdir", "-b", "::").split() if "report-" in n]

    def report(self, index=0):
        """The report on the stick: a folder with its files."""
        names = self.names()
        if len(names) <= index:
            raise Failed(f"no report on the stick: {mtools(self.image, 'mdir', '-b', '::')}")
        to = self.dir / f"report{index}"
        mtools(self.image, "mcopy", "-n", names[index], self.dir / "report.tar.gz")
        with tarfile.open(self.dir / "report.tar.gz") as tar:
            tar.extractall(to)
        return to / "report"


def expect(what, text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise Failed(f"{what} has no '{pattern}':\n{text[-3000:]}")


def passes(machine, *patterns, key="1"):
    """Run a whole test of a card; its report has all stages and these lines."""
    machine.start()
    machine.press(key)
    machine.wait("The report is on the stick: report-")
    machine.wait_off()
    report = machine.report()
    result = (report / "result.txt").read_text()
    expect("result.txt", result, "^stage 1 identify: ok", "^stage 2 .*: ok", "^stage 3 .*: ok", "^stage 4 .*: ok",
           "^stage 5 self-test: ok, [0-9]+ steps", "^stage 6 M2MF and 2D: ok", "^stage 7 .*: ok", *patterns)
    if (machine.dir / "violations").read_text():
        raise Failed("violations:\n" + (machine.dir / "violations").read_text())
    return report


def case_bios_g84(machine=None):
    """A G84 on a machine with a BIOS"""
    machine = machine or Machine("g84", sim=["--strict"])
    report = passes(machine, "^chip: G84$", "^stage 4 load with INTx: ok")
    expect("questions.txt", (report / "questions.txt").read_text(), "^  units ")
    expect("pci.txt", (report / "pci.txt").read_text(), "0x10de")
    expect("selftest.json", (report / "selftest.json").read_text(), '"passed": *true')
    everything = b"".join(f.read_bytes() for f in report.iterdir())
    if b"XYZZY4711" in everything:
        raise Failed("the stick's serial number is in the report")
    replay = subprocess.run([NVSIM, "--replay", report / "selftest.txt"], stdout=subprocess.PIPE, check=False)
    expect("nvsim --replay", replay.stdout.decode(), ": 0 differences")
    return machine


def case_uefi_mcp79():
    """An MCP79 on a machine with UEFI, with MSI"""
    machine = Machine("mcp79", uefi=True, sim=["--strict"])
    report = passes(machine, "^chip: MCP79$", "^stage 4 load with MSI: ok", key="2")
    expect("machine.txt", (report / "machine.txt").read_text(), "^firmware: UEFI")
    return machine


def case_console():
    """The only card, which shows the screen"""
    machine = Machine("g86", vga="none", sim=["--boot-vga"])
    passes(machine, "^screen: 1$")
    expect("the screen", (machine.dir / "serial").read_text(errors="replace"), "which goes DARK during the test")
    return machine


def case_dead():
    """A card that does not answer"""
    machine = Machine("g84", sim=["--dead"])
    machine.start()
    machine.press("1")
    machine.wait("The report is on the stick")
    machine.wait_off()
    expect("result.txt", (machine.report() / "result.txt").read_text(),
           "^stage 1 identify: failed: the card does not answer, BOOT_0 is ffffffff")
    return machine


def case_hang():
    """A machine that hangs in the self-test: somebody switches it off, and starts it again"""
    machine = Machine("g84")
    machine.start()
    machine.press("1")
    machine.wait(r"stage 5: self-test \.\.\.")
    machine.stop()
    machine.start()
    machine.wait("The machine hung at stage 5 self-test of the last test")
    machine.wait("The report is on the stick")
    machine.press("4")
    machine.wait_off()
    expect("result.txt", (machine.report() / "result.txt").read_text(), "^stage 4 .*: ok",
           "^hung at stage 5 self-test")
    if len(machine.names()) != 1:
        raise Failed(f"more than one report: {machine.names()}")
    return machine


def case_watchdog():
    """A watchdog that nobody feeds resets the machine, which QEMU then leaves"""
    machine = Machine("g84")
    machine.start()
    machine.press("3")
    machine.wait("A shell; 'exit' leads back")
    keys = {" ": "spc", "-": "minus", "/": "slash", "T": "shift-t", "\n": "ret"}
    for key in "watchdog -T 10 -t 600 /dev/watchdog\n":
        machine.command(f"sendkey {keys.get(key, key)}")
    machine.wait_off()
    return machine


def refuses(machine, sentence):
    """The test does not begin, for a reason that the screen has, and the menu comes again."""
    machine.start()
    machine.press("1")
    machine.wait(sentence)
    machine.wait("The test does not begin")
    machine.press("4")
    machine.wait_off()
    if machine.names():
        raise Failed("there is a report")
    return machine


def case_full():
    """A stick without room"""
    machine = Machine("g84")
    filler = machine.dir / "filler"
    free = int(re.search(r"([\d ]+) bytes free", mtools(machine.image, "mdir", "::")).group(1).replace(" ", ""))
    filler.write_bytes(bytes(free - (8 << 20)))
    mtools(machine.image, "mcopy", filler, "::filler")
    return refuses(machine, "The stick is full. Delete old reports")


def case_protected():
    """A write-protected stick"""
    return refuses(Machine("g84", readonly=True), "The stick is write-protected")


def case_pulled():
    """A stick that is pulled while the card is tested"""
    machine = Machine("g84")
    machine.start()
    machine.press("1")
    machine.wait("stage 2 .*: ok")
    machine.command("device_del stick")
    machine.wait("The stick is gone. Plug it in again.")
    machine.wait("The report could not be written. What it says:")
    machine.wait("ended: before stage [0-9], the stick was gone")
    machine.wait_off()
    return machine


def case_no_card():
    """A machine without a card of the family"""
    machine = Machine(None)
    machine.start()
    machine.wait("This machine's graphics:\n.*\nThat is not one of the NV50 family")
    machine.wait("There is nothing to test")
    machine.command("sendkey spc")
    machine.wait_off()
    return machine


def case_image():
    """The image: its size, its licences, no driver for a disk but USB's; a second one is equal"""
    if IMAGE.stat().st_size > 64_000_000:
        raise Failed(f"{IMAGE} has {IMAGE.stat().st_size} bytes")
    expect("licences", mtools(IMAGE, "mdir", "-b", "::licences"), "linux.txt", "busybox.txt", "grub.txt", "glibc.txt",
           "GPL-2.TXT", "SOURCES.TXT")
    modules = {path.name for path in (TOP / "build/stick" / "root/modules").iterdir()}
    disks = modules & {"ahci.ko", "libata.ko", "nvme.ko", "virtio_blk.ko", "ata_piix.ko", "mmc_block.ko"}
    if disks or "usb-storage.ko" not in modules:
        raise Failed(f"modules: {sorted(modules)}")
    with tempfile.TemporaryDirectory() as scratch:
        second = pathlib.Path(scratch) / "second.img"
        subprocess.run([TOP / "packaging/stick/make.sh", "--out", second], check=True, stderr=subprocess.PIPE)
        if subprocess.run(["cmp", IMAGE, second], check=False).returncode:
            raise Failed("two builds differ")


def case_write():
    """What is no stick is refused in one line, and is not written"""
    for device, why in (("/dev/none", "does not exist"), (TOP / "Makefile", "is no disk"), ("/dev/null", "is no disk")):
        done = subprocess.run([TOP / "packaging/stick/write.sh", device], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        said = done.stdout.decode()
        if done.returncode == 0 or said.count("\n") != 1 or why not in said:
            raise Failed(f"{device}: status {done.returncode}, {said}")


CASES = {name[5:].replace("_", "-"): call for name, call in list(globals().items()) if name.startswith("case_")}


def main(words):
    if words == ["--list"]:
        print("\n".join(CASES))
        return 0
    for word in words:
        if word not in CASES:
            print(f"stick.py: '{word}' is none of {' '.join(CASES)}", file=sys.stderr)
            return 2
    failed = 0
    print(f"1..{len(words or CASES)}")
    for number, name in enumerate(words or CASES, 1):
        machines = []
        create = Machine.__init__

        def remember(self, *args, _create=create, _machines=machines, **kwargs):
            _create(self, *args, **kwargs)
            _machines.append(self)

        Machine.__init__ = remember
        begin = time.monotonic()
        try:
            CASES[name]()
            print(f"ok {number} - stick: {name}: {CASES[name].__doc__}")
        except Failed as why:
            failed += 1
            print(f"not ok {number} - stick: {name}: {CASES[name].__doc__}")
            text = str(why) + "".join("\nserial console:\n" + m.text()[-3000:] for m in machines)
            print("\n".join("#  | " + line for line in text.splitlines()))
        finally:
            Machine.__init__ = create
            for machine in machines:
                machine.stop()
                if "KEEP" in os.environ:
                    print(f"# {machine.dir}")
                else:
                    shutil.rmtree(machine.dir, ignore_errors=True)
        print(f"# took {name} {int((time.monotonic() - begin) * 100)}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
