// SPDX-License-Identifier: MIT
/* The model without an observer, for nvfifo_open(). */
#include "model.h"

int nvfifo_model_open(const char *chipset, struct nvfifo_dev **dev)
{
	struct model *model;

	return model_open(chipset, NULL, &model, dev);
}
