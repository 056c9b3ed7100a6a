// SPDX-License-Identifier: Apache-2.0
// What a type of option takes, and how it is read.
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/opts/table.h"
#include "probes/session/session.h"
#include "topo/base/fmt.h"

/* struct opt_kind - one type of option. */
struct opt_kind {
	bool (*read)(const struct opt_row *row, const char *text, void *field);
	void (*accepted)(const struct opt_row *row, struct fp_text *out);
};

static bool read_flag(const struct opt_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	*(bool *)field = true;
	return true;
}

static bool read_set(const struct opt_row *row, const char *text, void *field)
{
	(void)text;
	*(uint32_t *)field = (uint32_t)row->min;
	return true;
}

static bool read_number(const char *text, int base, uint64_t *ret)
{
	char *end;

	/* strtoull would take a sign and spaces */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*ret = strtoull(text, &end, base);
	return !errno && !*end;
}

static bool read_uint(const struct opt_row *row, const char *text, void *field)
{
	uint64_t value;

	if (!read_number(text, 10, &value) || value < row->min ||
	    value > row->max)
		return false;
	*(uint32_t *)field = (uint32_t)value;
	return true;
}

static bool read_index(const struct opt_row *row, const char *text, void *field)
{
	if (!read_uint(row, text, field))
		return false;
	++*(uint32_t *)field;
	return true;
}

static void accepted_uint(const struct opt_row *row, struct fp_text *out)
{
	fp_text_printf(out, "%" PRIu64 " to %" PRIu64, row->min, row->max);
}

static bool read_seed(const struct opt_row *row, const char *text, void *field)
{
	(void)row;
	return read_number(text, 0, field);
}

static void accepted_seed(const struct opt_row *row, struct fp_text *out)
{
	(void)row;
	fp_text_printf(out, "a number of 64 bits, decimal or 0x...");
}

static bool read_bytes(const struct opt_row *row, const char *text, void *field)
{
	uint64_t value;

	if (fp_parse_bytes(text, &value, NULL) != FP_OK || value < row->min ||
	    value > row->max)
		return false;
	*(uint64_t *)field = value;
	return true;
}

static void accepted_bytes(const struct opt_row *row, struct fp_text *out)
{
	char min[FP_FMT_MAX], max[FP_FMT_MAX];

	fp_text_printf(out, "%s to %s", fp_fmt_bytes(row->min, min),
	               fp_fmt_bytes(row->max, max));
}

static bool read_seconds(const struct opt_row *row, const char *text,
                         void *field)
{
	double value;

	if (fp_parse_seconds(text, &value, NULL) != FP_OK ||
	    value < (double)row->min / 1e3 || value > (double)row->max / 1e3)
		return false;
	*(double *)field = value;
	return true;
}

static bool read_rate(const struct opt_row *row, const char *text, void *field)
{
	double value;

	(void)row;
	if (fp_parse_rate(text, &value, NULL) != FP_OK || value <= 0)
		return false;
	*(double *)field = value;
	return true;
}

static void accepted_rate(const struct opt_row *row, struct fp_text *out)
{
	(void)row;
	fp_text_printf(out, "a number and GB/s, MB/s or Gb/s, such as "
	                    "350GB/s");
}

/* Whole in the largest unit that divides @ms, as fp_parse_seconds() reads. */
static void append_ms(struct fp_text *out, uint64_t ms)
{
	static const struct {
		uint64_t ms;
		const char *unit;
	} units[] = {
		{ 3600000, "h" }, { 60000, "m" }, { 1000, "s" }, { 1, "ms" }
	};
	size_t i = 0;

	while (ms % units[i].ms || ms < units[i].ms)
		i++;
	fp_text_printf(out, "%" PRIu64 "%s", ms / units[i].ms, units[i].unit);
}

static void accepted_seconds(const struct opt_row *row, struct fp_text *out)
{
	append_ms(out, row->min);
	fp_text_printf(out, " to ");
	append_ms(out, row->max);
}

static bool read_text(const struct opt_row *row, const char *text, void *field)
{
	size_t len = strlen(text);

	if (!len || len > row->max)
		return false;
	*(const char **)field = text;
	return true;
}

static void accepted_text(const struct opt_row *row, struct fp_text *out)
{
	fp_text_printf(out, "1 to %" PRIu64 " characters", row->max);
}

static bool read_addr(const struct opt_row *row, const char *text, void *field)
{
	char bare[INET6_ADDRSTRLEN];
	struct in6_addr addr;
	size_t len = strcspn(text, "%");

	if (len >= sizeof(bare) || strlen(text) > row->max)
		return false;
	memcpy(bare, text, len);
	bare[len] = '\0';
	if (inet_pton(AF_INET6, bare, &addr) != 1 &&
	    (text[len] || inet_pton(AF_INET, bare, &addr) != 1))
		return false;
	*(const char **)field = text;
	return true;
}

static void accepted_addr(const struct opt_row *row, struct fp_text *out)
{
	(void)row;
	fp_text_printf(out, "an IPv4 or IPv6 address in numbers");
}

static bool choice_has(const struct opt_choice *choice, unsigned value)
{
	return !choice->takes || choice->takes(value);
}

int opt_choice_find(const struct opt_choice *choice, const char *name)
{
	unsigned i;

	for (i = 0; i < choice->count; i++)
		if (choice_has(choice, i) && strcmp(choice->name(i), name) == 0)
			return (int)i;
	return -1;
}

static void append_choice(const struct opt_choice *choice, struct fp_text *out)
{
	const char *between = "";
	unsigned i, left = 0;

	for (i = 0; i < choice->count; i++)
		left += choice_has(choice, i);
	for (i = 0; i < choice->count; i++) {
		if (!choice_has(choice, i))
			continue;
		fp_text_printf(out, "%s%s", between, choice->name(i));
		left--;
		between = left > 1 ? ", " : " or ";
	}
}

void opt_choice_text(const struct opt_choice *choice, char *buf, size_t size)
{
	struct fp_text text = { 0 };

	append_choice(choice, &text);
	fp_copy(buf, size, fp_text_str(&text));
	fp_text_free(&text);
}

static bool read_choice(const struct opt_row *row, const char *text,
                        void *field)
{
	int found = opt_choice_find(row->choice, text);

	if (found < 0)
		return false;
	*(uint32_t *)field = (uint32_t)found;
	return true;
}

static void accepted_choice(const struct opt_row *row, struct fp_text *out)
{
	append_choice(row->choice, out);
}

static bool read_texts(const struct opt_row *row, const char *text, void *field)
{
	struct opts_texts *texts = field;

	(void)row;
	if (texts->n == OPTS_INJECT_MAX)
		return false;
	texts->text[texts->n++] = text;
	return true;
}

static void accepted_texts(const struct opt_row *row, struct fp_text *out)
{
	(void)row;
	fp_text_printf(out, "at most %d of them", OPTS_INJECT_MAX);
}

static const struct opt_kind kinds[OPT_TYPE_COUNT] = {
	[OPT_FLAG] = { read_flag, NULL },
	[OPT_SET] = { read_set, NULL },
	[OPT_UINT] = { read_uint, accepted_uint },
	[OPT_INDEX] = { read_index, accepted_uint },
	[OPT_SEED] = { read_seed, accepted_seed },
	[OPT_BYTES] = { read_bytes, accepted_bytes },
	[OPT_SECONDS] = { read_seconds, accepted_seconds },
	[OPT_RATE] = { read_rate, accepted_rate },
	[OPT_TEXT] = { read_text, accepted_text },
	[OPT_ADDR] = { read_addr, accepted_addr },
	[OPT_CHOICE] = { read_choice, accepted_choice },
	[OPT_TEXTS] = { read_texts, accepted_texts },
};

void opt_accepted(const struct opt_row *row, char *buf, size_t size)
{
	struct fp_text text = { 0 };

	if (kinds[row->type].accepted)
		kinds[row->type].accepted(row, &text);
	fp_copy(buf, size, fp_text_str(&text));
	fp_text_free(&text);
}

/* Of one mode, as it would be typed. */
static void append_mode(const struct opt_row *row, uint32_t mode,
                        struct fp_text *out)
{
	struct session_opts session;
	const char *field = (const char *)&session + row->fills;
	char bytes[FP_FMT_MAX];
	uint64_t n;
	double s;

	session_defaults(&session);
	session.mode = mode;
	session_opts_fill(&session);
	if (row->type == OPT_BYTES) {
		memcpy(&n, field, sizeof(n));
		fp_text_printf(out, "%s", fp_fmt_bytes(n, bytes));
		return;
	}
	memcpy(&s, field, sizeof(s));
	if (s > 0)
		append_ms(out, (uint64_t)llround(s * 1e3));
	else
		fp_text_printf(out, "none");
}

/* "default 60s quick, 10m standard", or "default 1M" where all have that. */
static void append_modes(const struct opt_row *row, struct fp_text *out)
{
	struct fp_text words[MODE_COUNT] = { 0 };
	bool same = true;
	uint32_t mode;

	for (mode = 0; mode < MODE_COUNT; mode++) {
		append_mode(row, mode, &words[mode]);
		same &= strcmp(fp_text_str(&words[mode]),
		               fp_text_str(&words[0])) == 0;
	}
	fp_text_printf(out, "default ");
	for (mode = 0; mode < (same ? 1 : MODE_COUNT); mode++)
		fp_text_printf(out, "%s%s%s%s", mode ? ", " : "",
		               fp_text_str(&words[mode]), same ? "" : " ",
		               same ? "" : session_mode_name(mode));
	for (mode = 0; mode < MODE_COUNT; mode++)
		fp_text_free(&words[mode]);
}

void opt_default(const struct opt_row *row, struct fp_text *out)
{
	if (row->dflt)
		fp_text_printf(out, "default%s%s", *row->dflt ? " " : "",
		               row->dflt);
	else if (row->fills)
		append_modes(row, out);
}

char *opt_label(const struct opt_row *row, char buf[static OPT_LABEL_MAX])
{
	if (row->letter)
		(void)snprintf(buf, OPT_LABEL_MAX, "-%c/--%s", row->letter,
		               row->name);
	else
		(void)snprintf(buf, OPT_LABEL_MAX, "--%s", row->name);
	return buf;
}

enum fp_status opt_read(const struct opt_row *row, const char *text,
                        struct opts *opts, struct fp_err *err)
{
	char accepted[OPT_ACCEPTED_MAX], label[OPT_LABEL_MAX], shown[48];

	if (kinds[row->type].read(row, text, (char *)opts + row->field))
		return FP_OK;
	fp_copy(shown, sizeof(shown), text);
	opt_accepted(row, accepted, sizeof(accepted));
	return fp_err_set(err, FP_ERR_USAGE, "%s '%s': use %s",
	                  opt_label(row, label), shown, accepted);
}
