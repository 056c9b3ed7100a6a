// SPDX-License-Identifier: Apache-2.0
// Takes off what stands before each line of a pasted text.
#include "topo/source/paste.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/source/kmsg_event.h"
#include "topo/source/paste_prefix.h"

#define ROUNDS 3 /* one prefix behind another */
#define LABELS_MAX 64
#define LINES_MIN 3 /* fewer do not show a rule */

/** struct speaker - a label, and what was said under it. */
struct speaker {
	const char *label;
	size_t len, lines;
	uint64_t said;
};

/** struct census - of one rule over all lines. */
struct census {
	struct speaker speakers[LABELS_MAX];
	size_t n_speakers;
	size_t lines, match, count; /* not blank; with a prefix; next number */
	size_t gaps;                /* with a blank behind the prefix, or end */
	bool many;                  /* labels without end */
};

static bool next_line(const struct paste *p, size_t *at, struct paste_line *ret)
{
	char *end;

	if (*at >= p->text.len)
		return false;
	ret->s = p->data + *at;
	end = memchr(ret->s, '\n', p->text.len - *at);
	ret->len = end ? (size_t)(end - ret->s) : p->text.len - *at;
	*at += ret->len + 1;
	return true;
}

static struct speaker *speaker_of(struct census *c,
                                  const struct paste_prefix *prefix)
{
	struct speaker *s;

	for (size_t i = 0; i < c->n_speakers; i++) {
		s = &c->speakers[i];
		if (s->len == prefix->label_len &&
		    memcmp(s->label, prefix->label, s->len) == 0)
			return s;
	}
	c->many |= c->n_speakers == LABELS_MAX;
	if (c->many)
		return NULL;
	s = &c->speakers[c->n_speakers++];
	*s = (struct speaker){ .label = prefix->label,
		               .len = prefix->label_len,
		               .said = 0xcbf29ce484222325 };
	return s;
}

static void hear(struct speaker *s, const struct paste_line *line, size_t from)
{
	s->lines++;
	for (size_t i = from; i < line->len; i++)
		s->said = (s->said ^ (unsigned char)line->s[i]) * 0x100000001b3;
	s->said = (s->said ^ '\n') * 0x100000001b3;
}

static bool is_blank(const struct paste_line *line)
{
	for (size_t i = 0; i < line->len; i++) {
		if (!isspace((unsigned char)line->s[i]))
			return false;
	}
	return true;
}

static void take_census(const struct paste *p, const struct paste_rule *rule,
                        struct census *c)
{
	int64_t last = -1, number = 0, last_number = 0;
	struct paste_prefix prefix;
	struct speaker *s;
	struct paste_line line;

	for (size_t at = 0; next_line(p, &at, &line); number++) {
		if (is_blank(&line))
			continue;
		c->lines++;
		if (!rule->take(&line, &prefix))
			continue;
		c->match++;
		c->gaps += prefix.len == line.len || line.s[prefix.len] == ' ';
		c->count += last >= 0 &&
		            prefix.number == last_number + number - last;
		last = number;
		last_number = prefix.number;
		s = c->many ? NULL : speaker_of(c, &prefix);
		if (s)
			hear(s, &line, prefix.len);
	}
}

/* Most lines have the prefix, and it is of one kind. */
static bool census_fits(const struct paste_rule *rule, struct census *c)
{
	bool counts = 4 * (c->count + 1) >= 3 * c->match;

	if (c->match < LINES_MIN || 4 * c->match < 3 * c->lines)
		return false;
	if (counts || rule->counts) {
		c->n_speakers = 1;
		return counts;
	}
	for (size_t i = 0; rule->often && i < c->n_speakers; i++) {
		if (c->speakers[i].lines < LINES_MIN)
			return false;
	}
	return !c->many;
}

static size_t count_others(const struct census *c)
{
	size_t n = 0;

	for (size_t i = 1; i < c->n_speakers; i++)
		n += c->speakers[i].said != c->speakers[0].said;
	return n;
}

/* Lines of others become empty; with all of them kept, nobody is another. */
static void strip(struct paste *p, const struct paste_rule *rule,
                  const struct census *c, bool keep_all)
{
	const struct speaker *first = &c->speakers[0];
	bool one = c->n_speakers == 1 || keep_all;
	size_t at = 0, used = 0;
	struct paste_prefix prefix;
	struct paste_line line;

	while (next_line(p, &at, &line)) {
		size_t from = rule->take(&line, &prefix) ? prefix.len : 0;
		bool gap = from && c->gaps == c->match && from < line.len;
		bool ends = line.s + line.len < p->data + p->text.len;

		if (from && !one &&
		    (prefix.label_len != first->len ||
		     memcmp(prefix.label, p->label, first->len) != 0))
			from = line.len;
		else
			from += gap;
		memmove(p->data + used, line.s + from, line.len - from);
		used += line.len - from;
		if (ends)
			p->data[used++] = '\n';
	}
	p->data[used] = '\0';
	p->text.len = used;
}

static bool unlabel(struct paste *p, const struct paste_rule *rule,
                    bool keep_all, struct census *c)
{
	const struct speaker *first = &c->speakers[0];

	*c = (struct census){ .lines = 0 };
	take_census(p, rule, c);
	if (!census_fits(rule, c))
		return false;
	if (c->n_speakers > 1 && !keep_all) {
		if (first->len >= PASTE_LABEL_MAX)
			return false;
		memcpy(p->label, first->label, first->len);
		p->label[first->len] = '\0';
		p->others += count_others(c);
	}
	strip(p, rule, c, keep_all);
	return true;
}

/* Stamps of a kernel log say when, unless they are a collector's, and the
 * kernel's own stand behind them. */
static bool has_own_stamps(const struct paste *p, const struct paste_rule *rule)
{
	struct paste_prefix prefix;
	struct paste_line line;
	struct kmsg_stamp stamp;
	char rest[128];

	for (size_t at = 0; next_line(p, &at, &line);) {
		if (!rule->take(&line, &prefix))
			continue;
		(void)snprintf(rest, sizeof(rest), "%.*s",
		               (int)(line.len - prefix.len),
		               line.s + prefix.len);
		kmsg_stamp_read(rest, &stamp);
		if (stamp.clock != KMSG_NO_CLOCK)
			return true;
	}
	return false;
}

static void unlabel_all(struct paste *paste)
{
	bool kernel = source_kmsg_ops.sniff(&paste->text);
	struct census census;
	size_t n;
	const struct paste_rule *rules = paste_rules(&n);

	for (int round = 0; round < ROUNDS; round++) {
		bool any = false;

		for (size_t i = 0; i < n; i++) {
			if (kernel && rules[i].stamps &&
			    !has_own_stamps(paste, &rules[i]))
				continue;
			any |= unlabel(paste, &rules[i], kernel, &census);
		}
		if (!any)
			return;
	}
}

enum fp_status paste_open(const struct source_text *raw, struct paste *ret,
                          struct fp_err *err)
{
	char *data = malloc(paste_room(raw->len));

	if (!data)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a text");
	*ret = (struct paste){ .data = data };
	ret->text.data = data;
	ret->text.len = paste_clean(raw, data);
	unlabel_all(ret);
	ret->text.len = paste_uncsv(data, ret->text.len);
	return FP_OK;
}

void paste_close(struct paste *paste)
{
	if (!paste)
		return;
	free(paste->data);
	*paste = (struct paste){ .data = NULL };
}
