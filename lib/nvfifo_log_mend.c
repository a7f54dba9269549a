// SPDX-License-Identifier: MIT
/*
 * Damaged characters of a log, of a serial line or of one who typed it. A word that no message has
 * is damaged if another character in one place makes nvfifo_explain() understand more.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_log_priv.h"
#include "nvfifo_names.h"
#include "nvfifo_text.h"

/* --- Words of messages ----------------------------------------------------- */

#define WORD_MAX	24
#define WORDS_MAX	2048
#define HASHES		512

/* Words of the texts that tell a kind of line, and of names; '_' is between two */
static struct {
	pthread_once_t once;
	char list[WORDS_MAX][WORD_MAX];
	unsigned int count;
	__u16 next[WORDS_MAX];		/* of the same hash: number + 1 */
	__u16 first[HASHES];
	__u16 longer[WORDS_MAX];	/* of the same length: number + 1 */
	__u16 of_length[WORD_MAX];
} words = { .once = PTHREAD_ONCE_INIT };

/* No table has these words of the formats: names of fields, and text between them. */
static const char more_words[] =
	"address apply at base bo bsp bus busy ce ch Ch channel chid class client core count ctx curs dac data "
	"disp drm e0c e18 e1c e20 e24 enable engine err error errors fail failed fault fb fifo flush gart gave get gr handle head "
	"ib ibget ibput idle if in instances intr invalid kick limit list lockup magic mc method MP mpeg mps "
	"mspdec msppp mthd notifier nouveau nvfifo of on opcode out outside ovly pbdma pc pce pcopy pcrypt pfifo pgraph "
	"pinned pior pmc prop push put query read reason rejected reloc reserve rt set slot state status structure "
	"sor subc subchannel subclient submission timeout to TP tp tpdma trapped ttm txt unhandled unknown unload "
	"up unkc04 ustatus valid validate validating VM vm vram vstatus0 vstatus1 vstatus2 warp was wndw word write xfer zeta 2D IbGet IbPut";

static unsigned int hash_of(const char *s, size_t len)
{
	unsigned int hash = (unsigned int)len;
	size_t i;

	for (i = 0; i < len; i++)
		hash = hash * 33 + ((unsigned char)s[i] | 0x20);

	return hash % HASHES;
}

/* All upper case, all lower case, or a capital letter first */
static bool is_usual_case(const char *s, size_t len)
{
	size_t i, upper = 0, lower = 0;

	for (i = 1; i < len; i++) {
		upper += isupper((unsigned char)s[i]) != 0;
		lower += islower((unsigned char)s[i]) != 0;
	}

	return !upper || (!lower && !islower((unsigned char)*s));
}

static bool find_word(const char *s, size_t len)
{
	/* "Cp" is no "CP". */
	const bool any_case = len > 2 && is_usual_case(s, len);
	const char *word;
	unsigned int i;

	for (i = words.first[hash_of(s, len)]; i; i = words.next[i - 1]) {
		word = words.list[i - 1];
		if (((*word ^ *s) & ~0x20) || strncasecmp(word, s, len) || word[len])
			continue;
		if (any_case || !memcmp(word, s, len))
			return true;
	}

	return false;
}

static size_t hex_len(const char *s)
{
	return nvfifo_text_digits(s, 16);
}

static void add_word(const char *s, size_t len)
{
	const unsigned int hash = hash_of(s, len), i = words.count;

	if (len < 2 || len >= WORD_MAX || i == WORDS_MAX || strspn(s, "0123456789x") >= len || find_word(s, len))
		return;

	memcpy(words.list[i], s, len);
	words.count++;
	words.next[i] = words.first[hash];
	words.first[hash] = (__u16)(i + 1);
	words.longer[i] = words.of_length[len];
	words.of_length[len] = (__u16)(i + 1);
}

static void add_text(const char *text)
{
	size_t len;

	while (*text) {
		for (len = 0; isalnum((unsigned char)text[len]); len++)
			;
		add_word(text, len);
		text += len + (text[len] != '\0');
	}
}

static void make_words(void)
{
	unsigned int i;

	nvfifo_explain_texts(add_text);
	add_text(more_words);

	for (i = 0; i < 32; i++) {
		add_text(nvfifo_fault_engine(0x50, i));
		add_text(nvfifo_fault_engine(0xa3, i));
		add_text(nvfifo_fault_client(0x50, i));
		add_text(nvfifo_fault_client(0xa3, i));
	}
}

/* A hexadecimal number, with "0x" or without */
static bool is_number(const char *s, size_t len)
{
	const size_t first = len > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' ? 2 : 0;

	return hex_len(s + first) >= len - first;
}

/* A word, also with a number at its end as in "TP4", or a number. */
static bool is_known(const char *s, size_t len)
{
	size_t n = len;

	while (n > 1 && len - n < 4 && isdigit((unsigned char)s[n - 1]))
		n--;

	return is_number(s, len) || find_word(s, len) || find_word(s, n);
}

/* Signs that no message has stand for a damaged character of a word. */
static bool is_sign(char c)
{
	return c && strchr("~#$%^@!?;\\`", c);
}

size_t log_word_len(const char *s)
{
	size_t n = 0;

	if (*s == '!')
		return 0;
	while (isalnum((unsigned char)s[n]) || is_sign(s[n]))
		n++;
	/* The end of a sentence */
	while (n && strchr("!?;", s[n - 1]))
		n--;

	return n;
}

bool log_is_word(const char *s, size_t len)
{
	size_t n;

	pthread_once(&words.once, make_words);

	for (;;) {
		for (n = 0; n < len && s[n] != '_'; n++)
			;
		if (!find_word(s, n))
			return false;
		if (n == len)
			return true;
		s += n + 1;
		len -= n + 1;
	}
}

/* --- Changes of one character ------------------------------------------------ */

/* Letters that look like digits on a screen, or differ from one in a bit on a serial line */
static const struct {
	char wrong;
	char digit;
} looks[] = {
	{ 'o', '0' }, { 'O', '0' }, { 'p', '0' }, { 'l', '1' }, { 'I', '1' }, { 'q', '1' },
	{ 'r', '2' }, { 's', '3' }, { 't', '4' }, { 'S', '5' }, { 'u', '5' }, { 'v', '6' },
	{ 'w', '7' }, { 'x', '8' }, { 'y', '9' }, { 'g', '9' },
};

/**
 * struct mend - A message whose words are looked at
 * @text: the message
 * @len: its length
 * @chipset: for nvfifo_explain()
 * @base: how much of it is understood, -1: not known yet
 * @best: how much with the best change of the word
 * @at: place of that change
 * @c: the character that it puts there
 * @equal: words that the word may be with the same understanding
 * @equal_at: place of the last one's change
 * @equal_c: its character
 */
struct mend {
	char *text;
	size_t len;
	__u32 chipset;
	int base;
	int best;
	size_t at;
	char c;
	unsigned int equal;
	size_t equal_at;
	char equal_c;
};

/* Shorter words are near to others that the table does not have. */
#define EQUAL_MIN	4

/* How much of the message is understood as it is. */
static int base_of(struct mend *m)
{
	if (m->base < 0)
		m->base = log_score(m->text, m->chipset);

	return m->base;
}

/* Replace a character by another one, and see whether that is better. */
static void consider(struct mend *m, size_t at, char c)
{
	const char was = m->text[at];
	int score;

	if (was == c)
		return;
	if (m->best < 0)
		m->best = base_of(m);

	m->text[at] = c;
	score = log_score(m->text, m->chipset);
	m->text[at] = was;
	/* A character away, there often is a unit of another generation: "bsp", "gsp". */
	if (score <= m->best || score <= LOG_SCORE_FOREIGN)
		return;

	m->best = score;
	m->at = at;
	m->c = c;
}

/* Do two texts differ in one character only? @place: out: its place */
static bool differs_once(const char *s, const char *word, size_t len, size_t *place)
{
	size_t k, wrong = 0, cases = 0, at = 0;

	for (k = 0; k < len && wrong < 2; k++) {
		if (s[k] == word[k])
			continue;
		cases++;
		at = k;
		if (tolower((unsigned char)s[k]) == tolower((unsigned char)word[k]))
			continue;
		wrong++;
		*place = k;
	}

	if (!wrong && cases == 1)
		*place = at;

	return wrong == 1 || (!wrong && cases == 1);
}

/* Words that differ in one character */
static void consider_words(struct mend *m, size_t at, size_t len)
{
	const char *word;
	unsigned int i;
	size_t place;

	if (len < 2 || len >= WORD_MAX)
		return;

	for (i = words.of_length[len]; i; i = words.longer[i - 1]) {
		word = words.list[i - 1];
		if (!differs_once(m->text + at, word, len, &place))
			continue;
		consider(m, at + place, word[place]);
		consider(m, at + place, (char)toupper((unsigned char)word[place]));
		consider(m, at + place, (char)tolower((unsigned char)word[place]));
		if (len < EQUAL_MIN || !base_of(m))
			continue;
		m->equal++;
		m->equal_at = at + place;
		m->equal_c = word[place];
	}
}

/* Does the message say no less with another character there? */
static bool is_as_good(struct mend *m, size_t at, char c)
{
	const char was = m->text[at];
	int score;

	m->text[at] = c;
	score = log_score(m->text, m->chipset);
	m->text[at] = was;

	return score >= base_of(m);
}

/* A word, also one that a blank or another mark has cut: "chan el", ".imer" */
static void consider_split(struct mend *m, size_t at, size_t len)
{
	const char *s = m->text;
	size_t before = 0, after = 0;

	consider_words(m, at, len);
	if (m->equal || m->best > m->base)
		return;

	while (at > before + 1 && isalnum((unsigned char)s[at - before - 2]))
		before++;
	if (s[at + len])
		after = log_word_len(s + at + len + 1);

	if (at) {
		consider_words(m, at - 1, len + 1);
		if (before)
			consider_words(m, at - 1 - before, len + 1 + before);
	}

	if (s[at + len]) {
		consider_words(m, at, len + 1);
		if (after)
			consider_words(m, at, len + 1 + after);
	}
}

/* A blank or another mark between two words or numbers */
static void consider_marks(struct mend *m, size_t at, size_t len)
{
	static const char marks[] = " :-_/[(,.=";
	const char *s = m->text + at, *c;
	size_t k;

	for (k = 0; k < len; k++) {
		if ((k && !is_known(s, k)) || (k + 1 < len && !is_known(s + k + 1, len - k - 1)))
			continue;
		for (c = marks; *c; c++)
			consider(m, at + k, *c);
	}
}

static char digit_like(char c)
{
	size_t i;

	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		if (looks[i].wrong == c)
			return looks[i].digit;
	}

	return '\0';
}

/* The place of the only wrong character of a number, or @len for another text. @expected: a number stands there. */
static size_t damaged_place(const char *s, size_t len, bool expected)
{
	const bool prefixed = len > 2 && nvfifo_text_is_0x(s);
	size_t i, bad = 0, digits = 0, place = len;

	for (i = prefixed ? 2 : 0; i < len; i++) {
		digits += isdigit((unsigned char)s[i]) != 0;
		if (isxdigit((unsigned char)s[i]))
			continue;
		bad++;
		place = i;
	}

	return bad == 1 && (prefixed || expected || (len >= 4 && 2 * digits >= len)) ? place : len;
}

/* The digit for the damaged place of a number, or 0 */
static char digit_for(const struct mend *m, size_t at, size_t len, size_t place)
{
	/* "0p0021a000" where other numbers have "0x" */
	if (place == 1 && m->text[at] == '0' && len >= 6 && strstr(m->text, " 0x"))
		return 'x';

	return digit_like(m->text[at + place]);
}

/* --- Words of a message ------------------------------------------------------ */

static void say_lost(struct log_damage *d, const char *s, size_t len)
{
	if (!*d->lost)
		snprintf(d->lost, sizeof(d->lost), "'%.*s'", (int)(len < 40 ? len : 40), s);
}

/* Put the best character there, and say so with the word around it. */
static void change(struct mend *m, size_t at, size_t len, struct log_damage *d)
{
	size_t from = at, to = at + len;
	char was[40];

	while (from > m->at || (m->at < at && from && isalnum((unsigned char)m->text[from - 1])))
		from--;
	while (to <= m->at || (m->at >= at + len && isalnum((unsigned char)m->text[to])))
		to++;

	snprintf(was, sizeof(was), "%.*s", (int)(to - from), m->text + from);
	m->text[m->at] = m->c;
	m->base = -1;
	snprintf(d->note, sizeof(d->note), "a character is damaged: '%s' is read as '%.*s'", was,
		 (int)strlen(was), m->text + from);
}

/* A word that is not known. @expected: it stands where a number does */
static bool mend_word(struct mend *m, size_t at, size_t len, bool expected, struct log_damage *d)
{
	const size_t place = damaged_place(m->text + at, len, expected);
	const char digit = place < len ? digit_for(m, at, len, place) : '\0';
	size_t i, signs = 0;

	m->equal = 0;
	m->best = -1;
	consider_split(m, at, len);
	if (digit)
		consider(m, at + place, digit);
	consider_marks(m, at, len);

	/* A word of no weight for the line, and a digit, may be any that goes there. */
	if (m->best <= base_of(m) && m->equal == 1) {
		m->at = m->equal_at;
		m->c = m->equal_c;
	} else if (m->best <= base_of(m) && digit && is_as_good(m, at + place, digit)) {
		m->at = at + place;
		m->c = digit;
	} else if (m->best <= base_of(m)) {
		/* "#1" and "10%" are no damage. */
		for (i = 0; i < len; i++)
			signs += is_sign(m->text[at + i]) && !strchr("#%", m->text[at + i]);
		if (signs || expected || (place < len && len >= 8))
			say_lost(d, m->text + at, len);
		/* The rest of the line may be known by any digit at the end of a word or in a number. */
		i = place < len ? place : len - 1;
		if (!base_of(m))
			consider(m, at + i, '0');
		if (base_of(m) || m->best <= 0)
			return false;
		say_lost(d, m->text + at, len);
	}

	change(m, at, len, d);
	return true;
}

/* The address at the beginning of "[0f0e1000 name]"; a name may be any text. */
static bool mend_owner(struct mend *m, size_t at, size_t len, struct log_damage *d)
{
	const size_t place = damaged_place(m->text + at, len, false);
	size_t i;

	for (i = 0; i < len; i++) {
		if (is_sign(m->text[at + i]))
			say_lost(d, m->text + at, len);
	}

	m->at = at + place;
	m->c = place < len && strchr("[(", m->text[at - 1]) ? digit_for(m, at, len, place) : '\0';
	if (m->c)
		change(m, at, len, d);

	return m->c;
}

/* Words before a number */
static bool is_before_number(const char *s, size_t len)
{
	static const char *const list[] = {
		"at", "channel", "engine", "client", "subclient", "reason", "subc", "class", "mthd", "data",
		"get", "put", "ibget", "ibput", "state", "push", "intr", "warp", "opcode", "ch", "address",
		"tp",
	};
	size_t i;

	/* Most words differ in the first character. */
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!((list[i][0] ^ *s) & ~0x20) && !strncasecmp(list[i], s, len) && !list[i][len])
			return true;
	}

	return false;
}

/* --- Messages ---------------------------------------------------------------- */

/* The place of the text after the log's prefix and the driver's name; 0: no line of a driver. */
static size_t message_start(const char *text)
{
	const char *nvidia = strstr(text, "NVRM: ");
	size_t i;

	for (i = 0; text[i]; i++) {
		if (log_is_driver_prefix(text + i))
			return i + 8;
	}

	return nvidia ? (size_t)(nvidia - text) + 6 : 0;
}

/* "[Xorg[849]]", or "[0f0e1000 name]" after a channel's number: names of processes are any text. */
static bool is_owner(const char *open, const char *before)
{
	size_t n = strcspn(open + 1, "[]");

	return open[1 + n] == '[' ||
	       (before && (!strncasecmp(before, "ch ", 3) || !strncmp(before, "channel ", 8)));
}

/* A message with more words that are not known is another text. */
#define SUSPECTS_MAX	8

/* Does the message end inside of a word or of a number, or before a number? @from: where it begins */
static bool is_cut(const char *text, size_t from)
{
	size_t len = strlen(text), n = 0;
	unsigned int i;
	const char *s;

	while (len > from && isspace((unsigned char)text[len - 1]))
		len--;
	while (n < len - from && isalnum((unsigned char)text[len - n - 1]))
		n++;
	if (len == from)
		return false;
	if (!n)
		return strchr("-[(,=/_", text[len - 1]);

	s = text + len - n;
	/* "data" after the number of a method; a sentence may end in it, too. */
	if (is_known(s, n) && is_before_number(s, n) && len - n > from + 2)
		return isdigit((unsigned char)s[-2]) || strchr(":,", s[-2]);
	if (!strncmp(s, "0x", n))
		return true;
	/* Numbers with a zero first have a fixed width. */
	if (is_number(s, n)) {
		if (nvfifo_text_is_0x(s)) {
			s += 2;
			n -= 2;
		}
		return *s == '0' && (n == 3 || n == 5 || n == 7);
	}

	/* The beginning of a longer word */
	for (i = 0; i < words.count && n > 1 && !is_known(s, n); i++) {
		if (!strncmp(words.list[i], s, n))
			return true;
	}

	return false;
}

/* Which word made the message another one, if all are known? */
static bool mend_known(struct mend *m, size_t at, struct log_damage *d)
{
	size_t len;

	for (; m->text[at]; at += len + (m->text[at + len] != '\0')) {
		len = log_word_len(m->text + at);
		m->best = -1;
		consider_words(m, at, len);
		if (m->best > 0) {
			change(m, at, len, d);
			return true;
		}
	}

	return false;
}

bool log_mend(char *text, __u32 chipset, bool all, struct log_damage *d)
{
	const size_t start = message_start(text);
	struct mend m = { .text = text, .len = strlen(text), .chipset = chipset, .base = -1 };
	const char *before = NULL, *last = NULL;
	unsigned int suspects = 0;
	bool mended = false, owner = false, expected;
	int depth = 0, round = 0;
	size_t at, len;

	pthread_once(&words.once, make_words);
	d->note[0] = '\0';
	d->lost[0] = '\0';
	if (!start)
		return false;

	for (at = start; text[at]; at += len) {
		len = log_word_len(text + at);
		if (len) {
			/* "-16" after a blank is an errno. */
			expected = (last && is_before_number(last, log_word_len(last))) || !strncmp(text + at - 2, " -", 2);
			if (owner)
				mended |= mend_owner(&m, at, len, d);
			else if (!is_known(text + at, len) && strncmp(text + at, "0x", len + 1) && suspects++ < SUSPECTS_MAX)
				mended |= mend_word(&m, at, len, expected, d);
			len = log_word_len(text + at);
			before = last;
			last = text + at;
			if (len)
				continue;
		}

		len = 1;
		round += (text[at] == '(') - (text[at] == ')');
		if (text[at] == '[' && !depth++)
			owner = is_owner(text + at, before);
		if (text[at] == ']' && !--depth)
			owner = false;
		if (!strchr(" [(:=_", text[at]))
			last = NULL;
	}

	if ((depth || round) && !*d->lost)
		snprintf(d->lost, sizeof(d->lost), "a bracket");
	if (!*d->lost && is_cut(text, start))
		snprintf(d->lost, sizeof(d->lost), "its end is missing");
	if (all && !mended)
		mended = mend_known(&m, start, d);

	return mended;
}

bool log_mend_driver(char *line)
{
	static const char *const names[] = { "nouveau ", "NVRM: " };
	char *s = line + log_prefix_len(line);
	size_t i, len, place;

	if (!strncmp(s, "[drm] ", 6))
		s += 6;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		len = strlen(names[i]);
		if (strlen(s) <= len || !differs_once(s, names[i], len, &place))
			continue;
		s[place] = names[i][place];
		return true;
	}

	return false;
}
