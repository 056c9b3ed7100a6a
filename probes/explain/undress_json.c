// SPDX-License-Identifier: Apache-2.0
// Lines of JSON as container runtimes and loggers write them.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/undress.h"

#define LOOKED_AT 20 /* lines of a head */

/* Members that matter, the likelier name first. */
static const char *const messages[] = {
	"log",      "message", "msg",  "textPayload", "MESSAGE",
	"@message", "text",    "line", "event",       NULL,
};
static const char *const times[] = {
	"time", "timestamp", "@timestamp", "ts", "asctime", "datetime", NULL,
};
static const char *const sources[] = {
	"pod",  "pod_name", "_HOSTNAME", "hostname",
	"host", "node",     "node_name", NULL,
};

/* A string of the line, as it is written, without its quotes. */
struct span {
	const char *at;
	size_t len;
};

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* The string that begins at the quote @at; NULL: it does not end. */
static const char *take_string(const char *at, const char *end,
                               struct span *ret)
{
	ret->at = ++at;
	while (at < end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	if (at >= end)
		return NULL;
	ret->len = (size_t)(at - ret->at);
	return at + 1;
}

static int rank_of(const char *const names[], const struct span *key)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == key->len &&
		    !memcmp(names[i], key->at, key->len))
			return i;
	return -1;
}

/* Keep @value if @key is one of @names, and likelier than what there is. */
static void keep(const char *const names[], const struct span *key,
                 const struct span *value, int *have, struct span *ret)
{
	int rank = rank_of(names, key);

	if (rank < 0 || (*have >= 0 && rank >= *have))
		return;
	*have = rank;
	*ret = *value;
}

struct members {
	struct span message, time, source;
	int n_message, n_time, n_source; /* which of the names; -1: none */
};

/* Members with a text, however deep they are; false: it is no JSON. */
static bool find_members(const char *line, size_t len, struct members *m)
{
	const char *at = skip_blanks(line, line + len), *end = line + len;

	*m = (struct members){ .n_message = -1, .n_time = -1, .n_source = -1 };
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	if (end - at < 2 || *at != '{' || end[-1] != '}')
		return false;
	while (at && at < end) {
		struct span key, value;

		if (*at != '"') {
			at++;
			continue;
		}
		at = take_string(at, end, &key);
		if (!at)
			return false;
		at = skip_blanks(at, end);
		if (at >= end || *at != ':')
			continue;
		at = skip_blanks(at + 1, end);
		if (at >= end || *at != '"')
			continue;
		at = take_string(at, end, &value);
		if (!at)
			return false;
		keep(messages, &key, &value, &m->n_message, &m->message);
		keep(times, &key, &value, &m->n_time, &m->time);
		keep(sources, &key, &value, &m->n_source, &m->source);
	}
	return true;
}

bool undress_is_json(const char *head, size_t len)
{
	const char *at = head, *end = head + len;
	size_t lines = 0, good = 0;

	while (at < end && lines < LOOKED_AT) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct members m;

		if (!stop && lines)
			break; /* the head's end cuts it */
		stop = stop ? stop : end;
		if (skip_blanks(at, stop) < stop) {
			lines++;
			good += find_members(at, (size_t)(stop - at), &m) &&
			        m.n_message >= 0;
		}
		at = stop + 1;
	}
	return good && good * 10 >= lines * 8;
}

static int hex_of(const char *at)
{
	char digits[5] = { at[0], at[1], at[2], at[3], 0 };

	for (int i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)digits[i]))
			return -1;
	return (int)strtol(digits, NULL, 16);
}

/* Of the basic plane, which is all that a \u can hold by itself. */
static size_t put_utf8(int code, char *out)
{
	if (code < 0x80) {
		out[0] = (char)(code ? code : '?');
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xc0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	out[0] = (char)(0xe0 | code >> 12);
	out[1] = (char)(0x80 | (code >> 6 & 0x3f));
	out[2] = (char)(0x80 | (code & 0x3f));
	return 3;
}

static size_t unescape(const struct span *from, char *out)
{
	static const char letters[] = "ntrbf", values[] = "\n\t\r  ";
	size_t n = 0;

	for (size_t i = 0; i < from->len; i++) {
		const char *known;
		int code;

		if (from->at[i] != '\\' || i + 1 >= from->len) {
			out[n++] = from->at[i];
			continue;
		}
		i++;
		known = strchr(letters, from->at[i]);
		code = from->at[i] == 'u' && i + 4 < from->len
		               ? hex_of(from->at + i + 1)
		               : -1;
		if (code >= 0) {
			n += put_utf8(code, out + n);
			i += 4;
		} else {
			out[n++] =
				known ? values[known - letters] : from->at[i];
		}
	}
	return n;
}

static bool is_stamp(const struct span *s)
{
	return s->len >= 19 && isdigit((unsigned char)s->at[0]) &&
	       s->at[4] == '-' && !memchr(s->at, '\\', s->len);
}

static bool is_name(const struct span *s)
{
	for (size_t i = 0; i < s->len; i++)
		if (!isalnum((unsigned char)s->at[i]) &&
		    !strchr("._-", s->at[i]))
			return false;
	return s->len > 0;
}

/* No NUL behind it: more follows. */
static size_t put(char *out, const char *text)
{
	size_t n = 0;

	for (; text[n]; n++)
		out[n] = text[n];
	return n;
}

size_t undress_json(const char *line, size_t len, char *out)
{
	struct members m;
	size_t n = 0;

	if (!find_members(line, len, &m) || m.n_message < 0)
		return 0;
	if (m.n_time >= 0 && is_stamp(&m.time)) {
		memcpy(out, m.time.at, m.time.len);
		n = m.time.len;
		out[n++] = ' ';
	}
	if (m.n_source >= 0 && is_name(&m.source)) {
		/* as kubectl would, so that it is known for the source */
		n += put(out + n, "[pod/");
		memcpy(out + n, m.source.at, m.source.len);
		n += m.source.len;
		n += put(out + n, "/log] ");
	}
	return n + unescape(&m.message, out + n);
}
