/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
#ifndef _NVFIFO_DRM_H_
#define _NVFIFO_DRM_H_

/* drm.h is in drm/, for the kernel and for programs, unless it comes with libdrm. */
#ifdef __has_include
#if !__has_include("drm/drm.h")
#include <libdrm/drm.h>
#endif
#endif
#ifndef _DRM_H_
#include <drm/drm.h>
#endif

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: Overview
 *
 * nvfifo is a DRM render node for the PFIFO engine and the MMU of the NV50 family. User space
 * creates memory (BO_CREATE) and an address space (VM_CREATE), and maps one into the other
 * (VM_BIND). It creates a channel in the address space (CHANNEL_CREATE), creates DMA objects for it
 * (OBJECT_CREATE) and queues pushbuffers (SUBMIT).
 *
 * Rules that hold for every call:
 *
 * - Unknown flags, unknown enum values and padding that is not zero are
 *   -EINVAL. A structure may grow at its end; fields unknown to the kernel
 *   must be zero, else -E2BIG or -EINVAL.
 * - A call that fails has changed nothing.
 * - Identifiers (VM, channel, BO handle, object handle) belong to the open file that created them;
 *   those of another file are -ENOENT.
 * - Addresses, ranges and offsets are bytes. Virtual addresses lie in
 *   [va_start, va_end) of DEVICE_QUERY.
 * - On a lost or removed card calls that need the card are -ENODEV, on a stuck card -EIO.
 * - With drm.debug=0x2 the kernel log names each argument that a call refuses.
 *
 * DRM_IOCTL_GEM_CLOSE closes buffers, the PRIME ioctls export and import them, and DRM syncobjs
 * wait for fences.
 */

#define DRM_NVFIFO_DEVICE_QUERY		0x00
#define DRM_NVFIFO_BO_CREATE		0x01
#define DRM_NVFIFO_BO_INFO		0x02
#define DRM_NVFIFO_VM_CREATE		0x03
#define DRM_NVFIFO_VM_DESTROY		0x04
#define DRM_NVFIFO_VM_BIND		0x05
#define DRM_NVFIFO_CHANNEL_CREATE	0x06
#define DRM_NVFIFO_CHANNEL_DESTROY	0x07
#define DRM_NVFIFO_CHANNEL_QUERY	0x08
#define DRM_NVFIFO_OBJECT_CREATE	0x09
#define DRM_NVFIFO_OBJECT_DESTROY	0x0a
#define DRM_NVFIFO_SUBMIT		0x0b
#define DRM_NVFIFO_BO_LABEL		0x0c
#define DRM_NVFIFO_CHANNEL_WAIT		0x0d

/**
 * struct drm_nvfifo_array - An array of structures in user memory
 * @stride: Size of one element, bytes; at least the size of the element's first published version.
 *	Bytes after the part that the kernel knows must be 0.
 * @count: Number of elements.
 * @ptr: User pointer to the first element.
 */
struct drm_nvfifo_array {
	__u32 stride;
	__u32 count;
	__u64 ptr;
};

/**
 * enum drm_nvfifo_query_type - Records of DEVICE_QUERY
 * @DRM_NVFIFO_QUERY_DEVICE: struct drm_nvfifo_query_device
 * @DRM_NVFIFO_QUERY_LIMITS: struct drm_nvfifo_query_limits
 * @DRM_NVFIFO_QUERY_TIME: struct drm_nvfifo_query_time; reads the card, so -ENODEV on a lost card
 *	and -EIO on a stuck one
 */
enum drm_nvfifo_query_type {
	DRM_NVFIFO_QUERY_DEVICE = 0,
	DRM_NVFIFO_QUERY_LIMITS = 1,
	DRM_NVFIFO_QUERY_TIME = 2,
};

/**
 * struct drm_nvfifo_device_query - Argument of DRM_IOCTL_NVFIFO_DEVICE_QUERY
 * @type: in: enum drm_nvfifo_query_type, else -EINVAL.
 * @size: in: bytes at @pointer, at most 4096, else -EINVAL. out: bytes of the kernel's record.
 *	With @pointer 0 only the size is returned.
 * @pointer: in: where to put the record; min(in size, out size) bytes are
 *	written and the rest of the buffer is cleared. -EFAULT if not writable.
 */
struct drm_nvfifo_device_query {
	__u32 type;
	__u32 size;
	__u64 pointer;
};

/* Bits of drm_nvfifo_query_device.features. */
/* 64-bit semaphores, methods 0x10 to 0x1c, and NOTIFY_INTR, 0x20: G84 and later */
#define DRM_NVFIFO_FEATURE_SEMAPHORE64		(1ull << 0)
/* "VRAM" is stolen system memory: MCP77, MCP79, MCP89 */
#define DRM_NVFIFO_FEATURE_IGP			(1ull << 1)
/* VRAM BOs can be mapped by mmap(); not in User Mode Linux */
#define DRM_NVFIFO_FEATURE_VRAM_MMAP		(1ull << 2)
/* the interrupt is message signalled */
#define DRM_NVFIFO_FEATURE_MSI			(1ull << 3)
/* VM_BIND and OBJECT_CREATE accept compression: cards with tag memory */
#define DRM_NVFIFO_FEATURE_COMPRESSION		(1ull << 4)
/* VM_BIND and OBJECT_CREATE accept encryption: G84 and later */
#define DRM_NVFIFO_FEATURE_ENCRYPTION		(1ull << 5)
/* VM_BIND and OBJECT_CREATE accept the long partition cycle: G80 */
#define DRM_NVFIFO_FEATURE_LONG_CYCLE		(1ull << 6)
/* channels with DRM_NVFIFO_CHANNEL_USER_QUEUE; not in User Mode Linux */
#define DRM_NVFIFO_FEATURE_USER_QUEUE		(1ull << 7)

/**
 * struct drm_nvfifo_query_device - Identity and facts of the card
 * @chipset: Chipset id, 0x50 (G80) to 0xaf (MCP89).
 * @boot_0: The value of PMC_BOOT_0.
 * @name: Name of the chipset, zero terminated.
 * @vram_size: Bytes of VRAM (of stolen memory on an IGP).
 * @vram_free: Bytes of VRAM that BO_CREATE can still allocate; all files share them.
 * @va_start: First virtual address that VM_BIND accepts.
 * @va_end: First virtual address above those that VM_BIND accepts.
 * @page_sizes: Bit n set: pages of 2^n bytes can be mapped.
 * @features: DRM_NVFIFO_FEATURE_*.
 * @engines: Bit n set: the card has the PFIFO engine n (1 PGRAPH, 2 PMPEG or
 *	PPPP, 3 PME or PCOPY, 4 PVP or PPDEC, 5 PCIPHER, PSEC or PVCOMP, 6 PBSP
 *	or PVLD). Presence does not mean that the driver can bind objects of it.
 * @bound_engines: Engines whose objects OBJECT_CREATE accepts (bit 0: PFIFO's
 *	own DMA objects, 1: PGRAPH). The module parameter engines adds to them.
 * @tags: Cells of compression tag memory, 0 if the card has none.
 * @tags_free: Cells that no mapping and no object uses; all files share them.
 * @bar1_size: Bytes of VRAM that the CPU can map at once. mmap() accepts more; new pages then
 *	replace those used least recently.
 * @graph_units: PBUS.HWUNITS_0, register 0x1540: the units of PGRAPH. Bits 15:0 are the TPs, 27:24
 *	the MPs of each TP, 23:16 the memory partitions. Local memory and stacks of programs must
 *	suffice for all MPs, including those above a hole in the mask of TPs.
 * @pad: 0.
 */
struct drm_nvfifo_query_device {
	__u32 chipset;
	__u32 boot_0;
	__u8 name[16];
	__u64 vram_size;
	__u64 vram_free;
	__u64 va_start;
	__u64 va_end;
	__u64 page_sizes;
	__u64 features;
	__u32 engines;
	__u32 bound_engines;
	__u32 tags;
	__u32 tags_free;
	__u64 bar1_size;
	__u32 graph_units;
	__u32 pad;
};

/**
 * struct drm_nvfifo_query_time - The card's time
 * @timer_ns: PTIMER's time, ns, in steps of 32. Queries, notifiers and semaphores of 16 bytes store
 *	it. After POST it is 0 or the value that the VBIOS has set.
 * @monotonic_ns: CLOCK_MONOTONIC at that time, ns.
 */
struct drm_nvfifo_query_time {
	__u64 timer_ns;
	__u64 monotonic_ns;
};

/**
 * struct drm_nvfifo_query_limits - Limits of the other calls
 * @channels: Channels that can exist at once on the card.
 * @ring_order_min: Smallest log2 of IB ring entries.
 * @ring_order_max: Largest log2 of IB ring entries.
 * @ring_order_default: The order that 0 stands for in CHANNEL_CREATE.
 * @submit_entries: Most entries of one SUBMIT on the largest ring.
 * @submit_words: Most words of one entry.
 * @submit_syncs: Most syncs of one SUBMIT or VM_BIND.
 * @bind_ops: Most operations of one VM_BIND.
 * @objects: Most objects of one channel.
 * @label_size: Most bytes of a BO's label.
 * @binds: Asynchronous VM_BINDs of one address space that can wait.
 * @file_channels: Channels of one file, without CAP_SYS_RESOURCE or CAP_SYS_NICE, as
 *	@file_vms and @file_bytes.
 * @file_vms: Address spaces of one file.
 * @pad: 0.
 * @file_bytes: Sum of the sizes of one file's BOs, whether they have memory yet or not.
 * @bind_bytes: Most bytes that the operations of one VM_BIND map.
 * @hang_limit_min: Smallest hang_limit_ms of a channel.
 * @hang_limit_max: Largest, which is the module parameter job_timeout_ms.
 */
struct drm_nvfifo_query_limits {
	__u32 channels;
	__u32 ring_order_min;
	__u32 ring_order_max;
	__u32 ring_order_default;
	__u32 submit_entries;
	__u32 submit_words;
	__u32 submit_syncs;
	__u32 bind_ops;
	__u32 objects;
	__u32 label_size;
	__u32 binds;
	__u32 file_channels;
	__u32 file_vms;
	__u32 pad;
	__u64 file_bytes;
	__u64 bind_bytes;
	__u32 hang_limit_min;
	__u32 hang_limit_max;
};

/**
 * enum drm_nvfifo_domain - Memory of a BO
 * @DRM_NVFIFO_DOMAIN_SYSTEM: System memory.
 * @DRM_NVFIFO_DOMAIN_VRAM: The card's memory.
 */
enum drm_nvfifo_domain {
	DRM_NVFIFO_DOMAIN_SYSTEM = 0,
	DRM_NVFIFO_DOMAIN_VRAM = 1,
};

/**
 * enum drm_nvfifo_bo_flags - Flags of a BO
 * @DRM_NVFIFO_BO_WC: The CPU maps it write-combined and does not cache it; without the
 *	flag system memory is cached. Implied for VRAM.
 * @DRM_NVFIFO_BO_CONTIGUOUS: Contiguous VRAM, which unpaged DMA objects need. Without
 *	the flag VRAM is contiguous where that is possible. VRAM only.
 * @DRM_NVFIFO_BO_IMPORTED: The memory is another driver's (BO_INFO only).
 * @DRM_NVFIFO_BO_LSR: VRAM for storage types of the other bank order, those with LSR in
 *	their names, and for no others: see Documentation/uapi.rst. The size is rounded up to
 *	whole row blocks, some 64 to 512 KiB. VRAM only.
 */
enum drm_nvfifo_bo_flags {
	DRM_NVFIFO_BO_WC = 1 << 0,
	DRM_NVFIFO_BO_CONTIGUOUS = 1 << 1,
	DRM_NVFIFO_BO_IMPORTED = 1 << 2,
	DRM_NVFIFO_BO_LSR = 1 << 3,
};

/**
 * struct drm_nvfifo_bo_create - Argument of DRM_IOCTL_NVFIFO_BO_CREATE
 * @size: in: bytes, 1 to 1 TiB. out: rounded up, to 4 KiB for system memory and to
 *	64 KiB for VRAM, more with LSR. -EINVAL for 0 or too large, -ENOMEM or -ENOSPC (VRAM)
 *	if there is not enough, with CONTIGUOUS in one extent. -ENOSPC as well if the card
 *	does not clear freed VRAM that the call needs in time.
 * @domain: in: enum drm_nvfifo_domain, else -EINVAL.
 * @flags: in: DRM_NVFIFO_BO_WC for system memory, DRM_NVFIFO_BO_CONTIGUOUS and
 *	DRM_NVFIFO_BO_LSR for VRAM, else -EINVAL.
 * @handle: out: GEM handle, never 0.
 * @pad: must be 0.
 * @mmap_offset: out: offset for mmap() of the DRM file. The memory is zeroed.
 */
struct drm_nvfifo_bo_create {
	__u64 size;
	__u32 domain;
	__u32 flags;
	__u32 handle;
	__u32 pad;
	__u64 mmap_offset;
};

/**
 * struct drm_nvfifo_bo_info - Argument of DRM_IOCTL_NVFIFO_BO_INFO
 * @handle: in: GEM handle, else -ENOENT.
 * @domain: out: enum drm_nvfifo_domain.
 * @size: out: bytes.
 * @mmap_offset: out: offset for mmap() of the DRM file.
 * @flags: out: enum drm_nvfifo_bo_flags; CONTIGUOUS is set if the memory is contiguous, even
 *	without the flag in BO_CREATE.
 * @page_shift: out: log2 of the largest page that VM_BIND can map it with, at an
 *	address, offset and range in multiples of that page.
 * @tags: out: compression tag cells that it holds now.
 * @pad: out: 0.
 */
struct drm_nvfifo_bo_info {
	__u32 handle;
	__u32 domain;
	__u64 size;
	__u64 mmap_offset;
	__u32 flags;
	__u32 page_shift;
	__u32 tags;
	__u32 pad;
};

/**
 * struct drm_nvfifo_bo_label - Argument of DRM_IOCTL_NVFIFO_BO_LABEL
 * @handle: in: GEM handle, else -ENOENT.
 * @size: in: bytes of the label, without a terminating zero, at most
 *	drm_nvfifo_query_limits.label_size, else -EINVAL; 0 removes the label.
 * @label: in: user pointer to printable ASCII characters, else -EINVAL.
 *
 * The label names the BO in debugfs and dumps. It is the BO's, not the handle's:
 * all files that share the BO see it.
 */
struct drm_nvfifo_bo_label {
	__u32 handle;
	__u32 size;
	__u64 label;
};

/**
 * struct drm_nvfifo_vm_create - Argument of DRM_IOCTL_NVFIFO_VM_CREATE
 * @flags: in: must be 0.
 * @id: out: the address space, never 0. -ENOMEM, or -ENOSPC when the file has
 *	too many (drm_nvfifo_query_limits.file_vms).
 */
struct drm_nvfifo_vm_create {
	__u32 flags;
	__u32 id;
};

/**
 * struct drm_nvfifo_vm_destroy - Argument of DRM_IOCTL_NVFIFO_VM_DESTROY
 * @id: in: the address space, else -ENOENT. Channels that still use it keep
 *	it alive, but it can no longer be named.
 * @pad: must be 0.
 */
struct drm_nvfifo_vm_destroy {
	__u32 id;
	__u32 pad;
};

/**
 * enum drm_nvfifo_sync_flags - Flags of struct drm_nvfifo_sync
 * @DRM_NVFIFO_SYNC_WAIT: The work starts when the fence is signalled. The
 *	syncobj must hold a fence, else -EINVAL.
 * @DRM_NVFIFO_SYNC_SIGNAL: The syncobj gets the work's fence.
 * @DRM_NVFIFO_SYNC_TIMELINE: It is a timeline syncobj, @timeline_value names
 *	the point.
 *
 * Exactly one of WAIT and SIGNAL must be set.
 */
enum drm_nvfifo_sync_flags {
	DRM_NVFIFO_SYNC_WAIT = 1 << 0,
	DRM_NVFIFO_SYNC_SIGNAL = 1 << 1,
	DRM_NVFIFO_SYNC_TIMELINE = 1 << 2,
};

/**
 * struct drm_nvfifo_sync - One synchronisation point
 * @flags: enum drm_nvfifo_sync_flags, else -EINVAL.
 * @handle: Syncobj handle, else -ENOENT.
 * @timeline_value: Point of a timeline syncobj, not 0 with SIGNAL; must be 0 without
 *	@DRM_NVFIFO_SYNC_TIMELINE.
 */
struct drm_nvfifo_sync {
	__u32 flags;
	__u32 handle;
	__u64 timeline_value;
};

/**
 * enum drm_nvfifo_vm_bind_op_type - Type of struct drm_nvfifo_vm_bind_op
 * @DRM_NVFIFO_VM_BIND_OP_MAP: Map a part of a BO. -EEXIST if any of the range is
 *	mapped already, unless DRM_NVFIFO_VM_BIND_REPLACE is set.
 * @DRM_NVFIFO_VM_BIND_OP_UNMAP: Unmap all mappings in the range; there may be none. The rest of a
 *	mapping that reaches over either end stays.
 */
enum drm_nvfifo_vm_bind_op_type {
	DRM_NVFIFO_VM_BIND_OP_MAP = 0,
	DRM_NVFIFO_VM_BIND_OP_UNMAP = 1,
};

/**
 * enum drm_nvfifo_vm_bind_op_flags - Flags of struct drm_nvfifo_vm_bind_op, for MAP
 * @DRM_NVFIFO_VM_BIND_READ_ONLY: The card may not write through this mapping.
 * @DRM_NVFIFO_VM_BIND_SUPERVISOR: Only DMA objects with DRM_NVFIFO_OBJECT_SUPERVISOR may use this
 *	mapping; the pusher cannot fetch from it. Needs CAP_SYS_ADMIN, else -EPERM.
 * @DRM_NVFIFO_VM_BIND_NOSNOOP: The card's accesses do not snoop the CPU's caches. For system memory
 *	with DRM_NVFIFO_BO_WC only, else -EINVAL.
 * @DRM_NVFIFO_VM_BIND_REPLACE: Replace the mappings in the range. Each address leads to the old or
 *	the new page until the call is done, never elsewhere, and an access meanwhile may fault.
 *	Mapping the same part of a BO again changes its protection.
 * @DRM_NVFIFO_VM_BIND_LONG_CYCLE: Long partition cycle, of VRAM. With
 *	DRM_NVFIFO_FEATURE_LONG_CYCLE only, else -EINVAL. Needs CAP_SYS_ADMIN, else -EPERM.
 * @DRM_NVFIFO_VM_BIND_ENCRYPTED: The card encrypts its writes to system memory, and decrypts
 *	its reads. With DRM_NVFIFO_FEATURE_ENCRYPTION only, else -EINVAL.
 *	Needs CAP_SYS_ADMIN, else -EPERM.
 */
enum drm_nvfifo_vm_bind_op_flags {
	DRM_NVFIFO_VM_BIND_READ_ONLY = 1 << 0,
	DRM_NVFIFO_VM_BIND_SUPERVISOR = 1 << 1,
	DRM_NVFIFO_VM_BIND_NOSNOOP = 1 << 2,
	DRM_NVFIFO_VM_BIND_REPLACE = 1 << 3,
	DRM_NVFIFO_VM_BIND_LONG_CYCLE = 1 << 4,
	DRM_NVFIFO_VM_BIND_ENCRYPTED = 1 << 5,
};

/**
 * enum drm_nvfifo_compression - Compression of a mapping or a DMA object
 * @DRM_NVFIFO_COMPRESSION_NONE: None.
 * @DRM_NVFIFO_COMPRESSION_SINGLE: One tag cell per 64 KiB.
 * @DRM_NVFIFO_COMPRESSION_DOUBLE: Two tag cells per 64 KiB.
 *
 * A compressed mapping needs VRAM and pages of 64 KiB. The tag cells are the BO's: all
 * its compressed mappings and objects share them, in one mode, and with the last
 * one they go. Their contents are undefined until the card has written the memory
 * through such a mapping. The CPU and uncompressed mappings read garbage.
 */
enum drm_nvfifo_compression {
	DRM_NVFIFO_COMPRESSION_NONE = 0,
	DRM_NVFIFO_COMPRESSION_SINGLE = 1,
	DRM_NVFIFO_COMPRESSION_DOUBLE = 2,
};

/**
 * struct drm_nvfifo_vm_bind_op - One operation of a VM_BIND
 * @op: enum drm_nvfifo_vm_bind_op_type.
 * @flags: enum drm_nvfifo_vm_bind_op_flags, 0 for UNMAP.
 * @bo_handle: GEM handle, else -ENOENT; 0 for UNMAP.
 * @page_shift: log2 of the page size, one of drm_nvfifo_query_device.page_sizes, or 0 for 16 (64
 *	KiB) where it fits and else 12. A 512 MiB region of the address space has one page size at a
 *	time: the smallest that it has needed since it was empty. A larger one here is -EBUSY, even
 *	if REPLACE covers all mappings of the region. 14 and 16 need a VRAM BO and @va, @bo_offset
 *	and @range in multiples of the page. 14 is untried: no driver uses it. 0 for UNMAP.
 * @va: Virtual address, a multiple of the page size, or of 4 KiB.
 * @range: Bytes, a multiple of the page size, or of 4 KiB, not 0.
 * @bo_offset: Bytes from the start of the BO, a multiple of the page size; 0
 *	for UNMAP.
 * @kind: Storage type of the pages, see Documentation/uapi.rst; 0 is pitch-linear. -EINVAL for a
 *	type that the chipset lacks, and on G80 for any but 0 in system memory. LSR types need VRAM
 *	with DRM_NVFIFO_BO_LSR and the others VRAM without it, else -EINVAL. 0 for UNMAP.
 * @compression: enum drm_nvfifo_compression, else -EINVAL. Any but NONE is -EINVAL without
 *	DRM_NVFIFO_FEATURE_COMPRESSION. -ENOSPC if the card has too few free tag cells. -EBUSY if
 *	the BO is compressed in the other mode. Its region keeps 64 KiB pages while such a mapping
 *	exists. An operation that needs smaller ones, even only to cut a page in two, is -EBUSY. 0
 *	for UNMAP.
 */
struct drm_nvfifo_vm_bind_op {
	__u32 op;
	__u32 flags;
	__u32 bo_handle;
	__u32 page_shift;
	__u64 va;
	__u64 range;
	__u64 bo_offset;
	__u32 kind;
	__u32 compression;
};

/**
 * enum drm_nvfifo_vm_bind_flags - Flags of struct drm_nvfifo_vm_bind
 * @DRM_NVFIFO_VM_BIND_ASYNC: Return at once. The operations take effect when all WAIT
 *	fences are signalled and all earlier calls for this address space have done so.
 */
enum drm_nvfifo_vm_bind_flags {
	DRM_NVFIFO_VM_BIND_ASYNC = 1 << 0,
};

/**
 * struct drm_nvfifo_vm_bind - Argument of DRM_IOCTL_NVFIFO_VM_BIND
 * @vm_id: in: the address space, else -ENOENT.
 * @flags: in: enum drm_nvfifo_vm_bind_flags.
 * @ops: in: struct drm_nvfifo_vm_bind_op, in order. 0 elements do nothing,
 *	more than drm_nvfifo_query_limits.bind_ops are -E2BIG, as are more than bind_bytes
 *	to be mapped. -ENOSPC if the card has no room for page tables.
 * @syncs: in: struct drm_nvfifo_sync, more than submit_syncs are -E2BIG. Only with
 *	ASYNC, else -EINVAL.
 *
 * All operations take effect, or none. The call finds a mistake in one of them before it returns,
 * even with ASYNC.
 *
 * Without ASYNC the call waits for earlier asynchronous ones first. A signal ends that wait with
 * -ERESTARTSYS, the card's removal with -ENODEV; nothing has changed then. On return of 0 the page
 * tables have been written and the card's TLBs flushed, once for the whole array.
 *
 * With ASYNC this holds when the SIGNAL fences have signalled. The call sleeps while
 * drm_nvfifo_query_limits.binds calls wait (-ERESTARTSYS for a signal). The driver drops a call
 * that still waits when the address space and its last channel are destroyed. Its fences end with
 * -ECANCELED, or with -ENODEV when the card is removed.
 *
 * -EIO, or -EIO in the fences, if the card did not answer a TLB flush; the
 * address space is unusable then.
 */
struct drm_nvfifo_vm_bind {
	__u32 vm_id;
	__u32 flags;
	struct drm_nvfifo_array ops;
	struct drm_nvfifo_array syncs;
};

/**
 * enum drm_nvfifo_channel_flags - Flags of struct drm_nvfifo_channel_create
 * @DRM_NVFIFO_CHANNEL_EVENT: Send struct drm_nvfifo_event_channel_dead to the file when
 *	an error ends the channel, and allow software objects.
 * @DRM_NVFIFO_CHANNEL_DMA_MODE: The linear buffer mode of NV04: the pusher reads words
 *	from GET to PUT, and knows jumps, calls and returns. Without the flag the channel
 *	has a ring of entries (IB mode).
 * @DRM_NVFIFO_CHANNEL_USER_QUEUE: The owner rings the doorbell, in the control page. With
 *	DRM_NVFIFO_FEATURE_USER_QUEUE only, else -EOPNOTSUPP.
 * @DRM_NVFIFO_CHANNEL_NO_SLI: The pusher does not know the SLI conditional command, and
 *	ends the channel with INVALID_CMD at one. Without the flag it executes such commands.
 */
enum drm_nvfifo_channel_flags {
	DRM_NVFIFO_CHANNEL_EVENT = 1 << 0,
	DRM_NVFIFO_CHANNEL_DMA_MODE = 1 << 1,
	DRM_NVFIFO_CHANNEL_USER_QUEUE = 1 << 2,
	DRM_NVFIFO_CHANNEL_NO_SLI = 1 << 3,
};

/**
 * struct drm_nvfifo_channel_create - Argument of DRM_IOCTL_NVFIFO_CHANNEL_CREATE
 * @vm_id: in: the address space that the channel works in, else -ENOENT.
 * @flags: in: enum drm_nvfifo_channel_flags, else -EINVAL.
 * @ring_order: in: log2 of the entries of the IB ring, 0 for the default. -EINVAL outside of the
 *	range of DEVICE_QUERY. With DMA_MODE log2 of the SUBMITs that can be under way at once.
 * @id: out: the channel, never 0. -ENOSPC if the card has no channel or no instance memory left, or
 *	the address space no room for its ring, or if the file has too many channels
 *	(drm_nvfifo_query_limits.file_channels). -ENOMEM with EVENT if the file has too many
 *	unread events.
 * @timeslice: in: time for which the channel may run while others wait, in unknown units, 1 to
 *	0x1ffff; 0 for the default, 0x3fff. Larger is -EINVAL. More than the default without
 *	CAP_SYS_NICE is -EPERM.
 * @sli_mask: in: mask of the channel's SLI positions, 1 to 0xfff; 0 for all. SLI conditional
 *	commands compare with it. Larger is -EINVAL, and so is another value than 0 with NO_SLI.
 * @user_data: in: comes back in the event; must be 0 without EVENT.
 * @start: in: with USER_QUEUE the virtual address of the ring, a multiple of 4 KiB. With DMA_MODE
 *	the first GET and PUT, a multiple of 4 below 4 GiB, which jumps cannot leave. Else 0.
 *	Outside of [va_start, va_end) it is -EINVAL. The address must be mapped when the card reads
 *	it, else the channel ends.
 * @control_offset: out: with USER_QUEUE the offset for mmap() of the control page, 4 KiB,
 *	readable and writable, else 0.
 * @hang_limit_ms: in: the channel ends when its work holds up the card for longer,
 *	milliseconds. hang_limit_min to hang_limit_max of DEVICE_QUERY, else -EINVAL. 0 for
 *	the largest. A channel that only waits for others has twice as much for each of them.
 * @dma_limit: in: with DMA_MODE the last address that the pusher reads a word from, a multiple of 4
 *	in @start to 0xfffffffc, else -EINVAL; 0 for no limit. A word past it is MEM_FAULT and ends
 *	the channel. 0 without DMA_MODE, else -EINVAL.
 *
 * A user queue is a ring in a BO of the owner, who
 *
 * - writes 8-byte entries into it;
 * - makes them visible by a store barrier, or for VRAM by reading back the last word of
 *   ring and pushbuffer;
 * - writes the index after the last one to IB_PUT, 32 bits at byte 0x8c of the control
 *   page. With DMA_MODE it is the address after the last word, to DMA_PUT at 0x40.
 *
 * The pusher's progress is IB_GET at 0x88, DMA_GET at 0x44 and the reference counter at 0x48. An
 * index must be below the ring's size. The page shows only the channel's own pointers. The card's
 * reads and writes go through the channel's address space. After the channel's death the page is
 * ordinary memory without a meaning.
 */
struct drm_nvfifo_channel_create {
	__u32 vm_id;
	__u32 flags;
	__u32 ring_order;
	__u32 id;
	__u32 timeslice;
	__u32 sli_mask;
	__u64 user_data;
	__u64 start;
	__u64 control_offset;
	__u32 hang_limit_ms;
	__u32 dma_limit;
};

/**
 * struct drm_nvfifo_channel_destroy - Argument of DRM_IOCTL_NVFIFO_CHANNEL_DESTROY
 * @id: in: the channel, else -ENOENT. Work that is still queued ends with
 *	-ECANCELED in its fences.
 * @pad: must be 0.
 */
struct drm_nvfifo_channel_destroy {
	__u32 id;
	__u32 pad;
};

/**
 * enum drm_nvfifo_channel_state - State of a channel
 * @DRM_NVFIFO_CHANNEL_ALIVE: It accepts work.
 * @DRM_NVFIFO_CHANNEL_DEAD: An error killed it, see drm_nvfifo_channel_query.error.
 */
enum drm_nvfifo_channel_state {
	DRM_NVFIFO_CHANNEL_ALIVE = 0,
	DRM_NVFIFO_CHANNEL_DEAD = 1,
};

/**
 * enum drm_nvfifo_hang - Cause of a channel's time-out
 * @DRM_NVFIFO_HANG_OTHER: Not known.
 * @DRM_NVFIFO_HANG_SEMAPHORE: It waited for a semaphore: error_data is the value that it wanted,
 *	error_detail the low word of the offset in the semaphore's DMA object.
 * @DRM_NVFIFO_HANG_GRAPH: PGRAPH worked for it, or did not save its context; error_detail is
 *	PGRAPH's status.
 * @DRM_NVFIFO_HANG_PFIFO: PFIFO executed its commands, which did not end.
 * @DRM_NVFIFO_HANG_TURN: It waited for its turn, because other channels used the card.
 */
enum drm_nvfifo_hang {
	DRM_NVFIFO_HANG_OTHER = 0,
	DRM_NVFIFO_HANG_SEMAPHORE = 1,
	DRM_NVFIFO_HANG_GRAPH = 2,
	DRM_NVFIFO_HANG_PFIFO = 3,
	DRM_NVFIFO_HANG_TURN = 4,
};

/**
 * enum drm_nvfifo_channel_error - Errors that kill a channel
 * @DRM_NVFIFO_ERROR_NONE: Nothing.
 * @DRM_NVFIFO_ERROR_PUSHER: DMA_PUSHER interrupt; error_code is the code of DMA_STATE[31:29]:
 *	1 CALL_SUBR_ACTIVE, 2 INVALID_MTHD, 3 RET_SUBR_INACTIVE, 4 INVALID_CMD,
 *	5 IB_EMPTY, 6 MEM_FAULT.
 * @DRM_NVFIFO_ERROR_CACHE: CACHE_ERROR interrupt; error_code is PULL0.
 * @DRM_NVFIFO_ERROR_SEMAPHORE: SEMAPHORE interrupt; error_code is PULL0[23:20]:
 *	1 ADDRESS_UNALIGNED, 2 INVALID_STATE, 3 ADDRESS_TOO_LARGE, 4 MEM_FAULT.
 * @DRM_NVFIFO_ERROR_TIMEOUT: The work did not end in time; error_code is of enum
 *	drm_nvfifo_hang.
 * @DRM_NVFIFO_ERROR_LOST: The card is lost.
 * @DRM_NVFIFO_ERROR_GRAPH: PGRAPH interrupt. error_code is PGRAPH.INTR, bit 4 ILLEGAL_MTHD, 5
 *	ILLEGAL_CLASS, 6 DOUBLE_NOTIFY, 20 DATA_ERROR, 21 TRAP. error_detail is the code of a
 *	DATA_ERROR, or contains a bit for each unit with a TRAP: 0 DISPATCH, 1 M2MF, 2 VFETCH, 3
 *	STRMOUT, 4 CCACHE, 5 CLIPID, 6 TEX, 7 MP, 8 PROP.
 * @DRM_NVFIFO_ERROR_FENCE: The channel's commands wrote a word to the driver's fence page, through
 *	handle 0x80000000, that the driver's own commands do not write.
 */
enum drm_nvfifo_channel_error {
	DRM_NVFIFO_ERROR_NONE = 0,
	DRM_NVFIFO_ERROR_PUSHER = 1,
	DRM_NVFIFO_ERROR_CACHE = 2,
	DRM_NVFIFO_ERROR_SEMAPHORE = 3,
	DRM_NVFIFO_ERROR_TIMEOUT = 4,
	DRM_NVFIFO_ERROR_LOST = 5,
	DRM_NVFIFO_ERROR_GRAPH = 6,
	DRM_NVFIFO_ERROR_FENCE = 7,
};

/* Type of struct drm_nvfifo_event_channel_dead. */
#define DRM_NVFIFO_EVENT_CHANNEL_DEAD	0x80000000

/**
 * struct drm_nvfifo_event_channel_dead - Event of a channel's death, for read() of the file
 * @base: base.type is DRM_NVFIFO_EVENT_CHANNEL_DEAD, base.length the bytes of all of this.
 * @channel_id: The channel. It can still be queried, and must be destroyed.
 * @error: enum drm_nvfifo_channel_error.
 * @error_code: As CHANNEL_QUERY returns it, and so are the following fields but the last.
 * @error_detail: See the errors.
 * @error_method: Subchannel [15:13] and method [12:2] that failed.
 * @error_data: Data word of the failing method, or the failing command word.
 * @fault: 1 if a VM fault was recorded.
 * @pad: 0.
 * @fault_address: Virtual address of the fault.
 * @user_data: The argument of CHANNEL_CREATE.
 *
 * poll() of the file returns POLLIN for unread events. A channel that its owner destroys sends
 * none.
 */
struct drm_nvfifo_event_channel_dead {
	struct drm_event base;
	__u32 channel_id;
	__u32 error;
	__u32 error_code;
	__u32 error_detail;
	__u32 error_method;
	__u32 error_data;
	__u32 fault;
	__u32 pad;
	__u64 fault_address;
	__u64 user_data;
};

/* Type of struct drm_nvfifo_event_software_method. */
#define DRM_NVFIFO_EVENT_SOFTWARE_METHOD	0x80000001

/**
 * struct drm_nvfifo_event_software_method - A method of a software object
 * @base: base.type is DRM_NVFIFO_EVENT_SOFTWARE_METHOD, base.length the bytes of all of this.
 * @channel_id: The channel.
 * @handle: Of the object.
 * @method: Subchannel [15:13] and method [12:2], 0x100 to 0x1ffc.
 * @data: The data word, as in the pushbuffer.
 * @user_data: The argument of CHANNEL_CREATE.
 *
 * The channel goes on at once. A pushbuffer that needs an answer acquires a semaphore, which
 * the owner releases. Events come in the order of the methods.
 *
 * Each method stops PFIFO until the driver has read it. The channel ends with
 * DRM_NVFIFO_ERROR_CACHE if the object was destroyed, or if the file has too many unread events.
 */
struct drm_nvfifo_event_software_method {
	struct drm_event base;
	__u32 channel_id;
	__u32 handle;
	__u32 method;
	__u32 data;
	__u64 user_data;
};

/**
 * struct drm_nvfifo_channel_query - Argument of DRM_IOCTL_NVFIFO_CHANNEL_QUERY
 * @id: in: the channel, else -ENOENT.
 * @state: out: enum drm_nvfifo_channel_state.
 * @error: out: enum drm_nvfifo_channel_error.
 * @error_code: out: see the errors.
 * @error_method: out: subchannel [15:13] and method [12:2] that failed.
 * @error_data: out: data word of the failing method, or the failing command word.
 * @hw_id: out: PFIFO's number of the channel, 1 to 126.
 * @ring_order: out: log2 of the entries of the IB ring.
 * @get: out: virtual address that the pusher reads next; frozen at the error if the channel is
 *	dead, as are all that follow.
 * @put: out: end of the segment that the pusher works on.
 * @ib_get: out: IB entries fetched, modulo the ring's size.
 * @ib_put: out: IB entries written, modulo the ring's size.
 * @ref: out: the channel's reference counter, method 0x50.
 * @fault: out: 1 if a VM fault was recorded, and the rest is valid.
 * @fault_address: out: virtual address of the fault.
 * @fault_engine: out: VM engine of the fault.
 * @fault_client: out: VM client.
 * @fault_slot: out: DMA slot.
 * @fault_reason: out: reason, 0 PT_NOT_PRESENT, 1 PT_TOO_SHORT, 2
 *	PAGE_NOT_PRESENT, 3 PAGE_SUPERVISOR_ONLY, 4 PAGE_READ_ONLY, 5 NO_CHANNEL, 6
 *	NULL_DMAOBJ, 7 WRONG_MEMTYPE, 0xb VRAM_LIMIT, 0xf DMAOBJ_LIMIT.
 * @fault_write: out: 1 for a write, 0 for a read.
 * @pad: must be 0.
 * @submitted: out: number of the last SUBMIT, counted from 1.
 * @completed: out: number of the last SUBMIT that has ended.
 * @mget: out: virtual address after the last word read from a main buffer.
 * @mget_valid: out: 1 if there was one.
 * @loaded: out: 1 if PFIFO had the channel loaded, 0 if its state is in RAMFC.
 * @dma_state: out: DMA_STATE: bit 0 non-increasing, [12:2] method, [15:13] subchannel, 16
 *	the next word is a long count, 17 in a subroutine, 18 not main, [31:29] error.
 * @method_count: out: data words that the command still waits for.
 * @subroutine: out: address to which a return jumps, with DMA_MODE.
 * @bound: out: PFIFO engine bound to subchannel n in bits [4n+3:4n].
 * @error_detail: out: see the errors.
 * @pad2: out: 0.
 */
struct drm_nvfifo_channel_query {
	__u32 id;
	__u32 state;
	__u32 error;
	__u32 error_code;
	__u32 error_method;
	__u32 error_data;
	__u32 hw_id;
	__u32 ring_order;
	__u64 get;
	__u64 put;
	__u32 ib_get;
	__u32 ib_put;
	__u32 ref;
	__u32 fault;
	__u64 fault_address;
	__u32 fault_engine;
	__u32 fault_client;
	__u32 fault_slot;
	__u32 fault_reason;
	__u32 fault_write;
	__u32 pad;
	__u64 submitted;
	__u64 completed;
	__u64 mget;
	__u32 mget_valid;
	__u32 loaded;
	__u32 dma_state;
	__u32 method_count;
	__u32 subroutine;
	__u32 bound;
	__u32 error_detail;
	__u32 pad2;
};

/**
 * enum drm_nvfifo_wait_flags - Flags of struct drm_nvfifo_channel_wait
 * @DRM_NVFIFO_WAIT_SUBMIT: Wait until the SUBMIT with the low half of its number in @value has
 *	ended; @address must be 0. -ECANCELED if the channel is dead, also for those that ended
 *	before. -EOPNOTSUPP with a user queue.
 */
enum drm_nvfifo_wait_flags {
	DRM_NVFIFO_WAIT_SUBMIT = 1 << 0,
};

/**
 * struct drm_nvfifo_channel_wait - Argument of DRM_IOCTL_NVFIFO_CHANNEL_WAIT
 * @channel_id: in: the channel, else -ENOENT.
 * @value: in: kind of the wait.
 * @address: in: user pointer to a __u32 that the channel's commands write, a multiple of 4,
 *	else -EINVAL; -EFAULT if it cannot be read.
 * @timeout_ns: in: CLOCK_MONOTONIC time at which the call gives up with -ETIME, as for DRM
 *	syncobjs; 0 checks once.
 * @flags: in: enum drm_nvfifo_wait_flags, else -EINVAL.
 * @pad: must be 0.
 *
 * Sleeps until the word at @address is @value or past it (the difference as a signed number is not
 * negative). The call reads the word when the channel raises an interrupt. While 16 threads of a
 * user wait in this way, each further one polls 20 times a second. On G84 and later method
 * NOTIFY_INTR (0x20) raises it. On G80 the binding of object 0x80000001 does, and the channel then
 * waits for the kernel. The call returns -ECANCELED if the channel is dead and -ERESTARTSYS for a
 * signal.
 */
struct drm_nvfifo_channel_wait {
	__u32 channel_id;
	__u32 value;
	__u64 address;
	__s64 timeout_ns;
	__u32 flags;
	__u32 pad;
};

/**
 * enum drm_nvfifo_object_type - Kinds of objects that OBJECT_CREATE creates
 * @DRM_NVFIFO_OBJECT_DMA: A DMA object over a range of the channel's address
 *	space, or (UNPAGED) of a BO.
 * @DRM_NVFIFO_OBJECT_ENGINE: An object of an engine's class, or the NULL object.
 *	-EOPNOTSUPP unless the engine is one of drm_nvfifo_query_device.bound_engines.
 * @DRM_NVFIFO_OBJECT_SOFTWARE: An object whose methods are events of the file, struct
 *	drm_nvfifo_event_software_method. -EINVAL unless the channel was created with EVENT.
 */
enum drm_nvfifo_object_type {
	DRM_NVFIFO_OBJECT_DMA = 0,
	DRM_NVFIFO_OBJECT_ENGINE = 1,
	DRM_NVFIFO_OBJECT_SOFTWARE = 2,
};

/**
 * enum drm_nvfifo_object_access - Access rights of a DMA object
 * @DRM_NVFIFO_ACCESS_VM: Taken from the PTE.
 * @DRM_NVFIFO_ACCESS_RO: Read only, whatever the page says.
 * @DRM_NVFIFO_ACCESS_RW: Read and write, whatever the page says.
 */
enum drm_nvfifo_object_access {
	DRM_NVFIFO_ACCESS_VM = 0,
	DRM_NVFIFO_ACCESS_RO = 1,
	DRM_NVFIFO_ACCESS_RW = 2,
};

/**
 * enum drm_nvfifo_object_user - Users of a DMA object
 * @DRM_NVFIFO_USER_VM: Taken from the PTE.
 * @DRM_NVFIFO_USER_BOTH: Anyone, whatever the page says.
 * @DRM_NVFIFO_USER_SUPERVISOR: Supervisor accesses only.
 */
enum drm_nvfifo_object_user {
	DRM_NVFIFO_USER_VM = 0,
	DRM_NVFIFO_USER_BOTH = 1,
	DRM_NVFIFO_USER_SUPERVISOR = 2,
};

/**
 * enum drm_nvfifo_object_cycle - Partition cycle of a DMA object
 * @DRM_NVFIFO_CYCLE_VM: Taken from the PTE; short if UNPAGED.
 * @DRM_NVFIFO_CYCLE_SHORT: Short.
 * @DRM_NVFIFO_CYCLE_LONG: Long, with DRM_NVFIFO_FEATURE_LONG_CYCLE only, else -EINVAL.
 *	Needs CAP_SYS_ADMIN, else -EPERM.
 */
enum drm_nvfifo_object_cycle {
	DRM_NVFIFO_CYCLE_VM = 0,
	DRM_NVFIFO_CYCLE_SHORT = 1,
	DRM_NVFIFO_CYCLE_LONG = 2,
};

/**
 * enum drm_nvfifo_object_flags - Flags of a DMA object
 * @DRM_NVFIFO_OBJECT_UNPAGED: The object leads to the memory of @bo_handle itself, past the page
 *	tables. Contiguous VRAM (DRM_NVFIFO_BO_CONTIGUOUS), or system memory that is contiguous for
 *	the card, else -EINVAL. The BO's memory stays until the channel is gone, because the card
 *	may remember the object after OBJECT_DESTROY. Needs CAP_SYS_ADMIN, else -EPERM.
 * @DRM_NVFIFO_OBJECT_SUPERVISOR: Accesses through the object are supervisor accesses.
 *	Needs CAP_SYS_ADMIN, else -EPERM.
 * @DRM_NVFIFO_OBJECT_KIND: @kind overrides the PTE's. An LSR kind needs CAP_SYS_ADMIN, else -EPERM.
 * @DRM_NVFIFO_OBJECT_COMPRESSION: @compression overrides the PTE's. Without UNPAGED it must be
 *	NONE, because the page may have no tag cells.
 * @DRM_NVFIFO_OBJECT_ENCRYPTED: Accesses are encrypted whatever the page says. With
 *	DRM_NVFIFO_FEATURE_ENCRYPTION, and not for UNPAGED VRAM, else -EINVAL. Needs
 *	CAP_SYS_ADMIN, else -EPERM.
 */
enum drm_nvfifo_object_flags {
	DRM_NVFIFO_OBJECT_UNPAGED = 1 << 0,
	DRM_NVFIFO_OBJECT_SUPERVISOR = 1 << 1,
	DRM_NVFIFO_OBJECT_KIND = 1 << 2,
	DRM_NVFIFO_OBJECT_COMPRESSION = 1 << 3,
	DRM_NVFIFO_OBJECT_ENCRYPTED = 1 << 4,
};

/**
 * struct drm_nvfifo_object_create - Argument of DRM_IOCTL_NVFIFO_OBJECT_CREATE
 * @channel_id: in: the channel, else -ENOENT.
 * @handle: in: the name that methods use, any value but 0 (-EINVAL). -EEXIST
 *	if it exists in the channel already; the driver's own, 0x80000000 and
 *	0x80000001, are always there.
 * @type: in: enum drm_nvfifo_object_type.
 * @oclass: in: class, else -EINVAL. 0x02 (read), 0x03 (write) or 0x3d (read and write)
 *	for a DMA object; PFIFO does not look at it. For an engine object a class of one of
 *	the card's engines, as Documentation/uapi.rst lists them. 0x506e for a software object.
 * @access: in: enum drm_nvfifo_object_access; with UNPAGED not ACCESS_VM.
 * @flags: in: enum drm_nvfifo_object_flags.
 * @start: in: first virtual address of a DMA object, or with UNPAGED byte of the BO;
 *	logical address 0 of the methods that use it.
 * @size: in: bytes, not 0; @start + @size at most va_end, or the BO's size.
 * @bo_handle: in: GEM handle with UNPAGED, else -ENOENT; 0 otherwise.
 * @user: in: enum drm_nvfifo_object_user; with UNPAGED not USER_VM.
 * @kind: in: storage type with OBJECT_KIND, as in VM_BIND; must be 0 otherwise.
 *	UNPAGED implies OBJECT_KIND.
 * @compression: in: enum drm_nvfifo_compression with OBJECT_COMPRESSION; must be 0
 *	otherwise. UNPAGED implies OBJECT_COMPRESSION; errors are those of VM_BIND.
 * @cycle: in: enum drm_nvfifo_object_cycle.
 * @pad: must be 0.
 *
 * -ENOSPC if the channel's RAMHT or object space is full. @access and all fields after it must be 0
 * for engine and software objects. If a channel has used up its object space, the driver takes the
 * channel off the card for a moment. It then frees the places of destroyed objects. Commands that
 * still use a destroyed object fault from then on.
 */
struct drm_nvfifo_object_create {
	__u32 channel_id;
	__u32 handle;
	__u32 type;
	__u32 oclass;
	__u32 access;
	__u32 flags;
	__u64 start;
	__u64 size;
	__u32 bo_handle;
	__u32 user;
	__u32 kind;
	__u32 compression;
	__u32 cycle;
	__u32 pad;
};

/**
 * struct drm_nvfifo_object_destroy - Argument of DRM_IOCTL_NVFIFO_OBJECT_DESTROY
 * @channel_id: in: the channel, else -ENOENT.
 * @handle: in: the object, else -ENOENT. -EACCES for the driver's own.
 */
struct drm_nvfifo_object_destroy {
	__u32 channel_id;
	__u32 handle;
};

/**
 * enum drm_nvfifo_entry_flags - Flags of struct drm_nvfifo_entry
 * @DRM_NVFIFO_ENTRY_NOT_MAIN: The segment is not part of the main buffer, so MGET does not change.
 * @DRM_NVFIFO_ENTRY_NO_PREFETCH: Do not read the segment before the earlier ones have been
 *	executed, because they write it. This is bit 31 of the entry: documents disagree about it,
 *	existing drivers set it.
 */
enum drm_nvfifo_entry_flags {
	DRM_NVFIFO_ENTRY_NOT_MAIN = 1 << 0,
	DRM_NVFIFO_ENTRY_NO_PREFETCH = 1 << 1,
};

/**
 * struct drm_nvfifo_entry - One IB entry
 * @address: Virtual address of the segment, a multiple of 4.
 * @words: Length in 32-bit words, 1 to drm_nvfifo_query_limits.submit_words.
 * @flags: enum drm_nvfifo_entry_flags.
 */
struct drm_nvfifo_entry {
	__u64 address;
	__u32 words;
	__u32 flags;
};

/**
 * enum drm_nvfifo_submit_flags - Flags of struct drm_nvfifo_submit
 * @DRM_NVFIFO_SUBMIT_TRY: -EAGAIN, and nothing is queued, unless the entries can be written to the
 *	ring before the call returns. They cannot if the ring has no room, an earlier SUBMIT still
 *	waits, or a WAIT fence is not signalled. libdrm's drmIoctl() repeats such a call without
 *	end: use ioctl().
 */
enum drm_nvfifo_submit_flags {
	DRM_NVFIFO_SUBMIT_TRY = 1 << 0,
};

/**
 * struct drm_nvfifo_submit - Argument of DRM_IOCTL_NVFIFO_SUBMIT
 * @channel_id: in: the channel, else -ENOENT; -ECANCELED if it is dead.
 * @flags: in: enum drm_nvfifo_submit_flags, else -EINVAL.
 * @entries: in: struct drm_nvfifo_entry, executed in order. 0 elements only
 *	wait and signal. More than 2^ring_order - 2 are -E2BIG.
 * @syncs: in: struct drm_nvfifo_sync, more than submit_syncs are -E2BIG.
 * @seqno: out: number of this SUBMIT in its channel, from 1.
 *
 * If possible, the driver writes the entries to the ring before the call returns. Else it writes
 * them when the WAIT fences have signalled, earlier SUBMITs are in the ring, and the ring has room.
 * The driver adds an entry of its own, which binds handle 0x80000000 as semaphore DMA object
 * (method 0x60) and releases the fence. So a pushbuffer that uses semaphores starts with its own
 * method 0x60. On G80 the driver's entry also uses subchannel 7. The fences end with -ECANCELED if
 * the channel dies or is destroyed before. While 1024 SUBMITs of the channel wait, the call sleeps
 * (-ERESTARTSYS for a signal).
 *
 * The driver's entry releases a word that only the driver knows until then. So a fence signals
 * after the commands before it have been executed. A channel that writes any other word there ends
 * with DRM_NVFIFO_ERROR_FENCE.
 *
 * With DMA_MODE there is exactly one entry, @address is the new PUT, at most 4 GiB - 4, @words and
 * @flags are 0. The channel's own commands report the end of a SUBMIT. They bind handle 0x80000000
 * as semaphore, release the low half of @seqno at offset 0, and raise an interrupt as for
 * CHANNEL_WAIT. @seqno is one more than that of the SUBMIT before. The driver uses it only to limit
 * the SUBMITs under way, and for DRM_NVFIFO_WAIT_SUBMIT. There are no fences, and a SIGNAL among
 * @syncs is -EOPNOTSUPP.
 *
 * SUBMIT to a channel with a user queue is -EOPNOTSUPP.
 */
struct drm_nvfifo_submit {
	__u32 channel_id;
	__u32 flags;
	struct drm_nvfifo_array entries;
	struct drm_nvfifo_array syncs;
	__u64 seqno;
};

#define DRM_IOCTL_NVFIFO(access, nr, type) \
	DRM_##access(DRM_COMMAND_BASE + DRM_NVFIFO_##nr, struct drm_nvfifo_##type)

#define DRM_IOCTL_NVFIFO_DEVICE_QUERY	DRM_IOCTL_NVFIFO(IOWR, DEVICE_QUERY, device_query)
#define DRM_IOCTL_NVFIFO_BO_CREATE	DRM_IOCTL_NVFIFO(IOWR, BO_CREATE, bo_create)
#define DRM_IOCTL_NVFIFO_BO_INFO	DRM_IOCTL_NVFIFO(IOWR, BO_INFO, bo_info)
#define DRM_IOCTL_NVFIFO_VM_CREATE	DRM_IOCTL_NVFIFO(IOWR, VM_CREATE, vm_create)
#define DRM_IOCTL_NVFIFO_VM_DESTROY	DRM_IOCTL_NVFIFO(IOW, VM_DESTROY, vm_destroy)
#define DRM_IOCTL_NVFIFO_VM_BIND	DRM_IOCTL_NVFIFO(IOW, VM_BIND, vm_bind)
#define DRM_IOCTL_NVFIFO_CHANNEL_CREATE	DRM_IOCTL_NVFIFO(IOWR, CHANNEL_CREATE, channel_create)
#define DRM_IOCTL_NVFIFO_CHANNEL_DESTROY DRM_IOCTL_NVFIFO(IOW, CHANNEL_DESTROY, channel_destroy)
#define DRM_IOCTL_NVFIFO_CHANNEL_QUERY	DRM_IOCTL_NVFIFO(IOWR, CHANNEL_QUERY, channel_query)
#define DRM_IOCTL_NVFIFO_OBJECT_CREATE	DRM_IOCTL_NVFIFO(IOW, OBJECT_CREATE, object_create)
#define DRM_IOCTL_NVFIFO_OBJECT_DESTROY	DRM_IOCTL_NVFIFO(IOW, OBJECT_DESTROY, object_destroy)
#define DRM_IOCTL_NVFIFO_SUBMIT		DRM_IOCTL_NVFIFO(IOWR, SUBMIT, submit)
#define DRM_IOCTL_NVFIFO_BO_LABEL	DRM_IOCTL_NVFIFO(IOW, BO_LABEL, bo_label)
#define DRM_IOCTL_NVFIFO_CHANNEL_WAIT	DRM_IOCTL_NVFIFO(IOW, CHANNEL_WAIT, channel_wait)

#if defined(__cplusplus)
}
#endif

#endif
