// SPDX-License-Identifier: Apache-2.0
// Unit tests of the collectives: every operation, by threads over a transport
// whose queues are far smaller than the messages.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probes/measure/ring.h"
#include "tests/unit/loop_xport.h"
#include "topo/base/clock.h"

#define SEED 4711
#define N_MAX 9
#define LIMIT_S 60.0
#define LARGE 150001 /* elements: three pieces, the last one short */

static const uint32_t ops[] = { OP_ALLREDUCE, OP_ALLGATHER, OP_REDUCESCATTER,
	                        OP_BROADCAST, OP_ALLTOALL,  OP_SENDRECV };

#define N_OPS (sizeof(ops) / sizeof(*ops))

struct member {
	struct ring ring;
	struct xport_ep *mesh[N_MAX];
	float *own; /* all-to-all's data */
	uint32_t runs;
	enum fp_status status;
	struct fp_err err;
};

struct party {
	struct loop_net *net;
	struct member m[N_MAX];
	uint32_t n;
};

static void connect_mesh(struct party *p, size_t region)
{
	for (uint32_t a = 0; a < p->n; a++) {
		for (uint32_t b = a + 1; b < p->n; b++)
			loop_net_pair(p->net, region, region, &p->m[a].mesh[b],
			              &p->m[b].mesh[a]);
	}
}

static void connect_ring(struct party *p, size_t region)
{
	for (uint32_t a = 0; a < p->n; a++)
		loop_net_pair(p->net, region, 0, &p->m[a].ring.next,
		              &p->m[(a + 1) % p->n].ring.prev);
}

static void member_init(struct party *p, uint32_t me, const struct ring *like)
{
	struct member *m = &p->m[me];
	struct ring *r = &m->ring;
	size_t scratch = ring_scratch_bytes(like->op, p->n, like->count);

	r->op = like->op;
	r->n = p->n;
	r->me = me;
	r->root = like->root;
	r->count = like->count;
	r->deadline_ns = fp_after_ns(LIMIT_S);
	r->scratch = malloc(scratch ? scratch : 1);
	assert_non_null(r->scratch);
	if (like->op != OP_ALLTOALL) {
		r->data = r->next->ops->tx_region(r->next);
		return;
	}
	r->mesh = m->mesh;
	m->own = malloc(like->count * sizeof(float) + 1);
	assert_non_null(m->own);
	r->data = m->own;
}

static void party_open(struct party *p, const struct ring *like)
{
	size_t region = ring_region_bytes(like->op, like->n, like->count);

	memset(p, 0, sizeof(*p));
	p->n = like->n;
	p->net = loop_net_open(NULL, 0, 4096);
	assert_non_null(p->net);
	if (like->op == OP_ALLTOALL)
		connect_mesh(p, region);
	else
		connect_ring(p, region);
	for (uint32_t me = 0; me < p->n; me++) {
		member_init(p, me, like);
		ring_fill(&p->m[me].ring, SEED);
		p->m[me].runs = 1;
	}
}

static void *member_run(void *arg)
{
	struct member *m = arg;

	for (uint32_t i = 0; i < m->runs && m->status == FP_OK; i++)
		m->status = ring_run(&m->ring, &m->err);
	return NULL;
}

static void party_run(struct party *p)
{
	pthread_t threads[N_MAX];

	for (uint32_t i = 0; i < p->n; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, member_run, &p->m[i]),
			0);
	for (uint32_t i = 0; i < p->n; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < p->n; i++)
		assert_int_equal(p->m[i].status, FP_OK);
}

static void party_close(struct party *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		free(p->m[i].ring.scratch);
		free(p->m[i].own);
	}
	loop_net_close(p->net);
}

static uint64_t party_wrong(const struct party *p)
{
	uint64_t wrong = 0;

	for (uint32_t i = 0; i < p->n; i++)
		wrong += ring_verify(&p->m[i].ring, SEED);
	return wrong;
}

static void assert_works(const struct ring *like)
{
	struct party p;

	party_open(&p, like);
	/* Without the operation there is no result, unless there is nothing
	 * to do. */
	if (like->count > 0)
		assert_true(party_wrong(&p) > 0);
	party_run(&p);
	assert_int_equal(party_wrong(&p), 0);
	party_close(&p);
}

static void assert_op_works(uint32_t op, uint32_t n)
{
	static const size_t counts[] = { 0, 1, 2, 3, 8, 17, 1000, 4099 };

	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		const struct ring like = { .op = op,
			                   .n = n,
			                   .count = counts[c] };

		assert_works(&like);
	}
}

static void test_every_op_every_n(void **state)
{
	(void)state;
	for (size_t o = 0; o < N_OPS; o++) {
		for (uint32_t n = 2; n <= N_MAX; n++)
			assert_op_works(ops[o], n);
	}
}

static void test_more_than_a_piece(void **state)
{
	(void)state;
	for (size_t o = 0; o < N_OPS; o++) {
		for (uint32_t n = 2; n <= 3; n++) {
			const struct ring like = { .op = ops[o],
				                   .n = n,
				                   .count = LARGE };

			assert_works(&like);
		}
	}
}

static void test_broadcast_from_every_root(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= N_MAX; n++) {
		for (uint32_t root = 0; root < n; root++) {
			const struct ring like = { .op = OP_BROADCAST,
				                   .n = n,
				                   .root = root,
				                   .count = 333 };

			assert_works(&like);
		}
	}
}

/* In their first block. */
static bool differ(const float *a, const float *b)
{
	for (size_t i = 0; i < 16; i++) {
		if (a[i] < b[i] || a[i] > b[i])
			return true;
	}
	return false;
}

static void test_clobbered_input_is_said(void **state)
{
	float before[64];
	struct party p;

	(void)state;
	for (size_t o = 0; o < N_OPS; o++) {
		const struct ring like = { .op = ops[o], .n = 4, .count = 16 };
		size_t region = ring_region_bytes(ops[o], 4, 16);
		size_t lost = ring_clobbered_bytes(ops[o], 4, 16);

		party_open(&p, &like);
		memcpy(before, p.m[0].ring.data, region);
		party_run(&p);
		/* Member 0's block is first; broadcast's root is member 0. */
		assert_int_equal(lost > 0, differ(before, p.m[0].ring.data));
		party_close(&p);
	}
}

static void test_repeats_from_restored_input(void **state)
{
	const struct ring like = { .op = OP_ALLREDUCE, .n = 3, .count = 100 };
	struct party p;

	(void)state;
	party_open(&p, &like);
	for (uint32_t i = 0; i < 3; i++)
		p.m[i].runs = 5;
	party_run(&p);
	assert_true(party_wrong(&p) > 0);
	for (uint32_t i = 0; i < 3; i++) {
		ring_fill(&p.m[i].ring, SEED);
		p.m[i].runs = 1;
	}
	party_run(&p);
	assert_int_equal(party_wrong(&p), 0);
	party_close(&p);
}

static float *result(struct ring *r)
{
	if (r->op == OP_SENDRECV || r->op == OP_ALLTOALL)
		return r->scratch;
	return r->op == OP_REDUCESCATTER ? r->data + r->me * r->count : r->data;
}

static void test_a_flipped_element_is_caught(void **state)
{
	(void)state;
	for (size_t o = 0; o < N_OPS; o++) {
		const struct ring like = { .op = ops[o], .n = 3, .count = 40 };
		struct party p;
		uint32_t bits;

		party_open(&p, &like);
		party_run(&p);
		memcpy(&bits, result(&p.m[1].ring) + 39, sizeof(bits));
		bits ^= 1u << 16;
		memcpy(result(&p.m[1].ring) + 39, &bits, sizeof(bits));
		assert_int_equal(party_wrong(&p), sizeof(float));
		party_close(&p);
	}
}

/* What a broken ring would leave: a contribution missing, or two swapped. */
static void test_a_missing_contribution_is_caught(void **state)
{
	const struct ring like = { .op = OP_ALLREDUCE, .n = 3, .count = 1000 };
	struct party p;

	(void)state;
	party_open(&p, &like);
	for (size_t i = 0; i < 1000; i++)
		p.m[0].ring.data[i] += p.m[1].ring.data[i];
	assert_true(ring_verify(&p.m[0].ring, SEED) >
	            900 * sizeof(float)); /* 1 in 1021 is a zero */
	for (size_t i = 0; i < 1000; i++)
		p.m[0].ring.data[i] += p.m[2].ring.data[i];
	assert_int_equal(ring_verify(&p.m[0].ring, SEED), 0);
	party_close(&p);
}

static void test_seeds_differ(void **state)
{
	const struct ring like = { .op = OP_BROADCAST, .n = 2, .count = 1000 };
	struct party p;

	(void)state;
	party_open(&p, &like);
	ring_fill(&p.m[0].ring, SEED + 1);
	assert_true(ring_verify(&p.m[0].ring, SEED) > 900 * sizeof(float));
	party_close(&p);
}

static void test_a_gone_neighbour_ends_it(void **state)
{
	const struct ring like = { .op = OP_ALLREDUCE, .n = 2, .count = LARGE };
	struct party p;

	(void)state;
	party_open(&p, &like);
	p.m[1].ring.next->ops->ep_close(p.m[1].ring.next);
	p.m[1].ring.prev->ops->ep_close(p.m[1].ring.prev);
	member_run(&p.m[0]);
	assert_int_equal(p.m[0].status, FP_ERR_PEER);
	party_close(&p);
}

/* All is there already, so that no step has to wait: it is late all the same. */
static void test_a_late_ring_ends(void **state)
{
	const struct ring like = { .op = OP_SENDRECV, .n = 2, .count = 10 };
	const struct xport_step early = {
		.tx_len = 10 * sizeof(float),
		.deadline_ns = fp_after_ns(LIMIT_S),
	};
	struct xport_step step = early;
	struct fp_err err = { 0 };
	struct party p;

	(void)state;
	party_open(&p, &like);
	step.to = p.m[1].ring.next;
	assert_int_equal(step.to->ops->step(&step, &err), FP_OK);
	p.m[0].ring.deadline_ns = 1;
	assert_int_equal(ring_run(&p.m[0].ring, &err), FP_ERR_TIMEOUT);
	party_close(&p);
}

static void test_moved_bytes_are_counted(void **state)
{
	const struct ring like = { .op = OP_ALLREDUCE, .n = 4, .count = 100 };
	struct board board = { 0 };
	struct party p;

	(void)state;
	party_open(&p, &like);
	p.m[2].ring.board = &board;
	party_run(&p);
	assert_int_equal(p.m[2].ring.moved_bytes, 2 * 3 * 25 * sizeof(float));
	assert_int_equal(atomic_load(&board.bytes), p.m[2].ring.moved_bytes);
	party_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_op_every_n),
		cmocka_unit_test(test_more_than_a_piece),
		cmocka_unit_test(test_broadcast_from_every_root),
		cmocka_unit_test(test_clobbered_input_is_said),
		cmocka_unit_test(test_repeats_from_restored_input),
		cmocka_unit_test(test_a_flipped_element_is_caught),
		cmocka_unit_test(test_a_missing_contribution_is_caught),
		cmocka_unit_test(test_seeds_differ),
		cmocka_unit_test(test_a_gone_neighbour_ends_it),
		cmocka_unit_test(test_a_late_ring_ends),
		cmocka_unit_test(test_moved_bytes_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
