// SPDX-License-Identifier: MIT
/* "nvfifo info": print the card and facts from the driver. */
#include <string.h>

#include "nvfifo_names.h"
#include "json.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo info [OPTIONS]\n\n"
	"Show the card: chipset, memory, address space, features and limits.\n\n"
	"Options:\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                  the first card of the nvfifo driver if not given\n"
	"  --json          print a JSON object\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 no card, or it refused.\n\n"
	"Examples:\n"
	"  nvfifo info\n"
	"  nvfifo info --device 01:00.0 --json\n";

struct card {
	struct nvfifo_dev *dev;
	int version[3];
	struct drm_nvfifo_query_device d;
	struct drm_nvfifo_query_limits l;
};

static const struct {
	__u64 bit;
	const char *name;
	const char *text;
} features[] = {
	{ DRM_NVFIFO_FEATURE_SEMAPHORE64, "semaphore64", "64-bit semaphores, NOTIFY_INTR" },
	{ DRM_NVFIFO_FEATURE_IGP, "igp", "VRAM is stolen system memory" },
	{ DRM_NVFIFO_FEATURE_VRAM_MMAP, "vram_mmap", "VRAM can be mapped by the CPU" },
	{ DRM_NVFIFO_FEATURE_MSI, "msi", "message signalled interrupt" },
	{ DRM_NVFIFO_FEATURE_COMPRESSION, "compression", "compressed mappings of VRAM" },
	{ DRM_NVFIFO_FEATURE_ENCRYPTION, "encryption", "encrypted mappings of system memory" },
	{ DRM_NVFIFO_FEATURE_LONG_CYCLE, "long_cycle", "long partition cycles" },
	{ DRM_NVFIFO_FEATURE_USER_QUEUE, "user_queue", "channels whose owner rings the doorbell" },
};

#define FEATURES (sizeof(features) / sizeof(features[0]))

/* PFIFO counts as an engine here. */
static const char *engine_name(const struct drm_nvfifo_query_device *d, unsigned int engine)
{
	return engine ? nvfifo_engine_name(d->chipset, engine) : "PFIFO";
}

static void print_size(const char *name, __u64 bytes)
{
	printf("  %-12s %llu MiB (0x%llx bytes)\n", name, bytes >> 20, bytes);
}

static void print_engines(const char *name, const struct drm_nvfifo_query_device *d, __u32 mask)
{
	unsigned int i;

	printf("  %-12s", name);

	for (i = 0; i < 32; i++) {
		if (mask & 1u << i)
			printf(" %s", engine_name(d, i));
	}

	puts(mask ? "" : " none");
}

static void print_file_limits(const struct drm_nvfifo_query_limits *l)
{
	/* The model inside of the process has one client. */
	if (!l->file_vms)
		return;

	printf("%slimits of a file%s\n", color(COLOR_HEAD), color(COLOR_OFF));
	printf("  %-12s %u\n", "channels", l->file_channels);
	printf("  %-12s %u\n", "VMs", l->file_vms);
	print_size("BOs", l->file_bytes);
}

static void print_limits(const struct drm_nvfifo_query_limits *l)
{
	printf("%slimits%s\n", color(COLOR_HEAD), color(COLOR_OFF));
	printf("  %-12s %u\n", "channels", l->channels);
	printf("  %-12s 2^%u to 2^%u entries, default 2^%u\n", "IB ring", l->ring_order_min,
	       l->ring_order_max, l->ring_order_default);
	printf("  %-12s %u entries of %u words, %u syncs\n", "SUBMIT", l->submit_entries,
	       l->submit_words, l->submit_syncs);
	printf("  %-12s %u operations\n", "VM_BIND", l->bind_ops);
	printf("  %-12s %u in a channel\n", "objects", l->objects);
	printf("  %-12s %u characters\n", "BO label", l->label_size);
	printf("  %-12s %u to %u ms\n", "hang limit", l->hang_limit_min, l->hang_limit_max);
}

static void print_text(const struct card *r)
{
	const struct drm_nvfifo_query_device *d = &r->d;
	const struct drm_nvfifo_query_limits *l = &r->l;
	const char *pci = nvfifo_pci_address(r->dev);
	unsigned int i;

	printf("%s%s, chipset 0x%02x%s\n", color(COLOR_HEAD), (const char *)d->name, d->chipset,
	       color(COLOR_OFF));
	printf("  %-12s %s%s%s\n", "node", nvfifo_path(r->dev), *pci ? ", PCI " : "", pci);
	printf("  %-12s nvfifo %d.%d.%d\n", "driver", r->version[0], r->version[1], r->version[2]);
	printf("  %-12s 0x%08x, stepping 0x%02x\n", "PMC_BOOT_0", d->boot_0, d->boot_0 & 0xff);
	print_size("VRAM", d->vram_size);
	print_size("VRAM free", d->vram_free);
	print_size("BAR1", d->bar1_size);
	if (d->tags)
		printf("  %-12s %u cells, %u free\n", "tag memory", d->tags, d->tags_free);
	printf("  %-12s 0x%010llx to 0x%010llx\n", "addresses", d->va_start, d->va_end - 1);
	printf("  %-12s", "page sizes");

	for (i = 0; i < 64; i++) {
		if (!(d->page_sizes & 1ULL << i))
			continue;
		if (i < 10)
			printf(" %llu B", 1ULL << i);
		else
			printf(" %llu KiB", (1ULL << i) >> 10);
	}

	printf("\n  %-12s", "features");

	for (i = 0; i < FEATURES; i++) {
		if (d->features & features[i].bit)
			printf(" %s", features[i].name);
	}

	puts(d->features ? "" : " none");

	for (i = 0; i < FEATURES; i++) {
		if (d->features & features[i].bit)
			printf("  %-12s   %s: %s\n", "", features[i].name, features[i].text);
	}

	print_engines("engines", d, d->engines);
	print_engines("objects of", d, d->bound_engines);
	print_file_limits(l);
	print_limits(l);
}

static void json_limits(struct nvfifo_json *j, const struct drm_nvfifo_query_limits *l)
{
	nvfifo_json_print(j, "limits:{channels:%u ring_order_min:%u ring_order_max:%u "
			  "ring_order_default:%u hang_limit_min:%u hang_limit_max:%u "
			  "submit_entries:%u submit_words:%u submit_syncs:%u bind_ops:%u "
			  "objects:%u label_size:%u", l->channels, l->ring_order_min,
			  l->ring_order_max, l->ring_order_default, l->hang_limit_min,
			  l->hang_limit_max, l->submit_entries, l->submit_words, l->submit_syncs,
			  l->bind_ops, l->objects, l->label_size);
	nvfifo_json_print(j, "file_channels:%u file_vms:%u file_bytes:%llu}", l->file_channels,
			  l->file_vms, l->file_bytes);
}

static void print_json(const struct card *r)
{
	const struct drm_nvfifo_query_device *d = &r->d;
	struct nvfifo_json j = JSON_TO(stdout);
	char version[48];
	unsigned int i;

	snprintf(version, sizeof(version), "%d.%d.%d", r->version[0], r->version[1],
		 r->version[2]);
	nvfifo_json_print(&j, "{chipset:%02x name:%s node:%s pci:%s driver_version:%s boot_0:%08x "
			  "vram_size:%llu vram_free:%llu bar1_size:%llu tags:%u tags_free:%u "
			  "va_start:%010llx va_end:%010llx", d->chipset, (const char *)d->name,
			  nvfifo_path(r->dev), nvfifo_pci_address(r->dev), version, d->boot_0,
			  d->vram_size, d->vram_free, d->bar1_size, d->tags, d->tags_free,
			  d->va_start, d->va_end);

	nvfifo_json_open(&j, "page_sizes", '[');
	for (i = 0; i < 63; i++) {
		if (d->page_sizes & 1ULL << i)
			nvfifo_json_number(&j, NULL, (__s64)(1ULL << i));
	}
	nvfifo_json_print(&j, "] features:[");
	for (i = 0; i < FEATURES; i++) {
		if (d->features & features[i].bit)
			nvfifo_json_string(&j, NULL, features[i].name);
	}
	nvfifo_json_print(&j, "] engines:%u bound_engines:%u", d->engines, d->bound_engines);
	json_limits(&j, &r->l);
	nvfifo_json_end(&j, '}');
}

static int run(int argc, char **argv)
{
	const char *device = NULL;
	struct card r = { 0 };
	bool json = false;
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &device),
		OPTION_FLAG("json", 0, &json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_info, rows, 0, argc, argv);

	ret = nvfifo_open(device, &r.dev);
	if (ret)
		return device_error();

	ret = nvfifo_driver_version(r.dev, r.version);
	if (!ret)
		ret = nvfifo_query_device(r.dev, &r.d);
	if (!ret)
		ret = nvfifo_query_limits(r.dev, &r.l);
	if (ret)
		ret = device_error();
	else if (json)
		print_json(&r);
	else
		print_text(&r);
	nvfifo_close(r.dev);

	return ret;
}

const struct subcommand cmd_info = {
	.name = "info",
	.summary = "the card that is present",
	.help = help,
	.run = run,
};
