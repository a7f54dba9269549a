/* SPDX-License-Identifier: MIT */
/* Names and descriptions of methods, for the files of the library. */
#ifndef NVFIFO_METHODS_H
#define NVFIFO_METHODS_H

#include <stddef.h>

#include "nvfifo.h"
#include "nvfifo_lex.h"
#include "nvfifo_near.h"

/* Rows of the tables; nvfifo_method_table.c describes them. */
struct nvfifo_method_row {
	__u16 method;
	__u16 stride;
	__u16 count;
	__u8 generations;
	const char *name;
	const char *value;
};

struct nvfifo_method_type {
	const char *name;
	const char *value;
};

extern const struct nvfifo_method_type nvfifo_method_types[];
extern const struct nvfifo_method_row nvfifo_methods_2d[];
extern const struct nvfifo_method_row nvfifo_methods_m2mf[];
extern const struct nvfifo_method_row nvfifo_methods_3d[];
extern const struct nvfifo_method_row nvfifo_methods_compute[];
extern const struct nvfifo_method_row nvfifo_methods_cipher[];
extern const struct nvfifo_method_row nvfifo_methods_copy[];
extern const struct nvfifo_method_row nvfifo_methods_mpeg[];
extern const struct nvfifo_method_row nvfifo_methods_me[];
extern const struct nvfifo_method_row nvfifo_methods_vp1[];

/* The classes that share a table of methods */
struct nvfifo_method_family {
	const char *name;		/* stands in front of the methods' names: "3D" */
	const struct nvfifo_method_row *rows;	/* the table, ended by a row without name */
	unsigned int generations;	/* how many classes */
	__u16 classes[5];		/* the classes, in the order of the rows' generations */
};

extern const struct nvfifo_method_family nvfifo_method_families[];
extern const size_t nvfifo_method_family_count;

/* Bytes that can be copied from the start of any method's name, which is shorter */
#define NVFIFO_METHOD_NAME_ROOM	64

/* One method of a class, or one element of an array of methods */
struct nvfifo_method {
	/*
	 * with its class in front: "3D.RT[0x3].FORMAT"; NVFIFO_METHOD_NAME_ROOM bytes can be read
	 */
	const char *name;
	/* how its data are made, NULL for a number; a type's name is already looked up */
	const char *value;
	__u16 name_len;		/* length of @name */
	__u16 method;		/* its number */
	__u16 oclass;		/* the first class that has it */
	bool address_high;	/* the next method has the lower half of the address */
	__u16 form[5];		/* for nvfifo_form_text(), by generation of the class */
};

/**
 * nvfifo_method_get() - Look a method up by its number
 * @oclass: class of the object
 * @method: method, from 0x100 on
 * @form: out: how its data are written, for nvfifo_form_text()
 *
 * Return: the method, NULL if it has no name.
 */
const struct nvfifo_method *nvfifo_method_get(__u32 oclass, __u32 method, unsigned int *form);

/**
 * nvfifo_method_elements() - Count the elements of an array of methods
 * @name: with the family and empty brackets, "3D.RT[].FORMAT"
 *
 * Return: the number of elements, in the generation that has most; 0 if there is no such method.
 */
unsigned int nvfifo_method_elements(const char *name);

/**
 * nvfifo_method_find() - Look a method up by its name
 * @name: "REF_CNT", "3D.RT[3].FORMAT", or one of Mesa's older names
 * @len: length of @name
 * @oclass: out: a class that has the method, 0 for PFIFO's own methods
 *
 * Return: the method, or -1.
 */
int nvfifo_method_find(const char *name, size_t len, __u32 *oclass);

/* Offer all names of methods, with their class in front. */
void nvfifo_method_offer(struct nvfifo_near *near);

/**
 * nvfifo_method_description() - Get the format of a method's data
 * @oclass: class of the object
 * @method: method, from 0x100 on
 * @generation: out: the class's place in its family
 *
 * Return: the description as nvfifo_method_table.c explains it, NULL for a number.
 */
const char *nvfifo_method_description(__u32 oclass, __u32 method, unsigned int *generation);

/* Look a description up if it is "@name". Return: it, or "" for a number. @description may be NULL. */
const char *nvfifo_method_plain(const char *description);

/* A value of a list, "80a:NAME" */
struct nvfifo_value_name {
	__u32 value;
	const char *name;
	size_t len;
};

/* Get the next value of a list. @s: at its '=', or the result for the value before; NULL: there is none */
const char *nvfifo_method_next_name(const char *s, struct nvfifo_value_name *n);

/* A field, "NAME 7:4 DATA ^34" */
struct nvfifo_data_field {
	const char *name;
	size_t name_len;
	unsigned int low;
	unsigned int width;
	__u32 mask;		/* of @width bits */
	const char *data;	/* ends at '|' or '}' */
};

/* The same for the fields that a generation has. @s: at '{' first */
const char *nvfifo_method_next_field(const char *s, unsigned int generation, struct nvfifo_data_field *f);

/* Whether the method has the upper 8 bits of an address whose lower 32 bits follow. */
bool nvfifo_method_is_address_high(__u32 oclass, __u32 method);

/**
 * nvfifo_form_make() - Prepare the writing of data
 * @description: how they are made, NULL for a number
 * @generation: the class's place in its family
 *
 * Not for several threads at a time.
 *
 * Return: a number for nvfifo_form_text(); 0 stands for hexadecimal numbers.
 */
__u16 nvfifo_form_make(const char *description, unsigned int generation);

/**
 * nvfifo_form_text() - Write data in words
 * @form: from nvfifo_form_make()
 * @data: the word
 * @buf: out: the text, zero terminated, cut if it does not fit
 * @size: of @buf, bytes
 *
 * Return: the length of the text.
 */
size_t nvfifo_form_text(unsigned int form, __u32 data, char *buf, size_t size);

/**
 * nvfifo_float_to_half() - The nearest float of 16 bits, of two the even one
 * @f: a finite number
 * @half: out: the 16 bits
 *
 * Return: false if the number is too large.
 */
bool nvfifo_float_to_half(float f, __u32 *half);

int nvfifo_value_parse(struct nvfifo_lex *lex, __u32 oclass, __u32 method, __u32 *word);

/* A command without method: its name, and the digits of its mask (3) or its target (8) */
struct nvfifo_control {
	const char *name;
	unsigned int digits;
};

/* By enum nvfifo_command_type; commands that have a method have no name here. */
extern const struct nvfifo_control nvfifo_controls[];

#endif
