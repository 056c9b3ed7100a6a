// SPDX-License-Identifier: Apache-2.0
// Unit tests of the client of NCCL's RAS: one that never answers is left.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/explain/ras_live.h"
#include "topo/base/clock.h"

#define LIMIT_S 0.2
#define END_S 20.0 /* of a machine that does much else */

/* Connections are taken by the kernel, and nobody speaks. */
static int listen_in_silence(char address[static 32])
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(fd, 4), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	(void)snprintf(address, 32, "127.0.0.1:%u", ntohs(at.sin_port));
	return fd;
}

static void silence_ends_with_the_deadline(void **state)
{
	struct fp_text text = { 0 };
	struct fp_err err = { 0 };
	char address[32];
	int fd = listen_in_silence(address);
	int64_t end_ns = fp_after_ns(END_S);

	(void)state;
	assert_int_equal(ras_live_fetch(address, LIMIT_S, &text, &err),
	                 FP_ERR_TIMEOUT);
	assert_true(fp_left_ms(end_ns) > 0);
	assert_non_null(strstr(err.text, address));
	assert_non_null(strstr(err.text, "did not answer in time"));
	fp_text_free(&text);
	(void)close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_ends_with_the_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
