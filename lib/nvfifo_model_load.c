// SPDX-License-Identifier: MIT
/* libnvfifo.so loads the model of the card when a program asks for it: few do. */
#include <dlfcn.h>
#include <errno.h>

#include "nvfifo_backend.h"
#include "nvfifo_priv.h"

#define MODEL_LIBRARY "libnvfifo-model.so.0"

int nvfifo_model_open(const char *chipset, struct nvfifo_dev **dev)
{
	void *library = dlopen(MODEL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	int (*open_in_library)(const char *chipset, struct nvfifo_dev **dev);

	*dev = NULL;
	if (!library)
		return nvfifo_error(-ENODEV, "cannot load the model: %s", dlerror());

	/* It stays loaded: the devices call it. */
	open_in_library = dlsym(library, "nvfifo_model_open");
	if (!open_in_library)
		return nvfifo_error(-ENODEV, "%s is not a library of the model: %s", MODEL_LIBRARY,
				    dlerror());

	return open_in_library(chipset, dev);
}
