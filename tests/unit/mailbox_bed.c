// SPDX-License-Identifier: Apache-2.0
// The bed of the mailbox tests.
#include "tests/unit/mailbox_bed.h"

#include <arpa/inet.h>
#include <event2/event.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "topo/base/clock.h"
#include "topo/base/fmt.h"
#include "topo/base/version.h"

static void on_hello(void *arg, const struct wire_hello *hello)
{
	struct bed *bed = arg;

	bed->hellos++;
	bed->last_rank = hello->rank;
	if (bed->on_hello)
		bed->on_hello(bed, hello->rank);
}

static void on_frame(void *arg, int32_t rank, const struct wire_frame *f)
{
	struct bed *bed = arg;

	bed->frames++;
	bed->last_rank = rank;
	bed->last_type = f->head.type;
	bed->last_len = f->head.length;
	if (bed->on_frame)
		bed->on_frame(bed, rank);
	if (!f->head.length)
		return;
	bed->first_byte = f->payload[0];
	bed->last_byte = f->payload[f->head.length - 1];
}

static void on_lost(void *arg, int32_t rank, const char *why)
{
	struct bed *bed = arg;

	bed->losts++;
	bed->last_rank = rank;
	fp_copy(bed->why, sizeof(bed->why), why);
	if (bed->on_lost)
		bed->on_lost(bed, rank);
}

static void on_stranger(void *arg, const char *what)
{
	struct bed *bed = arg;

	bed->strangers++;
	fp_copy(bed->stranger, sizeof(bed->stranger), what);
}

void bed_listen(struct bed *bed)
{
	const struct mailbox_listen how = { .base = bed->base,
		                            .fd = bed->fd,
		                            .bind_addr = "127.0.0.1",
		                            .size = bed->size,
		                            .meet = &bed->meet };
	const struct mailbox_cb cb = { .arg = bed,
		                       .hello = on_hello,
		                       .frame = on_frame,
		                       .lost = on_lost,
		                       .stranger = on_stranger };
	struct fp_err err = { 0 };

	mailbox_close(bed->box);
	bed->box = NULL;
	(void)mailbox_open(&how, &bed->opts, &cb, &bed->box, &err);
	assert_string_equal(err.text, "");
	assert_non_null(bed->box);
}

void bed_open(struct bed *bed)
{
	*bed = (struct bed){ .size = BED_SIZE, .fd = -1 };
	bed->opts = (struct mailbox_opts){ .heartbeat_s = 0.05,
		                           .dead_s = 20,
		                           .hello_s = 20,
		                           .max_pending = 64 };
	memset(bed->meet.token, 0x5a, sizeof(bed->meet.token));
	bed->meet.n_addrs = 1;
	fp_copy(bed->meet.addrs[0], BOOT_ADDR_MAX, "127.0.0.1");
	bed->base = event_base_new();
	bed_listen(bed);
}

void bed_close(struct bed *bed)
{
	mailbox_close(bed->box);
	event_base_free(bed->base);
}

struct wire_hello bed_hello(const struct bed *bed, int32_t rank)
{
	struct wire_hello hello = { .rank = rank,
		                    .size = bed->size,
		                    .pid = getpid() };

	memcpy(hello.token, bed->meet.token, sizeof(hello.token));
	fp_copy(hello.version, sizeof(hello.version), FP_VERSION);
	return hello;
}

int bed_connect(const struct bed *bed)
{
	const struct sockaddr_in sin = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)bed->meet.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	/* What is said is on its way, even if the socket is closed then. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	assert_int_equal(
		connect(fd, (const struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

void bed_say(int fd, enum wire_type type, const void *payload, size_t len)
{
	struct wire_head head = wire_head_make(type, 0, len);

	assert_int_equal(send(fd, &head, sizeof(head), MSG_NOSIGNAL),
	                 sizeof(head));
	if (len)
		assert_int_equal(send(fd, payload, len, MSG_NOSIGNAL), len);
}

static void link_frame(void *arg, const struct wire_frame *f)
{
	struct bed_link *l = arg;

	l->frames++;
	l->last_type = f->head.type;
}

static void link_lost(void *arg, const char *why)
{
	struct bed_link *l = arg;

	l->lost++;
	fp_copy(l->why, sizeof(l->why), why);
}

static enum fp_status dial(struct bed *bed, const struct wire_hello *hello,
                           double within_s, struct bed_link *ret,
                           struct fp_err *err)
{
	const struct mailbox_link_cb cb = { .arg = ret,
		                            .frame = link_frame,
		                            .lost = link_lost };
	const struct mailbox_link_how how = {
		.base = bed->base, .hello = hello, .opts = &bed->opts, .cb = &cb
	};

	*ret = (struct bed_link){ 0 };
	return mailbox_link_dial(&how, &bed->meet, fp_after_ns(within_s),
	                         &ret->link, err);
}

enum fp_status bed_dial(struct bed *bed, const struct wire_hello *hello,
                        double within_s, struct fp_err *err)
{
	struct bed_link l;
	enum fp_status status = dial(bed, hello, within_s, &l, err);

	assert_null(l.link);
	return status;
}

void bed_agent(struct bed *bed, int32_t rank, struct bed_link *ret)
{
	const struct wire_hello hello = bed_hello(bed, rank);
	struct fp_err err = { 0 };

	(void)dial(bed, &hello, BED_WAIT_S, ret, &err);
	assert_string_equal(err.text, "");
	assert_non_null(ret->link);
}

void bed_take(struct bed *bed, int32_t rank, int fd, struct bed_link *ret)
{
	const struct wire_hello hello = bed_hello(bed, rank);
	const struct mailbox_link_cb cb = { .arg = ret,
		                            .frame = link_frame,
		                            .lost = link_lost };
	const struct mailbox_link_how how = { .base = bed->base,
		                              .hello = &hello,
		                              .opts = &bed->opts,
		                              .cb = &cb };

	*ret = (struct bed_link){ 0 };
	assert_int_equal(mailbox_link_take(&how, fd, &ret->link, NULL), FP_OK);
}

void bed_until(struct bed *bed, const unsigned *counter, unsigned value)
{
	int64_t deadline_ns = fp_after_ns(BED_WAIT_S);

	while (*counter < value && fp_now_ns() < deadline_ns)
		(void)event_base_loop(bed->base, EVLOOP_ONCE);
	assert_int_equal(*counter, value);
}
