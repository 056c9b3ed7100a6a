// SPDX-License-Identifier: Apache-2.0
// Characters of pasted texts: what terminals, editors and web pages made of
// them, back into what a tool prints.
#include "topo/source/paste.h"

#include <ctype.h>
#include <string.h>

#define DROP (-1) /* nothing stands for it */
#define KEEP (-2) /* itself */

/* What stands for characters above ASCII; the rest is kept. */
static const struct {
	uint32_t first, last;
	int plain;
} rows[] = {
	{ 0xa0, 0xa0, ' ' },      { 0xad, 0xad, DROP },
	{ 0x2000, 0x200a, ' ' },  { 0x200b, 0x200f, DROP },
	{ 0x2010, 0x2015, '-' },  { 0x2018, 0x2019, '\'' },
	{ 0x201c, 0x201d, '"' },  { 0x2028, 0x2029, '\n' },
	{ 0x202f, 0x202f, ' ' },  { 0x205f, 0x205f, ' ' },
	{ 0x2060, 0x2060, DROP }, { 0x2212, 0x2212, '-' },
	{ 0x2502, 0x2503, '|' },  { 0x2551, 0x2551, '|' },
	{ 0x3000, 0x3000, ' ' },  { 0xfeff, 0xfeff, DROP },
	{ 0xff5c, 0xff5c, '|' },
};

static int plain_of(uint32_t c)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (c >= rows[i].first && c <= rows[i].last)
			return rows[i].plain;
	}
	return KEEP;
}

/* The character at @s and its bytes; one that is not UTF-8 is Latin-1. */
static uint32_t decode(const char *s, size_t left, size_t *ret_n)
{
	unsigned char lead = (unsigned char)s[0];
	size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
	uint32_t c = n == 1 ? lead : lead & (0xffu >> (n + 1));

	*ret_n = 1;
	if (n > left)
		return lead;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return lead;
		c = c << 6 | ((unsigned char)s[i] & 0x3f);
	}
	*ret_n = n;
	return c;
}

/* Bytes of what follows ESC: control sequences (ECMA-48), a terminal's title
 * up to its bell, or one more byte. */
static size_t escape_length(const char *s, size_t left)
{
	size_t n = 1;

	if (!left)
		return 0;
	if (s[0] != '[' && s[0] != ']')
		return 1;
	if (s[0] == '[') {
		while (n < left && (s[n] < '@' || s[n] > '~') && s[n] != '\n')
			n++;
		return n < left && s[n] != '\n' ? n + 1 : n;
	}
	while (n < left && s[n] != '\a' && s[n] != '\033' && s[n] != '\n')
		n++;
	return n < left && s[n] == '\a' ? n + 1 : n;
}

/* "[01;32m", a colour whose ESC was lost; 0: none. */
static size_t colour_length(const char *s, size_t left)
{
	size_t n = 1, digits = 0;

	while (n < left && (isdigit((unsigned char)s[n]) || s[n] == ';')) {
		digits = s[n] == ';' ? 0 : digits + 1;
		if (digits > 3)
			return 0;
		n++;
	}
	return n > 1 && n < left && s[n] == 'm' ? n + 1 : 0;
}

/* What web pages have around and behind lines; no file of ours has these. */
static size_t tag_length(const char *s, size_t left)
{
	static const char *const tags[] = { "<br>",   "<br/>",  "<br />",
		                            "<pre>",  "</pre>", "<code>",
		                            "</code>" };

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++) {
		size_t len = strlen(tags[i]);

		if (len <= left && memcmp(s, tags[i], len) == 0)
			return len;
	}
	return 0;
}

/* Bytes at @s that are no text: escape sequences, also as "^[[0m". */
static size_t noise_length(const char *s, size_t left)
{
	if (s[0] == '\033')
		return 1 + escape_length(s + 1, left - 1);
	if (s[0] == '^' && left > 2 && s[1] == '[' && s[2] == '[')
		return 2 + escape_length(s + 2, left - 2);
	if (s[0] == '<')
		return tag_length(s, left);
	return s[0] == '[' ? colour_length(s, left) : 0;
}

/* A return ends a line, unless the line's end follows. */
static int return_of(const char *s, size_t left)
{
	size_t n = 1;

	while (n < left && s[n] == '\r')
		n++;
	return n < left && s[n] == '\n' ? DROP : '\n';
}

static int ascii_of(const char *s, size_t left)
{
	switch (*s) {
	case '\r':
		return return_of(s, left);
	case '\0':
	case '\v':
	case '\f':
		return ' ';
	case '\a':
		return DROP;
	default:
		return KEEP;
	}
}

/* What @s becomes; *@ret_n bytes of it are read. */
static int clean_char(const char *s, size_t left, size_t *ret_n)
{
	size_t noise = noise_length(s, left);
	uint32_t c;

	if (noise) {
		*ret_n = noise;
		return DROP;
	}
	c = decode(s, left, ret_n);
	return c < 0x80 ? ascii_of(s, left) : plain_of(c);
}

/* Nearly all of a text: itself, whatever is around it. */
static bool is_plain(char c)
{
	return (c >= ' ' && c <= '~' && c != '[' && c != '^' && c != '<') ||
	       c == '\n' || c == '\t';
}

static size_t clean_bytes(const char *data, size_t len, char *out)
{
	size_t used = 0, n;

	for (size_t i = 0; i < len; i += n) {
		int c;

		for (; i < len && is_plain(data[i]); i++)
			out[used++] = data[i];
		if (i == len)
			break;
		c = clean_char(data + i, len - i, &n);
		if (c >= 0)
			out[used++] = (char)c;
		for (size_t k = 0; c == KEEP && k < n; k++)
			out[used++] = data[i + k];
	}
	out[used] = '\0';
	return used;
}

static size_t encode(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | c >> 12);
	out[1] = (char)(0x80 | (c >> 6 & 0x3f));
	out[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

/* UTF-16 into @out; halves of pairs are characters of their own, which no
 * tool's text has. */
static size_t widen(const char *data, size_t len, bool little, char *out)
{
	size_t used = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		unsigned char a = (unsigned char)data[i];
		unsigned char b = (unsigned char)data[i + 1];

		used += encode(little ? (uint32_t)b << 8 | a
		                      : (uint32_t)a << 8 | b,
		               out + used);
	}
	return used;
}

size_t paste_room(size_t len)
{
	return 2 * len + 1;
}

size_t paste_clean(const struct source_text *raw, char *out)
{
	bool little = raw->len > 1 && memcmp(raw->data, "\xff\xfe", 2) == 0;
	bool big = raw->len > 1 && memcmp(raw->data, "\xfe\xff", 2) == 0;
	size_t used;

	if (!little && !big)
		return clean_bytes(raw->data, raw->len, out);
	/* What it becomes is never longer than what was read. */
	used = widen(raw->data + 2, raw->len - 2, little, out);
	return clean_bytes(out, used, out);
}
