// SPDX-License-Identifier: Apache-2.0
// Bytes that a stranger sends to a door: nobody gets in without the words. The
// input is the difference to the right ones, so that zeros open the door.
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/xport/door.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t token[WIRE_TOKEN_BYTES];

struct bed {
	struct door door;
	struct sockaddr_un addr;
	socklen_t len;
};

static void bed_open(struct bed *b)
{
	const struct door_rules rules = {
		.token = token,
		.trial = 1,
		.parts = 2,
		.edges = 2,
	};
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	b->door = DOOR_SHUT;
	b->len = sizeof(b->addr);
	/* no name at all: the system gives one */
	if (fd < 0 ||
	    bind(fd, (const struct sockaddr *)&any, sizeof(sa_family_t)) ||
	    listen(fd, 4) ||
	    getsockname(fd, (struct sockaddr *)&b->addr, &b->len) ||
	    door_open(&b->door, fd, &rules, NULL) != FP_OK)
		abort();
}

static void bed_serve(struct bed *b)
{
	struct pollfd fds[DOOR_FDS];
	unsigned n = door_fds(&b->door, fds);

	if (poll(fds, n, 0) < 0 || door_serve(&b->door, 0, fds, NULL) != FP_OK)
		abort();
}

static void bed_check(const struct bed *b)
{
	const struct door_words *w;
	size_t i;

	for (i = 0; i < b->door.n_guests; i++) {
		w = &b->door.guests[i].hello;
		if (w->trial != 1 || w->to != 0 || w->part >= 2 ||
		    w->parts != 2 || memcmp(w->token, token, sizeof(token)))
			abort();
	}
}

static ssize_t say(int fd, const uint8_t *data, size_t n, size_t at)
{
	struct door_words words = door_words_make(token, 1, 3, 0, 5);
	const uint8_t *right = (const uint8_t *)&words;
	uint8_t bytes[64];
	size_t i;

	words.parts = 2;
	for (i = 0; i < n; i++)
		bytes[i] = data[i] ^ right[(at + i) % sizeof(words)];
	return send(fd, bytes, n, MSG_NOSIGNAL);
}

/* The first byte says after how many bytes the door is served. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size ? 1u + data[0] % 64 : 1, at, n;
	struct bed b;
	int fd;

	bed_open(&b);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&b.addr, b.len))
		abort();
	for (at = 1; at < size && at < 4096; at += n) {
		n = step < size - at ? step : size - at;
		if (say(fd, data + at, n, at - 1) < 0)
			break;
		bed_serve(&b);
	}
	bed_serve(&b);
	bed_check(&b);
	close(fd);
	door_shut(&b.door);
	return 0;
}
