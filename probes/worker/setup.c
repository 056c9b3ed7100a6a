// SPDX-License-Identifier: Apache-2.0
// SETUP: check it, read the host, open transports; READY and FACTS.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/worker/part.h"
#include "probes/xport/table.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"
#include "topo/base/version.h"
#include "topo/discover/discover.h"
#include "topo/json/snapshot.h"

#define STREAMS_MAX 64
#define CONNECT_MAX_S 86400.0

static enum fp_status setup_check(const struct wire_setup *s,
                                  struct fp_err *err)
{
	if (strcmp(s->version, FP_VERSION) != 0)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the agent is fabricprobe %s, but its worker "
		                  "is %s: install both from one build",
		                  s->version, FP_VERSION);
	if (s->size < 1 || s->size > TOPO_MAX_RANKS || s->rank < 0 ||
	    s->rank >= s->size)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "rank %d of %d makes no sense", (int)s->rank,
		                  (int)s->size);
	if (s->streams < 1 || s->streams > STREAMS_MAX)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "%d streams: 1 to %d are possible",
		                  (int)s->streams, STREAMS_MAX);
	if (s->sockbuf < 0)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "a socket buffer of %d bytes",
		                  (int)s->sockbuf);
	if (!(s->connect_s > 0) || s->connect_s > CONNECT_MAX_S)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "%g s to connect make no sense",
		                  s->connect_s);
	return FP_OK;
}

static const char *given(const char *text)
{
	return text[0] ? text : NULL;
}

/* "eth0, lo", for a message. */
static void netdev_names(const struct topo_host *host, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < host->n_netdevs && used < size; i++) {
		(void)snprintf(text + used, size - used, "%s%s", i ? ", " : "",
		               host->netdevs[i].name);
		used = strlen(text);
	}
}

static enum fp_status netdev_named(const struct topo_host *host,
                                   const char *name,
                                   const struct topo_netdev **ret,
                                   struct fp_err *err)
{
	int32_t i = topo_host_find_netdev(host, name);
	char names[128];

	netdev_names(host, names, sizeof(names));
	if (i < 0)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "host %s has no network device %s, but %s",
		                  host->name, name, names);
	if (!host->netdevs[i].addr[0])
		return fp_err_set(err, FP_ERR_INPUT,
		                  "network device %s of host %s has no address",
		                  name, host->name);
	*ret = &host->netdevs[i];
	return FP_OK;
}

static const struct topo_netdev *netdev_with(const struct topo_host *host,
                                             const char *addr)
{
	for (size_t i = 0; i < host->n_netdevs; i++) {
		if (strcmp(host->netdevs[i].addr, addr) == 0)
			return &host->netdevs[i];
	}
	return NULL;
}

static const struct topo_netdev *netdev_default(const struct topo_host *host)
{
	int32_t i = topo_host_default_netdev(host);

	return i < 0 ? NULL : &host->netdevs[i];
}

/* The address that data is to use, and its device's MTU. */
static enum fp_status address_choose(struct worker *w,
                                     const struct topo_host *host,
                                     struct fp_err *err)
{
	const struct wire_setup *s = &w->setup;
	const struct topo_netdev *dev = NULL;
	enum fp_status status = FP_OK;

	if (s->addr[0])
		dev = netdev_with(host, s->addr);
	else if (s->netdev[0])
		status = netdev_named(host, s->netdev, &dev, err);
	else
		dev = netdev_default(host);
	if (status != FP_OK)
		return status;
	w->env.mtu_bytes = dev ? dev->mtu_bytes : -1;
	fp_copy(w->env.addr, sizeof(w->env.addr),
	        s->addr[0] ? s->addr
	        : dev      ? dev->addr
	                   : "");
	return FP_OK;
}

static enum fp_status xport_start(struct worker *w, const struct xport_ops *ops,
                                  struct fp_err *err)
{
	enum fp_status status = ops->probe(&w->env, err);

	return status == FP_OK ? ops->open(&w->env, &w->xports[ops->id], err)
	                       : status;
}

/* Those that cannot run are a reason in READY, not a failure. */
static void xports_start(struct worker *w, struct wire_ready *ready)
{
	size_t used = 0;

	for (unsigned id = 0; id < XPORT_COUNT; id++) {
		const struct xport_ops *ops = xport_table_find(id);
		struct fp_err why = { 0 };

		if (!ops) {
			fp_copy(w->why_not[id], sizeof(w->why_not[id]),
			        w->setup.no_gpu);
			continue;
		}
		if (xport_start(w, ops, &why) == FP_OK) {
			ready->xports |= 1u << id;
			continue;
		}
		fp_copy(w->why_not[id], sizeof(w->why_not[id]), why.text);
		w->failed[id] = why.status == FP_ERR_LIB;
		w->codes[id] =
			w->failed[id] && ops->error ? ops->error(NULL) : 0;
		(void)snprintf(ready->text + used, sizeof(ready->text) - used,
		               "%s%s: %.100s", used ? "; " : "", ops->name,
		               why.text);
		used = strlen(ready->text);
	}
}

static enum fp_status host_read(const struct worker *w, struct topo_host *ret,
                                struct fp_err *err)
{
	const struct wire_setup *s = &w->setup;
	char root[sizeof(s->sysroot) + sizeof(s->host_name)];
	struct topo_env env = {
		.sysroot = topo_sysroot(s->sysroot, s->host_name, root,
		                        sizeof(root)),
		.host_name = given(s->host_name),
		.host_id = given(s->host_id),
		.reads = s->reads,
		/* The agent is as the launcher started it; a worker has lost
		 * part of its environment and raised its limits. */
		.pid = (int32_t)w->agent,
	};
	struct fp_err why = { 0 };
	enum fp_status status = topo_discover_host(&env, ret, &why);

	/* What cannot be read of a host is no reason not to measure it. */
	if (status != FP_OK && env.reads) {
		fp_log(FP_LOG_WARN, "host not read: %s", why.text);
		env.reads = 0;
		return topo_discover_host(&env, ret, err);
	}
	return status == FP_OK ? status
	                       : fp_err_set(err, status, "%s", why.text);
}

static enum fp_status set_up(struct worker *w, struct topo_host *host,
                             struct wire_ready *ready, struct fp_err *err)
{
	enum fp_status status = setup_check(&w->setup, err);

	if (status == FP_OK)
		status = fault_set_parse(w->setup.inject, &w->faults, err);
	if (status == FP_OK)
		status = host_read(w, host, err);
	if (status == FP_OK)
		status = address_choose(w, host, err);
	if (status == FP_OK)
		xports_start(w, ready);
	if (status == FP_OK)
		status = worker_rails_open(w, ready, err);
	return status;
}

static enum fp_status send_ready(struct worker *w, struct wire_ready *ready,
                                 struct fp_err *err)
{
	const struct worker_part none = { 0 };

	ready->rank = w->setup.rank;
	ready->modelled = xport_table_modelled();
	ready->pid = getpid();
	fp_copy(ready->version, sizeof(ready->version), FP_VERSION);
	return worker_send(w, WIRE_READY,
	                   (struct worker_part){ ready, sizeof(*ready) }, none,
	                   err);
}

static enum fp_status send_facts(struct worker *w, const struct topo_host *host,
                                 struct fp_err *err)
{
	const struct worker_part none = { 0 };
	char *text = topo_host_to_json(host);
	enum fp_status status;

	if (!text)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for the facts");
	status = worker_send(w, WIRE_FACTS,
	                     (struct worker_part){ text, strlen(text) }, none,
	                     err);
	free(text);
	return status;
}

enum fp_status worker_on_setup(struct worker *w, const struct wire_frame *f,
                               struct fp_err *err)
{
	struct wire_ready ready = { 0 };
	struct topo_host host = { 0 };
	struct fp_err why = { 0 };
	enum fp_status status;

	memcpy(&w->setup, f->payload, sizeof(w->setup));
	w->env.setup = &w->setup;
	w->env.board = w->board;
	w->faults.rank = w->setup.rank;
	w->faults.board = w->board;
	ready.status = set_up(w, &host, &ready, &why);
	if (ready.status != FP_OK)
		fp_copy(ready.text, sizeof(ready.text), why.text);
	w->set_up = ready.status == FP_OK;
	if (w->set_up)
		board_stage(w->board, STAGE_READY);
	status = send_ready(w, &ready, err);
	if (status == FP_OK && w->set_up)
		status = send_facts(w, &host, err);
	topo_host_done(&host);
	return status;
}
