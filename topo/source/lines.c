// SPDX-License-Identifier: Apache-2.0
// Lines of a saved text.
#include "topo/source/lines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/paste.h"

bool source_has(const struct source_text *text, const char *word)
{
	return memmem(text->data, text->len, word, strlen(word)) != NULL;
}

enum fp_status lines_open(struct lines *lines, const struct source_text *text,
                          struct fp_err *err)
{
	char *clean = malloc(paste_room(text->len));

	if (!clean)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a text");
	*lines = (struct lines){ .text = clean,
		                 .len = paste_clean(text, clean) };
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
