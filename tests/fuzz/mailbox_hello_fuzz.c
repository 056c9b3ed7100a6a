// SPDX-License-Identifier: Apache-2.0
// Bytes of anybody at rank 0's door: nobody gets in without the token, and
// whatever came before, an agent does.
#include <event2/event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/mailbox/mailbox.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

#define SIZE 4
#define MAX 65536 /* fits into a socket's buffer */

struct seen {
	unsigned hellos, frames, losts, strangers;
	int32_t rank;
};

static void check(int good)
{
	if (!good)
		abort();
}

static void on_hello(void *arg, const struct wire_hello *hello)
{
	static const uint8_t token[WIRE_TOKEN_BYTES] = { 1, 2, 3, 4 };
	struct seen *seen = arg;

	seen->hellos++;
	seen->rank = hello->rank;
	check(!memcmp(hello->token, token, sizeof(token)));
	check(hello->rank >= 0 && hello->rank < SIZE && hello->size == SIZE);
	check(!strcmp(hello->version, FP_VERSION));
}

static void on_frame(void *arg, int32_t rank, const struct wire_frame *f)
{
	struct seen *seen = arg;

	seen->frames++;
	check(seen->hellos > 0 && rank == seen->rank);
	check(f->head.type != WIRE_HELLO && f->head.type != WIRE_HEARTBEAT);
	check(f->head.length <= WIRE_PAYLOAD_MAX);
}

static void on_lost(void *arg, int32_t rank, const char *why)
{
	struct seen *seen = arg;

	seen->losts++;
	check(rank == seen->rank && why[0]);
}

static void on_stranger(void *arg, const char *what)
{
	struct seen *seen = arg;

	seen->strangers++;
	check(what[0]);
}

static struct mailbox *open_box(struct event_base *base, struct seen *seen,
                                struct boot_meet *meet)
{
	const struct mailbox_opts opts = { .heartbeat_s = 100,
		                           .dead_s = 1000,
		                           .hello_s = 1000,
		                           .max_pending = 4 };
	const struct mailbox_cb cb = { seen, on_hello, on_frame, on_lost,
		                       on_stranger };
	struct mailbox_listen how = { .base = base,
		                      .size = SIZE,
		                      .meet = meet };
	struct mailbox *box = NULL;
	int fds[2];

	/* Nobody comes that way; and ports are not used up by the thousand. */
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	close(fds[1]);
	how.fd = fds[0];
	check(mailbox_open(&how, &opts, &cb, &box, NULL) == FP_OK);
	return box;
}

static void say_hello(int fd, const struct boot_meet *meet, int32_t rank)
{
	struct wire_hello hello = { .rank = rank, .size = SIZE };
	struct wire_head head = wire_head_make(WIRE_HELLO, 0, sizeof(hello));

	memcpy(hello.token, meet->token, sizeof(hello.token));
	fp_copy(hello.version, sizeof(hello.version), FP_VERSION);
	check(write(fd, &head, sizeof(head)) == sizeof(head));
	check(write(fd, &hello, sizeof(hello)) == sizeof(hello));
}

static int adopt(struct mailbox *box)
{
	int fds[2];

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fds));
	check(mailbox_adopt(box, fds[0], NULL) == FP_OK);
	return fds[1];
}

static void run(struct event_base *base)
{
	for (int i = 0; i < 6; i++)
		(void)event_base_loop(base, EVLOOP_NONBLOCK);
}

/* The first byte says whether a good hello, and of whom, goes ahead. */
static void meet_anybody(struct event_base *base, struct mailbox *box,
                         const struct boot_meet *meet, const uint8_t *data,
                         size_t size)
{
	int fd = adopt(box);

	if (data[0] & 1)
		say_hello(fd, meet, (data[0] >> 1) % SIZE);
	check(write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	run(base);
	close(fd);
	run(base);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct boot_meet meet = { .token = { 1, 2, 3, 4 } };
	struct seen seen = { .rank = SIZE - 1 };
	struct event_base *base;
	struct mailbox *box;
	unsigned hellos;
	int fd;

	if (size < 1 || size > MAX)
		return 0;
	base = event_base_new();
	check(base != NULL);
	box = open_box(base, &seen, &meet);
	meet_anybody(base, box, &meet, data, size);
	hellos = seen.hellos;
	check(hellos == 1 || (hellos == 0 && !(data[0] & 1)));
	check(seen.losts == hellos);
	fd = adopt(box);
	say_hello(fd, &meet, (seen.rank + 1) % SIZE);
	run(base);
	check(seen.hellos == hellos + 1);
	close(fd);
	mailbox_close(box);
	event_base_free(base);
	return 0;
}
