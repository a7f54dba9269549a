// SPDX-License-Identifier: MIT
/*
 * The calculator against recorded values of nouveau, against itself (decode of
 * encode), and against nonsense.
 */
#include <errno.h>

#include "nvfifo.h"
#include "nvfifo_calc.h"
#include "nvfifo_text.h"
#include "tap.h"

static const struct nvfifo_calc_kind *kind(const char *name)
{
	const struct nvfifo_calc_kind *k = nvfifo_calc_find(name);

	if (!k) {
		printf("Bail out! no kind %s\n", name);
		exit(1);
	}
	return k;
}

/* --- Vectors ------------------------------------------------------------- */

static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);
	const char *s = list;

	while ((s = strstr(s, name))) {
		if ((s == list || s[-1] == ' ') && (s[n] == ' ' || !s[n]))
			return true;
		s++;
	}
	return false;
}

/* Take the results away, calculate, compare all fields. */
static bool same_again(const char *name, const struct nvfifo_row *want, const char *results)
{
	struct nvfifo_row r = { 0 };
	char note[200];
	bool ok = true;
	size_t i;

	for (i = 0; i < want->count; i++) {
		const struct nvfifo_field *f = &want->fields[i];

		if (!in_list(results, f->name))
			nvfifo_row_set(&r, f->name, f->kind, f->text, NULL);
	}
	/* The vectors are recorded results of nouveau's functions. */
	if (nvfifo_calc(kind(name), &r, NVFIFO_CALC_NOUVEAU, note)) {
		printf("# %s\n", nvfifo_last_error());
		ok = false;
	}
	for (i = 0; ok && i < want->count; i++) {
		const struct nvfifo_field *f = &want->fields[i];
		const char *have = nvfifo_row_get(&r, f->name);

		if (!have || strcmp(have, f->text)) {
			printf("# %s: expected %s, calculated %s\n", f->name, f->text,
			       have ? have : "nothing");
			ok = false;
		}
	}
	if (ok && r.count != want->count) {
		printf("# %zu fields, expected %zu\n", r.count, want->count);
		ok = false;
	}
	nvfifo_row_free(&r);
	return ok;
}

static void test_vectors(const char *file, const char *results)
{
	const char *slash = strrchr(file, '/'), *kind = slash ? slash + 1 : file;
	unsigned int rows = 0, good = 0;
	char path[80], name[40], *columns[64], *values[64], *header = NULL, *data, *line, *end;
	size_t len, count = 0, i, at;

	snprintf(path, sizeof(path), "tests/data/calc/%s", file);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(kind, "."), kind);
	data = tap_file(path, &len);
	for (line = data; line < data + len; line = end + 1) {
		struct nvfifo_row want = { 0 };

		end = line + strcspn(line, "\n");
		*end = '\0';
		if (*line == '{') {
			if (nvfifo_row_from_json(&want, line, strlen(line), &at))
				printf("# %s: cannot read at %zu\n", path, at);
		} else if (!header) {
			header = line;
			count = nvfifo_csv_split(header, columns, 64);
			continue;
		} else if (nvfifo_csv_split(line, values, 64) == count) {
			for (i = 0; i < count; i++)
				nvfifo_row_set(&want, columns[i], NVFIFO_VALUE_STRING, values[i],
						  NULL);
		}
		rows++;
		good += same_again(name, &want, results);
		nvfifo_row_free(&want);
	}
	tap(rows && good == rows, "%s: %u of %u rows", file, good, rows);
	free(data);
}

/* Values for which the documents and nouveau disagree. */
static void test_hardware(void)
{
	static const struct {
		const char *name, *json, *field, *want;
	} rows[] = {
		{ "pte_type",
		  "{\"target\":\"vram\",\"stolen\":\"0\",\"page_shift\":16,\"kind\":\"70\",\"comp\":2,\"tag_base\":\"55\",\"offset\":\"30000\"}",
		  "type", "00b7700000000001" },
		{ "pde", "{\"page_shift\":\"none\"}", "pde", "0" },
		{ "ectx", "{\"gen\":\"g84\",\"engine\":\"gr\",\"ctx_addr\":\"1200045000\",\"ctx_size\":\"8000\"}",
		  "words", "{\"20\":\"00190000\",\"24\":\"0004cfff\",\"28\":\"00045000\",\"2c\":\"12000012\"}" },
	};
	size_t i, at;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nvfifo_row r = { 0 };
		const char *have;
		char note[200];
		bool ok;

		ok = !nvfifo_row_from_json(&r, rows[i].json, strlen(rows[i].json), &at) &&
		     !nvfifo_calc(kind(rows[i].name), &r, 0, note);
		have = nvfifo_row_get(&r, rows[i].field);
		if (!tap(ok && have && !strcmp(have, rows[i].want),
			 "%s as the hardware wants it", rows[i].name))
			printf("# %s: expected %s, calculated %s\n", rows[i].field, rows[i].want,
			       have ? have : "nothing");
		nvfifo_row_free(&r);
	}
}

/* The rows of test_hardware() in which nouveau does something else. */
static void test_as_nouveau(void)
{
	struct nvfifo_row r = { 0 };
	char note[200];

	nvfifo_row_set(&r, "page_shift", NVFIFO_VALUE_STRING, "none", NULL);
	tap(!nvfifo_calc(kind("pde"), &r, NVFIFO_CALC_NOUVEAU, note) && *note &&
		    !strcmp(nvfifo_row_get(&r, "pde"), "deadcafe00000000"),
	    "nouveau's empty PDE is not the hardware's");
	nvfifo_row_free(&r);
}

/* --- Decode, then encode from the fields --------------------------------- */

static void test_round_trip(const char *name, const char *words, const char *masks)
{
	const struct nvfifo_calc_kind *k = kind(name);
	unsigned int i, bad = 0;
	uint64_t seed = 0x1234;

	for (i = 0; i < 2000; i++) {
		struct nvfifo_row r = { 0 }, back = { 0 };
		char w[6][24], field[8], note[200];
		unsigned int n = 0, j;
		const char *p = words, *m = masks;

		for (; n < 6; n++) {
			__u64 mask, v;

			m = nvfifo_text_read(m, 16, &mask);
			v = (uint64_t)tap_random(&seed) << 32 | tap_random(&seed);
			snprintf(w[n], sizeof(w[n]), mask >> 32 ? "%016llx" : "%08llx",
				 (unsigned long long)(v & mask));
			snprintf(field, sizeof(field), "%.*s", (int)strcspn(p, " "), p);
			nvfifo_row_set(&r, strchr(words, ' ') ? field : words,
					  NVFIFO_VALUE_STRING, w[n], NULL);
			p += strcspn(p, " ");
			p += strspn(p, " ");
			if (!*p)
				break;
		}
		n++;
		if (nvfifo_calc(k, &r, NVFIFO_CALC_ALL, note))
			bad++;
		for (j = n; j < r.count; j++)
			nvfifo_row_set(&back, r.fields[j].name, NVFIFO_VALUE_STRING,
					  r.fields[j].text, NULL);
		if (nvfifo_calc(k, &back, NVFIFO_CALC_ALL, note)) {
			if (!bad++)
				printf("# %s\n", nvfifo_last_error());
		}
		for (j = 0; j < n; j++) {
			const char *again = nvfifo_row_get(&back, r.fields[j].name);

			if ((!again || strcmp(again, w[j])) && !bad++)
				printf("# %s %s became %s\n", r.fields[j].name, w[j],
				       again ? again : "nothing");
		}
		nvfifo_row_free(&r);
		nvfifo_row_free(&back);
	}
	tap(!bad, "%s: fields of 2000 words give the words again", name);
}

/* --- Rows and hw/ --------------------------------------------------------- */

/* A field of a row, in hexadecimal or, for flags and counts, decimal */
static __u64 value(const struct nvfifo_row *r, const char *name, unsigned int base)
{
	return nvfifo_text_value(nvfifo_row_get(r, name), base);
}

static bool same_pte(const struct nvfifo_row *r, __u64 word)
{
	struct nvfifo_pte p = nvfifo_pte_decode(word);

	return value(r, "present", 10) == p.present && value(r, "address", 16) == p.address &&
	       value(r, "ro", 10) == p.read_only && value(r, "priv", 10) == p.supervisor &&
	       value(r, "contig", 10) == p.contig && value(r, "kind", 16) == p.kind &&
	       value(r, "comp", 10) == p.comp && value(r, "tag", 16) == p.tag &&
	       value(r, "long_cycle", 10) == p.long_cycle && value(r, "encrypted", 10) == p.encrypted;
}

static bool same_pde(const struct nvfifo_row *r, __u64 word)
{
	struct nvfifo_pde p = nvfifo_pde_decode(word);

	return !p.type || (value(r, "address", 16) == p.address && value(r, "size", 10) == p.size);
}

static bool same_ib(const struct nvfifo_row *r, __u64 word)
{
	const __u32 w[2] = { (__u32)word, (__u32)(word >> 32) };
	struct nvfifo_ib_entry e = nvfifo_ib_decode(w);

	return value(r, "va", 16) == e.address && value(r, "words", 10) == e.words &&
	       value(r, "not_main", 10) == e.not_main && value(r, "no_prefetch", 10) == e.no_prefetch;
}

static bool same_dmaobj(const struct nvfifo_row *r, __u64 word)
{
	const __u32 w[6] = { (__u32)word, (__u32)(word >> 32), (__u32)(word >> 7), (__u32)(word >> 11),
			     (__u32)(word >> 17), (__u32)(word >> 23) };
	struct nvfifo_dmaobj o = nvfifo_dmaobj_decode(w);

	return value(r, "oclass", 16) == o.oclass && value(r, "start", 16) == o.start && value(r, "limit", 16) == o.limit &&
	       value(r, "priv", 10) == o.user && value(r, "part", 10) == o.cycle && value(r, "comp", 10) == o.comp &&
	       value(r, "kind", 16) == o.kind && value(r, "supervisor", 10) == o.supervisor &&
	       value(r, "encrypted", 10) == o.encrypted && value(r, "tag_start", 16) == o.tag_start &&
	       value(r, "tag_limit", 16) == o.tag_limit && value(r, "comp_start", 16) == o.comp_start;
}

/* lib/calc has the places of fields that the driver and the model have in hw/. */
static void test_places(void)
{
	static const struct {
		const char *name;
		unsigned int shifts[6];
		bool (*same)(const struct nvfifo_row *r, __u64 word);
	} rows[] = {
		{ "pte", { 0 }, same_pte }, { "pde", { 0 }, same_pde }, { "ib", { 0, 32 }, same_ib },
		{ "dmaobj", { 0, 32, 7, 11, 17, 23 }, same_dmaobj },
	};
	unsigned int i, k, n, wrong;
	uint64_t seed = 0x4711;
	char text[24], name[8], note[200];

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (wrong = 0, n = 0; n < 1000; n++) {
			const __u64 word = (uint64_t)tap_random(&seed) << 32 | tap_random(&seed);
			struct nvfifo_row r = { 0 };

			for (k = 0; k < 6 && (!k || rows[i].shifts[k]); k++) {
				snprintf(name, sizeof(name), "w%u", k);
				snprintf(text, sizeof(text), "%llx", (unsigned long long)(word >> rows[i].shifts[k] & 0xffffffff));
				if (rows[i].name[0] == 'p')
					snprintf(text, sizeof(text), "%llx", (unsigned long long)word);
				nvfifo_row_set(&r, rows[i].name[0] == 'p' ? rows[i].name : name, NVFIFO_VALUE_STRING, text, NULL);
			}
			wrong += nvfifo_calc(kind(rows[i].name), &r, NVFIFO_CALC_ALL, note) || !rows[i].same(&r, word);
			nvfifo_row_free(&r);
		}
		tap(!wrong, "%s: the table has the fields of hw/", rows[i].name);
	}
}

/* --- Each word of each kind ------------------------------------------------- */

/* Values in the forms that kinds have: a word, several of them, RAMFC by offsets */
static const char *const samples[] = {
	"0", "00000001", "00190000", "00001054", "20000010", "7fffffff", "0 0 0 0 0 0", "1 2 3 4 5 6",
	"00190000 00210fff 00200000 00000000", "00190000,00210fff,00200000,00000000,00000000,00000000",
	"{\"3c\":\"403f6078\",\"44\":\"01003fff\"}",
};

/* All words of the kind have the sample. Return: fields more than those, or -1 for an error. */
static int decode_words(const struct nvfifo_calc_kind *k, const char *sample, size_t words)
{
	struct nvfifo_row r = { 0 };
	char names[120], note[200], *name, *save;
	size_t count = 0;
	int more;

	snprintf(names, sizeof(names), "%s", k->words);
	for (name = strtok_r(names, " ", &save); name && count < words; name = strtok_r(NULL, " ", &save)) {
		nvfifo_row_set(&r, name, NVFIFO_VALUE_STRING, sample, NULL);
		count++;
	}

	more = nvfifo_calc(k, &r, NVFIFO_CALC_ALL | NVFIFO_CALC_STRICT, note) ? -1 : (int)(r.count - count);
	nvfifo_row_free(&r);

	return more;
}

/* "value=00050001" alone, for each of the kind's words and for all of them together */
static void test_each_word(const struct nvfifo_calc_kind *k)
{
	unsigned int decoded = 0;
	size_t i;

	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		decoded += decode_words(k, samples[i], 8) > 0;

	tap(decoded >= (strstr(k->words, "w0") || *k->fields ? 1u : 5u) && decode_words(k, "xyz", 8) < 0,
	    "%s decodes its own words, %u of %zu forms", k->name, decoded, i);
}

/* A word that a kind takes in any value */
static void test_any_value(const char *name)
{
	unsigned int wrong = 0, bit;
	char text[16];

	for (bit = 0; bit < 32; bit++) {
		snprintf(text, sizeof(text), "%08x", 1u << bit);
		wrong += decode_words(kind(name), text, 1) <= 0;
	}

	tap(!wrong, "%s decodes each bit of its first word", name);
}

static void test_words(void)
{
	static const char *const any[] = { "tlb", "chan", "pull0", "dma-state", "pgraph", "pte", "pde", "ramht" };
	const struct nvfifo_calc_kind *k;
	size_t i;

	for (k = nvfifo_calc_next(NULL); k; k = nvfifo_calc_next(k))
		test_each_word(k);
	for (i = 0; i < sizeof(any) / sizeof(any[0]); i++)
		test_any_value(any[i]);
}

/* --- Refusals ------------------------------------------------------------ */

static void test_refused(const char *name, const char *json, const char *want)
{
	struct nvfifo_row r = { 0 };
	char note[200];
	size_t at;
	int ret = nvfifo_row_from_json(&r, json, strlen(json), &at);

	if (!ret)
		ret = nvfifo_calc(kind(name), &r, NVFIFO_CALC_STRICT, note);
	if (!tap(ret == -EINVAL && strstr(nvfifo_last_error(), want), "%s refuses %s", name, json))
		printf("# %d: %s\n", ret, nvfifo_last_error());
	nvfifo_row_free(&r);
}

/* --- JSON and CSV -------------------------------------------------------- */

static void test_json(void)
{
	static const char text[] =
		" {\"a\" : \"x\\\"\\u0041\\n\", \"b\": [1, {\"c\": \"]\"}], \"n\": -12 , \"t\":true} ";
	static const char *const bad[] = {
		"", "[]", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":[}", "{\"a\":1}x", "{\"a\":\"",
		"{\"a\":\"\\", "{a:1}", "{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1",
	};
	struct nvfifo_row r = { 0 };
	const char *p;
	char item[16];
	size_t at, i;
	unsigned int refused = 0;

	tap(!nvfifo_row_from_json(&r, text, strlen(text), &at) && r.count == 4 &&
		    !strcmp(r.fields[0].text, "x\"A\n") && !strcmp(r.fields[2].text, "-12") &&
		    r.fields[2].kind == NVFIFO_VALUE_NUMBER && !strcmp(r.fields[3].text, "true"),
	    "an object of JSON");
	p = nvfifo_row_get(&r, "b");
	tap(nvfifo_json_next(&p, item, sizeof(item)) && !strcmp(item, "1") &&
		    nvfifo_json_next(&p, item, sizeof(item)) && !strcmp(item, "{\"c\": \"]\"}") &&
		    !nvfifo_json_next(&p, item, sizeof(item)),
	    "an array in it");
	nvfifo_row_free(&r);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		refused += nvfifo_row_from_json(&r, bad[i], strlen(bad[i]), &at) == -EINVAL;
		nvfifo_row_free(&r);
	}
	tap(refused == i, "%zu texts that are no object are refused", i);
}

static void test_csv(void)
{
	char line[] = "a,\"b,\"\"c\"\"\",,\"\"", more[] = "1,2,3", *v[8];

	tap(nvfifo_csv_split(line, v, 8) == 4 && !strcmp(v[0], "a") && !strcmp(v[1], "b,\"c\"") &&
		    !*v[2] && !*v[3],
	    "a line of CSV");
	tap(nvfifo_csv_split(more, v, 2) == 3, "more values than there is room for");
}

int main(void)
{
	test_vectors("pte_type.csv", "ret type ctag next");
	test_vectors("pte_runs.jsonl", "ptes_out");
	test_vectors("pde.csv", "ok pde");
	test_vectors("kinds.csv", "class");
	test_vectors("dmaobj.csv", "ret w0 w1 w2 w3 w4 w5");
	test_vectors("ramht_hash.csv", "index");
	test_vectors("../ib_entries.csv", "w0 w1");
	test_vectors("ramht_insert.jsonl", "");
	test_vectors("ramfc.jsonl", "ramfc bind_start_stop_unbind");
	test_vectors("ectx.jsonl", "words");
	/* The vectors have the channel in the line only. */
	test_vectors("dma_pusher.jsonl", "mmio");
	test_vectors("cache_error.jsonl", "line mmio");
	test_vectors("vm_fault.jsonl", "line");
	test_vectors("tlb_flush.jsonl", "log mmio");
	test_vectors("pgraph_status.jsonl", "text");
	test_hardware();
	test_round_trip("pte", "pte", "7ffffffffffff3f9");
	test_round_trip("dmaobj", "w0 w1 w2 w3 w4 w5", "5fd7ffff ffffffff 0 ff000000 fff0fff affff");
	test_round_trip("ib", "w0 w1", "fffffffc 7ffffeff");
	test_round_trip("chan", "desc", "3fffffff");
	test_round_trip("dma-state", "dma_state", "e007fffd");
	test_round_trip("ramht", "context", "00f0ffff");
	test_refused("pte", "{\"address\":\"1001\"}", "multiple of 0x1000");
	test_refused("pte", "{}", "pte is missing");
	test_refused("pte", "{\"pte\":\"11112222333344445\"}", "up to ffffffffffffffff");
	test_refused("pte", "{\"pte\":\"xyz\"}", "not 'xyz'");
	test_refused("pde", "{\"type\":\"8k\"}", "one of none, 64k, 16k, 4k");
	test_refused("dmaobj", "{\"start\":\"2000\",\"limit\":\"1000\"}", "limit is below start");
	test_refused("ib", "{\"va\":\"2\",\"words\":\"4\"}", "multiple of 0x4");
	test_refused("ib", "{\"va\":\"0\",\"words\":\"2097152\"}", "up to 2097151");
	test_refused("ramht", "{\"handle\":\"1\",\"bits\":\"4\"}", "9 to 12");
	test_refused("fault", "{\"chipset\":\"c0\",\"trap\":[\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"]}",
		     "none of the NV50 family");
	test_refused("fault", "{\"trap\":[\"0\",\"0\"]}", "6 hexadecimal words");
	test_refused("pte", "{\"address\":\"1000\",\"readonly\":\"1\"}", "did you mean ro");
	test_refused("dmaobj", "{\"start\":\"0\",\"limit\":\"fff\",\"acess\":\"ro\"}",
		     "did you mean access?");
	test_refused("pte", "{\"addres\":\"1000\"}", "no field 'addres'; did you mean address?");
	test_refused("dmaobj", "{\"w0\":\"7fc00002\",\"start\":\"0\",\"limit\":\"0\"}",
		     "w0 is given as '7fc00002', but the other fields make it '7fc0003d'");
	test_refused("ib", "{\"va\":\"0\",\"words\":\"4\",\"junk\":\"1\"}", "no field 'junk', it has va");
	test_as_nouveau();
	test_places();
	test_words();
	test_json();
	test_csv();
	return tap_end();
}
