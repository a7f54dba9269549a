// SPDX-License-Identifier: MIT
/* The model without an observer, for nvfifo_open(). */
#include "priv.h"

int nvfifo_model_open(const char *chipset, struct nvfifo_dev **dev)
{
	struct model *model;
	int ret = model_open(chipset, NULL, &model, dev);

	if (!ret)
		model->tells = true;

	return ret;
}
