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
MENU = "Press a key from 1 to 4"


class Failed(Exception):
    pass


class Skipped(Exception):
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
    """A machine with one stick, and cards."""

    def __init__(self, *chipsets, uefi=False, sim=(), qemu=(), vga="std"):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="nvfifo."))
        self.image = self.dir / "stick.img"
        shutil.copy(IMAGE, self.image)
        self.skip_timer_check()
        self.chipsets, self.uefi, self.sim = chipsets, uefi, list(sim)
        self.qemu_options, self.vga = list(qemu), vga
        self.qemu, self.models = None, []
        self.serial = self.dir / "serial"
        self.seen = self.sticks = 0

    def skip_timer_check(self):
        """QEMU on a busy machine is too slow for a check of the kernel, which old machines need."""
        config = self.dir / "grub.cfg"
        text = mtools(self.image, "mtype", "::boot/grub/grub.cfg")
        config.write_text(text.replace(" nomodeset ", " nomodeset no_timer_check "))
        mtools(self.image, "mcopy", "-o", config, "::boot/grub/grub.cfg")

    def start_model(self, number):
        """Start the model of a card. The options of "sim" are the first card's."""
        name = f"card{number}"
        socket = self.dir / name
        socket.unlink(missing_ok=True)
        command = [NVSIM, "--vfio-user", name, "--chipset", self.chipsets[number], "--vram", "64",
                   "--report", f"violations{number}", *(self.sim if number == 0 else [])]
        with open(self.dir / "model.log", "ab") as log:
            model = subprocess.Popen(command, cwd=self.dir, stdout=log, stderr=log)
        self.models.append(model)
        end = time.monotonic() + LIMIT
        while not socket.exists():
            if model.poll() is not None or time.monotonic() > end:
                raise Failed("the model did not start")
            time.sleep(0.05)
        return ["-device", f"pcie-root-port,id=rp{number},chassis={number + 1},slot={number + 1}",
                "-device", f'{{"driver":"vfio-user-pci","bus":"rp{number}","id":"gpu{number}","x-msg-timeout":600000,'
                f'"x-send-queued":true,"socket":{{"type":"unix","path":"{name}"}}}}']

    def start(self, readonly=False):
        setup = subprocess.run([TOP / "testbox/qemu-setup.sh"], stdout=subprocess.PIPE, check=True)
        self.sticks = 0
        options = [
            "-accel", "tcg,thread=multi", "-cpu", "max,erms=off,fsrm=off,fsrs=off,fzrm=off",
            "-M", "q35,memory-backend=mem", "-m", "512", "-smp", "1",
            "-object", "memory-backend-memfd,id=mem,size=512M,share=on",
            "-nodefaults", "-display", "none", "-no-reboot", "-net", "none", "-vga", self.vga,
            "-global", "ICH9-LPC.noreboot=false", "-global", "ICH9-LPC.disable_s3=0",
            "-device", "qemu-xhci,id=usb", "-device", "usb-kbd,bus=usb.0",
            "-drive", f"if=none,id=drive0,{self.drive(self.image, readonly)}",
            "-device", "usb-storage,id=stick0,bus=usb.0,drive=drive0,bootindex=0,serial=XYZZY4711",
            "-serial", "file:serial", "-monitor", "stdio", *self.qemu_options]
        if self.uefi:
            shutil.copy(OVMF / "OVMF_VARS_4M.fd", self.dir / "variables")
            options += ["-drive", f"if=pflash,format=raw,readonly=on,file={OVMF / 'OVMF_CODE_4M.fd'}",
                        "-drive", "if=pflash,format=raw,file=variables"]
        for number in range(len(self.chipsets)):
            options += self.start_model(number)
        self.serial.write_bytes(b"")
        self.seen = 0
        with open(self.dir / "qemu.log", "ab") as log:
            self.qemu = subprocess.Popen([pathlib.Path(setup.stdout.decode().strip()) / "qemu", *options],
                                         cwd=self.dir, stdin=subprocess.PIPE, stdout=log, stderr=log)

    @staticmethod
    def drive(image, readonly):
        return f"file={image},format=raw,file.locking=off,readonly={'on' if readonly else 'off'}"

    def pull(self):
        """Pull the stick out."""
        self.command(f"device_del stick{self.sticks}")

    def plug(self, image):
        """Plug another stick in."""
        self.sticks += 1
        self.command(f"drive_add 0 if=none,id=drive{self.sticks},{self.drive(image, False)}")
        self.command(f"device_add usb-storage,id=stick{self.sticks},bus=usb.0,drive=drive{self.sticks}")

    def text(self):
        """What the serial console has, without the ends of lines that "say" has put behind a blank"""
        return self.serial.read_bytes().decode(errors="replace").replace("\r", "").replace(" \n", " ")

    def log(self):
        """What one wants to see when a case has failed"""
        text = f"serial console:\n{self.text()[-4000:]}"
        for name in ("qemu.log", "model.log"):
            if (self.dir / name).exists():
                # The monitor repeats its line at each letter.
                lines = re.sub(r"\(qemu\).*", "", (self.dir / name).read_text(errors="replace"))
                text += f"\n{name}:\n{lines.strip()[-1500:]}"
        return text

    def wait(self, pattern):
        """Wait for a text after the last one that was waited for."""
        end = time.monotonic() + LIMIT
        while True:
            off = self.qemu.poll() is not None
            found = re.search(pattern, self.text()[self.seen:])
            if found:
                self.seen += found.end()
                return found
            if off:
                raise Failed(f"the machine went off before '{pattern}'")
            if time.monotonic() > end:
                raise Failed(f"no '{pattern}' in {LIMIT} s")
            time.sleep(0.1)

    def command(self, line):
        self.qemu.stdin.write(f"{line}\n".encode())
        self.qemu.stdin.flush()

    def type(self, text):
        """Type on the keyboard, slowly enough for a slow machine."""
        keys = {" ": "spc", "-": "minus", "/": "slash", ".": "dot", ";": "semicolon", "\n": "ret"}
        for letter in text:
            self.command(f"sendkey {keys.get(letter, letter)}")
            time.sleep(0.5)

    def press(self, key):
        """Wait for the menu, which reads keys from then on, and press one."""
        self.wait(re.escape(MENU))
        self.command(f"sendkey {key}")

    def wait_off(self):
        try:
            self.qemu.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise Failed(f"the machine does not switch off in {LIMIT} s") from None
        self.stop()

    def stop(self):
        """Switch the machine off."""
        for process in (self.qemu, *self.models):
            if process and process.poll() is None:
                process.kill()
                process.wait()
        self.qemu, self.models = None, []

    def names(self):
        return [n for n in mtools(self.image, "mdir", "-b", "::").split() if "report-" in n]

    def report(self):
        """The last report on the stick: a folder with its files."""
        names = sorted(self.names(), key=lambda name: (len(name), name))
        if not names:
            raise Failed(f"no report on the stick: {mtools(self.image, 'mdir', '-b', '::')}")
        to = self.dir / f"report{len(names)}"
        mtools(self.image, "mcopy", "-n", names[-1], self.dir / "report.tar.gz")
        with tarfile.open(self.dir / "report.tar.gz") as tar:
            tar.extractall(to)
        return to / "report"


def expect(what, text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text, re.M):
            raise Failed(f"{what} has no '{pattern}':\n{text[-3000:]}")


def run(*command, status=0):
    """What a command of this machine says"""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    said = done.stdout.decode(errors="replace")
    if done.returncode != status:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n{said[-3000:]}")
    return said


def whole_report(machine, *patterns, slept=False):
    """The report of a test without a failure has all stages and these lines, and can be read."""
    machine.wait("All went well")
    machine.wait("The report is on the stick: report-")
    if slept:
        # SeaBIOS does not give the chipset its ports of power management back.
        machine.wait("reboot: Power down")
        machine.stop()
    else:
        machine.wait_off()
    report = machine.report()
    result = (report / "result.txt").read_text()
    stages = ["identify", "registers that only tell", "POST state", "load without interrupts: .*, no interrupts$",
              "load with (INTx|MSI)", "self-test: ok, [0-9]+ steps", "M2MF and 2D: ok, 7 programs and 5 pictures",
              "faults on purpose"]
    expect("result.txt", result, *(f"^stage {number} {name.partition(':')[0]}: ok" for number, name in
                                   enumerate(stages, 1)),
           *(f"^stage [0-9] {name}" for name in stages), *patterns)
    archive = machine.dir / "report.tar.gz"
    said = run(NVFIFO, "report", archive)
    expect("nvfifo report", said, "^  0 of 19 differ", "^  ([3-9][0-9]) of [0-9]+ rows")
    if said != (report / "summary.txt").read_text():
        raise Failed("summary.txt is not what nvfifo report says")
    expect("open-questions.txt", (report / "open-questions.txt").read_text(), "^answered .*: kick: ended",
           "^answered .*: step 12: ok", "^not asked ")
    expect("nvsim --like", run(NVSIM, "--like", archive, "--describe"), f"^chipset {machine.chipsets[-1]}$")
    for number in range(len(machine.chipsets)):
        violations = (machine.dir / f"violations{number}").read_text()
        if violations:
            raise Failed(f"violations:\n{violations}")
    return report


def passes(machine, *patterns, key="1"):
    """Run a whole test of a card."""
    machine.start()
    machine.press(key)
    return whole_report(machine, *patterns)


def hangs(machine, stage, *patterns):
    """Start a machine again that hung: it reports that, and shows the menu."""
    machine.start()
    machine.wait(f"The machine hung or was switched off at stage {stage} of the last test")
    machine.wait("The report is on the stick")
    machine.press("4")
    machine.wait_off()
    if len(machine.names()) != 1:
        raise Failed(f"not one report: {machine.names()}")
    machine.report()
    expect("nvfifo report", run(NVFIFO, "report", machine.dir / "report.tar.gz", status=1), "^  stage 5 .*: ok",
           f"^  hung at stage {stage}", *patterns)


def case_bios_g84():
    """A G84 on a machine with a BIOS"""
    machine = Machine("g84", sim=["--strict"])
    report = passes(machine, "^chip: G84$", "^straps: [0-9a-f]{8}$", "^stage 5 load with INTx: ok")
    expect("questions.txt", (report / "questions.txt").read_text(), "^  units ")
    expect("pci.txt", (report / "pci.txt").read_text(), "0x10de", "^capability [0-9a-f]{2}: 05 MSI, 05 ")
    expect("selftest.json", (report / "selftest.json").read_text(), '"passed": *true')
    expect("machine.txt", (report / "machine.txt").read_text(), "^firmware: BIOS")
    everything = b"".join(f.read_bytes() for f in report.iterdir())
    if b"XYZZY4711" in everything:
        raise Failed("the stick's serial number is in the report")
    expect("nvsim --replay", run(NVSIM, "--replay", report / "selftest.txt"), ": 0 differences")


def case_uefi_mcp79():
    """An MCP79 on a machine with UEFI, with MSI"""
    machine = Machine("mcp79", uefi=True, sim=["--strict"])
    report = passes(machine, "^chip: MCP79$", "^stage 5 load with MSI: ok", key="2")
    expect("machine.txt", (report / "machine.txt").read_text(), "^firmware: UEFI")


def case_console():
    """A G86 that shows the screen"""
    machine = Machine("g86", vga="none", sim=["--boot-vga"])
    passes(machine, "^screen: 1$")
    expect("the screen", machine.text(), "which goes DARK or stands still during the test", "The screen goes dark now")


def case_several():
    """Two cards: a G92 that shows the screen, and a GT215, which is tested"""
    machine = Machine("g92", "gt215", vga="none", sim=["--boot-vga"])
    machine.start()
    machine.wait("The card is a .*GT215")
    machine.wait(r"others of the family, which are not tested: GeForce 8800 GT.* \(PCI 0000:01:00.0\)\.")
    machine.press("1")
    whole_report(machine, "^chip: GT215$", "^screen: 0$")


def case_dead():
    """A card that does not answer, and a stick with the report of an earlier test"""
    machine = Machine("g92", sim=["--dead"])
    earlier = machine.dir / "report-1.tar.gz"
    earlier.touch()
    mtools(machine.image, "mcopy", earlier, "::")
    machine.start()
    machine.wait("A report of an earlier test is on this stick")
    machine.press("1")
    machine.wait("without one it is 4 in two minutes")
    machine.wait("Not all went well")
    machine.wait("The report is on the stick")
    machine.wait_off()
    expect("result.txt", (machine.report() / "result.txt").read_text(),
           "^stage 1 identify: failed: the card does not answer, BOOT_0 is ffffffff")


def case_hang():
    """A G98 whose reads do not end any more, in the self-test: the machine is switched off, and on again"""
    machine = Machine("g98")
    machine.start()
    machine.press("1")
    machine.wait(r"stage 6: self-test \.\.\.")
    machine.models[0].send_signal(signal.SIGSTOP)
    time.sleep(10)
    machine.stop()
    hangs(machine, "6 self-test", "^chip +G98$")


def case_watchdog():
    """A G96 in a machine that hangs, which its chipset's watchdog resets"""
    machine = Machine("g96")
    # The self-test has begun, and neither the test nor what feeds the watchdog goes on.
    script = machine.dir / "hang"
    script.write_text("setsid sh -c '"
                      "until grep -q ok /tmp/report/steps.txt; do usleep 100000; done;"
                      "killall -STOP busybox watchdog sh"
                      "' </dev/null >/dev/null 2>&1 &\necho armed >/dev/ttyS0\n")
    mtools(machine.image, "mcopy", script, "::hang")
    machine.start()
    machine.press("3")
    machine.wait("A shell; 'exit' leads back")
    machine.type("mount /dev/sda1 /mnt; sh /mnt/hang; umount /mnt; exit\n")
    machine.wait("armed")
    machine.press("1")
    machine.wait(r"stage 6: self-test \.\.\.")
    machine.wait_off()
    hangs(machine, "6 self-test", "^chip +G96$")


def case_sticks():
    """Sticks that are write-protected, full, and pulled and plugged in again, with a G80"""
    machine = Machine("g80")
    full = machine.dir / "full.img"
    shutil.copy(IMAGE, full)
    filler = machine.dir / "filler"
    free = int(re.search(r"([\d ]+) bytes free", mtools(full, "mdir", "::")).group(1).replace(" ", ""))
    filler.write_bytes(bytes(free - (8 << 20)))
    mtools(full, "mcopy", filler, "::filler")

    machine.start(readonly=True)
    machine.press("1")
    machine.wait("The stick is write-protected")
    machine.wait("The test does not begin")
    machine.pull()
    machine.plug(full)
    # The kernel may not know yet that it is another stick.
    found = "write-protected"
    while found == "write-protected":
        machine.press("1")
        found = machine.wait("The stick is (write-protected|full. Delete old reports)").group(1)
        machine.wait("The test does not begin")
    machine.pull()
    machine.plug(machine.image)
    machine.press("1")
    while machine.wait("(Testing) |The test does not begin").group(1) != "Testing":
        machine.press("1")
    machine.wait("stage 2 .*: ok")
    machine.pull()
    machine.wait("The stick is gone. Plug it in again; the test waits")
    machine.plug(machine.image)
    whole_report(machine, "^chip: G80$")


def case_gone():
    """A stick that is pulled, and does not come back"""
    machine = Machine("g94")
    machine.start()
    machine.press("1")
    machine.wait("stage 2 .*: ok")
    machine.pull()
    machine.wait("The test ends before stage [345]")
    machine.wait("The report could not be written. What it says:")
    machine.wait("stage 2 .*: ok")
    machine.wait("ended: before stage [345], the stick was gone")
    machine.wait_off()


def case_no_card():
    """A machine without a card of the family"""
    machine = Machine()
    machine.start()
    machine.wait("This machine's graphics:\n.*\nThat is not one of the NV50 family")
    machine.wait("There is nothing to test")
    machine.command("sendkey spc")
    machine.wait_off()


def case_suspend():
    """A GT218 that sleeps, as the person has asked for it"""
    machine = Machine("gt218")
    machine.start()
    machine.press("3")
    machine.wait("A shell; 'exit' leads back")
    machine.type("touch /run/suspend; exit\n")
    machine.press("1")
    report = whole_report(machine, "^stage 9 suspend: ok", slept=True)
    expect("dmesg.txt", (report / "dmesg.txt").read_text(), "PM: suspend entry", "PM: suspend exit")


def case_image():
    """The image: its size, its licences, no driver for a disk but USB's or for a network; a second one is equal"""
    if IMAGE.stat().st_size > 64_000_000:
        raise Failed(f"{IMAGE} has {IMAGE.stat().st_size} bytes")
    expect("licences", mtools(IMAGE, "mdir", "-b", "::licences"), "linux.txt", "busybox.txt", "grub.txt", "glibc.txt",
           "GPL-2.TXT", "SOURCES.TXT")
    kernel = TOP / "build/stick" / "root" / "modules"
    modules = {path.name for path in kernel.iterdir()}
    disks = modules & {"ahci.ko", "libata.ko", "nvme.ko", "virtio_blk.ko", "ata_piix.ko", "mmc_block.ko"}
    networks = {name for name in modules if name.startswith(("e1000", "r8169", "tg3", "usbnet", "cfg80211"))}
    if disks or networks or "usb-storage.ko" not in modules:
        raise Failed(f"modules: {sorted(modules)}")
    # Built from nothing, in another folder, which must not show in it
    other = TOP / "build/stick-again"
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(TOP, other, symlinks=True, ignore=lambda path, _: ["build"] if path == str(TOP) else [])
    run(other / "packaging/stick/make.sh")
    run("cmp", IMAGE, other / "build/nvfifo-stick.img")
    shutil.rmtree(other)


def case_texts():
    """What the stick leaves out of texts, and the capabilities of a configuration space"""
    def shell(function, text):
        done = subprocess.run(["busybox", "sh", "-c", f". packaging/stick/stages.sh; {function}"], cwd=TOP,
                              input=text.encode(), stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    # The kernel's log of a machine with most kinds of numbers, and what is no such number
    lines = {
        "usb 1-1: New USB device strings: Mfr=1, Product=2, SerialNumber=3": None,
        "usb 1-1: SerialNumber: XYZZY4711": "usb 1-1: SerialNumber: (left out)",
        "nvme0: Serial Number: S4EVNX0M": "nvme0: Serial Number: (left out)",
        "battery: serial no.: 12345": "battery: serial no.: (left out)",
        "eth0: 52:54:00:12:34:56 at 0000:01:00.0": "eth0: (address left out) at 0000:01:00.0",
        "wlan0: 52-54-00-AB-CD-EF": "wlan0: (address left out)",
        "scsi 0: wwn 50:01:43:80:12:34:56:78": "scsi 0: wwn (address left out)",
        "nvfifo 0000:01:00.0: [drm] G84, 256 MiB at 0x00000000d0000000-0x00000000dfffffff": None,
        "rtc_cmos 00:03: setting system clock to 2026-11-29T18:37:56 UTC": None,
        "serial8250: ttyS0 at I/O 0x3f8": None,
    }
    said = shell("without_serials", "".join(f"{line}\n" for line in lines))
    if said != "".join(f"{after or line}\n" for line, after in lines.items()):
        raise Failed(said)
    space = bytearray(256)
    space[0x34] = 0x60
    space[0x60:0x64] = bytes((1, 0x68, 2, 0))
    space[0x68:0x6c] = bytes((5, 0x7b, 0x80, 0))
    space[0x78:0x7c] = bytes((0x10, 0, 2, 0))
    lines = "".join(" " + " ".join(f"{b:02x}" for b in space[i:i + 16]) + "\n" for i in range(0, 256, 16))
    expect("capabilities", shell("capabilities", lines), "^capability 60: 01 power management, 01 68 02 00",
           "^capability 68: 05 MSI, 05 7b 80", "^capability 78: 10 PCI Express, 10 00 02")
    space[0x60:0x62] = bytes((1, 0x60))
    lines = lines.replace("01 68", "01 60")
    if shell("capabilities", lines).count("\n") != 48:
        raise Failed("a list that is a ring does not end after 48")


class Loop:
    """A loop device over a file"""

    def __init__(self, file):
        done = subprocess.run(["losetup", "--show", "-f", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False)
        if done.returncode:
            raise Skipped(f"no loop devices here: {done.stderr.decode().strip()}")
        self.name = done.stdout.decode().strip()

    def __enter__(self):
        return self.name

    def __exit__(self, *_):
        subprocess.run(["losetup", "-d", self.name], check=False)


WRITE = TOP / "packaging/stick/write.sh"


def refuses(why, *command, answer=""):
    """write.sh fails, and says why in its only line, or after its question."""
    done = subprocess.run(command, input=answer.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode()
    if done.returncode == 0 or why not in said or not answer and said.count("\n") != 1:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}, without '{why}': {said}")


def case_write():
    """What is no stick is refused in one line, and is not written; one that is is asked about, and written"""
    for device, why in (("/dev/none", "does not exist"), (TOP / "Makefile", "is not a disk"), ("/dev/null", "is not a disk")):
        refuses(why, WRITE, device)
    with tempfile.TemporaryDirectory() as scratch:
        write_devices(pathlib.Path(scratch))


def write_devices(scratch):
    """Loop devices in the place of sticks"""
    stick, small, large = (scratch / name for name in ("stick", "small", "large"))
    for file, size in ((stick, 100 << 20), (small, 10 << 20), (large, 600_000_000_000)):
        with open(file, "wb") as f:
            f.truncate(size)
    # For a user who cannot read the repository
    copy = scratch / "packaging/stick/write.sh"
    for source, to in ((WRITE, copy), (TOP / "testbox/lib.sh", scratch / "testbox/lib.sh"),
                       (IMAGE, scratch / "image")):
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, to)
    scratch.chmod(0o755)

    if not shutil.which("mkfs.ext4"):
        raise Skipped("no mkfs.ext4 here")
    with Loop(small) as device:
        refuses("has room for 10 MB only", WRITE, device)
    with Loop(large) as device:
        refuses("has 600 GB: a stick has at most 512 GB", WRITE, device)
    with Loop(stick) as device:
        run("mkfs.ext4", "-q", device)
        before = stick.read_bytes()
        refuses("nothing was written", WRITE, device, answer="no\n")
        refuses("no right to write", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", copy, device,
                scratch / "image")
        point = scratch / "mounted"
        point.mkdir()
        run("mount", "-o", "ro", device, point)
        try:
            refuses(f"is in use: mounted at {point}", WRITE, device)
        finally:
            run("umount", point)
        run("losetup", "-d", device)
        run("losetup", "-r", device, stick)
        refuses("is write-protected", WRITE, device)
        run("losetup", "-d", device)
        run("losetup", device, stick)
        if stick.read_bytes() != before:
            raise Failed("a refused device was written")
        done = subprocess.run([WRITE, device], input=b"yes\n", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        expect("write.sh", done.stdout.decode(), f"^{device}: .*104 MB", "All that is on it is lost", "Written")
        if stick.read_bytes()[:IMAGE.stat().st_size] != IMAGE.read_bytes():
            raise Failed("the device does not hold the image")
        refuses("is not there: run make stick", WRITE, device, "/nowhere")
        partition = pathlib.Path(f"{device}p1")
        run("addpart", device, "1", "2048", "100000")
        try:
            if not partition.exists():
                raise Skipped("no node of a partition here")
            refuses("is a partition: give the whole stick", WRITE, partition)
        finally:
            run("delpart", device, "1")


def case_make():
    """A program that is missing, and a disk that is full, are said in one line, and nothing is written"""
    def fails(why, *command, **kwargs):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **kwargs)
        said = done.stdout.decode()
        if done.returncode == 0 or said.count("\n") != 1 or why not in said:
            raise Failed(f"status {done.returncode}, without '{why}': {said}")

    make = TOP / "packaging/stick/make.sh"
    before = IMAGE.stat().st_mtime_ns
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch)
        for folder in os.environ["PATH"].split(":") + ["/usr/sbin"]:
            for program in pathlib.Path(folder).glob("*"):
                if program.name != "mformat" and not (path / program.name).exists():
                    (path / program.name).symlink_to(program)
        # lib.sh adds the folders of the system administrator's programs.
        fails("mformat is not installed: run testbox/setup.sh stick", make, env={**os.environ, "PATH": scratch})
        fails("there is no folder /nowhere", make, "--out", "/nowhere/stick.img")
        full = path / "full"
        full.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10M", "none", full], check=False).returncode:
            raise Skipped("no right to mount here")
        try:
            fails("no space left", make, "--out", full / "stick.img")
            if list(full.iterdir()):
                raise Failed("something was written")
        finally:
            run("umount", full)
    if IMAGE.stat().st_mtime_ns != before:
        raise Failed("the image was written")


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
        except Skipped as why:
            print(f"ok {number} - stick: {name}: {CASES[name].__doc__} # SKIP {why}")
        except Exception as why:  # pylint: disable=broad-except
            failed += 1
            print(f"not ok {number} - stick: {name}: {CASES[name].__doc__}")
            text = f"{type(why).__name__}: {why}" + "".join("\n" + m.log() for m in machines)
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
