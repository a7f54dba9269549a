#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# Make the image of a USB stick that tries a card: build/nvfifo-stick.img.
#
#	make.sh [--out FILE]
#
# One FAT partition, NVREPORT, has all of it: GRUB, Debian's kernel, an initramfs, the licences, and
# the reports. GRUB's first part is in front of the partition for a BIOS, and the file that UEFI
# looks for is in the partition. Two builds of the same sources are equal: each time is that of the
# last commit, files are packed in the order of their names, and no number is random.
set -euo pipefail
# shellcheck source=testbox/lib.sh
. "$(dirname "$0")/../../testbox/lib.sh"
# shellcheck source=testbox/qemu-lib.sh
. "$testbox/qemu-lib.sh"
cd "$top"

here=packaging/stick
out=build/nvfifo-stick.img
case ${1-} in
--out) out=${2:?--out needs a file} ;;
"") ;;
*) die "'$1' is none of --out FILE" ;;
esac

image_mib=60
first_sector=2048
serial=4e565250
work=build/stick
# All times in the image
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y packaging/dkms.conf)
export SOURCE_DATE_EPOCH TZ=UTC
commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
[ -z "$(git status --porcelain 2>/dev/null)" ] || commit+=" (changed)"

# Modules of the kernel, without a driver for a disk but USB's. What they need comes with them.
usb="xhci_pci ehci_pci uhci_hcd ohci_pci usb_storage uas sd_mod vfat nls_cp437 nls_ascii usbhid hid_generic hid_apple"
machine="pcspkr iTCO_wdt sp5100_tco nv_tco i2c_i801 lpc_ich"
card="drm drm_gpuvm drm_shmem_helper gpu-sched drm_exec"

need_tools()
{
	local tool

	for tool in grub-mkimage mformat mcopy cpio zstd busybox depmod xz; do
		command -v $tool >/dev/null || die "$tool is not installed: run testbox/setup.sh stick"
	done
	for tool in i386-pc x86_64-efi i386-efi; do
		[ -d /usr/lib/grub/$tool ] || die "GRUB for $tool is not installed: run testbox/setup.sh stick"
	done
	mkdir -p "$top/build"
	need_room "$top/build" 300
	[ -d "$(dirname "$out")" ] || die "there is no folder $(dirname "$out")"
	need_room "$(dirname "$out")" $((image_mib + 4))
}

# Copy a module of the kernel and those that it needs, and list them in their order.
add_modules() # list, name...
{
	local list=$1 path name

	shift
	modprobe -d "$kernel/modules" -S "$release" --show-depends -a "$@" | awk '$1 == "insmod" { print $2 }' |
		while read -r path; do
			name=$(basename "$path")
			name=${name%%.ko*}.ko
			[ -e "$root/modules/$name" ] || {
				case $path in
				*.xz) xz -dc "$path" ;;
				*.zst) zstd -qdc "$path" ;;
				*) cat "$path" ;;
				esac >"$root/modules/$name"
				echo "$name" >>"$root/modules/$list"
			}
		done
}

initramfs()
{
	rm -rf "$root"
	mkdir -p "$root"/{bin,dev,modules,examples}
	cp "$(command -v busybox)" "$root/bin/busybox"
	# The number of a build, here and of the module, depends on the folder that it was made in.
	strip -R .note.gnu.build-id -o "$root/bin/nvfifo" build/guest/nvfifo
	cp $here/init $here/{stick,stages,dialogue}.sh $here/registers.txt /usr/share/misc/pci.ids "$root/"
	chmod 755 "$root/init" "$root/bin/"*
	cp examples/0[1-8]*.nvp "$root/examples/"
	cp $here/pictures.nvp "$root/"
	awk -f $here/questions.awk Documentation/open-questions.rst >"$root/questions.list"
	# shellcheck disable=SC2086 # a list
	add_modules usb.order $usb
	# shellcheck disable=SC2086 # a list
	add_modules machine.order $machine
	# shellcheck disable=SC2086 # a list
	add_modules card.order $card
	strip --strip-debug -R .note.gnu.build-id -o "$root/modules/nvfifo.ko" "$module"
	printf 'commit="%s"\nversion="%s"\n' "$commit" \
		"$(sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' packaging/dkms.conf)" >"$root/version"
	find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	(cd "$root" && find . -print0 | sort -z | cpio -0o -H newc --quiet --reproducible -R 0:0) |
		zstd -q -19 -T1 >"$work/initrd"
}

licences() # directory
{
	local name

	mkdir -p "$1"
	cp LICENSES/* "$1/" 2>/dev/null || true
	for name in GPL-2 GPL-3 LGPL-2.1; do
		cp /usr/share/common-licenses/$name "$1/$name.TXT"
	done
	cp /usr/share/doc/busybox-static/copyright "$1/busybox.txt"
	cp /usr/share/doc/grub-common/copyright "$1/grub.txt"
	cp /usr/share/doc/libc6-dev/copyright "$1/glibc.txt"
	cp "$(headers_root)/usr/share/doc/linux-image-$release/copyright" "$1/linux.txt"
	cat >"$1/SOURCES.TXT" <<-END
		The programs on this stick, and where their sources are. nvfifo's are in the repository from
		which the stick was made, at commit $commit. The others are unchanged packages of Debian,
		which keeps the source of each version that it has released: in its archive, which
		"apt-get source NAME=VERSION" reads on a Debian system, and older ones in its archive of
		snapshots, by the names and versions below.

		nvfifo (module: GPL-2.0, command: MIT)
		linux $release ($(dpkg_version linux-image-"$release"))
		busybox $(dpkg-query -W -f '${Version}' busybox-static)
		grub2 $(dpkg-query -W -f '${Version}' grub-common)
		glibc $(dpkg-query -W -f '${Version}' libc6-dev)
	END
}

# Of a package in the folder with the kernels
dpkg_version() # package
{
	dpkg-query --admindir="$(headers_root)/var/lib/dpkg" -W -f '${Version}' "$1"
}

files()
{
	rm -rf "$tree"
	mkdir -p "$tree"/EFI/BOOT "$tree"/boot/grub
	cp "$kernel/vmlinuz" "$tree/boot/vmlinuz"
	cp "$work/initrd" "$tree/boot/initrd"
	cp $here/grub.cfg "$tree/boot/grub/grub.cfg"
	sed "s/@COMMIT@/$commit/; s/\$/\r/" $here/README.TXT >"$tree/README.TXT"
	licences "$tree/licences"
	# shellcheck disable=SC2016 # GRUB expands it
	printf 'search --no-floppy --fs-uuid --set=root %s\nset prefix=($root)/boot/grub\n' \
		"${serial:0:4}-${serial:4}" >"$work/find.cfg"
	grub_image x86_64-efi "$tree/EFI/BOOT/BOOTX64.EFI" efi_gop efi_uga
	grub_image i386-efi "$tree/EFI/BOOT/BOOTIA32.EFI" efi_gop efi_uga
	grub_image i386-pc "$work/core.img" biosdisk vga_text
	find "$tree" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
}

grub_image() # format, file, module...
{
	grub-mkimage -O "$1" -o "$2" -p /boot/grub -c "$work/find.cfg" \
		part_msdos fat search search_fs_uuid normal configfile linux echo test sleep minicmd "${@:3}"
}

# A little-endian number of four bytes
le32()
{
	printf '%b' "$(printf '\\x%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"
}

put() # offset of the image
{
	dd of="$img" bs=1 seek="$1" conv=notrunc status=none
}

image()
{
	local sectors=$((image_mib * 2048 - first_sector))

	rm -f "$img"
	truncate -s ${image_mib}M "$img"
	# GRUB's first sector loads what follows it; the table of partitions is behind its code.
	head -c 440 /usr/lib/grub/i386-pc/boot.img | put 0
	[ "$(stat -c %s "$work/core.img")" -lt $(((first_sector - 1) * 512)) ] || die "GRUB is too large"
	dd if="$work/core.img" of="$img" bs=512 seek=1 conv=notrunc status=none
	le32 0x$serial | put 440
	{
		printf '\x80\xfe\xff\xff\x0c\xfe\xff\xff'
		le32 $first_sector
		le32 $sectors
	} | put 446
	printf '\x55\xaa' | put 510

	export MTOOLS_SKIP_CHECK=1
	mformat -i "$img@@${first_sector}s" -F -c 1 -T $sectors -h 255 -s 63 -H $first_sector -N $serial \
		-v NVREPORT ::
	(cd "$tree" && find . -mindepth 1 -type d | sort | cut -c3- | while read -r name; do
		mmd -i "$img@@${first_sector}s" "::$name"
	done && find . -type f | sort | cut -c3- | while read -r name; do
		mcopy -m -i "$img@@${first_sector}s" "$name" "::$name"
	done)
}

need_tools
mkdir -p "$work"
make -s -j"$(compilers)" build/guest/nvfifo
qemu=$(testbox/qemu-setup.sh)
kernel=$qemu/6.12
release=$(<"$kernel/release")
module=$(testbox/qemu-module.sh 6.12)
root=$work/root
tree=$work/tree
img=$(realpath -m "$out").new
initramfs
files
image
mv "$img" "$out"
say "$out, $(($(stat -c %s "$out") / 1000000)) MB, commit $commit. To write it: make stick DEVICE=/dev/sdX"
