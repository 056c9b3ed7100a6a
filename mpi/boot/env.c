// SPDX-License-Identifier: Apache-2.0
// Start-up from the environment: a meeting address, a token, rank and size.
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "mpi/boot/alarm.h"
#include "mpi/boot/boot.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/fmt.h"
#include "topo/model/model.h"

#define ENV_MEET "FABRICPROBE_MEET"
#define ENV_MEET_FD "FABRICPROBE_MEET_FD"
#define ENV_TOKEN "FABRICPROBE_TOKEN"
#define ENV_HOST_MAX 256 /* RFC 1035: 255 */

struct boot {
	int32_t rank, size;
	int fd; /* rank 0: listening; handed over by env_listen_fd() */
	struct boot_meet meet;
};

static enum fp_status parse_number(const char *name, const char *text, long max,
                                   long *ret, struct fp_err *err)
{
	char *end = NULL;
	long n = -1;

	if (text && text[0] >= '0' && text[0] <= '9') {
		errno = 0;
		n = strtol(text, &end, 10);
	}
	if (n < 0 || errno || *end || n > max)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "%s: %.40s: a number from 0 to %ld", name,
		                  text ? text : "not set", max);
	*ret = n;
	return FP_OK;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

static enum fp_status parse_token(const char *text,
                                  uint8_t token[BOOT_TOKEN_BYTES],
                                  struct fp_err *err)
{
	uint8_t bytes[BOOT_TOKEN_BYTES];
	size_t digits = text ? strspn(text, "0123456789abcdefABCDEF") : 0;

	if (digits != 2 * sizeof(bytes) || text[digits])
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_TOKEN
		                  ": %s: 32 hex digits, the same for "
		                  "every rank, as `openssl rand -hex 16` "
		                  "makes them",
		                  text ? "malformed" : "not set");
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 |
		                     hex_digit(text[2 * i + 1]));
	memcpy(token, bytes, sizeof(bytes));
	return FP_OK;
}

static enum fp_status meet_add(struct boot_meet *meet, const char *addr,
                               struct fp_err *err)
{
	if (meet->n_addrs == BOOT_ADDRS_MAX)
		return fp_err_set(err, FP_ERR_LIMIT,
		                  ENV_MEET ": more than %d addresses",
		                  BOOT_ADDRS_MAX);
	if (strlen(addr) >= BOOT_ADDR_MAX)
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET ": %.60s: too long an address",
		                  addr);
	fp_copy(meet->addrs[meet->n_addrs++], BOOT_ADDR_MAX, addr);
	return FP_OK;
}

static enum fp_status meet_add_all(struct boot_meet *meet,
                                   const struct addrinfo *ai,
                                   struct fp_err *err)
{
	char name[MAILBOX_SOCK_NAME_MAX];
	enum fp_status status = FP_OK;

	for (; ai && status == FP_OK; ai = ai->ai_next) {
		mailbox_sock_name(ai->ai_addr, 0, name);
		status = meet_add(meet, name, err);
	}
	return status;
}

/* Asking for a name may take for ever. */
static enum fp_status meet_look_up(struct boot_meet *meet, const char *host,
                                   double within_s, struct fp_err *err)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		                        .ai_family = AF_UNSPEC };
	struct addrinfo *ai = NULL;
	struct boot_alarm alarm;
	enum fp_status status;
	int rc;

	status = boot_alarm_start(&alarm, within_s, 2,
	                          ENV_MEET ": no answer about the host's name",
	                          "give numeric addresses", err);
	if (status != FP_OK)
		return status;
	rc = getaddrinfo(host, NULL, &hints, &ai);
	boot_alarm_stop(&alarm);
	if (rc)
		return fp_err_set(err, FP_ERR_USAGE, ENV_MEET ": %.100s: %s",
		                  host, gai_strerror(rc));
	status = meet_add_all(meet, ai, err);
	freeaddrinfo(ai);
	return status;
}

static enum fp_status meet_add_host(struct boot_meet *meet, const char *host,
                                    double within_s, struct fp_err *err)
{
	struct addrinfo *ai = NULL;
	enum fp_status status;

	if (mailbox_sock_resolve(host, meet->port, &ai, NULL) != FP_OK)
		return meet_look_up(meet, host, within_s, err);
	status = meet_add_all(meet, ai, err);
	freeaddrinfo(ai);
	return status;
}

/* "host:port" or "[v6]:port", cut in place. */
static enum fp_status split_item(char *item, char **ret_host, char **ret_port,
                                 struct fp_err *err)
{
	char *colon = strrchr(item, ':');
	char *close = strchr(item, ']');
	bool bracket = item[0] == '[';

	if (!colon || colon == item ||
	    (bracket && (!close || close + 1 != colon)) ||
	    (!bracket && strchr(item, ':') != colon))
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET ": %.60s: host:port, or "
		                           "[address]:port with IPv6",
		                  item);
	*colon = '\0';
	*ret_port = colon + 1;
	if (bracket)
		*close = '\0';
	*ret_host = bracket ? item + 1 : item;
	return FP_OK;
}

static enum fp_status meet_add_item(struct boot_meet *meet, char *item,
                                    double within_s, struct fp_err *err)
{
	enum fp_status status;
	char *host = NULL, *port = NULL;
	long n = 0;

	status = split_item(item, &host, &port, err);
	if (status == FP_OK)
		status = parse_number(ENV_MEET, port, 65535, &n, err);
	if (status != FP_OK)
		return status;
	if (n == 0 || (meet->port && meet->port != (uint32_t)n))
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET ": port %ld: one port, not 0, for "
		                           "all addresses",
		                  n);
	meet->port = (uint32_t)n;
	return meet_add_host(meet, host, within_s, err);
}

static enum fp_status parse_meet(const char *text, double within_s,
                                 struct boot_meet *meet, struct fp_err *err)
{
	char *copy, *item, *rest;
	enum fp_status status = FP_OK;

	if (!text || !text[0])
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET ": not set: where rank 0 is to "
		                           "listen, host:port");
	copy = strdup(text);
	if (!copy)
		return fp_err_set(err, FP_ERR_NOMEM, ENV_MEET);
	rest = copy;
	while (status == FP_OK && (item = strsep(&rest, ",")))
		status = meet_add_item(meet, item, within_s, err);
	free(copy);
	return status;
}

static enum fp_status read_rank(struct boot *b, struct fp_err *err)
{
	/* The innermost launcher first: under an mpirun inside of Slurm,
	 * Slurm's numbers are those of mpirun's daemons. */
	static const struct {
		const char *rank, *size;
	} names[] = {
		{ "FABRICPROBE_RANK", "FABRICPROBE_SIZE" },
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
		{ "SLURM_PROCID", "SLURM_NTASKS" },
	};
	const size_t n = sizeof(names) / sizeof(names[0]);
	enum fp_status status;
	long rank = 0, size = 0;
	size_t i = 0;

	while (i < n && !(getenv(names[i].rank) && getenv(names[i].size)))
		i++;
	if (i == n)
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET
		                  " is set, but which rank is this? "
		                  "set FABRICPROBE_RANK and FABRICPROBE_SIZE");
	status = parse_number(names[i].size, getenv(names[i].size),
	                      TOPO_MAX_RANKS, &size, err);
	if (status == FP_OK)
		status = parse_number(names[i].rank, getenv(names[i].rank),
		                      size - 1, &rank, err);
	if (status != FP_OK)
		return status;
	b->rank = (int32_t)rank;
	b->size = (int32_t)size;
	return FP_OK;
}

static enum fp_status take_fd(const char *text, int *ret_fd, struct fp_err *err)
{
	socklen_t len = sizeof(int);
	enum fp_status status;
	int listens = 0;
	long fd = -1;

	status = parse_number(ENV_MEET_FD, text, INT32_MAX, &fd, err);
	if (status != FP_OK)
		return status;
	if (getsockopt((int)fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) ||
	    !listens)
		return fp_err_set(err, FP_ERR_USAGE,
		                  ENV_MEET_FD ": %ld: not a listening socket",
		                  fd);
	(void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	*ret_fd = (int)fd;
	return FP_OK;
}

static enum fp_status meet_listen(struct boot *b, struct fp_err *err)
{
	const char *fd = getenv(ENV_MEET_FD);

	if (fd)
		return take_fd(fd, &b->fd, err);
	/* A forwarded or translated address is not this host's own. */
	if (b->meet.n_addrs == 1 &&
	    mailbox_sock_listen(b->meet.addrs[0], b->meet.port, &b->fd, NULL) ==
	            FP_OK)
		return FP_OK;
	return mailbox_sock_listen(NULL, b->meet.port, &b->fd, err);
}

static enum fp_status env_open(const struct boot_opts *opts, struct boot **ret,
                               struct fp_err *err)
{
	struct boot *b = calloc(1, sizeof(*b));
	enum fp_status status;

	if (!b)
		return fp_err_set(err, FP_ERR_NOMEM, "start-up");
	b->fd = -1;
	status = read_rank(b, err);
	if (status == FP_OK)
		status = parse_token(getenv(ENV_TOKEN), b->meet.token, err);
	if (status == FP_OK)
		status = parse_meet(getenv(ENV_MEET), opts->init_s, &b->meet,
		                    err);
	if (status == FP_OK && b->rank == 0)
		status = meet_listen(b, err);
	if (status != FP_OK) {
		free(b);
		return status;
	}
	*ret = b;
	return FP_OK;
}

static int32_t env_rank(const struct boot *b)
{
	return b->rank;
}

static int32_t env_size(const struct boot *b)
{
	return b->size;
}

static int env_listen_fd(const struct boot *b, struct boot_meet *meet,
                         bool *ret_fixed)
{
	*meet = b->meet;
	*ret_fixed = true;
	return b->fd;
}

static enum fp_status env_exchange(struct boot *b, struct boot_meet *meet,
                                   struct fp_err *err)
{
	(void)err;
	*meet = b->meet; /* it was in everybody's environment */
	return FP_OK;
}

static void env_finish(struct boot *b, bool all_answered, int exit_status)
{
	(void)all_answered;
	(void)exit_status;
	free(b);
}

const struct boot_ops boot_env_ops = {
	.name = "env",
	.open = env_open,
	.rank = env_rank,
	.size = env_size,
	.listen_fd = env_listen_fd,
	.exchange = env_exchange,
	.finish = env_finish,
};
