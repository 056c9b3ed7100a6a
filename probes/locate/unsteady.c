// SPDX-License-Identifier: Apache-2.0
// Tests that were unsteady once: load of others, or a port that loses bytes.
#include <stdlib.h>

#include "probes/locate/book.h"

#define FLAKY_MIN 2    /* tests of a port */
#define FLAKY_SHARE .4 /* of its tests */

struct port_counts {
	uint32_t tests, flaky;
};

/* The ports that a test goes out of and into, or -1. */
static void ports_of(const struct fabric *f, const struct fabric_transfer *t,
                     int32_t ids[2])
{
	ids[0] = t->src.nic < 0 ? -1
	                        : fabric_host_id(f, FABRIC_PORT_TX, t->src.host,
	                                         t->src.nic);
	ids[1] = t->dst.nic < 0 ? -1
	                        : fabric_host_id(f, FABRIC_PORT_RX, t->dst.host,
	                                         t->dst.nic);
}

static bool is_suspect(const struct port_counts *c)
{
	return c->flaky >= FLAKY_MIN &&
	       (double)c->flaky >= FLAKY_SHARE * (double)c->tests;
}

static void count(const struct locate *l, struct port_counts *counts)
{
	int32_t ids[2];
	size_t i;
	int k;

	for (i = 0; i < l->tests.n; i++) {
		ports_of(l->f, &l->tests.t[i].t, ids);
		for (k = 0; k < 2; k++) {
			if (ids[k] < 0)
				continue;
			counts[ids[k]].tests++;
			counts[ids[k]].flaky +=
				(l->signs[i] & SIGN_BIT(FLAKY)) != 0;
		}
	}
}

enum fp_status book_spare_flaky(struct locate *l, struct fp_err *err)
{
	struct port_counts *counts =
		calloc((size_t)fabric_size(l->f) + 1, sizeof(*counts));
	int32_t ids[2];
	size_t i;

	if (!counts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	count(l, counts);
	for (i = l->at; i < l->tests.n; i++) {
		ports_of(l->f, &l->tests.t[i].t, ids);
		if ((ids[0] < 0 || !is_suspect(&counts[ids[0]])) &&
		    (ids[1] < 0 || !is_suspect(&counts[ids[1]])))
			l->signs[i] &= (uint8_t)~SIGN_BIT(FLAKY);
	}
	free(counts);
	return FP_OK;
}
