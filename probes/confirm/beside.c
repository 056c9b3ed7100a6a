// SPDX-License-Identifier: Apache-2.0
// Who uses the GPUs, and what a probe leaves out for that.
#include "probes/confirm/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/report/parts.h"
#include "topo/reading/reading.h"

static const char device_head[] = "process ";

static void take_text(const struct readings *set, const char *device,
                      const char *name, char *buf, size_t size)
{
	fp_copy(buf, size, readings_get_text(set, device, name));
}

static enum fp_status add(struct beside *b, const struct topo_host *host,
                          const char *device, struct fp_err *err)
{
	struct beside_process *p = reallocarray(b->p, b->n + 1, sizeof(*b->p));
	struct reading stack = { 0 };

	if (!p)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	b->p = p;
	p += b->n++;
	*p = (struct beside_process){ 0 };
	fp_copy(p->host, sizeof(p->host), host->name);
	fp_copy(p->process, sizeof(p->process), device);
	take_text(host->readings, device, "process.name", p->name,
	          sizeof(p->name));
	take_text(host->readings, device, "process.gpus", p->gpus,
	          sizeof(p->gpus));
	take_text(host->readings, device, "process.state", p->state,
	          sizeof(p->state));
	take_text(host->readings, device, "process.wchan", p->wchan,
	          sizeof(p->wchan));
	take_text(host->readings, device, "process.stack", p->stack,
	          sizeof(p->stack));
	if (!readings_get(host->readings, device, "process.stack", &stack) &&
	    stack.text)
		fp_copy(p->unread, sizeof(p->unread), stack.text);
	return FP_OK;
}

/* Does NVML say that a process computes? Idle contexts count too: they may
 * be the hung ones. */
static bool is_use(const struct reading *r)
{
	return !strcmp(r->name, "gpu.processes") && r->kind == READING_INT &&
	       r->number > 0;
}

static enum fp_status find_on(const struct topo_host *host, struct beside *b,
                              struct fp_err *err)
{
	size_t n = readings_count(host->readings);
	enum fp_status status = FP_OK;

	for (size_t i = 0; i < n && status == FP_OK; i++) {
		struct reading r = readings_at(host->readings, i);

		b->busy |= is_use(&r);
		if (strncmp(r.device, device_head, sizeof(device_head) - 1) ||
		    strcmp(r.name, "process.name") != 0)
			continue;
		b->busy = true;
		status = add(b, host, r.device, err);
	}
	return status;
}

enum fp_status beside_find(const struct topo_job *job, struct beside *ret,
                           struct fp_err *err)
{
	enum fp_status status = FP_OK;

	*ret = (struct beside){ 0 };
	for (size_t i = 0; i < job->n_hosts && status == FP_OK; i++)
		status = find_on(&job->hosts[i], ret, err);
	return status;
}

void beside_spare(const struct beside *b, struct session_opts *opts)
{
	if (!b->busy)
		return;
	if (trial_xport_is_gpu(opts->xport))
		opts->xport = XPORT_AUTO;
	if (!opts->bytes || opts->bytes > BESIDE_BYTES)
		opts->bytes = BESIDE_BYTES;
	opts->trial_s = opts->local_trial_s = BESIDE_TRIAL_S;
}

void beside_words(const struct beside *b, char *buf, size_t size)
{
	buf[0] = '\0';
	if (!b->busy)
		return;
	(void)snprintf(buf, size,
	               "GPUs are in use here: no kernel was launched on any, "
	               "whatever --xport says; host memory only, messages of "
	               "64K for 20 ms at a time");
}

void beside_text(const struct beside *b, int columns, struct fp_text *out)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct beside_process *p = &b->p[i];
		struct fp_text line = { 0 };

		fp_text_printf(&line, "host %s, %s (%s), GPU %s: %s", p->host,
		               p->process, p->name, p->gpus,
		               *p->state ? p->state : "state not readable");
		if (*p->wchan)
			fp_text_printf(&line, ", in %s", p->wchan);
		fp_text_printf(&line, "; kernel stack: %s",
		               *p->stack    ? p->stack
		               : *p->unread ? p->unread
		                            : "not readable");
		fp_text_printf(out, "  ");
		report_wrap(out, columns, 2, 4, fp_text_str(&line));
		fp_text_free(&line);
	}
}

void beside_done(struct beside *b)
{
	if (!b)
		return;
	free(b->p);
	*b = (struct beside){ 0 };
}
