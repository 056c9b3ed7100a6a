// SPDX-License-Identifier: Apache-2.0
// Reads --inject rules and says when one applies.
#include "probes/xport/inject.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"
#include "topo/model/model.h"

#define WORD_MAX 64
#define BLANKS " \t\r\n"
#define FACTOR_MAX 1e6
#define HOLD_MAX_MS 60000.0
#define TIME_MAX_S 1e9
#define JITTER_P 0.1 /* where the rule does not say */

#define KIND(kind) (1u << (kind))
#define ALL_KINDS (KIND(INJECT_KIND_COUNT) - 1)
#define LINK_KINDS                                                      \
	(KIND(INJECT_SLOW) | KIND(INJECT_CORRUPT) | KIND(INJECT_HANG) | \
	 KIND(INJECT_DROP) | KIND(INJECT_JITTER))

static const char *const kind_names[INJECT_KIND_COUNT] = {
	[INJECT_SLOW] = "slow",     [INJECT_CORRUPT] = "corrupt",
	[INJECT_HANG] = "hang",     [INJECT_DROP] = "drop",
	[INJECT_JITTER] = "jitter", [INJECT_DIE] = "die",
	[INJECT_STOP] = "stop",     [INJECT_STUBBORN] = "stubborn",
	[INJECT_FLOOD] = "flood",   [INJECT_GARBAGE] = "garbage",
	[INJECT_HALF] = "half",
};

/* A "key=value" of the grammar; its type is the function that reads it. */
struct key {
	const char *name;
	enum fp_status (*read)(const struct key *key, const char *text,
	                       void *field, struct fp_err *err);
	size_t field;             /* offset in struct inject_rule */
	uint32_t kinds, required; /* bits of enum inject_kind */
	double min, max;
};

static enum fp_status refuse(const struct key *key, const char *text,
                             const char *accepted, struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_USAGE, "%s=%s is not %s", key->name, text,
	                  accepted);
}

static enum fp_status real_read(const struct key *key, const char *text,
                                void *field, struct fp_err *err)
{
	char *end, accepted[64];
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end != text && !*end && !errno && value >= key->min &&
	    value <= key->max) {
		*(double *)field = value;
		return FP_OK;
	}
	(void)snprintf(accepted, sizeof(accepted), "a number from %g to %g",
	               key->min, key->max);
	return refuse(key, text, accepted, err);
}

static enum fp_status seconds_read(const struct key *key, const char *text,
                                   void *field, struct fp_err *err)
{
	double value;

	if (fp_parse_seconds(text, &value, NULL) != FP_OK || value > key->max)
		return refuse(key, text, "a time such as 2 or 500ms", err);
	*(double *)field = value;
	return FP_OK;
}

static enum fp_status bytes_read(const struct key *key, const char *text,
                                 void *field, struct fp_err *err)
{
	uint64_t value;

	if (fp_parse_bytes(text, &value, NULL) != FP_OK ||
	    (double)value < key->min)
		return refuse(key, text, "a size such as 8 or 64K", err);
	*(uint64_t *)field = value;
	return FP_OK;
}

static bool whole_parse(const char *text, uint64_t max, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*end || errno || value > max)
		return false;
	*ret = value;
	return true;
}

static enum fp_status seed_read(const struct key *key, const char *text,
                                void *field, struct fp_err *err)
{
	if (!whole_parse(text, UINT64_MAX, field))
		return refuse(key, text, "a whole number", err);
	return FP_OK;
}

static enum fp_status count_read(const struct key *key, const char *text,
                                 void *field, struct fp_err *err)
{
	uint64_t value;

	if (!whole_parse(text, UINT32_MAX, &value))
		return refuse(key, text, "a whole number", err);
	*(uint32_t *)field = (uint32_t)value;
	return FP_OK;
}

static enum fp_status rank_read(const struct key *key, const char *text,
                                void *field, struct fp_err *err)
{
	uint64_t value;

	if (strcmp(text, "*") == 0) {
		*(int32_t *)field = -1;
		return FP_OK;
	}
	if (!whole_parse(text, TOPO_MAX_RANKS - 1, &value))
		return refuse(key, text, "a rank or *", err);
	*(int32_t *)field = (int32_t)value;
	return FP_OK;
}

/* One of @n names; otherwise all of them are in the message. */
static enum fp_status name_read(const struct key *key, const char *text,
                                const char *(*name)(unsigned), unsigned n,
                                int32_t *ret, struct fp_err *err)
{
	char accepted[160] = "one of";
	size_t used = strlen(accepted);

	for (unsigned i = 0; i < n; i++) {
		if (strcmp(text, name(i)) == 0) {
			*ret = (int32_t)i;
			return FP_OK;
		}
		(void)snprintf(accepted + used, sizeof(accepted) - used, " %s",
		               name(i));
		used = strlen(accepted);
	}
	return refuse(key, text, accepted, err);
}

static enum fp_status xport_read(const struct key *key, const char *text,
                                 void *field, struct fp_err *err)
{
	return name_read(key, text, trial_xport_name, XPORT_COUNT, field, err);
}

static enum fp_status op_read(const struct key *key, const char *text,
                              void *field, struct fp_err *err)
{
	return name_read(key, text, trial_op_name, OP_COUNT, field, err);
}

#define FIELD(f) .field = offsetof(struct inject_rule, f)

static const struct key keys[] = {
	{ "src", rank_read, FIELD(src), LINK_KINDS },
	{ "dst", rank_read, FIELD(dst), LINK_KINDS },
	{ "rank", rank_read, FIELD(rank), ALL_KINDS },
	{ "factor", real_read, FIELD(factor), KIND(INJECT_SLOW),
	  KIND(INJECT_SLOW), .min = 1, .max = FACTOR_MAX },
	{ "ms", real_read, FIELD(ms), KIND(INJECT_JITTER), KIND(INJECT_JITTER),
	  .min = 0, .max = HOLD_MAX_MS },
	{ "bytes", bytes_read, FIELD(bytes), KIND(INJECT_CORRUPT), .min = 1 },
	{ "p", real_read, FIELD(p), ALL_KINDS, .min = 0, .max = 1 },
	{ "xport", xport_read, FIELD(xport), ALL_KINDS },
	{ "op", op_read, FIELD(op), ALL_KINDS },
	{ "min", bytes_read, FIELD(min_bytes), ALL_KINDS },
	{ "from", seconds_read, FIELD(from_s), ALL_KINDS, .max = TIME_MAX_S },
	{ "until", seconds_read, FIELD(until_s), ALL_KINDS, .max = TIME_MAX_S },
	{ "after", count_read, FIELD(after), ALL_KINDS },
	{ "seed", seed_read, FIELD(seed), ALL_KINDS },
};

#define N_KEYS (sizeof(keys) / sizeof(*keys))

static enum fp_status kind_read(const char *word, struct inject_rule *rule,
                                struct fp_err *err)
{
	char accepted[128] = "";
	size_t used = 0;

	for (uint32_t k = 0; k < INJECT_KIND_COUNT; k++) {
		if (strcmp(word, kind_names[k]) == 0) {
			rule->kind = k;
			return FP_OK;
		}
		(void)snprintf(accepted + used, sizeof(accepted) - used, " %s",
		               kind_names[k]);
		used = strlen(accepted);
	}
	return fp_err_set(err, FP_ERR_USAGE, "fault '%s' is none of%s", word,
	                  accepted);
}

static enum fp_status key_unknown(const struct inject_rule *rule,
                                  const char *name, struct fp_err *err)
{
	char accepted[128] = "";
	size_t used = 0;

	for (size_t i = 0; i < N_KEYS; i++) {
		if (!(keys[i].kinds & KIND(rule->kind)))
			continue;
		(void)snprintf(accepted + used, sizeof(accepted) - used,
		               " %s=", keys[i].name);
		used = strlen(accepted);
	}
	return fp_err_set(err, FP_ERR_USAGE, "%s takes no '%s', but%s",
	                  kind_names[rule->kind], name, accepted);
}

static const struct key *key_find(uint32_t kind, const char *name)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		if ((keys[i].kinds & KIND(kind)) &&
		    strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

/* @seen: bit per row of the table. */
static enum fp_status word_read(char *word, struct inject_rule *rule,
                                uint32_t *seen, struct fp_err *err)
{
	char *text = strchr(word, '=');
	const struct key *key;
	uint32_t bit;

	if (!text)
		return fp_err_set(err, FP_ERR_USAGE, "'%s' is not key=value",
		                  word);
	*text++ = '\0';
	key = key_find(rule->kind, word);
	if (!key)
		return key_unknown(rule, word, err);
	bit = 1u << (key - keys);
	if (*seen & bit)
		return fp_err_set(err, FP_ERR_USAGE, "%s= is there twice",
		                  key->name);
	*seen |= bit;
	return key->read(key, text, (char *)rule + key->field, err);
}

static enum fp_status rule_check(const struct inject_rule *rule, uint32_t seen,
                                 struct fp_err *err)
{
	for (size_t i = 0; i < N_KEYS; i++) {
		if (keys[i].required & KIND(rule->kind) && !(seen & (1u << i)))
			return fp_err_set(err, FP_ERR_USAGE, "%s needs %s=",
			                  kind_names[rule->kind], keys[i].name);
	}
	if (rule->until_s > 0 && rule->until_s <= rule->from_s)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "until= is not later than from=");
	return FP_OK;
}

static struct inject_rule rule_default(void)
{
	return (struct inject_rule){
		.src = -1,
		.dst = -1,
		.rank = -1,
		.xport = -1,
		.op = -1,
		.bytes = 1,
		.factor = 1,
		.p = -1,
	};
}

/* The next word of *@text, or "" at its end. */
static enum fp_status word_next(const char **text, char word[static WORD_MAX],
                                struct fp_err *err)
{
	const char *from = *text + strspn(*text, BLANKS);
	size_t len = strcspn(from, BLANKS);

	if (len >= WORD_MAX)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"a word of more than %d characters: '%.16s...'",
			WORD_MAX - 1, from);
	memcpy(word, from, len);
	word[len] = '\0';
	*text = from + len;
	return FP_OK;
}

static enum fp_status rule_read(const char *text, struct inject_rule *rule,
                                struct fp_err *err)
{
	char word[WORD_MAX] = "";
	uint32_t seen = 0;
	enum fp_status status = word_next(&text, word, err);

	if (status == FP_OK)
		status = kind_read(word, rule, err);
	while (status == FP_OK) {
		status = word_next(&text, word, err);
		if (status != FP_OK || !*word)
			break;
		status = word_read(word, rule, &seen, err);
	}
	return status == FP_OK ? rule_check(rule, seen, err) : status;
}

enum fp_status inject_parse(const char *text, struct inject_rule *ret,
                            struct fp_err *err)
{
	struct inject_rule rule = rule_default();
	enum fp_status status = rule_read(text, &rule, err);

	if (status != FP_OK)
		return status;
	if (rule.p < 0)
		rule.p = rule.kind == INJECT_JITTER ? JITTER_P : 1;
	*ret = rule;
	return FP_OK;
}

/* A rule's rank against one of the moment's, which may be none. */
static bool rank_fits(int32_t want, int32_t is)
{
	return want < 0 || want == is;
}

static bool trial_fits(const struct inject_rule *rule, const struct trial *t)
{
	return (rule->xport <= XPORT_AUTO || rule->xport == t->xport) &&
	       (rule->op < 0 || rule->op == t->op) &&
	       t->bytes >= rule->min_bytes;
}

bool inject_applies(const struct inject_rule *rule,
                    const struct inject_now *now)
{
	return rank_fits(rule->rank, now->rank) &&
	       rank_fits(rule->src, now->from) &&
	       rank_fits(rule->dst, now->to) && trial_fits(rule, now->trial) &&
	       now->age_s >= rule->from_s &&
	       (rule->until_s <= 0 || now->age_s < rule->until_s) &&
	       now->trials_done >= rule->after;
}
