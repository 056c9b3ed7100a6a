// SPDX-License-Identifier: Apache-2.0
// Slurm's topology.conf: leaves and the hosts under them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/fabric/wiring.h"

#define RANGE_MAX 1000000
#define BLANKS " \t\r"

/* struct reader - where in the file, and what for. */
struct reader {
	struct wiring *w;
	struct wiring_plug plug;
	unsigned line;
	struct fp_err *err;
};

static enum fp_status bad(struct reader *r, const char *what)
{
	return fp_err_set(r->err, FP_ERR_INPUT, "line %u: %s", r->line, what);
}

static enum fp_status add_host(struct reader *r, const char *name, size_t len)
{
	if (len == 0)
		return FP_OK;
	if (len >= sizeof(r->plug.host))
		return bad(r, "a host's name is too long");
	memcpy(r->plug.host, name, len);
	r->plug.host[len] = '\0';
	return wiring_add(r->w, &r->plug, r->err);
}

static size_t digits(const char *s)
{
	return strspn(s, "0123456789");
}

/* "001-012" or "7" at @s of a list behind @prefix; zeros in front count. */
static enum fp_status add_range(struct reader *r, const char *prefix,
                                int prefix_len, const char **s,
                                const char *suffix, int suffix_len)
{
	size_t width = digits(*s), second;
	char name[2 * TOPO_NAME_MAX];
	enum fp_status status = FP_OK;
	unsigned long from, to, i;
	int len;

	if (width == 0 || width > 9)
		return bad(r, "no number in a list of hosts");
	from = to = strtoul(*s, NULL, 10);
	*s += width;
	if (**s == '-') {
		second = digits(*s + 1);
		if (second == 0 || second > 9)
			return bad(r, "no number in a list of hosts");
		to = strtoul(*s + 1, NULL, 10);
		*s += 1 + second;
	}
	if (to < from || to - from > RANGE_MAX)
		return bad(r, "a range of hosts that is none");
	for (i = from; !status && i <= to; i++) {
		len = snprintf(name, sizeof(name), "%.*s%0*lu%.*s", prefix_len,
		               prefix, (int)width, i, suffix_len, suffix);
		status = add_host(r, name, (size_t)len);
	}
	return status;
}

/* "h[0-3,8]x" at @s, up to a comma outside of brackets, a blank or the end. */
static enum fp_status add_term(struct reader *r, const char **s)
{
	size_t prefix = strcspn(*s, "[," BLANKS), suffix;
	const char *start = *s, *at, *close;
	enum fp_status status = FP_OK;

	*s += prefix;
	if (**s != '[')
		return add_host(r, start, prefix);
	close = strchr(*s, ']');
	if (!close)
		return bad(r, "a bracket is open");
	suffix = strcspn(close + 1, "[," BLANKS);
	if (close[1 + suffix] == '[')
		return bad(r, "two brackets in a name");
	if (prefix >= TOPO_NAME_MAX || suffix >= TOPO_NAME_MAX)
		return bad(r, "a host's name is too long");
	at = *s;
	do {
		at++;
		status = add_range(r, start, (int)prefix, &at, close + 1,
		                   (int)suffix);
	} while (!status && *at == ',');
	if (!status && at != close)
		return bad(r, "what is no number in a list of hosts");
	*s = close + 1 + suffix;
	return status;
}

static enum fp_status add_hosts(struct reader *r, const char *list)
{
	enum fp_status status = add_term(r, &list);

	while (!status && *list == ',') {
		list++;
		status = add_term(r, &list);
	}
	return status;
}

/* The value of @key in @line, or NULL. */
static const char *value_of(const char *line, const char *key)
{
	size_t len = strlen(key);

	while (*line) {
		line += strspn(line, BLANKS);
		if (strncasecmp(line, key, len) == 0 && line[len] == '=')
			return line + len + 1;
		line += strcspn(line, BLANKS);
	}
	return NULL;
}

static enum fp_status read_line(struct reader *r, char *line)
{
	const char *name, *hosts;
	size_t len;

	line[strcspn(line, "#")] = '\0';
	name = value_of(line, "SwitchName");
	hosts = value_of(line, "Nodes");
	if (!name || !hosts)
		return FP_OK;
	len = strcspn(name, BLANKS);
	if (len == 0 || len >= sizeof(r->plug.leaf))
		return bad(r, "a switch's name is empty or too long");
	memcpy(r->plug.leaf, name, len);
	r->plug.leaf[len] = '\0';
	return add_hosts(r, hosts);
}

enum fp_status wiring_read_slurm(struct wiring *w, const char *text,
                                 struct fp_err *err)
{
	struct reader r = {
		.w = w,
		.plug = { .nic = -1, .port = -1 },
		.err = err,
	};
	enum fp_status status = FP_OK;
	char *line;
	size_t len;

	for (; !status && *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		r.line++;
		line = strndup(text, len);
		if (!line)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory for a line");
		status = read_line(&r, line);
		free(line);
	}
	return status;
}
