// SPDX-License-Identifier: Apache-2.0
// What is worth saying and no fault.
#include <stdlib.h>
#include <string.h>

#include "probes/judge/notes.h"
#include "probes/judge/words.h"
#include "topo/base/fmt.h"

static enum fp_status no_memory(struct fp_err *err)
{
	return fp_err_set(err, FP_ERR_NOMEM, "no memory to judge");
}

/* Connections: the events count those to the control port so far, outcomes
 * those to data ports in one trial. */
static enum fp_status strangers(const struct results *r, struct findings *list,
                                struct fp_err *err)
{
	int64_t control = 0, data = 0, n;
	struct finding *f;
	size_t i;

	for (i = 0; i < r->n_events; i++)
		if (r->events[i].kind == EVENT_STRANGER &&
		    r->events[i].value > control)
			control = r->events[i].value;
	for (i = 0; i < r->n_outcomes; i++) {
		n = outcome_get(&r->outcomes[i], COUNTER_STRANGERS, 0);
		data += n > 0 ? n : 0;
	}
	if (control + data == 0)
		return FP_OK;
	f = findings_add(list, FINDING_STRANGERS);
	if (!f)
		return no_memory(err);
	f->observed = (double)(control + data);
	f->expected = 0;
	if (control)
		finding_evidence(f, "control port: %lld dropped",
		                 (long long)control);
	if (data)
		finding_evidence(f, "data ports: %lld dropped",
		                 (long long)data);
	return FP_OK;
}

static int event_cmp(const void *pa, const void *pb)
{
	const struct run_event *a = *(const struct run_event *const *)pa;
	const struct run_event *b = *(const struct run_event *const *)pb;

	if (a->t_s < b->t_s || a->t_s > b->t_s)
		return a->t_s < b->t_s ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* One finding of @code with the texts of all events of @kind. */
static enum fp_status told(const struct topo_job *job, const struct results *r,
                           const unsigned kind_code[2], struct findings *list,
                           struct fp_err *err)
{
	const struct run_event **events;
	struct finding *f = NULL;
	size_t i, n = 0;

	events = calloc(r->n_events + 1, sizeof(*events));
	if (!events)
		return no_memory(err);
	for (i = 0; i < r->n_events; i++)
		if (r->events[i].kind == kind_code[0])
			events[n++] = &r->events[i];
	if (n)
		f = findings_add(list, kind_code[1]);
	if (f) {
		qsort(events, n, sizeof(*events), event_cmp);
		if (events[0]->rank >= 0 &&
		    (size_t)events[0]->rank < job->n_ranks)
			words_locus_rank(job, events[0]->rank, &f->locus);
		for (i = 0; i < n; i++)
			if (i == 0 ||
			    strcmp(events[i]->text, events[i - 1]->text) != 0)
				finding_evidence(f, "%s", events[i]->text);
	}
	free(events);
	return n && !f ? no_memory(err) : FP_OK;
}

/* struct control - a host and a congestion control that was seen on it. */
struct control {
	char cc[16];
	int32_t host;
};

static int control_cmp(const void *pa, const void *pb)
{
	const struct control *a = pa, *b = pb;
	int by = strncmp(a->cc, b->cc, sizeof(a->cc));

	return by ? by : (a->host > b->host) - (a->host < b->host);
}

static size_t controls_collect(const struct topo_job *job,
                               const struct results *r, struct control *ret)
{
	const struct outcome *o;
	size_t i, n = 0, k = 0;

	for (i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (!o->cc[0] || o->rank < 0 ||
		    (size_t)o->rank >= job->n_ranks ||
		    job->ranks[o->rank].host < 0)
			continue;
		ret[n].host = job->ranks[o->rank].host;
		fp_copy(ret[n].cc, sizeof(ret[n].cc), o->cc);
		n++;
	}
	if (n)
		qsort(ret, n, sizeof(*ret), control_cmp);
	for (i = 0; i < n; i++)
		if (k == 0 || control_cmp(&ret[k - 1], &ret[i]) != 0)
			ret[k++] = ret[i];
	return k;
}

static size_t same_control(const struct control *c, size_t n)
{
	size_t i = 1;

	while (i < n && strncmp(c[0].cc, c[i].cc, sizeof(c->cc)) == 0)
		i++;
	return i;
}

/* "reno: h0 h1 h2 ..." */
static void say_control(const struct topo_job *job, const struct control *c,
                        size_t n, struct finding *f)
{
	struct fp_text text = { 0 };
	size_t i;

	for (i = 0; i < n && i < 8; i++)
		fp_text_printf(&text, " %s", job->hosts[c[i].host].name);
	finding_evidence(f, "%s on %zu hosts:%s%s", c[0].cc, n,
	                 fp_text_str(&text), n > 8 ? " ..." : "");
	fp_text_free(&text);
}

static enum fp_status mixed(const struct topo_job *job, const struct control *c,
                            size_t n, struct findings *list, struct fp_err *err)
{
	size_t i, len, odd = 0, kinds = 0;
	struct finding *f;

	if (n == 0 || same_control(c, n) == n)
		return FP_OK;
	f = findings_add(list, FINDING_CC_MIXED);
	if (!f)
		return no_memory(err);
	for (i = 0; i < n; i += len, kinds++) {
		len = same_control(c + i, n - i);
		say_control(job, c + i, len, f);
		if (len == 1)
			odd = i;
	}
	/* One host against all others is the odd one out. */
	if (kinds != 2 || n < 3 || same_control(c + odd, n - odd) != 1)
		return FP_OK;
	f->locus.kind = LOCUS_HOST;
	fp_copy(f->locus.host, sizeof(f->locus.host),
	        job->hosts[c[odd].host].name);
	return FP_OK;
}

static enum fp_status congestion(const struct topo_job *job,
                                 const struct results *r, struct findings *list,
                                 struct fp_err *err)
{
	struct control *c = calloc(r->n_outcomes + 1, sizeof(*c));
	enum fp_status status;

	if (!c)
		return no_memory(err);
	status = mixed(job, c, controls_collect(job, r, c), list, err);
	free(c);
	return status;
}

enum fp_status judge_asides(const struct topo_job *job, const struct results *r,
                            struct findings *list, struct fp_err *err)
{
	static const unsigned shared[] = { EVENT_CONTROL_SHARED,
		                           FINDING_CONTROL_SHARED };
	static const unsigned journal[] = { EVENT_JOURNAL, FINDING_JOURNAL };
	static const unsigned idle[] = { EVENT_INJECT_IDLE,
		                         FINDING_DRILL_IDLE };
	enum fp_status status = strangers(r, list, err);

	if (!status)
		status = told(job, r, shared, list, err);
	if (!status)
		status = told(job, r, journal, list, err);
	if (!status)
		status = told(job, r, idle, list, err);
	if (!status)
		status = congestion(job, r, list, err);
	return status;
}
