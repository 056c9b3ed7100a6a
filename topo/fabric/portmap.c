// SPDX-License-Identifier: Apache-2.0
// A port map: comma-separated, its first line names the columns.
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/fabric/wiring.h"

#define CELL_MAX 128
#define COLUMNS_MAX 32

enum column { COL_HOST, COL_NIC, COL_SWITCH, COL_PORT, COL_CABLE, COL_COUNT };

static const struct {
	const char *name;
	bool needed;
} columns[COL_COUNT] = {
	[COL_HOST] = { "host", true },     [COL_NIC] = { "nic", true },
	[COL_SWITCH] = { "switch", true }, [COL_PORT] = { "port", false },
	[COL_CABLE] = { "cable", false },
};

struct table {
	uint8_t is[COLUMNS_MAX]; /* enum column of each; COL_COUNT: another */
	size_t n;
	unsigned line;
};

/* One cell, blanks around it and quotes taken off; @s moves behind it. */
static void cell(const char **s, const char *end, char buf[static CELL_MAX])
{
	const char *from = *s, *to;
	size_t len;

	to = memchr(from, ',', (size_t)(end - from));
	*s = to ? to + 1 : end + 1;
	if (!to)
		to = end;
	while (from < to && strchr(" \t\r\"", *from))
		from++;
	while (to > from && strchr(" \t\r\"", to[-1]))
		to--;
	len = (size_t)(to - from);
	if (len >= CELL_MAX)
		len = CELL_MAX - 1;
	memcpy(buf, from, len);
	buf[len] = '\0';
}

static enum column column_of(const char *name)
{
	unsigned c = 0;

	while (c < COL_COUNT && strcmp(columns[c].name, name) != 0)
		c++;
	return c;
}

static enum fp_status read_head(struct table *t, const char *s, const char *end,
                                struct fp_err *err)
{
	bool seen[COL_COUNT + 1] = { false };
	char name[CELL_MAX];
	unsigned c;

	while (s <= end && t->n < COLUMNS_MAX) {
		cell(&s, end, name);
		t->is[t->n] = (uint8_t)column_of(name);
		seen[t->is[t->n++]] = true;
	}
	for (c = 0; c < COL_COUNT; c++)
		if (columns[c].needed && !seen[c])
			return fp_err_set(err, FP_ERR_INPUT,
			                  "no column '%s' in the port map",
			                  columns[c].name);
	return FP_OK;
}

static enum fp_status number(const struct table *t, const char *text, long max,
                             int32_t *ret, struct fp_err *err)
{
	char *end;
	long n;

	if (text[0] == '\0')
		return FP_OK;
	n = strtol(text, &end, 10);
	if (*end || n < 0 || n > max)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "line %u: '%.32s' is no number up to %ld",
		                  t->line, text, max);
	*ret = (int32_t)n;
	return FP_OK;
}

static enum fp_status read_row(const struct table *t, struct wiring *w,
                               const char *s, const char *end,
                               struct fp_err *err)
{
	char cells[COL_COUNT + 1][CELL_MAX] = { { 0 } };
	struct wiring_plug p = { .nic = -1, .port = -1 };
	enum fp_status status;
	size_t i;

	for (i = 0; i < t->n && s <= end; i++)
		cell(&s, end, cells[t->is[i]]);
	if (!cells[COL_HOST][0] || !cells[COL_SWITCH][0])
		return fp_err_set(err, FP_ERR_INPUT,
		                  "line %u: no host or no switch", t->line);
	status =
		number(t, cells[COL_NIC], FABRIC_MAX_PER_HOST - 1, &p.nic, err);
	if (!status)
		status = number(t, cells[COL_PORT], 65535, &p.port, err);
	if (status)
		return status;
	fp_copy(p.host, sizeof(p.host), cells[COL_HOST]);
	fp_copy(p.leaf, sizeof(p.leaf), cells[COL_SWITCH]);
	fp_copy(p.cable, sizeof(p.cable), cells[COL_CABLE]);
	return wiring_add(w, &p, err);
}

static bool is_blank(const char *s, size_t len)
{
	return strspn(s, " \t\r") >= len || *s == '#';
}

enum fp_status wiring_read_csv(struct wiring *w, const char *text,
                               struct fp_err *err)
{
	struct table t = { .n = 0 };
	enum fp_status status = FP_OK;
	size_t len;

	for (; !status && *text; text += len + (text[len] != '\0')) {
		len = strcspn(text, "\n");
		t.line++;
		if (is_blank(text, len))
			continue;
		if (t.n == 0)
			status = read_head(&t, text, text + len, err);
		else
			status = read_row(&t, w, text, text + len, err);
	}
	if (!status && t.n == 0)
		return fp_err_set(err, FP_ERR_INPUT, "the port map is empty");
	return status;
}
