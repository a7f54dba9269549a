/* SPDX-License-Identifier: MIT */
/* The model as a card for nouveau's calls: declarations that its files share */
#ifndef NVFIFO_GL_NODE_MODEL_H
#define NVFIFO_GL_NODE_MODEL_H

#include <stdbool.h>
#include <sys/stat.h>

#include "nvfifo_drm.h"
#include "tools/model/model.h"

/* --- node_model.c --- */

/* The file of the model's memory; the first call makes the model. Return: -1 if that fails. */
int gl_model_file(void);

/* Whether a file is the model's memory. This call does not make the model. */
bool gl_model_is(const struct stat *st);

/* --- model_device.c --- */

/* fstat() of the C library, which model_device.c replaces */
int gl_model_fstat(int fd, struct stat *st);

/* --- model_buffer.c: calls for buffers --- */

/*
 * @file is the number of the open file. All calls return 0 or -errno. The caller holds the lock of
 * the model.
 */
int gl_model_bo_create(struct model *m, unsigned int file, struct drm_nvfifo_bo_create *args);
int gl_model_bo_info(unsigned int file, struct drm_nvfifo_bo_info *args);
int gl_model_bo_close(struct model *m, unsigned int file, const struct drm_gem_close *args);
int gl_model_bo_export(unsigned int file, struct drm_prime_handle *args);
int gl_model_bo_import(unsigned int file, struct drm_prime_handle *args);

#endif
