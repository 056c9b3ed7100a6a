// SPDX-License-Identifier: Apache-2.0
// A program that starts up as fabricprobe does, meets in the mailbox, says
// goodbye, and misbehaves in between as its argument says. For boot_test.sh.
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "mpi/boot/boot.h"
#include "mpi/boot/netif.h"
#include "mpi/mailbox/mailbox.h"
#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

#define PROG_WAIT_S 30.0
#define PROG_BAD 9 /* not one of the exit statuses that are looked for */

struct prog {
	const char *how, *file; /* file: the others may end */
	const struct boot_ops *ops;
	struct boot *boot;
	int32_t rank, size;
	struct boot_meet meet;
	struct event_base *base;
	int32_t expected, hellos;
	bool bye;
};

static const struct mailbox_opts mailbox_opts = {
	.heartbeat_s = 0.5,
	.dead_s = 15,
	.hello_s = 5,
	.max_pending = 64,
};

static int fail(const struct fp_err *err)
{
	(void)fprintf(stderr, "fabricprobe: %s\n", err->text);
	return err->status == FP_ERR_USAGE ? 2 : PROG_BAD;
}

static void nap(void)
{
	const struct timespec ts = { .tv_nsec = 10000000 };

	(void)nanosleep(&ts, NULL);
}

static void wait_for_file(const struct prog *p)
{
	int64_t deadline_ns = fp_after_ns(PROG_WAIT_S);

	while (access(p->file, F_OK) && fp_now_ns() < deadline_ns)
		nap();
}

static void make_file(const struct prog *p)
{
	FILE *f = fopen(p->file, "w");

	if (f)
		(void)fclose(f);
}

static struct wire_hello hello_of(const struct prog *p)
{
	struct wire_hello hello = { .rank = p->rank, .size = p->size };

	memcpy(hello.token, p->meet.token, sizeof(hello.token));
	fp_copy(hello.version, sizeof(hello.version), FP_VERSION);
	return hello;
}

static void on_hello(void *arg, const struct wire_hello *hello)
{
	struct prog *p = arg;

	(void)hello;
	p->hellos++;
}

static void on_frame(void *arg, int32_t rank, const struct wire_frame *f)
{
	(void)arg;
	(void)rank;
	(void)f;
}

static void on_lost(void *arg, int32_t rank, const char *why)
{
	(void)arg;
	(void)fprintf(stderr, "rank %d lost: %s\n", rank, why);
}

static void on_stranger(void *arg, const char *what)
{
	(void)arg;
	(void)fprintf(stderr, "stranger: %s\n", what);
}

static void link_frame(void *arg, const struct wire_frame *f)
{
	struct prog *p = arg;

	p->bye |= f->head.type == WIRE_BYE;
}

static void link_lost(void *arg, const char *why)
{
	struct prog *p = arg;

	if (!p->bye)
		(void)fprintf(stderr, "rank %d lost its link: %s\n", p->rank,
		              why);
	p->bye = true;
}

/* Rank 0: until all are here; the others: until the goodbye. */
static bool loop_until_done(struct prog *p)
{
	int64_t deadline_ns = fp_after_ns(PROG_WAIT_S);
	bool done = false;

	while (!done && fp_now_ns() < deadline_ns) {
		(void)event_base_loop(p->base, EVLOOP_ONCE | EVLOOP_NONBLOCK);
		done = p->rank == 0 ? p->hellos >= p->expected : p->bye;
		if (!done)
			nap();
	}
	return done;
}

static int lead(struct prog *p, struct fp_err *err)
{
	const struct mailbox_cb cb = { p, on_hello, on_frame, on_lost,
		                       on_stranger };
	struct mailbox_listen listen = { .base = p->base,
		                         .size = p->size,
		                         .meet = &p->meet };
	const uint32_t how = WIRE_BYE_FINALIZE;
	struct mailbox *box = NULL;
	bool fixed;
	int rc = 0;

	listen.fd = p->ops->listen_fd(p->boot, &p->meet, &fixed);
	if (!fixed && netif_control_addrs("", &p->meet, err) != FP_OK)
		return fail(err);
	if (mailbox_open(&listen, &mailbox_opts, &cb, &box, err) != FP_OK ||
	    p->ops->exchange(p->boot, &p->meet, err) != FP_OK)
		return fail(err);
	p->expected = p->size - 1 - (strcmp(p->how, "stuck") == 0);
	if (!loop_until_done(p))
		rc = PROG_BAD;
	(void)printf("rank 0 of %d by %s: %d came\n", p->size, p->ops->name,
	             p->hellos);
	for (int32_t i = 1; i < p->size; i++)
		(void)mailbox_send(box, i, WIRE_BYE, &how, sizeof(how), NULL);
	mailbox_flush(box, fp_after_ns(PROG_WAIT_S));
	mailbox_close(box);
	return rc;
}

static int follow(struct prog *p, struct fp_err *err)
{
	const struct mailbox_link_cb cb = { p, link_frame, link_lost };
	const struct mailbox_link_how how = { .base = p->base,
		                              .opts = &mailbox_opts,
		                              .cb = &cb };
	struct mailbox_link_how with = how;
	struct mailbox_link *link = NULL;
	struct wire_hello hello;

	if (p->ops->exchange(p->boot, &p->meet, err) != FP_OK)
		return fail(err);
	hello = hello_of(p);
	with.hello = &hello;
	if (mailbox_link_dial(&with, &p->meet, fp_after_ns(PROG_WAIT_S), &link,
	                      err) != FP_OK)
		return fail(err);
	if (!loop_until_done(p))
		return PROG_BAD;
	mailbox_link_close(link);
	return 0;
}

static int meet_and_part(struct prog *p)
{
	struct fp_err err = { 0 };
	int rc;

	p->base = event_base_new();
	rc = p->rank == 0 ? lead(p, &err) : follow(p, &err);
	event_base_free(p->base);
	return rc;
}

static int run(struct prog *p)
{
	bool odd = p->rank == 1;
	int rc;

	if (!strcmp(p->how, "env")) {
		(void)printf("rank %d: pml %s, btl %s\n", p->rank,
		             getenv("OMPI_MCA_pml"), getenv("OMPI_MCA_btl"));
		p->ops->finish(p->boot, true, 0);
		return 0;
	}
	if (!strcmp(p->how, "stuck") && odd) {
		wait_for_file(p);
		_exit(0);
	}
	rc = meet_and_part(p);
	if (!strcmp(p->how, "stuck")) {
		if (p->rank == 0)
			make_file(p);
		_exit(rc);
	}
	if (!strcmp(p->how, "no-finish") && odd)
		wait_for_file(p);
	p->ops->finish(p->boot, rc == 0, 7);
	return rc;
}

int main(int argc, char **argv)
{
	struct prog p = { .how = argc > 1 ? argv[1] : "ok",
		          .file = argc > 2 ? argv[2] : "" };
	const char *rank = getenv("OMPI_COMM_WORLD_RANK");
	struct boot_opts opts = { .init_s = 30,
		                  .exchange_s = 12,
		                  .finish_s = 30,
		                  .keep_mpi_env = argc > 3 };
	struct fp_err err = { 0 };

	(void)setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(p.how, "no-finish"))
		opts.finish_s = 0.5;
	if (!strcmp(p.how, "no-init")) {
		opts.init_s = 0.5;
		if (rank && !strcmp(rank, "1"))
			wait_for_file(&p);
	}
	if (boot_pick("auto", getenv, &p.ops, &err) != FP_OK ||
	    p.ops->open(&opts, &p.boot, &err) != FP_OK)
		return fail(&err);
	p.rank = p.ops->rank(p.boot);
	p.size = p.ops->size(p.boot);
	return run(&p);
}
