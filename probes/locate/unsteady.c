// SPDX-License-Identifier: Apache-2.0
// Tests that were unsteady once: load of others, or a port that loses bytes.
#include <stdlib.h>

#include "probes/locate/book.h"

#define FLAKY_MIN 2    /* looks by a port */
#define FLAKY_SHARE .4 /* of all by it */

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

/* So many that it is no load of single tests. */
static bool is_suspect(const struct port_counts *c)
{
	return c->flaky >= FLAKY_MIN &&
	       (double)c->flaky >= FLAKY_SHARE * (double)c->looks;
}

struct port_counts *book_port_counts(const struct locate *l,
                                     const uint8_t *looks, const uint8_t *flaky,
                                     struct fp_err *err)
{
	struct port_counts *counts =
		calloc((size_t)fabric_size(l->f) + 1, sizeof(*counts));
	int32_t ids[2];
	size_t i;
	int k;

	if (!counts)
		(void)fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
	for (i = 0; counts && i < l->tests.n; i++) {
		ports_of(l->f, &l->tests.t[i].t, ids);
		for (k = 0; k < 2; k++) {
			if (ids[k] < 0)
				continue;
			counts[ids[k]].looks += looks[i];
			counts[ids[k]].flaky += flaky[i];
		}
	}
	return counts;
}

/* Of the first look at each test. */
static struct port_counts *first_counts(const struct locate *l,
                                        struct fp_err *err)
{
	uint8_t *looks = calloc(l->tests.n + 1, 2 * sizeof(*looks));
	uint8_t *flaky = looks ? looks + l->tests.n + 1 : NULL;
	struct port_counts *counts;
	size_t i;

	if (!looks) {
		(void)fp_err_set(err, FP_ERR_NOMEM, "no memory for looks");
		return NULL;
	}
	for (i = 0; i < l->tests.n; i++) {
		looks[i] = 1;
		flaky[i] = (l->signs[i] & SIGN_BIT(FLAKY)) != 0;
	}
	counts = book_port_counts(l, looks, flaky, err);
	free(looks);
	return counts;
}

enum fp_status book_spare_flaky(struct locate *l, struct fp_err *err)
{
	struct port_counts *counts = first_counts(l, err);
	int32_t ids[2];
	size_t i;

	if (!counts)
		return FP_ERR_NOMEM;
	for (i = l->at; i < l->tests.n; i++) {
		ports_of(l->f, &l->tests.t[i].t, ids);
		if ((ids[0] < 0 || !is_suspect(&counts[ids[0]])) &&
		    (ids[1] < 0 || !is_suspect(&counts[ids[1]])))
			l->signs[i] &= (uint8_t)~SIGN_BIT(FLAKY);
	}
	free(counts);
	return FP_OK;
}
