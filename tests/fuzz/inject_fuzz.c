// SPDX-License-Identifier: Apache-2.0
// Fuzz target: --inject texts give a usable rule or an error with a text.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "probes/xport/inject.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int truth)
{
	if (!truth)
		abort();
}

static void rule_must_be_sane(const struct inject_rule *r)
{
	must(r->kind < INJECT_KIND_COUNT);
	must(r->src >= -1 && r->dst >= -1 && r->rank >= -1);
	must(r->xport >= -1 && r->xport < XPORT_COUNT);
	must(r->op >= -1 && r->op < OP_COUNT);
	must(r->factor >= 1 && r->factor <= 1e6);
	must(r->ms >= 0 && r->ms <= 60000);
	must(r->p >= 0 && r->p <= 1);
	must(r->from_s >= 0 && r->until_s >= 0);
	must(r->bytes > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fp_err err = { 0 };
	struct inject_rule rule;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (inject_parse(text, &rule, &err) == FP_OK) {
		rule_must_be_sane(&rule);
		must(err.status == FP_OK);
	} else {
		must(err.status == FP_ERR_USAGE && err.text[0]);
	}
	free(text);
	return 0;
}
