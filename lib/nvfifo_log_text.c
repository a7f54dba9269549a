// SPDX-License-Identifier: MIT
/*
 * The text of a log as people paste it. A mail program or a terminal has wrapped its lines, two
 * messages are in one line, or a serial line has damaged single characters.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_log_priv.h"
#include "nvfifo_priv.h"

/* --- Beginnings of messages ------------------------------------------------ */

static const char *const drivers[] = {
	"nouveau", "nvfifo", "pscnv", "NVRM", "drm_nouveau",
};

bool log_is_driver(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strstr(line, drivers[i]))
			return true;
	}

	return false;
}

/* "[   97.536442]" at @s, also with damaged digits. Return: its length, or 0. */
static size_t time_stamp(const char *s)
{
	const char *end;
	size_t i, digits = 0, others = 0;

	if (*s != '[')
		return 0;

	end = strchr(s, ']');
	if (!end || end - s > 24 || end - s < 8 || !memchr(s, '.', (size_t)(end - s)))
		return 0;

	for (i = 1; i < (size_t)(end - s); i++) {
		digits += isdigit((unsigned char)s[i]) != 0;
		others += !isdigit((unsigned char)s[i]) && s[i] != '.' && s[i] != ' ';
	}

	return others <= 1 && digits >= 6 ? (size_t)(end - s) + 1 : 0;
}

/* "nouveau 0000:01:00.0", "nouveau E[", "[drm] nouveau" at @s, also with damaged digits */
static bool driver_prefix(const char *s)
{
	static const char *const old[] = { "nouveau E[", "nouveau W[", "nouveau  [", "[drm] nouveau",
					   "nouveau ![" };
	size_t i, colons = 0;

	if (*s != 'n' && *s != '[')
		return false;

	for (i = 0; i < sizeof(old) / sizeof(old[0]); i++) {
		if (!strncmp(s, old[i], strlen(old[i])))
			return true;
	}

	if (!strncmp(s, "nouveau ", 8))
		s += 8;
	else if (!strncmp(s, "nvfifo ", 7))
		s += 7;
	else
		return false;

	for (i = 0; i < 12 && s[i] > ' '; i++)
		colons += s[i] == ':' || s[i] == '.';

	return i == 12 && colons == 3;
}

/* "Jan  3 07:08:53 " or "2023-01-03T07:08:53" */
static bool is_date(const char *s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	char month[4];

	if (strlen(s) < 16)
		return false;

	snprintf(month, sizeof(month), "%.3s", s);
	if (strstr(months, month) && s[3] == ' ' && (isdigit((unsigned char)s[5])) && s[9] == ':')
		return true;

	return isdigit((unsigned char)s[0]) && isdigit((unsigned char)s[3]) && s[4] == '-' && s[7] == '-';
}

size_t log_prefix_len(const char *line)
{
	const char *s = line + strspn(line, " \t"), *colon;
	size_t n;

	if (*s == '<' && isdigit((unsigned char)s[1]) && strchr(s, '>'))
		s = strchr(s, '>') + 1;
	if (is_date(s)) {
		colon = strstr(s + 15, ": ");
		if (!colon)
			return 0;
		s = colon + 2;
	}

	n = time_stamp(s);
	s += n;
	if (n && *s == ' ')
		s++;

	return s == line + strspn(line, " \t") ? 0 : (size_t)(s - line);
}

bool log_is_record_start(const char *line)
{
	size_t i;

	line += strspn(line, " \t>|");
	if (is_date(line) || *line == '<')
		return true;

	for (i = 0; line[i] && i < 60; i++) {
		if (time_stamp(line + i) || driver_prefix(line + i))
			return true;
	}

	return !strncmp(line, "NVRM", 4) || !strncmp(line, "nouveau:", 8) || !strncmp(line, "kernel:", 7);
}

/* The place of "Jan  3 07:08:53 host kernel: " in front of a time stamp at @at */
static size_t before_stamp(const char *line, size_t at)
{
	size_t i;

	if (at < 8 || strncmp(line + at - 8, "kernel: ", 8))
		return at;

	for (i = at - 8; i > 0 && at - i < 60; i--) {
		if (is_date(line + i))
			return i;
	}

	return at - 8;
}

/* A line of libdrm's dump of a submission */
static bool libdrm_line(const char *s)
{
	if (strncmp(s, "nouveau: ", 9))
		return false;

	s += 9;
	return !strncmp(s, "kernel rejected pushbuf", 23) || (!strncmp(s, "ch", 2) && isdigit((unsigned char)s[2]));
}

/* "PGRAPH_STATUS 00000503 PGRAPH_INTR 00000000": the position of the second name, or 0 */
static size_t second_register(const char *line)
{
	const char *s = line + strspn(line, " \t");
	size_t n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]"), digits;

	if (*s != 'P' || n < 5 || !memchr(s, '_', n))
		return 0;

	s += n;
	n = strspn(s, " \t:=");
	s += n;
	if (s[0] == '0' && s[1] == 'x')
		s += 2;
	digits = strspn(s, "0123456789abcdefABCDEF");
	s += digits;
	if (!n || digits != 8 || (*s != ' ' && *s != '\t'))
		return 0;

	s += strspn(s, " \t");
	n = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.[]");
	if (*s != 'P' || n < 5 || !memchr(s, '_', n))
		return 0;

	return (size_t)(s - line);
}

size_t log_second_record(const char *line)
{
	bool stamp = false, driver = false;
	size_t i = second_register(line), n;

	if (i)
		return i;

	for (i = 0; line[i]; i++) {
		if (line[i] == '[') {
			n = time_stamp(line + i);
			if (n && (stamp || driver))
				return before_stamp(line, i);
			if (n) {
				stamp = true;
				i += n - 1;
				continue;
			}
		}

		if ((line[i] == 'n' || line[i] == '[') && (driver_prefix(line + i) || libdrm_line(line + i))) {
			if (driver)
				return i;
			driver = true;
			i += 7;
		}
	}

	return 0;
}

void log_time(const char *line, char *text, size_t size)
{
	size_t i, n;

	text[0] = '\0';
	line += strspn(line, " \t>|");
	for (i = 0; line[i] && i < 60; i++) {
		n = time_stamp(line + i);
		if (n) {
			line += i + 1;
			n -= 2;
			n -= strspn(line, " ");
			line += strspn(line, " ");
			snprintf(text, size, "%.*s", (int)n, line);
			return;
		}
	}

	if (is_date(line))
		snprintf(text, size, "%.*s", isdigit((unsigned char)*line) ? 19 : 15, line);
}

/* --- Words of messages ----------------------------------------------------- */

/* Words of the formats whose loss costs a field, and of their anchors */
static const char *const words[] = {
	"Address", "BAR", "CACHE_ERROR", "CUDA_FAULT", "Class", "DATA_ERROR", "DISPATCH_ERROR",
	"DISPATCH_FAULT", "DISPATCH_QUERY", "DMA_PUSHER", "ERROR", "FAULT", "Global", "ILLEGAL_CLASS",
	"ILLEGAL_MTHD", "INVALID_CMD", "INVALID_MTHD", "MMIO", "MP", "Mthd", "NULL_DMAOBJ", "PAGE_NOT_PRESENT",
	"PCE0", "PCRYPT", "DRM", "PFIFO", "PFIFO_DMA_PUSHER", "PFIFO_READ", "PFIFO_WRITE", "PGRAPH", "PGRAPH_STATUS",
	"PGRAPH_VSTATUS0", "PGRAPH_VSTATUS1", "PGRAPH_VSTATUS2", "PROP",
	"PGRAPH_NOTIFY", "PGRAPH_DATA_ERROR", "PGRAPH_ILLEGAL_MTHD", "PGRAPH_ILLEGAL_CLASS", "PGRAPH_TRAP",
	"PGRAPH_TRAP_M2MF", "PGRAPH_TRAP_M2MF_IN", "PGRAPH_TRAP_M2MF_OUT", "PGRAPH_TRAP_M2MF_NOTIFY",
	"PGRAPH_TRAP_VFETCH", "PGRAPH_TRAP_STRMOUT", "PGRAPH_TRAP_CCACHE", "PGRAPH_TRAP_DISPATCH_FAULT",
	"PGRAPH_TRAP_DISPATCH_QUERY", "PGRAPH_TRAP_TEXTURE", "PGRAPH_TRAP_MP_EXEC", "PGRAPH_TRAP_PROP",
	"Trapped", "lockup",
	"PT_NOT_PRESENT", "TIMEOUT", "TP", "TRAP", "TRAP_CCACHE", "TRAP_M2MF", "TRAP_MP", "TRAP_MP_EXEC",
	"TRAP_PROP", "TRAP_STRMOUT", "TRAP_TEXTURE", "TRAP_VFETCH", "Unknown", "VM", "address", "apply", "at", "base",
	"bo", "bus", "busy", "ce", "ce0", "ch", "channel", "chid", "cipher", "claiming", "class", "client", "core",
	"count", "data", "disp", "e0c", "e18", "e1c", "e20", "e24", "engine", "err", "error", "errors", "fail",
	"failed", "fault", "fb", "fifo", "flush", "get", "gr", "gave", "handle", "ib_get", "ib_put", "idle",
	"instances", "intr", "invalid", "invalidate", "kick", "list", "method", "mmu", "mpeg", "msvld", "msppp",
	"mspdec", "mthd", "multiple", "notifier", "nouveau", "nvfifo", "of", "on", "opcode", "outside", "pinned",
	"push", "pushbuf", "put", "read", "reason", "rejected", "reloc", "reserve", "slot", "state", "status",
	"structure", "subc", "subchannel", "subclient", "submission", "timeout", "timer", "to", "trapped",
	"ttm_validate", "unhandled", "unknown", "unload", "up", "ustatus", "validate", "validate_init",
	"validating", "warp", "word", "write",
};

/* Words before a number, hexadecimal or decimal */
static const char *const number_words[] = {
	"at", "channel", "engine", "client", "subclient", "reason", "subc", "class", "mthd", "data", "get", "put",
	"ib_get", "ib_put", "state", "push", "intr", "warp", "opcode", "ch", "Mthd", "Data", "Class", "address",
	"DATA_ERROR", "PGRAPH_STATUS", "TRAP_CCACHE", "TRAP_M2MF", "TRAP_STRMOUT", "TRAP_VFETCH", "mpeg",
};

/* Letters that look like digits on a screen, or are near to one on a serial line */
static const struct {
	char wrong;
	char digit;
} looks[] = {
	{ 'o', '0' }, { 'O', '0' }, { 'p', '0' }, { 'P', '0' }, { 'Q', '0' }, { 'l', '1' }, { 'I', '1' },
	{ 'q', '1' }, { 'r', '2' }, { 's', '3' }, { 't', '4' }, { 'S', '5' }, { 'u', '5' }, { 'v', '6' },
	{ 'w', '7' }, { 'x', '8' }, { 'y', '9' }, { 'g', '9' },
};

static bool in_list(const char *const *list, size_t count, const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (list[i][0] == word[0] && !strncmp(list[i], word, len) && !list[i][len])
			return true;
	}

	return false;
}

#define IN(list, word, len) in_list(list, sizeof(list) / sizeof((list)[0]), word, len)

static size_t hex_len(const char *s)
{
	size_t n = 0;

	while (isxdigit((unsigned char)s[n]))
		n++;

	return n;
}

/* Signs that no message has stand for a damaged character of a word. */
static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_~#$%^@", c));
}

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (is_word_char(s[n]))
		n++;

	return n;
}

/* A word of a message, or a number with as many digits as messages have. */
static bool is_whole(const char *s, size_t len)
{
	const size_t digits = hex_len(s);

	if (!len)
		return true;
	if (IN(words, s, len))
		return true;
	if (digits != len)
		return false;

	return len == 1 || len == 2 || len == 4 || len == 6 || len == 8 || len == 10 || len == 16;
}

/* --- Wrapped messages ------------------------------------------------------ */

int log_score(const char *text, __u32 chipset)
{
	struct nvfifo_explanation e;
	int score = 0;
	size_t i;

	if (nvfifo_explain(text, chipset, &e) == 1) {
		score = e.cut ? 10 : 40;
		for (i = 0; i < e.fields.count; i++)
			score += *e.fields.fields[i].text ? 2 : 0;
		if (!strcmp(e.cls, "other_family"))
			score = 5;
	}

	nvfifo_explanation_free(&e);
	return score;
}

/* Is the line broken inside of a word (cut at a column) or between two (wrapped)? */
static bool is_broken_inside(const char *left, const char *right, size_t width)
{
	const size_t len = strlen(left), n = word_len(right);
	char joined[120];
	size_t from = len;

	while (from && (isalnum((unsigned char)left[from - 1]) || left[from - 1] == '_'))
		from--;

	/* Brackets and blanks need no blank between the lines. */
	if (from == len || !n)
		return true;
	if (is_whole(left + from, len - from) && is_whole(right, n))
		return len == width && hex_len(left + from) == len - from && hex_len(right) >= n;

	snprintf(joined, sizeof(joined), "%.50s%.*s", left + from, (int)(n < 50 ? n : 50), right);
	return is_whole(joined, strlen(joined)) || len == width;
}

/* Put a line at the end of the first @len characters of a message. */
static void put_right(char *joined, size_t len, size_t size, bool blank, const char *right)
{
	size_t n = strlen(right);

	if (blank && len + 1 < size)
		joined[len++] = ' ';
	if (n >= size - len)
		n = size - len - 1;
	memcpy(joined + len, right, n);
	joined[len + n] = '\0';
}

/* Both ways to put a line at the end of the message at @joined; the better understood one stays. */
static int join_one(char *joined, size_t size, const char *last, const char *right, size_t width,
		    __u32 chipset)
{
	const size_t len = strlen(joined);
	const bool inside = is_broken_inside(last, right, width);
	int first, second;

	put_right(joined, len, size, inside, right);
	second = log_score(joined, chipset);
	put_right(joined, len, size, !inside, right);
	first = log_score(joined, chipset);
	if (first >= second)
		return first;

	put_right(joined, len, size, inside, right);
	return second;
}

/* Does the line close a bracket that the text leaves open? */
static bool closes_bracket(const char *text, const char *right)
{
	int open = 0;

	for (; *text; text++)
		open += (*text == '[') - (*text == ']');

	return open > 0 && strchr(right, ']') && strcspn(right, "]") < strcspn(right, "[");
}

void log_join(char *const *pieces, size_t count, size_t width, __u32 chipset, size_t *used,
	      char *text, size_t size)
{
	int best = log_score(pieces[0], chipset), score;
	bool closes;
	char *joined = malloc(size);
	size_t i;

	snprintf(text, size, "%s", pieces[0]);
	*used = 1;
	if (!joined)
		return;

	snprintf(joined, size, "%s", pieces[0]);
	for (i = 1; i < count; i++) {
		const char *right = pieces[i];

		/* Marks of a quotation in a mail, or an indentation */
		right += *right == '>' ? 1 + strspn(right + 1, " >") : 0;
		right += strspn(right, " \t") > 1 ? strspn(right, " \t") : 0;
		closes = closes_bracket(joined, right);
		score = join_one(joined, size, pieces[i - 1], right, width, chipset);
		/* A line that says as much alone is a message of its own. */
		if (score < best || (score == best && !closes) || score <= log_score(right, chipset))
			continue;

		best = score;
		*used = i + 1;
		snprintf(text, size, "%s", joined);
	}

	free(joined);
}

/* --- Damaged characters ---------------------------------------------------- */

/* The word of the list that differs in one character, if possible not in case, or NULL. */
static const char *near_word(const char *s, size_t len)
{
	const char *other = NULL;
	size_t i, k, wrong;

	for (i = 0; len >= 2 && i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) != len)
			continue;

		wrong = 0;
		for (k = 0; k < len; k++)
			wrong += words[i][k] != s[k];
		if (wrong == 1 && !islower((unsigned char)words[i][0]) == !islower((unsigned char)s[0]))
			return words[i];
		if (wrong == 1)
			other = words[i];
	}

	return other;
}

/* Turn the letters of a number that look like digits into these. Return: whether all are digits. */
static bool mend_number(char *s, size_t len)
{
	size_t i, k;

	for (i = 0; i < len; i++) {
		if (isxdigit((unsigned char)s[i]))
			continue;
		for (k = 0; k < sizeof(looks) / sizeof(looks[0]) && looks[k].wrong != s[i]; k++)
			;
		if (k == sizeof(looks) / sizeof(looks[0]))
			return false;
		s[i] = looks[k].digit;
	}

	return true;
}

/* A character that is no digit in a word of digits: "0p00", "1p34" */
static bool is_damaged_number(const char *s, size_t len)
{
	size_t i, digits = 0;

	for (i = 0; i < len; i++)
		digits += isxdigit((unsigned char)s[i]) != 0;

	return len >= 4 && digits == len - 1 && !(s[0] == '0' && (s[1] | 0x20) == 'x');
}

/* Are at least half of the characters decimal digits? */
static bool is_mostly_digits(const char *s, size_t len)
{
	size_t i, digits = 0;

	for (i = 0; i < len; i++)
		digits += isdigit((unsigned char)s[i]) != 0;

	return 2 * digits >= len;
}

/*
 * A number at @s, after the word of @before_len characters at @before or after none.
 * Return: whether it is damaged; @note says how.
 */
static bool mend_digits(char *s, size_t len, const char *before, size_t before_len, char *note, size_t size)
{
	bool damaged, mostly;
	char was[40];

	if (hex_len(s) == len || (s[0] == '0' && (s[1] | 0x20) == 'x'))
		return false;

	damaged = is_damaged_number(s, len);
	mostly = is_mostly_digits(s, len);
	if (!damaged && !mostly)
		return false;
	if (!(damaged && mostly) && !(before && IN(number_words, before, before_len)))
		return false;

	snprintf(was, sizeof(was), "%.*s", (int)len, s);
	if (mend_number(s, len))
		snprintf(note, size, "a character is damaged: '%s' is read as '%.*s'", was, (int)len, s);
	else
		snprintf(note, size, "'%s' has a damaged character and is no number", was);

	return true;
}

/* A word at @s that differs from one of a message in a character */
static bool mend_letters(char *s, size_t len, char *note, size_t size)
{
	const char *word = NULL;
	char was[40];

	if (!IN(words, s, len) && hex_len(s) != len)
		word = near_word(s, len);
	if (!word)
		return false;

	snprintf(was, sizeof(was), "%.*s", (int)len, s);
	memcpy(s, word, len);
	snprintf(note, size, "a character is damaged: '%s' is read as '%s'", was, word);

	return true;
}

static bool is_known(const char *s, size_t len)
{
	if (len > 2 && s[0] == '0' && s[1] == 'x')
		return hex_len(s + 2) >= len - 2;

	return IN(words, s, len) || hex_len(s) >= len;
}

static const char *const display_channels[] = { "base", "core", "ovly", "curs", "wndw", "oimm" };

/* A sign in place of a blank or a colon: "8297pmthd", "classp8297", "timerp intr", "pERROR" */
static bool mend_gap(char *s, size_t len, char *note, size_t size)
{
	size_t k;

	if (len < 4 || is_known(s, len))
		return false;

	for (k = 0; k < len; k++) {
		const char *right = s + k + 1;
		const size_t rest = len - k - 1;

		if ((k && !is_known(s, k)) || (rest && !is_known(right, rest)))
			continue;
		if (!IN(words, s, k) && !IN(words, right, rest))
			continue;

		snprintf(note, size, "a character is damaged: '%.*s' has no blank", (int)(len < 40 ? len : 40), s);
		s[k] = rest ? ' ' : ':';
		/* "base-0" is a channel of the display. */
		if (k == 4 && rest == 1 && IN(display_channels, s, k))
			s[k] = '-';
		return true;
	}

	return false;
}

/* A letter in place of the blank after a colon: "validate:p-12" */
static bool mend_blank(char *s, size_t len, const char *text, char *note, size_t size)
{
	if (len != 1 || s == text || s[-1] != ':' || !s[1] || isxdigit((unsigned char)*s))
		return false;

	snprintf(note, size, "a character is damaged: ':%c' has no blank", *s);
	*s = ' ';

	return true;
}

/* Find the beginning of the message, after the log's prefix and the driver's name. */
static char *message_start(char *text)
{
	size_t i;

	for (i = 0; text[i]; i++) {
		if (driver_prefix(text + i))
			return text + i + 8;
	}

	return text;
}

bool log_mend(char *text, bool letters, char *note, size_t size)
{
	char *s = message_start(text);
	const char *before = NULL;
	size_t len, before_len = 0;
	bool mended = false;
	int depth = 0;

	note[0] = '\0';
	while (*s) {
		len = word_len(s);
		if (!len) {
			depth += (*s == '[') - (*s == ']');
			/* "(001fb13000" for "[001fb13000" */
			if (letters && *s == '(' && s > text && s[-1] == ' ' && strchr(s, ']') &&
			    !memchr(s, '[', strcspn(s, "]")) && !memchr(s, ')', strcspn(s, "]"))) {
				*s = '[';
				snprintf(note, size, "a character is damaged: '(' is read as '['");
				mended = true;
				depth++;
			}
			if (!strchr(" [(:=", *s))
				before = NULL;
			s++;
			continue;
		}

		/* Names of processes stand in brackets. */
		if (mend_digits(s, len, before, before_len, note, size) ||
		    (letters && depth < 2 && mend_letters(s, len, note, size)) ||
		    (letters && depth < 1 && mend_gap(s, len, note, size)) ||
		    (letters && mend_blank(s, len, text, note, size)))
			mended = true;
		before = s;
		before_len = len;
		s += len;
	}

	return mended;
}
