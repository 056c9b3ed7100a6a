// SPDX-License-Identifier: Apache-2.0
// Drives a host transport between two pinned processes and prints one figure.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/xport/xport.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"

#define RUNS 3       /* the best one counts, as NetPIPE has it */
#define LIMIT_S 60.0 /* of everything */
#define CONNECT_S 10.0
#define STREAM_SETTLE_S 0.2

static const char usage[] =
	"usage: xport_bench XPORT pingpong|stream BYTES SECONDS "
	"[ADDR0 ADDR1 [NETNS0 NETNS1]]\n"
	"  XPORT     shm or tcp\n"
	"  pingpong  prints half the round trip in seconds, best of 3; one\n"
	"            buffer is sent from and received into\n"
	"  stream    prints bytes per second at the receiver\n";

struct bench {
	const struct xport_ops *ops;
	bool stream;
	size_t bytes;
	double seconds;
	const char *addr[2], *netns[2];
	int pipe[2]; /* each side's end of a socketpair */
};

/* One side: member 0 calls, member 1 is called. */
struct side {
	const struct bench *b;
	uint32_t me;
	struct board board;
	struct wire_setup setup;
	struct xport_env env;
	struct trial trial;
	struct xport *x;
	struct xport_ep *ep;
	void *region;
	int64_t deadline_ns;
	struct fp_err err;
};

static bool fail(struct side *s, const char *what)
{
	fprintf(stderr, "xport_bench: side %u: %s: %s\n", s->me, what,
	        s->err.text);
	return false;
}

static bool netns_enter(const char *name)
{
	char path[256];
	int fd, rc;

	if (!name)
		return true;
	(void)snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	rc = setns(fd, CLONE_NEWNET);
	close(fd);
	return rc == 0;
}

static void pin(uint32_t me)
{
	cpu_set_t all, one;
	size_t cpu;
	uint32_t seen = 0;

	if (sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &all) || seen++ != me)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
	}
}

/* A wait of the harness itself is bounded by the alarm in side_main(). */
static bool swap(struct side *s, const struct wire_blob *mine,
                 struct wire_blob *theirs)
{
	const int fd = s->b->pipe[s->me];

	return write(fd, mine, sizeof(*mine)) == (ssize_t)sizeof(*mine) &&
	       recv(fd, theirs, sizeof(*theirs), MSG_WAITALL) ==
	               (ssize_t)sizeof(*theirs);
}

static bool side_open(struct side *s)
{
	struct wire_blob mine, theirs;
	struct xport_peer peer = {
		.trial = &s->trial,
		.me = s->me,
		.peer = !s->me,
		.side = s->me == 0 ? XPORT_ACTIVE : XPORT_PASSIVE,
		.tx_bytes = s->b->bytes,
		.blob = &theirs,
		.deadline_ns = fp_after_ns(CONNECT_S),
	};

	if (s->b->ops->probe(&s->env, &s->err) != FP_OK ||
	    s->b->ops->open(&s->env, &s->x, &s->err) != FP_OK)
		return fail(s, "open");
	if (s->b->ops->listen(s->x, &s->trial, 1, &mine, &s->err) != FP_OK)
		return fail(s, "listen");
	if (!swap(s, &mine, &theirs))
		return fail(s, "exchange");
	if (s->b->ops->connect(s->x, &peer, &s->ep, &s->err) != FP_OK)
		return fail(s, "connect");
	s->b->ops->unlisten(s->x);
	s->region = s->b->ops->tx_region(s->ep);
	memset(s->region, (int)s->me, s->b->bytes);
	return true;
}

static bool move(struct side *s, bool send)
{
	const struct xport_step step = {
		.to = send ? s->ep : NULL,
		.tx_len = send ? s->b->bytes : 0,
		.from = send ? NULL : s->ep,
		.rbuf = s->region,
		.rx_len = send ? 0 : s->b->bytes,
		.deadline_ns = s->deadline_ns,
	};

	return s->b->ops->step(&step, &s->err) == FP_OK || fail(s, "step");
}

static bool pingpong(struct side *s, long n)
{
	bool ok = true;
	long i;

	for (i = 0; i < 2 * n && ok; i++)
		ok = move(s, (i + s->me) % 2 == 0);
	return ok;
}

static bool run_pingpong(struct side *s)
{
	double best = 0, took;
	int64_t start_ns;
	long n = 1;
	int run;

	/* both sides double n alike until a run is long enough to tell; side
	 * 0 knows how long it was and says so in the first byte */
	for (run = 0; run < RUNS;) {
		start_ns = fp_now_ns();
		if (!pingpong(s, n))
			return false;
		took = (double)(fp_now_ns() - start_ns) / 1e9;
		if (s->me == 0)
			*(uint8_t *)s->region = took < s->b->seconds / RUNS;
		if (!move(s, s->me == 0))
			return false;
		if (*(uint8_t *)s->region) {
			n *= 2;
			continue;
		}
		took /= 2.0 * (double)n;
		best = run == 0 || took < best ? took : best;
		run++;
	}
	if (s->me == 0)
		printf("%.9g\n", best);
	return true;
}

/* The sender goes on until the receiver, who times, hangs up. */
static bool run_stream(struct side *s)
{
	int64_t start_ns = fp_now_ns(), from_ns = 0, now_ns = 0;
	double age_s = 0;
	size_t moved = 0;

	if (s->me == 0) {
		while (fp_now_ns() < s->deadline_ns) {
			const struct xport_step step = {
				.to = s->ep,
				.tx_len = s->b->bytes,
				.deadline_ns = s->deadline_ns,
			};
			if (s->b->ops->step(&step, &s->err) != FP_OK)
				break;
		}
		return s->err.status == FP_ERR_PEER || fail(s, "send");
	}
	while (age_s < s->b->seconds + STREAM_SETTLE_S) {
		if (!move(s, false))
			return false;
		now_ns = fp_now_ns();
		age_s = (double)(now_ns - start_ns) / 1e9;
		if (from_ns)
			moved += s->b->bytes;
		else if (age_s > STREAM_SETTLE_S)
			from_ns = now_ns;
	}
	printf("%.9g\n", (double)moved * 1e9 / (double)(now_ns - from_ns));
	return true;
}

static int side_main(const struct bench *b, uint32_t me)
{
	struct side s = {
		.b = b,
		.me = me,
		.setup = { .rank = (int32_t)me, .size = 2, .streams = 1 },
		.trial = { .id = 1, .deadline_s = LIMIT_S },
		.deadline_ns = fp_after_ns(LIMIT_S),
	};
	bool ok;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)alarm((unsigned)LIMIT_S);
	if (!netns_enter(b->netns[me])) {
		perror("xport_bench: network namespace");
		return 1;
	}
	pin(me);
	fp_copy(s.setup.host_id, sizeof(s.setup.host_id), "bench");
	s.env = (struct xport_env){ .setup = &s.setup,
		                    .board = &s.board,
		                    .mtu_bytes = -1 };
	fp_copy(s.env.addr, sizeof(s.env.addr), b->addr[me]);
	ok = side_open(&s) && (b->stream ? run_stream(&s) : run_pingpong(&s));
	fflush(stdout);
	b->ops->ep_close(s.ep);
	b->ops->close(s.x);
	return ok ? 0 : 1;
}

static bool bench_parse(int argc, char **argv, struct bench *b)
{
	struct fp_err err = { .status = FP_OK };
	uint64_t bytes;

	if (argc != 5 && argc != 7 && argc != 9)
		return false;
	b->ops = strcmp(argv[1], "shm") ? &xport_tcp_ops : &xport_shm_ops;
	if (strcmp(argv[1], b->ops->name) != 0)
		return false;
	b->stream = strcmp(argv[2], "stream") == 0;
	if (!b->stream && strcmp(argv[2], "pingpong") != 0)
		return false;
	if (fp_parse_bytes(argv[3], &bytes, &err) != FP_OK || bytes == 0 ||
	    fp_parse_seconds(argv[4], &b->seconds, &err) != FP_OK)
		return false;
	b->bytes = bytes;
	b->addr[0] = argc > 5 ? argv[5] : "127.0.0.1";
	b->addr[1] = argc > 5 ? argv[6] : "127.0.0.1";
	b->netns[0] = argc > 7 ? argv[7] : NULL;
	b->netns[1] = argc > 7 ? argv[8] : NULL;
	return true;
}

int main(int argc, char **argv)
{
	struct bench b = { .bytes = 0 };
	pid_t child;
	int status = 1, rc;

	if (!bench_parse(argc, argv, &b)) {
		fputs(usage, stderr);
		return 2;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b.pipe) != 0) {
		perror("xport_bench: socketpair");
		return 1;
	}
	child = fork();
	if (child < 0) {
		perror("xport_bench: fork");
		return 1;
	}
	if (child == 0)
		_exit(side_main(&b, 1));
	rc = side_main(&b, 0);
	if (waitpid(child, &status, 0) != child || status != 0)
		rc = 1;
	return rc;
}
