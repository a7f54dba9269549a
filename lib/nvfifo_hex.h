/* SPDX-License-Identifier: MIT */
/* Fast digits, for texts of millions of words. */
#ifndef NVFIFO_HEX_H
#define NVFIFO_HEX_H

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include <linux/types.h>

/**
 * nvfifo_digits_of_nibbles() - Turn numbers into hexadecimal digits
 * @nibbles: eight numbers of at most 15, each in a byte
 *
 * Return: the digits, each in the byte of its number.
 */
static inline __u64 nvfifo_digits_of_nibbles(__u64 nibbles)
{
	/* 6 more than 10 sets bit 4; letters begin 39 after the digits end. */
	const __u64 letters = (nibbles + 0x0606060606060606) >> 4 & 0x0101010101010101;

	return nibbles + 0x3030303030303030 + letters * 39;
}

/**
 * nvfifo_put_word() - Write a word as eight digits
 * @s: out: the digits, without a zero at the end
 * @value: the word
 *
 * Return: the end of the digits.
 */
static inline char *nvfifo_put_word(char *s, __u32 value)
{
	__u64 x = value;

	/* Each nibble gets a byte of its own, the most significant one the lowest byte. */
	x = (x & 0xffff) << 32 | x >> 16;
	x = (x & 0x000000ff000000ff) << 16 | (x & 0x0000ff000000ff00) >> 8;
	x = (x & 0x000f000f000f000f) << 8 | (x & 0x00f000f000f000f0) >> 4;

	x = nvfifo_digits_of_nibbles(x);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	memcpy(s, &x, sizeof(x));

	return s + sizeof(x);
}

/**
 * nvfifo_get_word() - Read a word of eight digits
 * @s: eight characters
 * @v: out: the word
 *
 * Texts have millions of words, so the function takes all digits in one number. Each digit has a
 * byte of its own, the first one the lowest. Bit 6 tells letters from digits.
 *
 * Return: whether all eight are hexadecimal digits.
 */
static inline bool nvfifo_get_word(const char *s, __u32 *v)
{
	__u64 x, letters, values, text, wrong;

	memcpy(&x, s, sizeof(x));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = __builtin_bswap64(x);
#endif

	letters = x >> 6 & 0x0101010101010101;
	values = (x & 0x0f0f0f0f0f0f0f0f) + 9 * letters;

	/* Other characters have values too. Theirs exceed 15, or their digits are other characters. */
	text = nvfifo_digits_of_nibbles(values);
	wrong = (text ^ (x | letters << 5)) | (values & 0xf0f0f0f0f0f0f0f0);

	/* Pairs of nibbles become bytes, pairs of bytes become halves, and these the word. */
	values = (values << 4 | values >> 8) & 0x00ff00ff00ff00ff;
	values = (values << 8 | values >> 16) & 0x0000ffff0000ffff;
	*v = (__u32)(values << 16 | values >> 32);

	return !wrong;
}

/**
 * nvfifo_put_two_words() - Write two words as eight digits each
 * @s: out: the first word's digits, without a zero at the end
 * @first: a word
 * @t: out: the second word's digits
 * @second: a word
 *
 * One step makes all sixteen digits, which takes less than two calls of nvfifo_put_word().
 */
static inline void nvfifo_put_two_words(char *s, __u32 first, char *t, __u32 second)
{
	typedef __u8 bytes __attribute__((vector_size(8)));
	typedef __u16 pairs __attribute__((vector_size(16)));
	const __u32 words[2] = { htobe32(first), htobe32(second) };
	pairs x, letters;
	bytes b;

	/* Each byte gets the room of two digits, in the order of the text. */
	memcpy(&b, words, sizeof(b));
	x = __builtin_convertvector(b, pairs);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	x = (x >> 4) << 8 | (x & 0xf);
#else
	x = x >> 4 | (x & 0xf) << 8;
#endif
	letters = (x + 0x0606) >> 4 & 0x0101;
	x += 0x3030 + letters * 39;

	memcpy(s, &x, 8);
	memcpy(t, (const char *)&x + 8, 8);
}

/**
 * nvfifo_put_digits() - Write the lowest digits of a number
 * @s: out: the digits, without a zero at the end
 * @value: the number
 * @digits: how many, at most 16
 *
 * Return: the end of the digits.
 */
static inline char *nvfifo_put_digits(char *s, __u64 value, unsigned int digits)
{
	const unsigned int whole = digits & 8, rest = digits & 7;
	char eight[8];

	if (digits == 16)
		s = nvfifo_put_word(s, (__u32)(value >> 32));

	if (rest) {
		nvfifo_put_word(eight, (__u32)(value >> whole * 4));
		memcpy(s, eight + 8 - rest, rest);
		s += rest;
	}

	if (digits >= 8)
		s = nvfifo_put_word(s, (__u32)value);

	return s;
}

/**
 * nvfifo_put_decimal() - Write a number in decimal digits
 * @s: out: at most 10 digits, without a zero at the end
 * @value: the number
 *
 * Return: the end of the digits.
 */
static inline char *nvfifo_put_decimal(char *s, __u32 value)
{
	char reversed[10];
	unsigned int n = 0;

	/* Most counts have one digit or two. */
	if (value < 10) {
		*s = (char)('0' + value);
		return s + 1;
	}

	if (value < 100) {
		s[0] = (char)('0' + value / 10);
		s[1] = (char)('0' + value % 10);
		return s + 2;
	}

	do {
		reversed[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);

	while (n)
		*s++ = reversed[--n];

	return s;
}

#endif
