// SPDX-License-Identifier: Apache-2.0
// The settings of a run as JSON, for its report and journal.
#include <jansson.h>
#include <string.h>

#include "mpi/opts/table.h"

static json_t *json_flag(const struct opt_row *row, const void *field)
{
	(void)row;
	return json_boolean(*(const bool *)field);
}

static json_t *json_set(const struct opt_row *row, const void *field)
{
	return json_boolean(*(const uint32_t *)field == row->min);
}

static json_t *json_uint(const struct opt_row *row, const void *field)
{
	(void)row;
	return json_integer(*(const uint32_t *)field);
}

static json_t *json_index(const struct opt_row *row, const void *field)
{
	uint32_t kept = *(const uint32_t *)field;

	(void)row;
	return kept ? json_integer((json_int_t)kept - 1) : json_null();
}

/* Numbers of JSON end at 2^63 in many readers, seeds do not. */
static json_t *json_seed(const struct opt_row *row, const void *field)
{
	(void)row;
	return json_sprintf("%llu",
	                    (unsigned long long)*(const uint64_t *)field);
}

static json_t *json_bytes(const struct opt_row *row, const void *field)
{
	(void)row;
	return json_integer((json_int_t) * (const uint64_t *)field);
}

static json_t *json_real_of(const struct opt_row *row, const void *field)
{
	(void)row;
	return json_real(*(const double *)field);
}

/* What a person typed may not be UTF-8: then it cannot be a JSON string. */
static json_t *json_text(const struct opt_row *row, const void *field)
{
	json_t *text = json_string(*(const char *const *)field);

	(void)row;
	return text ? text : json_string("(not UTF-8)");
}

static json_t *json_choice(const struct opt_row *row, const void *field)
{
	return json_string(row->choice->name(*(const uint32_t *)field));
}

static json_t *json_texts(const struct opt_row *row, const void *field)
{
	const struct opts_texts *texts = field;
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < texts->n; i++)
		(void)json_array_append_new(list,
		                            json_text(row, &texts->text[i]));
	return list;
}

static json_t *(*const makers[OPT_TYPE_COUNT])(const struct opt_row *row,
                                               const void *field) = {
	[OPT_FLAG] = json_flag,       [OPT_SET] = json_set,
	[OPT_UINT] = json_uint,       [OPT_SEED] = json_seed,
	[OPT_INDEX] = json_index,     [OPT_BYTES] = json_bytes,
	[OPT_SECONDS] = json_real_of, [OPT_RATE] = json_real_of,
	[OPT_TEXT] = json_text,       [OPT_ADDR] = json_text,
	[OPT_CHOICE] = json_choice,   [OPT_TEXTS] = json_texts,
};

char *opts_to_json(const struct opts *opts)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);
	json_t *root = json_object();
	char *text = NULL;
	int bad;

	bad = json_object_set_new(
		root, "command", json_string(opts_command_name(opts->command)));
	for (i = 0; i < n; i++) {
		const void *field = (const char *)opts + rows[i].field;

		if (!opt_row_taken(&rows[i], opts->command) ||
		    rows[i].group == OPT_ABOUT)
			continue;
		bad |= json_object_set_new(
			root, rows[i].name,
			makers[rows[i].type](&rows[i], field));
	}
	if (!bad)
		text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(root);
	return text;
}
