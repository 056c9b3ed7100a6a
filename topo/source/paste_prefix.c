// SPDX-License-Identifier: Apache-2.0
// What launchers, pagers, log collectors and mailers put before a line.
#include "topo/source/paste_prefix.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static size_t blanks(const struct paste_line *line, size_t at)
{
	size_t n = 0;

	while (at + n < line->len && line->s[at + n] == ' ')
		n++;
	return n;
}

static bool has(const struct paste_line *line, size_t at, const char *word)
{
	size_t len = strlen(word);

	return line->len - at >= len && memcmp(line->s + at, word, len) == 0;
}

static bool any_digit(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (isdigit((unsigned char)s[i]))
			return true;
	}
	return false;
}

/* "17" at @at, as label and number. Return: its digits. */
static size_t take_digits(const struct paste_line *line, size_t at,
                          struct paste_prefix *ret)
{
	int64_t number = 0;
	size_t n = 0;

	while (n < 9 && at + n < line->len &&
	       isdigit((unsigned char)line->s[at + n]))
		number = 10 * number + (line->s[at + n++] - '0');
	*ret = (struct paste_prefix){ .label = line->s + at,
		                      .label_len = n,
		                      .number = n ? number : -1 };
	return n;
}

/* "[1,0]<stdout>:" of mpirun, "[pod/x/y] " of kubectl, "[default0]:" of
 * torchrun, "[3] " of hydra. */
static bool take_tag(const struct paste_line *line, struct paste_prefix *ret)
{
	size_t n = 1;
	bool is = false;

	if (!line->len || line->s[0] != '[')
		return false;
	while (n < line->len &&
	       (is_word(line->s[n]) || strchr(",/@", line->s[n])))
		is |= strchr(",/", line->s[n++]) != NULL;
	if (n < 2 || n >= line->len || line->s[n] != ']')
		return false;
	is |= has(line, 1, "default") || has(line, 1, "rank") ||
	      take_digits(line, 1, ret) == n - 1;
	*ret = (struct paste_prefix){ .label = line->s + 1,
		                      .label_len = n - 1,
		                      .number = -1 };
	n++;
	if (has(line, n, "<stdout>") || has(line, n, "<stderr>"))
		n += strlen("<stdout>");
	n += n < line->len && line->s[n] == ':';
	ret->len = n;
	return is;
}

/* ":34:56" at @at. */
static bool is_clock(const struct paste_line *line, size_t at)
{
	const char *s = line->s + at;

	return line->len - at >= 6 && isdigit((unsigned char)s[1]) &&
	       isdigit((unsigned char)s[2]) && s[3] == ':' &&
	       isdigit((unsigned char)s[4]);
}

/* " 0: " of srun, "12:" of grep -n. */
static bool take_number(const struct paste_line *line, struct paste_prefix *ret)
{
	size_t at = blanks(line, 0), n = take_digits(line, at, ret);

	at += n;
	if (!n || at >= line->len || line->s[at] != ':' || is_clock(line, at))
		return false;
	ret->len = at + 1;
	return true;
}

/* "  12  " and "  12<tab>" of pagers: only if they count. */
static bool take_count(const struct paste_line *line, struct paste_prefix *ret)
{
	size_t at = blanks(line, 0), n = take_digits(line, at, ret);
	size_t gap;

	at += n;
	gap = blanks(line, at);
	ret->label_len = 0;
	if (!n || (at < line->len && line->s[at] != '\t' && gap < 2))
		return false;
	ret->len = at + (at < line->len && line->s[at] == '\t' ? 1
	                 : gap < 2                             ? gap
	                                                       : 2);
	return true;
}

/* "node17: " of pdsh; what a driver calls itself is no host. */
static bool take_host(const struct paste_line *line, struct paste_prefix *ret)
{
	static const char *const drivers[] = { "nvidia", "mlx", "NVRM", "ib" };
	size_t n = 0;

	while (n < line->len && is_word(line->s[n]))
		n++;
	if (!n || n >= line->len || line->s[n] != ':' ||
	    !any_digit(line->s, n) ||
	    (n + 1 < line->len && !strchr(" \t", line->s[n + 1])))
		return false;
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++) {
		if (has(line, 0, drivers[i]))
			return false;
	}
	*ret = (struct paste_prefix){
		.len = n + 1, .label = line->s, .label_len = n, .number = -1
	};
	return true;
}

/* "worker-1  | " of docker compose, " 12 | " of a web page. */
static bool take_rule(const struct paste_line *line, struct paste_prefix *ret)
{
	size_t at = blanks(line, 0), n = take_digits(line, at, ret);

	if (!n || (at + n < line->len && is_word(line->s[at + n]))) {
		n = 0;
		while (at + n < line->len && is_word(line->s[at + n]))
			n++;
		*ret = (struct paste_prefix){ .label = line->s + at,
			                      .label_len = n,
			                      .number = -1 };
	}
	at += n;
	at += blanks(line, at);
	if (!n || at >= line->len || line->s[at] != '|')
		return false;
	ret->len = at + 1;
	return true;
}

/* "(Worker pid=12, ip=10.0.0.1) " of Ray. */
static bool take_worker(const struct paste_line *line, struct paste_prefix *ret)
{
	const char *end = memchr(line->s, ')', line->len);
	size_t n = end ? (size_t)(end - line->s) : 0;

	if (!n || line->s[0] != '(' || !memmem(line->s, n, " pid=", 5))
		return false;
	*ret = (struct paste_prefix){ .len = n + 1,
		                      .label = line->s + 1,
		                      .label_len = n - 1,
		                      .number = -1 };
	return true;
}

/* "> " of mail, "+" of a patch, "# " of a script. */
static bool take_quote(const struct paste_line *line, struct paste_prefix *ret)
{
	const char mark[] = { line->len ? line->s[0] : ' ', '\0' };
	const char again[] = { ' ', mark[0], '\0' };
	size_t n = 0;

	*ret = (struct paste_prefix){ .label = "", .number = -1 };
	if (!strchr(">+#", mark[0]))
		return false;
	while (has(line, n, mark) || (n && has(line, n, again)))
		n += line->s[n] == ' ' ? 2 : 1;
	ret->len = n;
	return true;
}

/* "2025-03-04T10:11:12.123Z stdout F " of container runtimes. */
static bool take_stamp(const struct paste_line *line, struct paste_prefix *ret)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:dd";
	size_t n = 0;

	*ret = (struct paste_prefix){ .label = "", .number = -1 };
	for (; shape[n]; n++) {
		if (n >= line->len ||
		    (shape[n] == 'd' ? !isdigit((unsigned char)line->s[n])
		                     : line->s[n] != shape[n]))
			return false;
	}
	while (n < line->len && line->s[n] != ' ')
		n++;
	if (has(line, n, " stdout ") || has(line, n, " stderr ")) {
		n += strlen(" stdout");
		/* F: a whole line, P: a part of one */
		if (has(line, n, " F") || has(line, n, " P"))
			n += strlen(" F");
	}
	ret->len = n;
	return true;
}

static const struct paste_rule rules[] = {
	{ .take = take_tag },
	{ .take = take_number },
	{ .take = take_count, .counts = true },
	{ .take = take_host, .often = true },
	{ .take = take_rule, .often = true },
	{ .take = take_worker },
	{ .take = take_quote },
	{ .take = take_stamp, .stamps = true },
};

const struct paste_rule *paste_rules(size_t *ret_n)
{
	*ret_n = sizeof(rules) / sizeof(*rules);
	return rules;
}
