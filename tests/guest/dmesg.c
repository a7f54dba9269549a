// SPDX-License-Identifier: MIT
/*
 * Log lines of real machines, from tests/data/dmesg.jsonl. The model makes each error again that it
 * can. The driver's line, "nvfifo explain" and "nvfifo dump" have all facts of the old line.
 *
 * The facts are the decoded members of the file. A row names those that cannot be the same: the
 * channel, its place in memory, the position in the ring. Registers of units that the model does
 * not have are forced to the values of the line.
 *
 * Guards the log, compared with that of real cards (probe-errors.rst), on one chip.
 */
#include "raw.h"
#include "../../hw/nvfifo_object_rule.h"
#include "../../lib/nvfifo_row.h"

#include <ctype.h>

#define LINES		"/src/tests/data/dmesg.jsonl"
#define TEXT		"/tmp/dmesg.txt"
#define NOWHERE		0x7f00000000ull
#define NO_SEM		0x777
#define HANDLE		0x600d0010
#define NULL_CLASS	0x30
#define BAD_WORD	0xffffff00
#define FACTS		6

static struct nv nv;
static uint32_t vm;

struct row {
	const char *id;
	void (*make)(const struct row *r, struct ch *c);
	bool gt215;			/* GT215 and later have the unit */
	bool g84;			/* G84 and later have the procedure */
	bool tp5;			/* the card has six TPs */
	bool no_dump;			/* no channel ends */
	/* Place of the failure in a segment, and its end; 0: anywhere */
	uint64_t get, put;
	uint32_t subc, method, oclass;
	const char *line;		/* for the model */
	const char *differs;		/* members of the decoded line, with a space after each */
	const char *tool;		/* expected output of nvfifo explain instead */
	const char *options;		/* of the driver */
	const char *log[FACTS];		/* in the driver's lines */
	const char *dump[FACTS];	/* in the decoded dump */
};

/* The line of the log that begins this row */
static char mark[40];

/* The kernel's log after the mark of this row; the caller frees it. */
static char *log_of_row(void)
{
	int size = klogctl(10, NULL, 0);	/* SYSLOG_ACTION_SIZE_BUFFER */
	char *buf = calloc(1, (size_t)size + 1), *at = buf, *next;

	need(buf && klogctl(3, buf, size) > 0, "the kernel's log");
	while ((next = strstr(at, mark)))
		at = next + strlen(mark);
	memmove(buf, at, strlen(at) + 1);
	return buf;
}

/* --- Errors --------------------------------------------------------------------------- */

/* Map memory so that @from to @to is in it, and return the word at @from. */
static uint32_t *map_around(uint64_t from, uint64_t to)
{
	uint64_t start = from & ~0xfffull, bytes = (to - start + 4095) & ~0xfffull;
	struct bo bo = sys_bo(&nv, bytes);

	need(!vm_map_at(&nv, vm, &bo, start, 0, 12), "VM_BIND at %llx", (unsigned long long)start);
	return bo.map + (from - start) / 4;
}

static void submit_segment(struct ch *c, uint64_t at, uint64_t end)
{
	struct drm_nvfifo_entry e = { .address = at, .words = (uint32_t)(end - at) / 4 };
	struct drm_nvfifo_sync done;

	c->done = sync_new(&nv);
	done = sync_signal(c->done);
	need(!submit_raw(&nv, c->id, &e, 1, &done, 1, NULL), "SUBMIT");
}

/* The method before the line's is executed, then follows a word that is not a command. */
static void invalid_cmd(const struct row *r, struct ch *c)
{
	uint64_t start = r->get - 8, end = r->put ? r->put : r->get + 8;
	uint32_t class_3d = nvfifo_class_3d(nv.dev.chipset), oclass = r->oclass;
	uint32_t *w = map_around(start, end);

	need(!graph_object_new(&nv, c->id, HANDLE, oclass ? oclass : class_3d), "OBJECT_CREATE");
	graph_bind_m2mf(c);
	p_subc_mthd(c, r->subc, NVFIFO_MTHD_OBJECT, HANDLE);
	need(ch_run(c) == 1, "an object of PGRAPH");
	w[0] = cmd_word(r->subc, r->method - 4, 1);
	w[1] = r->method == 0x1a4 ? GRAPH_ALL_HANDLE : 0;
	w[2] = BAD_WORD;
	submit_segment(c, start, end);
}

/* The pusher has taken the data of a method that PFIFO does not have. */
static void invalid_mthd(const struct row *r, struct ch *c)
{
	uint32_t *w = map_around(r->get - 8, r->put);

	w[0] = cmd_word(r->subc, r->method, 1);
	w[1] = 0;
	submit_segment(c, r->get - 8, r->put);
}

/* A semaphore's access fails, and the MMU's record has the fault of the line. */
static void fault(const struct row *r, struct ch *c)
{
	new_object(c, NO_SEM, NOWHERE, 4096);
	need(ch_run(c) == 1, "a channel that PFIFO has loaded");
	need(ctl_line("%s", r->line), "%s", r->line);
	p_release(c, NO_SEM, 0, 1);
	need(!ch_submit(c), "SUBMIT");
}

/* PGRAPH refuses a method, and the registers are those of the line. */
static void refused_method(const struct row *r, struct ch *c)
{
	need(!graph_object_new(&nv, c->id, HANDLE, NULL_CLASS), "OBJECT_CREATE");
	graph_bind_m2mf(c);
	p_subc_mthd(c, 2, NVFIFO_MTHD_OBJECT, HANDLE);
	need(ch_run(c) == 1, "an object of PGRAPH");
	need(ctl_line("force 400704 %x", r->subc << 16 | r->method) &&
	     ctl_line("force 400708 00300180") && ctl_line("force 400814 %x", r->oclass), "force");
	p_subc_mthd(c, 2, 0x200, 0);
	need(!ch_submit(c), "SUBMIT");
}

static void data_error(const struct row *r, struct ch *c)
{
	graph_bind_m2mf(c);
	need(ch_run(c) == 1, "an object of PGRAPH");
	need(ctl_line("%s", r->line), "%s", r->line);
	p_subc_mthd(c, 5, 0x104, 7);
	need(!ch_submit(c), "SUBMIT");
}

/* A process that ends the failure as soon as the log has the line. */
static pid_t clear_after(const char *text)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		while (!strstr(log_of_row(), text))
			msleep(5);
		ctl_line("clear");
		_exit(0);
	}
	return pid;
}

static void unmap_one(void)
{
	struct bo bo = sys_bo(&nv, 4096);
	uint64_t va = map(&nv, vm, &bo);

	vm_unmap(&nv, vm, va, bo.size);
}

static void stuck_flush(const struct row *r, struct ch *c)
{
	pid_t pid;

	graph_bind_m2mf(c);
	if (r->gt215)
		need(!graph_object_new(&nv, c->id, HANDLE, 0x85b5), "OBJECT_CREATE");
	need(ch_run(c) == 1, "a channel");
	need(ctl_line("%s", r->line), "%s", r->line);
	pid = clear_after(r->log[0]);
	unmap_one();
	need(waitpid(pid, NULL, 0) == pid, "waitpid: %s", strerror(errno));
}

/* PGRAPH stays busy, and STATUS and VSTATUS are those of the line. */
static void busy_flush(const struct row *r, struct ch *c)
{
	pid_t pid;

	graph_bind_m2mf(c);
	need(ch_run(c) == 1, "an object of PGRAPH");
	need(ctl_line("inject pgraph-busy until pgraph"), "pgraph-busy");
	need(ctl_line("%s", r->line), "%s", r->line);
	pid = clear_after("PGRAPH does not get idle");
	unmap_one();
	need(waitpid(pid, NULL, 0) == pid, "waitpid: %s", strerror(errno));
}

/* A unit of PGRAPH traps at once. The channel is in PGRAPH's registers. */
static void unit_trap(const struct row *r, struct ch *c)
{
	graph_bind_m2mf(c);
	need(ch_run(c) == 1, "an object of PGRAPH");
	need(ctl_line("%s", r->line), "%s", r->line);
}

/* DISPATCH keeps the next method. */
static void method_trap(const struct row *r, struct ch *c)
{
	unit_trap(r, c);
	p_subc_mthd(c, 5, r->method, 0);
	need(!ch_submit(c), "SUBMIT");
}

/* A query whose address is not mapped */
static void lost_query(const struct row *r, struct ch *c)
{
	(void)r;
	need(!graph_object_new(&nv, c->id, HANDLE, nvfifo_class_3d(nv.dev.chipset)),
	     "OBJECT_CREATE");
	graph_bind_m2mf(c);
	p_subc_mthd(c, 3, NVFIFO_MTHD_OBJECT, HANDLE);
	p_subc_mthd(c, 3, 0x1ac, GRAPH_ALL_HANDLE);
	need(ch_run(c) == 1, "an object of PGRAPH");
	p_subc_mthd(c, 3, 0x1b00, NOWHERE >> 32);
	p_subc_mthd(c, 3, 0x1b04, (uint32_t)NOWHERE);
	p_subc_mthd(c, 3, 0x1b08, 0x1234);
	p_subc_mthd(c, 3, 0x1b0c, 0x1000);
	need(!ch_submit(c), "SUBMIT");
}

#define POSITION	"ib_get ib_put ib_entries_after_this dma_push dma_push_bits "
#define OF_CHANNEL	"channel inst "

static const struct row rows[] = {
	{ "D04", invalid_cmd, .get = 0xc69e8, .subc = 3, .method = 0xd7c, .differs = POSITION,
	  .log = { "DMA_PUSHER INVALID_CMD", "subchannel 3 method 0d7c", "state 80006d7c",
		   "get 00000c69e8" },
	  .dump = { "INVALID_CMD", "00000c69e8" } },
	{ "D41", invalid_cmd, .get = 0x2002aac4, .put = 0x2002b5c0, .subc = 2, .method = 0x804,
	  .oclass = 0x502d, .differs = POSITION,
	  .log = { "DMA_PUSHER INVALID_CMD", "subchannel 2 method 0804", "state 80004804",
		   "get 002002aac4 put 002002b5c0" },
	  .dump = { "INVALID_CMD", "2002aac4" } },
	{ "D43", invalid_mthd, .get = 0x2002d814, .put = 0x2002e00c, .method = 4,
	  .differs = POSITION,
	  .log = { "DMA_PUSHER INVALID_MTHD", "subchannel 0 method 0004", "state 40000004",
		   "get 002002d814 put 002002e00c" },
	  .dump = { "INVALID_MTHD", "2002d814" } },
	{ "D49", invalid_cmd, .get = 0x216004, .put = 0x216088, .subc = 4, .method = 0x1a4,
	  .differs = POSITION,
	  .log = { "DMA_PUSHER INVALID_CMD", "subchannel 4 method 01a4", "state 800081a4",
		   "get 0000216004 put 0000216088" },
	  .dump = { "INVALID_CMD", "0000216004" } },
	/* The driver's line has the method as well, which nouveau has in the next line. */
	{ "D05", data_error, .line = "force 400110 d", .differs = "meaning ",
	  .tool = "\"error\":\"BEGIN_END_ACTIVE\"",
	  .log = { "PGRAPH DATA_ERROR: BEGIN_END_ACTIVE", "detail 0000000d" },
	  .dump = { "BEGIN_END_ACTIVE" } },
	{ "D44", refused_method, .subc = 7, .method = 0x1230, .oclass = 0x8297,
	  .log = { "PGRAPH ILLEGAL_MTHD", "class 8297 3D subchannel 7 method 1230",
		   "data 00300180" },
	  .dump = { "ILLEGAL_MTHD", "1230", "00300180" } },
	{ "D08", fault, .line = "vm-record 0 b 9 2 20225800 write", .differs = OF_CHANNEL,
	  .log = { "VM fault: write at 0020225800", "engine 0 PGRAPH, client b PROP, slot 9 LOCAL",
		   "PAGE_NOT_PRESENT" },
	  .dump = { "0020225800", "PROP", "PAGE_NOT_PRESENT" } },
	{ "D14", fault, .line = "vm-record 0 b c 0 21a70000 write", .differs = OF_CHANNEL,
	  .log = { "VM fault: write at 0021a70000", "engine 0 PGRAPH, client b PROP, slot c DST2D",
		   "PT_NOT_PRESENT" },
	  .dump = { "0021a70000", "DST2D", "PT_NOT_PRESENT" } },
	/* nouveau has PCE0 for rnndb's PCOPY, and no names of the client and the slot. */
	{ "D21", fault, .gt215 = true, .line = "vm-record d 13 1 6 5756c0 read",
	  .differs = OF_CHANNEL "engine client subclient ",
	  .log = { "VM fault: read at 00005756c0", "engine d PCOPY, client 13 PCOPY, slot 1",
		   "NULL_DMAOBJ" },
	  .dump = { "00005756c0", "PCOPY", "NULL_DMAOBJ" } },
	{ "D23", fault, .gt215 = true, .line = "vm-record d 13 2 6 57dbd0 write",
	  .differs = OF_CHANNEL "engine client subclient ",
	  .log = { "VM fault: write at 000057dbd0", "engine d PCOPY, client 13 PCOPY, slot 2",
		   "NULL_DMAOBJ" },
	  .dump = { "000057dbd0", "PCOPY", "NULL_DMAOBJ" } },
	{ "D24", fault, .gt215 = true, .line = "vm-record d 13 2 6 219728b0 write",
	  .differs = OF_CHANNEL "engine client subclient ",
	  .log = { "VM fault: write at 00219728b0", "engine d PCOPY, client 13 PCOPY, slot 2",
		   "NULL_DMAOBJ" },
	  .dump = { "00219728b0", "PCOPY", "NULL_DMAOBJ" } },
	{ "D11", unit_trap, .tp5 = true, .line = "pgraph prop 5 80 20239300 0",
	  .tool = "\"unit\":\"PROP\",\"tp\":5,\"ustatus\":\"00000080\",\"bits\":[\"CUDA_FAULT\"],\"access\":\"unknown\",\"va\":\"0020239300\"",
	  .log = { "PROP of TP 5 stopped: 00000080 CUDA_FAULT, access at 0020239300" },
	  .dump = { "PROP", "0020239300" } },
	{ "D06", busy_flush, .g84 = true, .no_dump = true, .line = "force 400700 00c01e01",
	  .log = { "PGRAPH does not get idle for a TLB flush: status 00c01e01" } },
	{ "D31", busy_flush, .g84 = true, .no_dump = true, .line = "force 400384 00005068",
	  .log = { "PGRAPH does not get idle for a TLB flush: status ", " 00005068 ",
		   "TPC_TEX" } },
	{ "D37", busy_flush, .g84 = true, .no_dump = true, .line = "force 400700 01bffd01",
	  .log = { "PGRAPH does not get idle for a TLB flush: status 01bffd01" } },
	/* The driver's line has the register instead of its meaning. */
	{ "D30", stuck_flush, .gt215 = true, .no_dump = true, .line = "flush-stuck d",
	  .options = "engines=8", .differs = "meaning ", .tool = "\"value\":\"000d0001\"",
	  .log = { "TLB flush of PCOPY did not end in 2000 ms: register 100c80 is 000d0001" } },
	{ "D47", stuck_flush, .g84 = true, .no_dump = true, .line = "flush-stuck 0",
	  .differs = "meaning ", .tool = "\"value\":\"00000001\"",
	  .log = { "TLB flush of PGRAPH did not end in 2000 ms: register 100c80 is 00000001" } },
};

/* Units of PGRAPH that trap. The file has no line for them. */
static const struct row traps[] = {
	{ "command", method_trap, .method = 0x100, .line = "pgraph dispatch",
	  .tool = "\"stuck\":\"command\",\"subchannel\":5,\"object_class\":\"5039\",\"method\":\"0100\",\"data_high\":\"00000000\",\"data\":\"00000000\"",
	  .log = { "DISPATCH holds a command, subchannel 5 class 5039 M2MF method 0100 ",
		   "data 00000000 00000000, 400848 is 00000001" },
	  .dump = { "DISPATCH holds a command, subchannel 5 class 5039 method 0100" } },
	{ "query", lost_query,
	  .tool = "\"stuck\":\"query\",\"subchannel\":3",
	  .log = { "DISPATCH holds a query, subchannel 3 class ", "method 1b0c ",
		   "data 00000000 00001000" },
	  .dump = { "DISPATCH holds a query, subchannel 3", "method 1b0c" } },
	{ "MP", unit_trap, .line = "pgraph mp 10 1234 5 10008001 e0800780",
	  .tool = "\"pc\":\"001234\",\"warp\":5,\"opcode_low\":\"10008001\",\"opcode_high\":\"e0800780\"",
	  .log = { "MP 0 of TP 0 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5",
		   "opcode 10008001 e0800780" },
	  .dump = { "MP 0 of TP 0 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5" } },
};

/* --- Facts ---------------------------------------------------------------------------- */

/* Drop all white space. */
static void squeeze(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			*to++ = *text;
	*to = '\0';
}

/* Read an object of JSON, or the object that is its member "decoded". */
static void read_object(const char *text, const char *member, struct nvfifo_row *r)
{
	struct nvfifo_row whole = { 0 };
	size_t at;

	need(!nvfifo_row_from_json(member ? &whole : r, text, strcspn(text, "\n"), &at), "JSON: %.200s", text);
	text = member ? nvfifo_row_get(&whole, member) : NULL;
	if (text)
		read_object(text, NULL, r);
	nvfifo_row_free(&whole);
}

/* One of the lines of nvfifo explain has this member among the decoded ones. */
static bool is_explained(const char *explained, const struct nvfifo_field *want)
{
	bool found = false;
	size_t i;

	for (; !found && *explained; explained += strcspn(explained, "\n"), explained += *explained == '\n') {
		struct nvfifo_row have = { 0 };

		read_object(explained, "decoded", &have);
		for (i = 0; i < have.count; i++) {
			const struct nvfifo_field *f = &have.fields[i];

			squeeze(f->text);
			found |= !strcmp(f->name, want->name) && f->kind == want->kind && !strcmp(f->text, want->text);
		}
		nvfifo_row_free(&have);
	}

	return found;
}

/* Each member of the decoded line that may be the same is in the explanation of the driver's. */
static void compare(const struct row *r, const char *line, char *explained)
{
	unsigned int members = 0, missing = 0;
	struct nvfifo_row decoded = { 0 };
	char key[80];
	size_t i;

	read_object(line, "decoded", &decoded);
	for (i = 0; i < decoded.count; i++) {
		const struct nvfifo_field *f = &decoded.fields[i];

		snprintf(key, sizeof(key), "%s ", f->name);
		if (r->differs && strstr(r->differs, key))
			continue;
		members++;
		squeeze(f->text);
		if (is_explained(explained, f))
			continue;
		missing++;
		diag("no member %s: %s", f->name, f->text);
	}
	nvfifo_row_free(&decoded);

	squeeze(explained);
	if (r->tool && !strstr(explained, r->tool)) {
		missing++;
		diag("no %s", r->tool);
	}
	check(!missing && (members || r->tool), "%s: nvfifo explain has %u members of the line",
	      r->id, members);
}

static bool has_all(const char *text, const char *const *facts)
{
	unsigned int i;

	for (i = 0; i < FACTS && facts[i]; i++)
		if (!strstr(text, facts[i]))
			return false;
	return true;
}

static void tell_missing(const char *text, const char *const *facts)
{
	unsigned int i;

	for (i = 0; i < FACTS && facts[i]; i++)
		if (!strstr(text, facts[i]))
			diag("no '%s'", facts[i]);
}

/* Wait for the lines: a work item writes some of them after the fences. */
static char *logged(const struct row *r)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	char *text = log_of_row();

	while (!has_all(text, r->log) && now_ns() < end) {
		msleep(20);
		free(text);
		text = log_of_row();
	}
	return text;
}

static char *output_of(const char *command)
{
	FILE *f = popen(command, "r");
	size_t used = 0, room = MIB;
	char *text = calloc(1, room);

	need(f && text, "%s", command);
	used = fread(text, 1, room - 1, f);
	text[used] = '\0';
	pclose(f);
	return text;
}

static void write_text(const char *text)
{
	FILE *f = fopen(TEXT, "w");

	need(f && fputs(text, f) >= 0 && !fclose(f), "%s", TEXT);
}

/* --- Dumps ---------------------------------------------------------------------------- */

static void dumps_drop(void)
{
	char path[128];

	while (coredump_path(path, sizeof(path))) {
		need(!file_write(path, "0"), "write to %s: %s", path, strerror(errno));
		msleep(5);
	}
}

static void check_dump(const struct row *r)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	char path[128], *text, *decoded;

	while (!coredump_path(path, sizeof(path)) && now_ns() < end)
		msleep(5);
	need(coredump_path(path, sizeof(path)), "%s: there is a dump", r->id);
	text = file_text(path);
	need(text, "%s: %s", path, strerror(errno));
	write_text(text);
	free(text);
	decoded = output_of("nvfifo dump " TEXT);
	if (!check(has_all(decoded, r->dump), "%s: nvfifo dump has the facts", r->id)) {
		tell_missing(decoded, r->dump);
		diag("%.1500s", decoded);
	}
	free(decoded);
	dumps_drop();
}

/* --- Rows ----------------------------------------------------------------------------- */

static bool is_made_here(const struct row *r)
{
	if (r->gt215)
		return nv.dev.chipset == 0xa3 || nv.dev.chipset == 0xa5 ||
		       nv.dev.chipset == 0xa8 || nv.dev.chipset == 0xaf;
	if (r->tp5)
		return nv.dev.chipset == 0x50 || nv.dev.chipset == 0x92 || nv.dev.chipset == 0xa0;
	return !r->g84 || nv.g84;
}

static void run_row(const struct row *r, const char *line)
{
	char options[80], *text, *explained;
	struct ch c;

	snprintf(options, sizeof(options), "job_timeout_ms=1500 %s", r->options ? r->options : "");
	module_reload(options);
	dumps_drop();
	nv_open(&nv);
	if (!is_made_here(r)) {
		skip("%s # SKIP this chip does not have the unit", r->id);
		nv_close(&nv);
		return;
	}

	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	snprintf(mark, sizeof(mark), "test: line %s\n", r->id);
	need(!file_write("/dev/kmsg", mark), "/dev/kmsg");
	violations_allow(true);
	r->make(r, &c);
	text = logged(r);
	ctl_line("clear");
	violations_allow(false);
	if (!check(has_all(text, r->log), "%s: the driver's lines have the facts", r->id)) {
		tell_missing(text, r->log);
		diag("%.1500s", text);
	}

	write_text(text);
	explained = output_of("nvfifo explain --json --chipset $CHIPSET " TEXT);
	compare(r, line, explained);
	free(explained);
	free(text);
	if (!r->no_dump)
		check_dump(r);
	nv_close(&nv);
}

static const struct row *find_row(const char *id)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].id, id))
			return &rows[i];
	return NULL;
}

static void t_lines(void)
{
	char *text = file_text(LINES), *line, *next;
	const struct row *row;

	need(text, LINES);
	for (line = text; *line; line = next) {
		struct nvfifo_row whole = { 0 };
		const char *id;

		next = strchr(line, '\n');
		next = next ? next + 1 : line + strlen(line);
		if (next > line)
			next[-1] = '\0';
		alarm(TEST_S);
		read_object(line, NULL, &whole);
		id = nvfifo_row_get(&whole, "id");
		need(id, "the id of a line");
		row = find_row(id);
		if (check(row, "%s: the model can make it", id))
			run_row(row, line);
		nvfifo_row_free(&whole);
	}
	free(text);
}

static void t_traps(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(traps); i++) {
		alarm(TEST_S);
		run_row(&traps[i], "{\"decoded\": {}}");
	}
}

int main(int argc, char **argv)
{
	static const struct test tests[] = { TEST_ONCE(t_lines), TEST_ONCE(t_traps) };

	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
