// SPDX-License-Identifier: Apache-2.0
// Growable text, and text that is safe to print and to store.
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

#define TEXT_ROOM_MIN 256

/* Room for @more bytes and the NUL behind them. */
static bool text_reserve(struct fp_text *text, size_t more)
{
	size_t want, room = text->room ? text->room : TEXT_ROOM_MIN;
	char *data;

	if (text->failed)
		return false;
	if (__builtin_add_overflow(text->len, more, &want) ||
	    __builtin_add_overflow(want, 1, &want))
		goto fail;
	if (want <= text->room)
		return true;
	while (room < want && !__builtin_mul_overflow(room, 2, &room))
		;
	data = realloc(text->data, room < want ? want : room);
	if (!data)
		goto fail;
	text->data = data;
	text->room = room < want ? want : room;
	return true;
fail:
	text->failed = 1;
	return false;
}

void fp_text_printf(struct fp_text *text, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		text->failed = 1;
		return;
	}
	if (!text_reserve(text, (size_t)n))
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text->data + text->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	text->len += (size_t)n;
}

void fp_text_append(struct fp_text *text, const char *data, size_t len)
{
	if (len == 0 || !text_reserve(text, len))
		return;
	memcpy(text->data + text->len, data, len);
	text->len += len;
	text->data[text->len] = '\0';
}

const char *fp_text_str(const struct fp_text *text)
{
	return text->data ? text->data : "";
}

void fp_text_free(struct fp_text *text)
{
	if (!text)
		return;
	free(text->data);
	*text = (struct fp_text){ 0 };
}

/* Bytes of a sequence that begins with @lead; 0: none does. Unicode 15.0,
 * table 3-7, less the tighter ranges of the second byte. */
static size_t utf8_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead <= 0xdf)
		return 2;
	if (lead >= 0xe0 && lead <= 0xef)
		return 3;
	return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/* Overlong forms, surrogates, what lies above U+10FFFF, and the C1 controls,
 * which some terminals obey. */
static bool utf8_second_refused(unsigned char lead, unsigned char second)
{
	return (lead == 0xc2 && second < 0xa0) ||
	       (lead == 0xe0 && second < 0xa0) ||
	       (lead == 0xed && second > 0x9f) ||
	       (lead == 0xf0 && second < 0x90) ||
	       (lead == 0xf4 && second > 0x8f);
}

/* Bytes of the printable character at @s, 0 if there is none. */
static size_t text_printable(const unsigned char *s)
{
	size_t n = utf8_length(*s);

	if (n < 2)
		return n && *s >= 0x20 && *s != 0x7f;
	if (utf8_second_refused(s[0], s[1]))
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

void fp_copy(char *dst, size_t size, const char *src)
{
	const unsigned char *s = (const unsigned char *)src;
	size_t used = 0;

	if (size == 0)
		return;
	while (*s) {
		size_t n = text_printable(s), step = n ? n : 1;

		if (step > size - 1 - used)
			break;
		memcpy(dst + used, n ? (const char *)s : "?", step);
		used += step;
		s += step;
	}
	memset(dst + used, 0, size - used);
}
