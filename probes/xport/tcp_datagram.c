// SPDX-License-Identifier: Apache-2.0
// OP_DATAGRAM: which sizes of packets get through, without TCP?
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "probes/xport/siphash.h"
#include "probes/xport/tcp.h"
#include "topo/base/clock.h"

#define DGRAM_MAGIC 0x44553146u /* "F1UD" read little-endian */
#define DGRAM_EACH 8            /* of either size */
#define DGRAM_SMALL_BYTES 64    /* payload */
#define DGRAM_PAYLOAD_MAX 65507 /* of UDP over IPv4; enough for both */
/* A burst would test a queue: 105 kB at 9000 bytes are what 8 Mbit/s carry in
 * this time. Each direction of a pair that hung costs as much. */
#define DGRAM_SPREAD_NS 120000000LL
#define DGRAM_WAIT_NS 600000000LL
#define DGRAM_READS 256 /* in one turn, so that a flood cannot hold it */
#define MTU_UNKNOWN 1500
#define SLEEP_MS 20 /* the abort word wakes nobody up */

/* Steps are of growing size: how much of a path's MTU is there? */
enum dgram_size { DGRAM_SMALL, DGRAM_FULL, DGRAM_STEP, DGRAM_SIZES };

/* MTUs that networks have: IPv6's least, tunnels, Ethernet, InfiniBand (2044,
 * 4092), jumbo frames. */
static const uint16_t steps[DGRAM_EACH] = { 1280, 1400, 1450, 1500,
	                                    2044, 4092, 8192, 8950 };

/* Head of each datagram; the rest is zero. */
struct dgram {
	uint32_t magic;
	uint32_t trial;
	uint32_t from, to;
	uint16_t size; /* enum dgram_size */
	uint16_t number;
	uint32_t ip_bytes; /* of the whole packet */
	uint64_t mac;      /* over all before it, keyed with the data token */
};
_Static_assert(sizeof(struct dgram) == 32, "dgram crosses hosts");

struct dgram_run {
	struct tcp *tcp;
	const struct xport_peer *peer;
	struct outcome *o;
	int64_t deadline_ns;
};

static size_t ip_head_bytes(const struct tcp *tcp)
{
	return tcp->addr.ss.ss_family == AF_INET6 ? 40 + 8 : 20 + 8;
}

static size_t payload_bytes(const struct tcp *tcp, enum dgram_size size,
                            unsigned number)
{
	const size_t head = ip_head_bytes(tcp);
	int32_t mtu = tcp->env->mtu_bytes;
	size_t bytes;

	if (size == DGRAM_SMALL)
		return DGRAM_SMALL_BYTES;
	if (mtu < (int32_t)(head + DGRAM_SMALL_BYTES))
		mtu = MTU_UNKNOWN;
	/* A step that is no smaller is the full size. */
	if (size == DGRAM_STEP && steps[number] < mtu)
		mtu = steps[number];
	bytes = (size_t)mtu - head;
	return bytes < DGRAM_PAYLOAD_MAX ? bytes : DGRAM_PAYLOAD_MAX;
}

static uint64_t dgram_mac(const struct tcp *tcp, const struct dgram *d)
{
	return siphash(tcp->env->setup->data_token, d,
	               offsetof(struct dgram, mac));
}

static enum fp_status run_check(const struct dgram_run *run, struct fp_err *err)
{
	const struct board *board = run->tcp->env->board;
	const uint32_t trial = run->peer->trial->id;

	if (board &&
	    atomic_load_explicit(&board->abort, memory_order_relaxed) == trial)
		return fp_err_set(err, FP_ERR_INTR, "trial %u was called off",
		                  trial);
	return FP_OK;
}

/* Wait for the socket or @until_ns; *@ret_ready: it is the socket. */
static enum fp_status run_sleep(const struct dgram_run *run, short events,
                                int64_t until_ns, bool *ret_ready,
                                struct fp_err *err)
{
	struct pollfd fd = { .fd = run->tcp->udp_fd, .events = events };
	int left_ms = fp_left_ms(until_ns);
	int n = poll(&fd, events ? 1 : 0,
	             left_ms < SLEEP_MS ? left_ms : SLEEP_MS);

	if (n < 0 && errno != EINTR)
		return fp_err_sys(err, errno, "poll");
	*ret_ready = n > 0;
	return run_check(run, err);
}

/* Don't-fragment, whatever an earlier "too big" made the system believe. */
static enum fp_status dgram_no_fragments(const struct tcp *tcp,
                                         struct fp_err *err)
{
	const bool v6 = tcp->addr.ss.ss_family == AF_INET6;
	const int probe = v6 ? IPV6_PMTUDISC_PROBE : IP_PMTUDISC_PROBE;

	if (setsockopt(tcp->udp_fd, v6 ? IPPROTO_IPV6 : IPPROTO_IP,
	               v6 ? IPV6_MTU_DISCOVER : IP_MTU_DISCOVER, &probe,
	               sizeof(probe)) != 0)
		return fp_err_sys(err, errno, "don't-fragment");
	return FP_OK;
}

static int dgram_send(const struct dgram_run *run, const struct tcp_addr *to,
                      enum dgram_size size, unsigned number, uint8_t *room)
{
	const struct tcp *tcp = run->tcp;
	const size_t bytes = payload_bytes(tcp, size, number);
	struct dgram d = {
		.magic = DGRAM_MAGIC,
		.trial = run->peer->trial->id,
		.from = run->peer->me,
		.to = run->peer->peer,
		.size = (uint16_t)size,
		.number = (uint16_t)number,
		.ip_bytes = (uint32_t)(bytes + ip_head_bytes(tcp)),
	};
	ssize_t n;

	d.mac = dgram_mac(tcp, &d);
	memcpy(room, &d, sizeof(d));
	n = sendto(tcp->udp_fd, room, bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
	           (const struct sockaddr *)&to->ss, to->len);
	return n == (ssize_t)bytes ? 0 : errno;
}

static void sent_note(struct outcome *o, enum dgram_size size, int errnum,
                      size_t ip_bytes)
{
	static const char *const names[] = {
		[DGRAM_SMALL] = "small",
		[DGRAM_FULL] = "full-size",
		[DGRAM_STEP] = "medium",
	};
	const char *text = strerrordesc_np(errnum);

	if (o->err[0])
		return;
	(void)snprintf(o->err, sizeof(o->err),
	               "%s datagrams (%zu bytes with IP) cannot be sent: %s",
	               names[size], ip_bytes, text ? text : "unknown error");
}

static enum fp_status source_run(struct dgram_run *run,
                                 const struct tcp_addr *to, uint8_t *room,
                                 struct fp_err *err)
{
	const int64_t start_ns = fp_now_ns();
	const int total = DGRAM_EACH * DGRAM_SIZES;
	int64_t sent[DGRAM_SIZES] = { 0 };
	enum fp_status status = FP_OK;
	enum dgram_size size;
	unsigned number;
	int64_t due_ns;
	bool ready;
	int i, errnum;

	for (i = 0; i < total && status == FP_OK; i++) {
		due_ns = start_ns + i * (DGRAM_SPREAD_NS / total);
		while (status == FP_OK && fp_now_ns() < due_ns)
			status = run_sleep(run, 0, due_ns, &ready, err);
		if (status != FP_OK || fp_now_ns() >= run->deadline_ns)
			break;
		size = (enum dgram_size)(i % DGRAM_SIZES);
		number = (unsigned)i / DGRAM_SIZES;
		errnum = dgram_send(run, to, size, number, room);
		if (errnum == 0)
			sent[size]++;
		else
			sent_note(run->o, size, errnum,
			          payload_bytes(run->tcp, size, number) +
			                  ip_head_bytes(run->tcp));
	}
	outcome_put(run->o, COUNTER_SMALL_SENT, sent[DGRAM_SMALL]);
	outcome_put(run->o, COUNTER_FULL_SENT, sent[DGRAM_FULL]);
	outcome_put(run->o, COUNTER_FULL_BYTES,
	            (int64_t)(payload_bytes(run->tcp, DGRAM_FULL, 0) +
	                      ip_head_bytes(run->tcp)));
	return status;
}

static enum fp_status dgram_source(struct dgram_run *run, struct fp_err *err)
{
	const struct xport_peer *peer = run->peer;
	struct tcp_ports ports;
	struct tcp_addr to;
	enum fp_status status;
	uint8_t *room;

	status = tcp_blob_read(peer->blob, &run->tcp->addr, &to, &ports, err);
	if (status != FP_OK)
		return status;
	tcp_addr_set_port(&to, ports.udp);
	status = dgram_no_fragments(run->tcp, err);
	if (status != FP_OK)
		return status;
	room = calloc(1, DGRAM_PAYLOAD_MAX);
	if (!room)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = source_run(run, &to, room, err);
	free(room);
	return status;
}

/* What came: a bit for each number, so that a copy does not count. */
struct dgram_seen {
	uint32_t bits[DGRAM_SIZES];
	uint32_t full_ip_bytes;
	uint32_t path_ip_bytes; /* of the largest */
	uint32_t strangers;
};

static bool dgram_is_mine(const struct dgram_run *run, const struct dgram *d,
                          size_t len)
{
	const struct xport_peer *peer = run->peer;

	return len >= sizeof(*d) && d->magic == DGRAM_MAGIC &&
	       d->trial == peer->trial->id && d->from == peer->peer &&
	       d->to == peer->me && d->size < DGRAM_SIZES &&
	       d->number < DGRAM_EACH &&
	       d->ip_bytes == len + ip_head_bytes(run->tcp) &&
	       d->mac == dgram_mac(run->tcp, d);
}

static bool seen_all(const struct dgram_seen *seen)
{
	const uint32_t all = (1u << DGRAM_EACH) - 1;

	return seen->bits[DGRAM_SMALL] == all && seen->bits[DGRAM_FULL] == all;
}

static void sink_read(const struct dgram_run *run, struct dgram_seen *seen)
{
	struct dgram d;
	ssize_t n;
	int i;

	for (i = 0; i < DGRAM_READS; i++) {
		n = recv(run->tcp->udp_fd, &d, sizeof(d),
		         MSG_DONTWAIT | MSG_TRUNC);
		if (n < 0)
			return;
		if (!dgram_is_mine(run, &d, (size_t)n)) {
			seen->strangers++;
			continue;
		}
		seen->bits[d.size] |= 1u << d.number;
		if (d.size == DGRAM_FULL)
			seen->full_ip_bytes = d.ip_bytes;
		if (d.ip_bytes > seen->path_ip_bytes)
			seen->path_ip_bytes = d.ip_bytes;
	}
}

static enum fp_status dgram_sink(struct dgram_run *run, struct fp_err *err)
{
	int64_t until_ns = fp_now_ns() + DGRAM_WAIT_NS;
	struct dgram_seen seen = { .strangers = 0 };
	enum fp_status status = FP_OK;
	bool ready = true;

	if (until_ns > run->deadline_ns)
		until_ns = run->deadline_ns;
	while (status == FP_OK) {
		if (ready)
			sink_read(run, &seen);
		if (seen_all(&seen) || fp_now_ns() >= until_ns)
			break;
		status = run_sleep(run, POLLIN, until_ns, &ready, err);
	}
	outcome_put(run->o, COUNTER_SMALL_RCVD,
	            __builtin_popcount(seen.bits[DGRAM_SMALL]));
	outcome_put(run->o, COUNTER_FULL_RCVD,
	            __builtin_popcount(seen.bits[DGRAM_FULL]));
	if (seen.full_ip_bytes)
		outcome_put(run->o, COUNTER_FULL_BYTES, seen.full_ip_bytes);
	if (seen.path_ip_bytes)
		outcome_put(run->o, COUNTER_PATH_BYTES, seen.path_ip_bytes);
	if (seen.strangers)
		outcome_put(run->o, COUNTER_STRANGERS, seen.strangers);
	return status;
}

enum fp_status tcp_datagram(struct xport *x, const struct xport_peer *peer,
                            struct outcome *o, struct fp_err *err)
{
	struct dgram_run run = {
		.tcp = (struct tcp *)x,
		.peer = peer,
		.o = o,
		.deadline_ns = peer->deadline_ns,
	};

	if (run.tcp->udp_fd < 0)
		return fp_err_set(err, FP_ERR_USAGE, "tcp does not listen");
	return peer->side == XPORT_ACTIVE ? dgram_source(&run, err)
	                                  : dgram_sink(&run, err);
}
