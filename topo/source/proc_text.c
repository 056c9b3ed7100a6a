// SPDX-License-Identifier: Apache-2.0
// Lines and words as /proc writes them.
#include "topo/source/proc_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

/* Copy @len bytes of @text into @buf. */
static void take(const char *text, size_t len, char *buf, size_t size)
{
	char part[4096];

	if (len >= sizeof(part))
		len = sizeof(part) - 1;
	memcpy(part, text, len);
	part[len] = '\0';
	fp_copy(buf, size, part);
}

/* The value of @line, if it is one of @key; NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	if (strncmp(line, key, len) != 0)
		return NULL;
	line += len;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

bool proc_text_value(const char *text, const char *key, char *buf, size_t size)
{
	for (const char *line = text; *line;) {
		const char *value = value_of(line, key);
		size_t len = value ? strcspn(value, "\n") : 0;

		while (len > 0 && isspace((unsigned char)value[len - 1]))
			len--;
		if (value) {
			take(value, len, buf, size);
			return true;
		}
		line += strcspn(line, "\n");
		line += *line == '\n';
	}
	fp_copy(buf, size, "");
	return false;
}

bool proc_text_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = text; *at;) {
		size_t n = strcspn(at, " \t\n");

		if (n == len && strncmp(at, word, len) == 0)
			return true;
		at += n;
		at += strspn(at, " \t\n");
	}
	return false;
}

int32_t proc_text_number_behind(const char *text, const char *prefix)
{
	size_t len = strlen(prefix);
	char *end;
	long n;

	if (strncmp(text, prefix, len) != 0 ||
	    !isdigit((unsigned char)text[len]))
		return -1;
	n = strtol(text + len, &end, 10);
	return *end || n < 0 || n > INT32_MAX ? -1 : (int32_t)n;
}

bool proc_text_version(const char *text, char *buf, size_t size)
{
	for (const char *at = text; *at;) {
		size_t n = strspn(at, "0123456789.");
		bool alone = at == text || !isalnum((unsigned char)at[-1]);

		while (n > 0 && at[n - 1] == '.')
			n--;
		if (alone && n > 0 && isdigit((unsigned char)*at) &&
		    memchr(at, '.', n)) {
			take(at, n, buf, size);
			return true;
		}
		at += n ? n : 1;
	}
	fp_copy(buf, size, "");
	return false;
}
