// SPDX-License-Identifier: Apache-2.0
// A worker's --inject rules and what applies when.
#include <stdlib.h>
#include <string.h>

#include "probes/xport/fault.h"
#include "topo/base/clock.h"

static size_t lines_count(const char *lines)
{
	size_t n = 1;

	for (; *lines; lines++)
		n += *lines == '\n';
	return n;
}

static enum fp_status rule_add(const char *line, size_t len,
                               struct fault_set *set, struct fp_err *err)
{
	enum fp_status status;
	char *text;

	if (len == strspn(line, " \t\r"))
		return FP_OK;
	text = strndup(line, len);
	if (!text)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for a rule");
	status = inject_parse(text, &set->rules[set->n], err);
	free(text);
	if (status == FP_OK)
		set->n++;
	return status;
}

enum fp_status fault_set_parse(const char *lines, struct fault_set *ret,
                               struct fp_err *err)
{
	struct fault_set set = *ret;
	enum fp_status status = FP_OK;

	set.n = 0;
	set.rules = calloc(lines_count(lines), sizeof(*set.rules));
	if (!set.rules)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for rules");
	while (*lines && status == FP_OK) {
		size_t len = strcspn(lines, "\n");

		status = rule_add(lines, len, &set, err);
		lines += len + (lines[len] == '\n');
	}
	if (status == FP_OK)
		*ret = set;
	else
		fault_set_done(&set);
	return status;
}

void fault_set_done(struct fault_set *set)
{
	if (!set)
		return;
	free(set->rules);
	set->rules = NULL;
	set->n = 0;
}

const struct inject_rule *fault_set_find(const struct fault_set *set,
                                         uint32_t kinds,
                                         const struct trial *trial,
                                         int32_t from, int32_t to)
{
	const struct inject_now now = {
		.trial = trial,
		.rank = set->rank,
		.from = from,
		.to = to,
		.age_s = (double)(fp_now_ns() - set->start_ns) / 1e9,
		.trials_done = set->trials_done,
	};

	for (size_t i = 0; i < set->n; i++) {
		if ((kinds & 1u << set->rules[i].kind) &&
		    inject_applies(&set->rules[i], &now))
			return &set->rules[i];
	}
	return NULL;
}

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

uint64_t fault_draw(const struct inject_rule *rule, const struct trial *trial,
                    int32_t from, int32_t to, uint64_t count)
{
	uint64_t ends = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;

	return mix(mix(mix(mix(rule->seed ^ rule->kind) ^ trial->id) ^ ends) ^
	           count);
}

bool fault_chance(const struct inject_rule *rule, const struct trial *trial,
                  int32_t from, int32_t to, uint64_t count)
{
	uint64_t draw = fault_draw(rule, trial, from, to, count);

	return (double)(draw >> 11) * 0x1p-53 < rule->p;
}

void fault_acted(const struct fault_set *set, const struct inject_rule *rule)
{
	size_t i = (size_t)(rule - set->rules);
	uint64_t bit = 1ULL << (i < INJECT_BITS ? i : INJECT_BITS - 1);

	if (set->board)
		atomic_fetch_or_explicit(&set->board->injected, bit,
		                         memory_order_relaxed);
}

void fault_note(const struct fault_set *set, struct outcome *o)
{
	uint64_t acted = set->board ? atomic_load(&set->board->injected) : 0;

	if (acted)
		outcome_put(o, COUNTER_INJECTED, (int64_t)acted);
}

void fault_datagram(const struct fault_set *set, const struct trial *trial,
                    int32_t from, struct outcome *o)
{
	static const unsigned received[] = { COUNTER_SMALL_RCVD,
		                             COUNTER_FULL_RCVD };
	const uint32_t kinds = 1u << INJECT_HANG | 1u << INJECT_DROP;
	const struct inject_rule *rule;

	rule = fault_set_find(set, kinds, trial, from, set->rank);
	if (!rule)
		return;
	fault_acted(set, rule);
	for (size_t i = 0; i < sizeof(received) / sizeof(*received); i++) {
		if (outcome_get(o, received[i], -1) > 0)
			outcome_put(o, received[i], 0);
	}
}
