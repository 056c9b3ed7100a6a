// SPDX-License-Identifier: Apache-2.0
// The shared-memory transport between real processes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/xport/shm.h"
#include "probes/xport/shm_ep.h"
#include "tests/unit/xport_cases.h"
#include "topo/base/fmt.h"

static const struct xport_ops *const ops = &xport_shm_ops;

static void test_integrity(void **state)
{
	(void)state;
	case_integrity(ops, NULL);
}

static void test_rings(void **state)
{
	(void)state;
	case_rings(ops);
}

static void test_mesh(void **state)
{
	(void)state;
	case_mesh(ops);
}

static void test_never_comes(void **state)
{
	(void)state;
	case_never_comes(ops, false);
}

static void test_stopped(void **state)
{
	(void)state;
	case_stopped(ops);
}

static void test_killed(void **state)
{
	(void)state;
	case_killed(ops);
}

static void test_closed(void **state)
{
	(void)state;
	case_closed(ops);
}

static void test_refused(void **state)
{
	(void)state;
	case_refused(ops);
}

static void test_aborted(void **state)
{
	(void)state;
	case_aborted(ops);
}

/* As many messages as there are slots wait for their receiver; one more must
 * wait itself, not take the place of the first. */
static void slots_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(
		r, !r->me, 0, r->me ? XPORT_PASSIVE : XPORT_ACTIVE, 8);
	const struct xport_step step = { .to = ep, .tx_len = 8 };
	uint8_t buf[8];
	uint32_t i;

	(void)arg;
	for (i = 0; i < SHM_SLOTS && r->me == 0; i++) {
		rig_fill(r->ops->tx_region(ep), 8, i);
		rig_send(r, ep, 8);
	}
	RIG_CHECK(r, r->me || rig_step(r, step, 0.1) == FP_ERR_TIMEOUT);
	rig_barrier(r);
	for (i = 0; i < SHM_SLOTS && r->me == 1; i++) {
		rig_recv(r, ep, buf, 8);
		RIG_CHECK(r, rig_wrong(buf, 8, i) == 0);
	}
	r->ops->ep_close(ep);
}

static void test_slots(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = slots_body,
	};

	(void)state;
	rig_run(&plan);
}

/* The socket of @blob, found as a stranger would: in the list of all. */
static int stranger_connect(struct rig *r, const struct wire_blob *blob)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	FILE *list = fopen("/proc/net/unix", "re");
	char line[512], hex[3];
	uint8_t name[16];
	const char *at;
	int fd = -1;
	size_t i;

	RIG_CHECK(r, list != NULL);
	while (fd < 0 && fgets(line, sizeof(line), list)) {
		at = strstr(line, "@fabricprobe-");
		if (!at || strlen(at) < 13 + 32)
			continue;
		for (i = 0; i < sizeof(name); i++) {
			memcpy(hex, at + 13 + 2 * i, 2);
			hex[2] = '\0';
			name[i] = (uint8_t)strtoul(hex, NULL, 16);
		}
		if (!memmem(blob, sizeof(*blob), name, sizeof(name)))
			continue;
		memcpy(addr.sun_path + 1, at + 1, 12 + 32);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		RIG_CHECK(r, connect(fd, (const struct sockaddr *)&addr,
		                     (socklen_t)(sizeof(sa_family_t) + 1 + 12 +
		                                 32)) == 0);
	}
	fclose(list);
	RIG_CHECK(r, fd >= 0);
	return fd;
}

/* Of three strangers one says nothing, one nonsense with a descriptor, and one
 * the words of another trial. */
static void strangers_body(struct rig *r, const void *arg)
{
	struct door_words words =
		door_words_make(r->setup.data_token, r->trial.id + 1, 1, 0, 0);
	struct outcome o = { .trial = r->trial.id };
	struct xport_ep *ep;
	int fds[3], i;

	(void)arg;
	for (i = 0; r->me == 1 && i < 3; i++)
		fds[i] = stranger_connect(r, &r->blobs[0]);
	if (r->me == 1) {
		RIG_CHECK(r,
		          shm_fd_send(fds[1], STDIN_FILENO, &r->err) == FP_OK);
		RIG_CHECK(r, write(fds[2], &words, sizeof(words)) ==
		                     (ssize_t)sizeof(words));
	}
	ep = rig_connect(r, !r->me, 0, r->me ? XPORT_ACTIVE : XPORT_PASSIVE, 1);
	r->ops->unlisten(r->x);
	r->ops->counters(ep, &o);
	RIG_CHECK(r, outcome_get(&o, COUNTER_STRANGERS, 0) == (r->me ? 0 : 3));
	rig_barrier(r);
	r->ops->ep_close(ep);
	for (i = 0; r->me == 1 && i < 3; i++)
		close(fds[i]);
}

static void test_strangers(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = strangers_body,
	};

	(void)state;
	rig_run(&plan);
}

/* A peer that writes what it should not must not be followed. */
static const struct {
	const char *name;
	uint64_t len, off;
} nonsense[] = {
	{ "before the region", 4096, UINT64_MAX - 4095 },
	{ "behind the region", 4096, 8192 },
	{ "longer than the region", 8193, 0 },
	{ "longest", UINT64_MAX, 0 },
	{ "empty", 0, 0 },
};

static void nonsense_body(struct rig *r, const void *arg)
{
	const size_t i = *(const size_t *)arg;
	struct xport_ep *ep = rig_connect(
		r, !r->me, 0, r->me ? XPORT_ACTIVE : XPORT_PASSIVE, 8192);
	uint8_t buf[8192];
	const struct xport_step step = {
		.from = ep,
		.rbuf = buf,
		.rx_len = sizeof(buf),
	};
	struct shm_slot *slot;

	if (r->me == 1) {
		slot = &((struct shm_ep *)ep)->tx.way->slots[0];
		slot->len = nonsense[i].len;
		slot->off = nonsense[i].off;
		atomic_store(&slot->stamp, 1);
		rig_hear(r, 0);
	} else {
		RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) == FP_ERR_PROTO);
		rig_say(r, 1);
	}
	r->ops->ep_close(ep);
}

static void test_nonsense(void **state)
{
	size_t i;
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = nonsense_body,
		.arg = &i,
	};

	(void)state;
	for (i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		print_message("           %s\n", nonsense[i].name);
		rig_run(&plan);
	}
}

/* Memory is taken from nobody but who said the right words. */
static void welcome_body(struct rig *r, const void *arg)
{
	struct xport_ep *ep = rig_connect(
		r, !r->me, 0, r->me ? XPORT_PASSIVE : XPORT_ACTIVE, 64);
	uint8_t buf[64];
	const struct xport_step step = {
		.to = r->me == 1 ? ep : NULL,
		.tx_len = r->me == 1 ? 64 : 0,
		.from = r->me == 0 ? ep : NULL,
		.rbuf = buf,
		.rx_len = r->me == 0 ? 64 : 0,
	};

	(void)arg;
	if (r->me == 0)
		((struct shm_ep *)ep)->welcome.token[0] ^= 1;
	RIG_CHECK(r, rig_step(r, step, RIG_LONG_S) ==
	                     (r->me == 0 ? FP_ERR_PROTO : FP_ERR_PEER));
	r->ops->ep_close(ep);
}

static void test_welcome(void **state)
{
	const struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = welcome_body,
	};

	(void)state;
	rig_run(&plan);
}

/* What is passed must be sealed, or its owner could take it away. */
static void test_unsealed(void **state)
{
	struct shm_segment seg = { .data = NULL };
	struct fp_err err = { .status = FP_OK };
	int fd = memfd_create("unsealed", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(shm_segment_map(fd, true, &seg, &err), FP_ERR_PROTO);
	assert_null(seg.data);
	close(fd);
}

static void other_host(struct rig *r, const void *arg)
{
	(void)arg;
	if (r->me == 1)
		fp_copy(r->setup.host_id, sizeof(r->setup.host_id), "other");
}

static void host_body(struct rig *r, const void *arg)
{
	const bool same = *(const bool *)arg;
	const struct wire_blob none = { .bytes = { 0 } };

	RIG_CHECK(r, xport_shm_same_host(&r->blobs[0], &r->blobs[1]) == same);
	RIG_CHECK(r, !xport_shm_same_host(&r->blobs[0], &none));
	RIG_CHECK(r, !xport_shm_same_host(&none, &none));
	if (same)
		return;
	RIG_CHECK(r,
	          rig_try(r, !r->me, XPORT_ACTIVE, RIG_LONG_S) == FP_ERR_PEER);
	RIG_CHECK(r, strstr(r->err.text, "another host"));
}

static void test_hosts(void **state)
{
	bool same = true;
	struct rig_plan plan = {
		.ops = ops,
		.n = 2,
		.body = host_body,
		.arg = &same,
	};

	(void)state;
	rig_run(&plan);
	plan.adjust = other_host;
	same = false;
	rig_run(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integrity),
		cmocka_unit_test(test_rings),
		cmocka_unit_test(test_mesh),
		cmocka_unit_test(test_never_comes),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_aborted),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_welcome),
		cmocka_unit_test(test_unsealed),
		cmocka_unit_test(test_hosts),
	};

	return cmocka_run_group_tests_name("xport_shm", tests, NULL, NULL);
}
