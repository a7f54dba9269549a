// SPDX-License-Identifier: MIT
/*
 * Digits of words, to text and back, and numbers in lines. The library makes and reads eight digits
 * in one step, so each place and each character is compared with the C library.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

#include "nvfifo_capture.h"
#include "nvfifo_hex.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"
#include "tap.h"

/* Numbers with each digit at each place, ends of ranges, and some without a pattern */
static __u32 number(unsigned int i)
{
	static const __u32 ends[] = { 0, 9, 10, 99, 100, 0x7fffffff, 0x80000000, 0xffffffff };

	if (i < sizeof(ends) / sizeof(ends[0]))
		return ends[i];
	if (i < 256)
		return (i & 0xf) << (i >> 4) % 8 * 4;

	return i * 2654435761u;
}

static void test_written_digits(void)
{
	unsigned int i, word = 0, two = 0, digits = 0, decimal = 0;

	for (i = 0; i < 100000; i++) {
		const __u32 a = number(i), b = number(i + 77);
		const __u64 both = (__u64)a << 32 | b;
		const unsigned int count = i % 16 + 1;
		char wanted[32], s[32] = "", t[32] = "";

		snprintf(wanted, sizeof(wanted), "%08x", a);
		*nvfifo_put_word(s, a) = '\0';
		word += strcmp(s, wanted) != 0;

		memset(s, 0, sizeof(s));
		nvfifo_put_two_words(s, a, t, b);
		two += strcmp(s, wanted) != 0;
		snprintf(wanted, sizeof(wanted), "%08x", b);
		two += strcmp(t, wanted) != 0;

		snprintf(wanted, sizeof(wanted), "%016" PRIx64, (uint64_t)both);
		*nvfifo_put_digits(s, both, count) = '\0';
		digits += strcmp(s, wanted + 16 - count) != 0;

		snprintf(wanted, sizeof(wanted), "%u", a);
		*nvfifo_put_decimal(s, a) = '\0';
		decimal += strcmp(s, wanted) != 0;
	}

	tap(!word, "eight digits are those of printf(): %u differ", word);
	tap(!two, "the digits of two words are those of printf(): %u differ", two);
	tap(!digits, "1 to 16 digits are those of printf(): %u differ", digits);
	tap(!decimal, "decimal digits are those of printf(): %u differ", decimal);
}

/* Is "0123abcd" with the character @c at @place read as it should be? */
static bool is_read_right(unsigned int place, unsigned char c, const char *after)
{
	char text[16] = "0123abcd";
	struct nvfifo_words words = { 0 };
	bool right;
	int ret;

	text[place] = (char)c;
	memcpy(text + 8, after, strlen(after) + 1);
	ret = nvfifo_capture_words(text, 8 + strlen(after), &words, NULL);
	if (isxdigit(c)) {
		text[8] = '\0';
		right = !ret && words.count == 1 && words.data[0] == strtoul(text, NULL, 16);
	} else {
		right = ret == -EINVAL;
	}
	free(words.data);

	return right;
}

static void test_read_digits(void)
{
	static const char *const after[] = { "", "\n", " \n", "#\n" };
	unsigned int place, wrong = 0;
	size_t i;
	int c;

	for (i = 0; i < sizeof(after) / sizeof(after[0]); i++) {
		for (place = 0; place < 8; place++) {
			for (c = 0; c < 256; c++) {
				/* These end a word or a line, and "0x" is a prefix. */
				if (strchr(" \t\n\v\f\r,#", c) || (place == 1 && (c | 0x20) == 'x'))
					continue;
				if (!is_read_right(place, (unsigned char)c, after[i]))
					wrong++;
			}
		}
	}

	tap(!wrong, "each character at each place is a digit or an error: %u are not", wrong);
}

/* Texts of digits and other characters, 20 at most */
static void test_numbers(void)
{
	static const char signs[] = "0123456789abfxX -+g\t";
	unsigned int i, n, wrong = 0;
	uint64_t state = 1;
	__u64 v;

	for (i = 0; i < 200000; i++) {
		const unsigned int base = i % 2 ? 16 : 10;
		unsigned long long theirs;
		const char *end;
		char text[24] = "", *their_end;

		for (n = 0; n <= i % 20; n++)
			text[n] = signs[tap_random(&state) % (i % 3 ? 10 : sizeof(signs) - 1)];

		errno = 0;
		theirs = strtoull(text, &their_end, (int)base);
		end = nvfifo_text_read(text, base, &v);
		/* The C library takes a sign. */
		if (errno || their_end == text || strchr("-+", text[strspn(text, " \t")]))
			wrong += end != NULL;
		else
			wrong += end != their_end || v != theirs;
	}

	tap(!wrong, "numbers and their ends are those of strtoull(): %u are not", wrong);
}

static void test_refused(void)
{
	__u64 all;

	tap(nvfifo_text_whole("0x1F", 4, 0, 31, &all) && all == 31 && !nvfifo_text_whole("0x1F", 4, 0, 30, &all) &&
		    !nvfifo_text_whole("0x1F", 4, 10, 31, &all) && !nvfifo_text_whole(" 1", 2, 0, 31, &all) &&
		    !nvfifo_text_whole("1 ", 2, 0, 31, &all) && !nvfifo_text_whole("", 0, 0, 31, &all) &&
		    !nvfifo_text_whole("0x", 2, 16, 31, &all),
	    "a whole text is a number up to the largest");
}

int main(void)
{
	test_written_digits();
	test_read_digits();
	test_numbers();
	test_refused();

	return tap_end();
}
