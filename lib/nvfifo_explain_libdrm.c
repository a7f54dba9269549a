// SPDX-License-Identifier: MIT
/* libdrm's dump of a submission that the kernel refused, from public reports. */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

/* The texts of errno in some languages; the beginning is enough */
static const struct {
	const char *text;
	unsigned int err;
} errno_texts[] = {
	{ "Invalid argument", 22 }, { "Argument invalide", 22 }, { "Das Argument ist ung", 22 },
	{ "Argumento inv", 22 }, { "Argomento non valido", 22 }, { "Ongeldig argument", 22 },
	{ "Nieprawid\xc5\x82owy argument", 22 }, { "\xd0\x9d\xd0\xb5\xd0\xb4\xd0\xbe\xd0\xbf\xd1\x83\xd1\x81\xd1\x82", 22 },
	{ "No such file or directory", 2 }, { "Aucun fichier ou dossier", 2 },
	{ "Datei oder Verzeichnis nicht gefunden", 2 }, { "No existe el fichero o el directorio", 2 },
	{ "No existe el archivo o el directorio", 2 }, { "File o directory non esistente", 2 },
	{ "No such device", 19 }, { "Aucun p", 19 }, { "Kein passendes Ger", 19 },
	{ "No existe el dispositivo", 19 }, { "Device non esistente", 19 }, { "Dispositivo inexistente", 19 },
	{ "Cannot allocate memory", 12 }, { "Impossible d'allouer de la m", 12 },
	{ "Nicht gen\xc3\xbcgend Hauptspeicher verf\xc3\xbcgbar", 12 }, { "No se pudo asignar memoria", 12 },
	{ "Out of memory", 12 }, { "Input/output error", 5 }, { "Erreur d'entr", 5 },
	{ "Eingabe-/Ausgabefehler", 5 }, { "Error de entrada/salida", 5 }, { "Device or resource busy", 16 },
	{ "ressource occup", 16 }, { "oder Ressource belegt", 16 }, { "Dispositivo o recurso ocupado", 16 },
	{ "Permission denied", 13 }, { "Bad address", 14 }, { "Operation not permitted", 1 },
	{ "Resource deadlock", 35 }, { "Connection timed out", 110 }, { "Interrupted system call", 4 },
	{ "Inappropriate ioctl", 25 }, { "No space left", 28 },
	{ "無効な引数です", 22 }, { "そのようなファイルやディレクトリはありません", 2 }, { "そのようなデバイスはありません", 19 },
	{ "メモリを確保できません", 12 }, { "无效的参数", 22 }, { "没有那个文件或目录", 2 }, { "没有那个设备", 19 },
	{ "无法分配内存", 12 }, { "不適用的引數", 22 }, { "沒有此一檔案或目錄", 2 }, { "沒有此一裝置", 19 },
	{ "無法配置記憶體", 12 }, { "부적절한 인수", 22 }, { "그런 파일이나 디렉터리가 없습니다", 2 }, { "그런 장치가 없음", 19 },
	{ "메모리를 할당할 수 없습니다", 12 }, { "Argumento inválido", 22 },
	{ "Arquivo ou diretório inexistente", 2 }, { "Dispositivo inexistente", 19 },
	{ "Não foi possível alocar memória", 12 }, { "Argumento inválido", 22 },
	{ "Ficheiro ou pasta inexistente", 2 }, { "Dispositivo inexistente", 19 },
	{ "Impossível alocar memória", 12 }, { "Zły argument", 22 },
	{ "Nie ma takiego pliku ani katalogu", 2 }, { "Nie ma takiego urządzenia", 19 },
	{ "Nie można przydzielić pamięci", 12 }, { "Nepřípustný argument", 22 },
	{ "Adresář nebo soubor neexistuje", 2 }, { "Takové zařízení neexistuje", 19 },
	{ "Nelze alokovat paměť", 12 }, { "Ogiltigt argument", 22 },
	{ "Filen eller katalogen finns inte", 2 }, { "Enheten finns inte", 19 },
	{ "Kan inte allokera minne", 12 }, { "Ugyldig argument", 22 },
	{ "Ingen slik fil eller filkatalog", 2 }, { "Ingen slik enhet", 19 },
	{ "Kan ikke tildele minne", 12 }, { "Ugyldigt argument", 22 },
	{ "Ingen sådan fil eller filkatalog", 2 }, { "Ingen sådan enhed", 19 },
	{ "Kan ikke tildele hukommelse", 12 }, { "Virheellinen argumentti", 22 },
	{ "Tiedostoa tai hakemistoa ei ole", 2 }, { "Laitetta ei ole", 19 },
	{ "Muistin varaaminen ei onnistu", 12 }, { "Érvénytelen argumentum", 22 },
	{ "Nincs ilyen fájl vagy könyvtár", 2 }, { "Nincs ilyen eszköz", 19 },
	{ "Nem foglalható memória", 12 }, { "Geçersiz argüman", 22 },
	{ "Böyle bir dosya ya da dizin yok", 2 }, { "Böyle bir aygıt yok", 19 },
	{ "Bellek ayrılamadı", 12 }, { "Некоректний аргумент", 22 },
	{ "Немає такого файла або каталогу", 2 }, { "Пристрою не знайдено", 19 },
	{ "Не вдалося розподілити пам’ять", 12 }, { "Недопустимый аргумент", 22 },
	{ "Нет такого файла или каталога", 2 }, { "Нет такого устройства", 19 },
	{ "Невозможно выделить память", 12 }, { "Ongeldig argument", 22 },
	{ "Bestand of map bestaat niet", 2 }, { "Onjuist apparaat", 19 },
	{ "Onvoldoende geheugen beschikbaar", 12 },
};

/* Advice for a refused submission, by errno */
static const struct {
	unsigned int err;
	const char *advice;
} rejections[] = {
	{ 22, "A handle, a domain or a range of the request is wrong; the kernel log at the same time says which ('validate', 'reloc', 'pushbuf push count exceeds limit')." },
	{ 2, "A buffer of the list has a handle that is closed: it was freed while the request still named it." },
	{ 19, "The channel was killed, or the card is gone: the lines in the kernel log before it name the error." },
	{ 5, "The channel was killed, or the card is gone: the lines in the kernel log before it name the error." },
	{ 12, "The buffers of the request do not fit together in VRAM and system memory, or memory ran out." },
	{ 16, "A buffer or the channel stayed in use: an engine hangs; look for an error in the kernel log before it." },
};

static void rejected(struct ctx *c, const char *s)
{
	const char *text = strstr(s, "rejected pushbuf:") + strlen("rejected pushbuf:");
	unsigned int err = 0;
	size_t i;

	text += strspn(text, " ");
	for (i = 0; i < sizeof(errno_texts) / sizeof(errno_texts[0]) && !err; i++) {
		if (strcasestr(text, errno_texts[i].text))
			err = errno_texts[i].err;
	}

	str(c, "text", "%.100s", text);
	if (err)
		nvfifo_explain_errno(c, err);
	str(c, "meaning", "the kernel refused a submission, and libdrm prints it");
	for (i = 0; i < sizeof(rejections) / sizeof(rejections[0]); i++) {
		if (rejections[i].err == err)
			advise(c, "Nothing of it reached the card. %s", rejections[i].advice);
	}

	if (!*c->e->advice)
		advise(c, "Nothing of it reached the card. The kernel log at the same time says why.");
}

/* libdrm's "ch5:" is the number of the channel. */
static bool request_channel(struct ctx *c, const char *s)
{
	const char *p = strstr(s, ": ch");

	if (!p || !isdigit((unsigned char)p[4])) {
		c->declined = true;
		return false;
	}

	num(c, "channel", nvfifo_text_value(p + 4, 10));
	return true;
}

static void request(struct ctx *c, const char *s)
{
	static const char *const counts[] = { "krec", "pushes", "bufs", "relocs" };
	size_t i;
	__s64 n;

	if (!request_channel(c, s))
		return;

	for (i = 0; i < 4; i++) {
		if (dec(s, counts[i], &n))
			num(c, counts[i], n);
	}

	str(c, "meaning", "the request: segments (pushes), buffers and relocations, which follow");
}

/* VRAM 2, GART 4, and both */
static const char *domain_name(__u64 domains)
{
	static const char *const names[] = {
		"none", "CPU", "VRAM", "VRAM or CPU", "GART", "GART or CPU", "VRAM or GART", "any",
	};

	return domains < 8 ? names[domains] : "unknown bits";
}

/* "buf 00000000 0000000b 00000004 00000004 00000000 0x7f5dc2f80000 0x20010000 0x80000" */
static void request_buffer(struct ctx *c, const char *s)
{
	static const char *const names[] = { "buffer", "handle", "valid_domains", "read_domains", "write_domains" };
	const char *p = strstr(s, " buf ") + strlen(" buf ");
	__u64 v;
	size_t i;

	if (!request_channel(c, s))
		return;

	for (i = 0; i < 5; i++) {
		p = hex_at(p, &v);
		if (!p)
			return;
		if (i == 0)
			num(c, names[i], (__s64)v);
		if (i >= 2)
			means(c, "%s", domain_name(v));
		if (i)
			hexnum(c, names[i], 8, v);
	}

	p += strspn(p, " ");
	p += strcspn(p, " ");
	p = hex_at(p, &v);
	if (!p)
		return;

	means(c, "where it was in the channel's address space");
	hexnum(c, "offset", 10, v);
	if (hex_at(p, &v))
		str(c, "bytes", "%" PRIx64, (uint64_t)v);
}

/* "rel 00000000 00000010 00000001 00000001 00000000 00000000 00000000" */
static void request_relocation(struct ctx *c, const char *s)
{
	static const char *const names[] = { "in_buffer", "at", "of_buffer", "flags", "data", "vram_or", "gart_or" };
	const char *p = strstr(s, " rel ") + strlen(" rel ");
	__u64 v;
	size_t i;

	if (!request_channel(c, s))
		return;

	for (i = 0; i < 7 && p; i++) {
		p = hex_at(p, &v);
		if (p)
			hexnum(c, names[i], 8, v);
	}
}

/* "psh 00000000 0000000100 0000000120": buffer, first byte, byte after the last */
static void request_segment(struct ctx *c, const char *s)
{
	const char *p = strstr(s, " psh ") + strlen(" psh ");
	__u64 buffer, from, to;

	if (!request_channel(c, s))
		return;

	if (*p == '(')
		p += strcspn(p, ")") + 1;
	p = hex_at(p, &buffer);
	p = p ? hex_at(p, &from) : NULL;
	p = p ? hex_at(p, &to) : NULL;
	if (!p) {
		c->e->cut = true;
		return;
	}

	num(c, "buffer", (__s64)buffer);
	means(c, "of the buffer");
	str(c, "from", "%" PRIx64, (uint64_t)from);
	str(c, "to", "%" PRIx64, (uint64_t)to);
	num(c, "words", (__s64)(to - from) / 4);
	advise(c, "The words follow; 'nvfifo disasm' and 'nvfifo lint' read this dump.");
}

/* --- The table ----------------------------------------------------------- */

const struct explain_line nvfifo_explain_libdrm_lines[] = {
	LINE("request", "libdrm", "kernel rejected pushbuf:", NULL, rejected),
	LINE("request", "libdrm", ": krec ", "pushes", request),
	LINE("request", "libdrm", ": buf ", "nouveau: ch", request_buffer),
	LINE("request", "libdrm", ": rel ", "nouveau: ch", request_relocation),
	LINE("request", "libdrm", ": psh ", "nouveau: ch", request_segment),
	SENTENCE("request", "libdrm", "nouveau/pushbuf.c", "nouveau_pushbuf",
		 "A consequence: libdrm ends the program after the kernel refused the submission, or lost count of its buffers. The dump before it shows the cause."),
	{ 0 }
};
