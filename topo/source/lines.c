// SPDX-License-Identifier: Apache-2.0
// Lines of a saved text.
#include "topo/source/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool source_has(const struct source_text *text, const char *word)
{
	return memmem(text->data, text->len, word, strlen(word)) != NULL;
}

/* Bytes of the escape sequence at @s (ECMA-48 control sequences, and those of
 * two bytes). */
static size_t escape_length(const char *s, size_t left)
{
	size_t n = 2;

	if (left < 2 || s[1] != '[')
		return left < 2 ? left : n;
	while (n < left && (s[n] < '@' || s[n] > '~') && s[n] != '\n')
		n++;
	return n < left && s[n] != '\n' ? n + 1 : n;
}

/* What stands for @s in the clean text; *@ret_n bytes of @s are read. */
static int clean_char(const char *s, size_t left, size_t *ret_n)
{
	*ret_n = 1;
	switch (*s) {
	case '\033':
		*ret_n = escape_length(s, left);
		return -1;
	case '\r':
		return -1;
	case '\0':
		return ' ';
	case '\xc2':
		if (left < 2 || s[1] != '\xa0')
			break;
		*ret_n = 2;
		return ' ';
	case '\xe2':
		if (left < 3 || s[1] != '\x94' || s[2] != '\x82')
			break;
		*ret_n = 3;
		return '|';
	default:
		break;
	}
	return (unsigned char)*s;
}

enum fp_status lines_open(struct lines *lines, const struct source_text *text,
                          struct fp_err *err)
{
	char *clean = malloc(text->len + 1);
	size_t used = 0, n;

	if (!clean)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a text");
	for (size_t i = 0; i < text->len; i += n) {
		int c = clean_char(text->data + i, text->len - i, &n);

		if (c >= 0)
			clean[used++] = (char)c;
	}
	clean[used] = '\0';
	*lines = (struct lines){ .text = clean, .len = used };
	return FP_OK;
}

bool lines_next(struct lines *lines)
{
	char *end;

	if (lines->at >= lines->len || lines->number == INT32_MAX)
		return false;
	lines->line = lines->text + lines->at;
	end = memchr(lines->line, '\n', lines->len - lines->at);
	lines->cut = !end;
	if (!end)
		end = lines->text + lines->len;
	*end = '\0';
	lines->line_len = (size_t)(end - lines->line);
	lines->at += lines->line_len + 1;
	lines->number++;
	return true;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	free(lines->text);
	*lines = (struct lines){ 0 };
}

char *line_trim(char *line)
{
	char *end;

	while (isspace((unsigned char)*line))
		line++;
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return line;
}

int32_t line_number(const char *text, const char *prefix, const char **ret_end)
{
	size_t skip = strlen(prefix);
	int64_t n = 0;

	if (strncmp(text, prefix, skip) != 0 ||
	    !isdigit((unsigned char)text[skip]))
		return -1;
	for (text += skip; isdigit((unsigned char)*text); text++) {
		n = n * 10 + (*text - '0');
		if (n > INT32_MAX)
			return -1;
	}
	if (ret_end)
		*ret_end = text;
	return (int32_t)n;
}

char *line_value(char *line, const char *key)
{
	size_t len = strlen(key);
	char *at;

	while (isspace((unsigned char)*line))
		line++;
	if (strncmp(line, key, len) != 0)
		return NULL;
	at = line + len;
	while (*at == ' ' || *at == '\t')
		at++;
	return *at == ':' ? line_trim(at + 1) : NULL;
}
