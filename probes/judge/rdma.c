// SPDX-License-Identifier: Apache-2.0
// The codes of failed RDMA transfers, and what they are called.
#include "probes/judge/rdma.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "topo/base/fmt.h"
#include "topo/model/rails.h"

/* Of enum ibv_wc_status and enum ibv_event_type, which are an ABI. */
enum {
	WC_LOC_LEN_ERR = 1,
	WC_LOC_QP_OP_ERR = 2,
	WC_LOC_PROT_ERR = 4,
	WC_LOC_ACCESS_ERR = 8,
	WC_REM_INV_REQ_ERR = 9,
	WC_REM_ACCESS_ERR = 10,
	WC_REM_OP_ERR = 11,
	WC_RETRY_EXC_ERR = 12,
	WC_RNR_RETRY_EXC_ERR = 13,
	EVENT_DEVICE_FATAL = 8,
	EVENT_PORT_ACTIVE = 9,
	EVENT_PORT_ERR = 10,
	EVENT_LID_CHANGE = 11,
	EVENT_PKEY_CHANGE = 12,
	EVENT_GID_CHANGE = 18,
};

/* What a value says, and of whom; in the order of what explains more. */
struct rdma_row {
	size_t field; /* an int64_t in struct rdma_end */
	int64_t value;
	unsigned code;
};

#define SETUP(errnum, what)                                          \
	{                                                            \
		offsetof(struct rdma_end, setup_errno), errnum, what \
	}
#define EVENT(type, what)                                          \
	{                                                          \
		offsetof(struct rdma_end, event), (type) + 1, what \
	}
#define STATUS(wc, what)                                       \
	{                                                      \
		offsetof(struct rdma_end, wc_status), wc, what \
	}

static const struct rdma_row own_rows[] = {
	EVENT(EVENT_DEVICE_FATAL, FINDING_HCA_DEAD),
	SETUP(ENETDOWN, FINDING_PORT_DOWN),
	EVENT(EVENT_PORT_ERR, FINDING_PORT_DOWN),
	SETUP(ENODATA, FINDING_RDMA_GID),
	SETUP(ENOMEM, FINDING_MEMLOCK),
	EVENT(EVENT_GID_CHANGE, FINDING_RDMA_GID),
	EVENT(EVENT_LID_CHANGE, FINDING_RDMA_GID),
	EVENT(EVENT_PKEY_CHANGE, FINDING_RDMA_GID),
};

static const struct rdma_row between_rows[] = {
	SETUP(EINVAL, FINDING_RDMA_GID),
	SETUP(ENETUNREACH, FINDING_RDMA_ROUTE),
	SETUP(EHOSTUNREACH, FINDING_RDMA_ROUTE),
	STATUS(WC_LOC_LEN_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_LOC_QP_OP_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_LOC_PROT_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_LOC_ACCESS_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_REM_INV_REQ_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_REM_ACCESS_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_REM_OP_ERR, FINDING_RDMA_REFUSED),
	STATUS(WC_RNR_RETRY_EXC_ERR, FINDING_RDMA_REFUSED),
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct rdma_row *row_of(const struct rdma_row *rows, size_t n,
                                     const struct rdma_end *end)
{
	int64_t value;

	for (size_t i = 0; i < n; i++) {
		value = *(const int64_t *)((const char *)end + rows[i].field);
		if (value != 0 && value == rows[i].value)
			return &rows[i];
	}
	return NULL;
}

struct rdma_end rdma_end_of(const struct outcome *o)
{
	if (!o)
		return (struct rdma_end){ .there = false };
	return (struct rdma_end){
		.setup_errno = outcome_get(o, COUNTER_SETUP_ERRNO, 0),
		.wc_status = outcome_get(o, COUNTER_WC_STATUS, 0),
		.event = outcome_get(o, COUNTER_PORT_EVENT, 0),
		.stage = o->stage,
		.moved = o->moved_bytes,
		.there = true,
	};
}

struct rdma_verdict rdma_own(const struct rdma_end *end)
{
	const struct rdma_row *row = row_of(own_rows, COUNT(own_rows), end);

	if (!row)
		return (struct rdma_verdict){ .place = RDMA_NOWHERE };
	return (struct rdma_verdict){ .code = row->code, .place = RDMA_TX };
}

/* Small notes went through when the two met; then the first message of full
 * packets never did. */
static bool is_too_big(const struct rdma_end *tx, const struct rdma_end *rx)
{
	return tx->there && rx->there && tx->wc_status == WC_RETRY_EXC_ERR &&
	       tx->stage >= STAGE_WARM && rx->stage >= STAGE_WARM &&
	       rx->moved == 0;
}

struct rdma_verdict rdma_judge(const struct rdma_end *tx,
                               const struct rdma_end *rx)
{
	struct rdma_verdict v = rdma_own(tx);
	const struct rdma_row *row;

	if (v.place != RDMA_NOWHERE)
		return v;
	v = rdma_own(rx);
	if (v.place != RDMA_NOWHERE)
		return (struct rdma_verdict){ .code = v.code,
			                      .place = RDMA_RX };
	row = row_of(between_rows, COUNT(between_rows), tx);
	if (!row)
		row = row_of(between_rows, COUNT(between_rows), rx);
	if (row)
		return (struct rdma_verdict){ .code = row->code,
			                      .place = RDMA_BETWEEN };
	if (is_too_big(tx, rx))
		return (struct rdma_verdict){ .code = FINDING_HCA_MTU,
			                      .place = RDMA_BETWEEN };
	return (struct rdma_verdict){ .place = RDMA_NOWHERE };
}

unsigned rdma_code(unsigned code, unsigned direction)
{
	static const struct {
		unsigned net, rdma;
	} rows[] = {
		{ FINDING_NIC_TX_SLOW, FINDING_PORT_TX_SLOW },
		{ FINDING_NIC_RX_SLOW, FINDING_PORT_RX_SLOW },
		{ FINDING_NIC_SLOW, FINDING_HCA_SLOW },
		{ FINDING_NIC_TX_DEAD, FINDING_HCA_DEAD },
		{ FINDING_NIC_RX_DEAD, FINDING_HCA_DEAD },
		{ FINDING_NIC_DEAD, FINDING_HCA_DEAD },
		{ FINDING_NIC_MTU, FINDING_HCA_MTU },
	};

	if (code == FINDING_NIC_LOSS)
		return direction == DIRECTION_TX ? FINDING_PORT_TX_LOSSY
		                                 : FINDING_PORT_RX_LOSSY;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].net == code)
			return rows[i].rdma;
	return code;
}

void rdma_locus(const struct topo_job *job, int32_t rank, int32_t ep,
                struct locus *l)
{
	char port[TOPO_PORT_MAX];

	l->kind = LOCUS_PORT;
	l->rank = l->peer_rank = -1;
	l->netdev[0] = l->peer_host[0] = '\0';
	fp_copy(l->host, sizeof(l->host), topo_job_host_name(job, rank));
	fp_copy(l->device, sizeof(l->device),
	        topo_rank_port(&job->ranks[rank], ep, port));
}

static const struct outcome *outcome_of(const struct results *r, uint32_t trial,
                                        int32_t rank)
{
	for (size_t i = 0; i < r->n_outcomes; i++)
		if (r->outcomes[i].trial == trial &&
		    r->outcomes[i].rank == rank)
			return &r->outcomes[i];
	return NULL;
}

const char *rdma_pair_ports(const char *src, const char *dst,
                            char buf[static RDMA_PORTS_MAX])
{
	(void)snprintf(buf, RDMA_PORTS_MAX, "%.31s -> %.31s", src, dst);
	return buf;
}

/* Is @o of a trial of verbs by @rank's port @ep? Rank and rail name a port. */
static bool is_of_port(const struct results *r, const struct outcome *o,
                       int32_t rank, int32_t ep)
{
	const struct trial *t = results_trial(r, o->trial);

	return o->rank == rank && t && t->xport == XPORT_VERBS &&
	       trial_ep(t, rank) == ep;
}

/* Did something get through by the port of @rank in @trial after that? */
static bool came_back(const struct results *r, uint32_t trial, int32_t rank)
{
	const struct trial *t = results_trial(r, trial);
	int32_t ep = t ? trial_ep(t, rank) : -1;
	const struct outcome *o;

	for (size_t i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (o->trial > trial && o->state == OUTCOME_OK &&
		    is_of_port(r, o, rank, ep))
			return true;
	}
	return false;
}

unsigned rdma_told(const struct results *r, unsigned code, uint32_t trial,
                   int32_t rank)
{
	return code == FINDING_PORT_DOWN && came_back(r, trial, rank)
	               ? FINDING_LINK_FLAP
	               : code;
}

/* Did @rank's port @ep go down, by what it told in any test? One that went down
 * between tests may only tell that it is back. */
static bool was_down(const struct results *r, int32_t rank, int32_t ep)
{
	const struct outcome *o;
	struct rdma_verdict v;
	struct rdma_end end;

	for (size_t i = 0; i < r->n_outcomes; i++) {
		o = &r->outcomes[i];
		if (!is_of_port(r, o, rank, ep))
			continue;
		end = rdma_end_of(o);
		v = rdma_own(&end);
		if (end.event == EVENT_PORT_ACTIVE + 1 ||
		    (v.place != RDMA_NOWHERE && v.code == FINDING_PORT_DOWN))
			return true;
	}
	return false;
}

/* Of a test whose own codes say nothing: one of two, not both. */
static struct rdma_verdict of_ports(const struct results *r,
                                    const struct trial *t)
{
	bool tx = was_down(r, t->src, t->src_ep);
	bool rx = was_down(r, t->dst, t->dst_ep);

	return (struct rdma_verdict){
		.code = FINDING_PORT_DOWN,
		.place = tx == rx ? RDMA_NOWHERE
		         : tx     ? RDMA_TX
		                  : RDMA_RX,
	};
}

struct rdma_verdict rdma_cell(const struct results *r, uint32_t trial,
                              int32_t *ret_rank)
{
	const struct trial *t = results_trial(r, trial);
	struct rdma_verdict v = { .place = RDMA_NOWHERE };
	struct rdma_end tx, rx;

	*ret_rank = -1;
	if (!t || t->xport != XPORT_VERBS || !trial_is_pair(t))
		return v;
	tx = rdma_end_of(outcome_of(r, trial, t->src));
	rx = rdma_end_of(outcome_of(r, trial, t->dst));
	v = rdma_judge(&tx, &rx);
	if (v.place == RDMA_NOWHERE)
		v = of_ports(r, t);
	if (v.place == RDMA_TX)
		*ret_rank = t->src;
	else if (v.place == RDMA_RX)
		*ret_rank = t->dst;
	return v;
}
