// SPDX-License-Identifier: Apache-2.0
// What checks find, beside what trials found.
#include "probes/session/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/check/check.h"
#include "topo/base/fmt.h"
#include "topo/model/model_map.h"

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

static struct session_skip skip_of(const struct check_skip *k)
{
	struct session_skip skip = { .missing = false };

	if (k->n_hosts > 1)
		(void)snprintf(skip.what, sizeof(skip.what),
		               "%.24s of %zu hosts, such as %.24s", k->what,
		               k->n_hosts, k->host);
	else
		(void)snprintf(skip.what, sizeof(skip.what), "%.40s%s%.40s",
		               k->what, k->n_hosts ? " of " : "", k->host);
	fp_copy(skip.why, sizeof(skip.why), k->why);
	return skip;
}

/* A saved text that is cut says nothing of what is not there. */
static bool is_cut(const struct topo_host *host, struct session_skip *ret)
{
	const struct topo_map *map = host->map;

	if (!map || !map->partial)
		return false;
	*ret = (struct session_skip){ .missing = true };
	(void)snprintf(ret->what, sizeof(ret->what), "all of %.64s",
	               host->name);
	fp_copy(ret->why, sizeof(ret->why),
	        map->n_notes ? map->notes[0].text
	                     : "what was saved is not whole");
	return true;
}

static enum fp_status keep_skips(struct session *s, const struct check_out *out,
                                 struct fp_err *err)
{
	size_t n_hosts = s->opts.offline ? s->job->n_hosts : 0;

	free(s->check_skips);
	s->n_check_skips = 0;
	s->check_skips =
		calloc(out->n_skips + n_hosts + 1, sizeof(*s->check_skips));
	if (!s->check_skips)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for coverage");
	for (size_t i = 0; i < out->n_skips; i++)
		s->check_skips[s->n_check_skips++] = skip_of(&out->skips[i]);
	for (size_t i = 0; i < n_hosts; i++)
		s->n_check_skips += is_cut(&s->job->hosts[i],
		                           &s->check_skips[s->n_check_skips]);
	return FP_OK;
}

enum fp_status session_check(struct session *s, struct fp_err *err)
{
	struct check_out out = { .failed = false };
	enum fp_status status;

	status = checks_run(s->job, ~s->opts.checks_off, &out, err);
	if (!status) {
		absorb_effects(&s->findings, &out.findings);
		status = append(&s->findings, &out.findings, err);
	}
	if (!status)
		status = keep_skips(s, &out, err);
	findings_sort(&s->findings);
	check_out_done(&out);
	return status;
}
