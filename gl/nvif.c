// SPDX-License-Identifier: MIT
/*
 * nouveau's call NVIF, as far as Mesa and libdrm_nouveau use it. They ask for the description of
 * the device and the classes of a channel, and make engine objects. Layouts and numbers are part
 * of nouveau's interface, whose header libdrm does not install.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "gl.h"
#include "nvfifo_object_rule.h"

/* struct nvif_head.type */
enum {
	NVIF_CLASSES = 1,
	NVIF_NEW = 2,
	NVIF_DELETE = 3,
	NVIF_METHOD = 4,
};

/* struct nvif_head.route: token is the number of a channel */
#define NVIF_ROUTE_CHANNEL 0xff

#define NVIF_DEVICE_CLASS 0x80
#define NVIF_DEVICE_INFO  0
#define NVIF_FAMILY_TESLA 6
#define NVIF_PLATFORM_IGP 0
#define NVIF_PLATFORM_PCIE 3

#define MAX_CLASSES 16

struct nvif_head {
	uint8_t version;
	uint8_t type;
	uint8_t pad[4];
	uint8_t owner;
	uint8_t route;
	uint64_t token;
	uint64_t object;
};

struct nvif_new {
	uint8_t version;
	uint8_t pad[6];
	uint8_t route;
	uint64_t token;
	uint64_t object;
	uint32_t handle;
	int32_t oclass;
};

struct nvif_classes {
	uint8_t version;
	uint8_t count;
	uint8_t pad[6];
	struct {
		int32_t oclass;
		int16_t oldest;
		int16_t newest;
	} row[MAX_CLASSES];
};

struct nvif_method {
	uint8_t version;
	uint8_t method;
	uint8_t pad[6];
	struct {
		uint8_t version;
		uint8_t platform;
		uint16_t chipset;
		uint8_t revision;
		uint8_t family;
		uint8_t pad[2];
		uint64_t ram_size;
		uint64_t ram_user;
		char chip[16];
		char name[64];
	} info;
};

struct nvif_call {
	struct nvif_head head;
	union {
		struct nvif_new new_object;
		struct nvif_classes classes;
		struct nvif_method method;
	};
};

_Static_assert(sizeof(struct nvif_call) <= GL_NVIF_SIZE, "fits the buffer of an argument");

/* --- objects, by the number that the program gave them --- */

static struct gl_nvif_object **find(struct gl_file *file, uint64_t cookie)
{
	struct gl_nvif_object **link = &file->nvif_objects;

	while (*link && (*link)->cookie != cookie)
		link = &(*link)->next;
	return link;
}

/* Mesa reuses a number without having deleted the object, which then has none. */
static int remember(struct gl_file *file, uint64_t cookie, int channel, uint32_t handle)
{
	struct gl_nvif_object **link = find(file, cookie);
	struct gl_nvif_object *object = *link;

	if (!object) {
		object = calloc(1, sizeof(*object));
		if (!object)
			return -ENOMEM;
		*link = object;
	}
	object->cookie = cookie;
	object->channel = channel;
	object->handle = handle;
	return 0;
}

static void forget(struct gl_nvif_object **link)
{
	struct gl_nvif_object *object = *link;

	*link = object->next;
	free(object);
}

void gl_nvif_forget_channel(struct gl_file *file, int channel)
{
	struct gl_nvif_object **link = &file->nvif_objects;

	while (*link) {
		if ((*link)->channel == channel)
			forget(link);
		else
			link = &(*link)->next;
	}
}

void gl_nvif_forget_all(struct gl_file *file)
{
	while (file->nvif_objects)
		forget(&file->nvif_objects);
}

/* --- calls --- */

static int new_device(struct gl_file *file, const struct nvif_new *args)
{
	if (args->oclass != NVIF_DEVICE_CLASS)
		return -EINVAL;
	return remember(file, args->object, GL_NVIF_DEVICE, 0);
}

static int new_in_channel(struct gl_file *file, uint64_t channel, const struct nvif_new *args)
{
	struct drm_nouveau_grobj_alloc object = {
		.channel = (int)channel,
		.handle = args->handle,
		.class = args->oclass,
	};
	struct drm_nouveau_gpuobj_free undo = { .channel = (int)channel, .handle = args->handle };
	int ret;

	if (channel >= GL_CHANNELS)
		return -ENOENT;

	ret = gl_grobj_alloc(file, &object);
	if (ret)
		return ret;
	ret = remember(file, args->object, (int)channel, args->handle);
	if (ret)
		gl_gpuobj_free(file, &undo);
	return ret;
}

static int delete_object(struct gl_file *file, uint64_t cookie)
{
	struct gl_nvif_object **link = find(file, cookie);
	struct drm_nouveau_gpuobj_free args;

	if (!*link)
		return -ENOENT;

	args.channel = (*link)->channel;
	args.handle = (*link)->handle;
	forget(link);
	return args.channel == GL_NVIF_DEVICE ? 0 : gl_gpuobj_free(file, &args);
}

static bool is_igp(uint32_t chipset)
{
	return chipset == 0xaa || chipset == 0xac || chipset == 0xaf;
}

static int describe(struct gl_file *file, uint64_t cookie, struct nvif_method *args)
{
	const struct gl_nvif_object *object = *find(file, cookie);
	uint32_t chipset = file->device.chipset;

	if (!object)
		return -ENOENT;
	if (object->channel != GL_NVIF_DEVICE || args->method != NVIF_DEVICE_INFO)
		return -EINVAL;

	args->info.platform = is_igp(chipset) ? NVIF_PLATFORM_IGP : NVIF_PLATFORM_PCIE;
	args->info.chipset = (uint16_t)chipset;
	args->info.revision = (uint8_t)file->device.boot_0;
	args->info.family = NVIF_FAMILY_TESLA;
	args->info.ram_size = file->device.vram_size;
	args->info.ram_user = file->device.vram_size;
	snprintf(args->info.chip, sizeof(args->info.chip), "NV%02X", chipset & 0xff);
	snprintf(args->info.name, sizeof(args->info.name), "NV%02X", chipset & 0xff);
	return 0;
}

/*
 * 2D, M2MF, compute and 3D, as far as they fit, and how many they are. Other engines' classes
 * are left out: Mesa's video decoders need firmware and engines that nvfifo does not run.
 */
static int list_classes(struct gl_file *file, uint64_t channel, struct nvif_classes *args)
{
	const int32_t class_3d = (int32_t)nvfifo_class_3d(file->device.chipset);
	const int32_t classes[] = { 0x502d, 0x5039, 0x50c0, class_3d };
	uint32_t i, count = sizeof(classes) / sizeof(classes[0]);

	if (channel >= GL_CHANNELS || !file->channels[channel].id)
		return -ENOENT;

	for (i = 0; i < count && i < args->count; i++) {
		args->row[i].oclass = classes[i];
		args->row[i].oldest = -1;
		args->row[i].newest = -1;
	}
	args->count = (uint8_t)count;
	return 0;
}

int gl_nvif(struct gl_file *file, void *arg)
{
	struct nvif_call *call = arg;
	const struct nvif_head *head = &call->head;
	bool in_channel = head->route == NVIF_ROUTE_CHANNEL;

	/* Version 0 is the only one, of the head and of each body. */
	if (head->version || call->classes.version)
		return -ENOSYS;

	switch (head->type) {
	case NVIF_NEW:
		if (in_channel)
			return new_in_channel(file, head->token, &call->new_object);
		return head->object ? -EINVAL : new_device(file, &call->new_object);
	case NVIF_DELETE:
		return in_channel ? -EINVAL : delete_object(file, head->object);
	case NVIF_METHOD:
		return in_channel ? -EINVAL : describe(file, head->object, &call->method);
	case NVIF_CLASSES:
		return in_channel ? list_classes(file, head->token, &call->classes) : -EINVAL;
	}
	return -EINVAL;
}
