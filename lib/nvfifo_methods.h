/* SPDX-License-Identifier: MIT */
/* Names and descriptions of methods, for the files of the library. */
#ifndef NVFIFO_METHODS_H
#define NVFIFO_METHODS_H

#include <stddef.h>

#include "nvfifo.h"
#include "nvfifo_lex.h"
#include "nvfifo_method_table.h"
#include "nvfifo_near.h"

/**
 * struct nvfifo_method_family - The classes that share a table of methods
 * @name: stands in front of the methods' names: "3D"
 * @rows: the table, ended by a row without name
 * @generations: how many classes
 * @classes: the classes, in the order of the rows' generations
 */
struct nvfifo_method_family {
	const char *name;
	const struct nvfifo_method_row *rows;
	unsigned int generations;
	__u16 classes[5];
};

extern const struct nvfifo_method_family nvfifo_method_families[];
extern const size_t nvfifo_method_family_count;

/* Bytes that can be copied from the start of any method's name, which is shorter */
#define NVFIFO_METHOD_NAME_ROOM	64

/**
 * struct nvfifo_method - One method of a class, or one element of an array of methods
 * @name: with its class in front: "3D.RT[0x3].FORMAT"; NVFIFO_METHOD_NAME_ROOM bytes can be read
 * @value: how its data are made, NULL for a number; a type's name is already looked up
 * @name_len: length of @name
 * @method: its number
 * @oclass: the first class that has it
 * @address_high: the next method has the lower half of the address
 * @form: for nvfifo_form_text(), by generation of the class
 */
struct nvfifo_method {
	const char *name;
	const char *value;
	__u16 name_len;
	__u16 method;
	__u16 oclass;
	bool address_high;
	__u16 form[5];
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

/* The description that "@name" stands for, or NULL. */
const char *nvfifo_method_type(const char *name, size_t len);

/* The bits of a field, " 7:4 int" or " 31 bool". Return: the text after them and a blank. */
const char *nvfifo_method_bits(const char *s, unsigned int *low, unsigned int *width);

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

/* The value of a float of 16 bits that is neither infinite nor no number. */
float nvfifo_half_to_float(__u32 half);

/**
 * nvfifo_float_to_half() - The nearest float of 16 bits, of two the even one
 * @f: a finite number
 * @half: out: the 16 bits
 *
 * Return: false if the number is too large.
 */
bool nvfifo_float_to_half(float f, __u32 *half);

/**
 * nvfifo_value_parse() - Read one data word
 * @lex: at the first token; after the value on return
 * @oclass: class that the method belongs to, 0 if it is not known
 * @method: method
 * @word: out: the word
 *
 * Names of values and fields are those that nvfifo_method_value() prints:
 * "SRCCOPY", "{ SIZE = 4096 | BUFFER = 3 }", "X | Y". Decimal numbers with a point or
 * an exponent are floats. All else is an expression.
 *
 * Return: 0 or -EINVAL.
 */
int nvfifo_value_parse(struct nvfifo_lex *lex, __u32 oclass, __u32 method, __u32 *word);

#endif
