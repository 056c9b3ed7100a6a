// SPDX-License-Identifier: Apache-2.0
// The tables of causes.
#include "probes/explain/cause.h"

#include <string.h>

#include "probes/finding/finding.h"

static const struct cause_table *const tables[] = { &cause_gpu, &cause_setup,
	                                            &cause_net, &cause_job };

const struct cause_table *const *cause_tables(size_t *ret_n)
{
	*ret_n = sizeof(tables) / sizeof(tables[0]);
	return tables;
}

const struct cause *cause_find(const char *code)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (size_t k = 0; k < tables[i]->n; k++)
			if (!strcmp(tables[i]->rows[k].code, code))
				return &tables[i]->rows[k];
	return NULL;
}

uint32_t cause_tier_severity(unsigned tier)
{
	if (tier == CAUSE_NOTE)
		return SEVERITY_INFO;
	return tier == CAUSE_OPEN || tier == CAUSE_STALL ? SEVERITY_WARN
	                                                 : SEVERITY_FAULT;
}
