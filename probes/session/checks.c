// SPDX-License-Identifier: Apache-2.0
// What checks find, beside what trials found.
#include "probes/session/checks.h"

#include <stdlib.h>
#include <string.h>

/* A device whose MTU is odd loses full-size packets: one cause. */
static bool is_effect_of(const struct finding *f, const struct finding *cause)
{
	return f->code == FINDING_NIC_MTU && cause->code == FINDING_MTU_MIXED &&
	       strcmp(f->locus.host, cause->locus.host) == 0 &&
	       (!cause->locus.netdev[0] || !f->locus.netdev[0] ||
	        strcmp(f->locus.netdev, cause->locus.netdev) == 0);
}

static struct finding *cause_of(struct findings *causes,
                                const struct finding *f)
{
	for (size_t i = 0; i < causes->n; i++) {
		if (is_effect_of(f, &causes->f[i]))
			return &causes->f[i];
	}
	return NULL;
}

static void absorb_effects(struct findings *list, struct findings *causes)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		struct finding *cause = cause_of(causes, &list->f[i]);

		for (uint32_t k = 0; cause && k < list->f[i].n_evidence; k++)
			finding_evidence(cause, "%s", list->f[i].evidence[k]);
		if (!cause)
			list->f[n++] = list->f[i];
	}
	list->n = n;
}

static enum fp_status append(struct findings *list, const struct findings *more,
                             struct fp_err *err)
{
	for (size_t i = 0; i < more->n; i++) {
		struct finding *f = findings_add(list, more->f[i].code);

		if (!f)
			return fp_err_set(err, FP_ERR_NOMEM,
			                  "no memory for findings");
		*f = more->f[i];
	}
	return FP_OK;
}

enum fp_status session_check(struct session *s, struct fp_err *err)
{
	struct check_out out = { .failed = false };
	enum fp_status status;

	free(s->check_skips);
	s->check_skips = NULL;
	s->n_check_skips = 0;
	status = checks_run(s->job, ~s->opts.checks_off, &out, err);
	if (!status) {
		absorb_effects(&s->findings, &out.findings);
		status = append(&s->findings, &out.findings, err);
	}
	if (!status) {
		findings_sort(&s->findings);
		s->check_skips = out.skips;
		s->n_check_skips = out.n_skips;
		out.skips = NULL;
	}
	check_out_done(&out);
	return status;
}
