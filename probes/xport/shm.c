// SPDX-License-Identifier: Apache-2.0
// The shared-memory transport: one copy between two processes of a host.
#include "probes/xport/shm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "probes/xport/meet.h"
#include "probes/xport/shm_ep.h"
#include "probes/xport/siphash.h"
#include "topo/base/fmt.h"
#include "topo/discover/discover.h"

#define BACKLOG 1024
#define BLOB_MAGIC 0x42533146u /* "F1SB" read little-endian */
#define NAME_BYTES 16
#define NAME_PREFIX "fabricprobe-"

/* What a peer needs to know: the name of a socket outside of file systems. */
struct shm_blob {
	uint32_t magic;
	uint32_t pad;
	uint64_t host;
	uint8_t name[NAME_BYTES];
};
_Static_assert(sizeof(struct shm_blob) <= WIRE_BLOB_BYTES, "fits");

/* What a hash of the host is made of. */
struct host_words {
	char host_id[TOPO_NAME_MAX];
	uint64_t net_dev, net_ino;
};

static struct shm_blob blob_read(const struct wire_blob *blob)
{
	struct shm_blob b;

	memcpy(&b, blob->bytes, sizeof(b));
	return b;
}

bool xport_shm_same_host(const struct wire_blob *mine,
                         const struct wire_blob *theirs)
{
	const struct shm_blob a = blob_read(mine), b = blob_read(theirs);

	return a.magic == BLOB_MAGIC && b.magic == BLOB_MAGIC &&
	       a.host == b.host;
}

static enum fp_status host_id_read(const struct wire_setup *setup,
                                   char id[static TOPO_NAME_MAX],
                                   struct fp_err *err)
{
	const struct topo_env env = {
		.sysroot = setup->sysroot[0] ? setup->sysroot : "/",
		.host_name = setup->host_name[0] ? setup->host_name : NULL,
	};
	struct topo_host host = { .netdevs = NULL };
	enum fp_status status;

	if (setup->host_id[0]) {
		fp_copy(id, TOPO_NAME_MAX, setup->host_id);
		return FP_OK;
	}
	status = topo_discover_identity(&env, &host, err);
	if (status == FP_OK)
		fp_copy(id, TOPO_NAME_MAX, host.host_id);
	topo_host_done(&host);
	return status;
}

/* Sockets without a file are seen in their network namespace alone, so that
 * is a part of what makes a host the same. */
static enum fp_status host_hash(const struct wire_setup *setup,
                                uint64_t *ret_hash, struct fp_err *err)
{
	struct host_words words = { .host_id = "" };
	enum fp_status status = host_id_read(setup, words.host_id, err);
	struct stat st;

	if (status != FP_OK)
		return status;
	if (stat("/proc/self/ns/net", &st) == 0) {
		words.net_dev = st.st_dev;
		words.net_ino = st.st_ino;
	}
	*ret_hash = siphash(setup->data_token, &words, sizeof(words));
	return FP_OK;
}

static enum fp_status shm_probe(const struct xport_env *env, struct fp_err *err)
{
	struct fp_err why = { .status = FP_OK };
	struct shm_segment seg = { .data = NULL };
	int fd = -1;

	(void)env;
	if (shm_segment_make(sizeof(struct shm_control), &seg, &fd, &why) !=
	    FP_OK)
		return fp_err_set(err, FP_ERR_NOTSUP, "%s", why.text);
	shm_segment_done(&seg);
	close(fd);
	return FP_OK;
}

static enum fp_status shm_open_xport(const struct xport_env *env,
                                     struct xport **ret_x, struct fp_err *err)
{
	struct shm *shm = malloc(sizeof(*shm));
	enum fp_status status;

	if (!shm)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	*shm = (struct shm){
		.x.ops = &xport_shm_ops,
		.env = env,
		.door = DOOR_SHUT,
	};
	status = host_hash(env->setup, &shm->host, err);
	if (status != FP_OK) {
		free(shm);
		return status;
	}
	*ret_x = &shm->x;
	return FP_OK;
}

static socklen_t door_address(const uint8_t name[static NAME_BYTES],
                              struct sockaddr_un *ret)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	/* the first byte stays NUL: no file */
	char *p = addr.sun_path + 1;
	size_t i;

	p += snprintf(p, sizeof(NAME_PREFIX), "%s", NAME_PREFIX);
	for (i = 0; i < NAME_BYTES; i++)
		p += snprintf(p, 3, "%02x", name[i]);
	*ret = addr;
	return (socklen_t)(p - (char *)&addr);
}

static enum fp_status listener_open(const uint8_t name[static NAME_BYTES],
                                    int *ret_fd, struct fp_err *err)
{
	struct sockaddr_un addr;
	socklen_t len = door_address(name, &addr);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fp_err_sys(err, errno, "socket");
	if (bind(fd, (const struct sockaddr *)&addr, len) != 0 ||
	    listen(fd, BACKLOG) != 0) {
		fp_err_sys(err, errno, "listen for shared memory");
		close(fd);
		return FP_ERR_SYS;
	}
	*ret_fd = fd;
	return FP_OK;
}

static enum fp_status shm_listen(struct xport *x, const struct trial *trial,
                                 uint32_t edges, struct wire_blob *ret_blob,
                                 struct fp_err *err)
{
	struct shm *shm = (struct shm *)x;
	const struct door_rules rules = {
		.token = shm->env->setup->data_token,
		.trial = trial->id,
		.parts = 1,
		.edges = edges,
	};
	struct shm_blob b = { .magic = BLOB_MAGIC, .host = shm->host };
	enum fp_status status;
	int fd = -1;

	if (getrandom(b.name, sizeof(b.name), GRND_NONBLOCK) !=
	    (ssize_t)sizeof(b.name))
		return fp_err_sys(err, errno, "getrandom");
	status = listener_open(b.name, &fd, err);
	if (status != FP_OK)
		return status;
	status = door_open(&shm->door, fd, &rules, err);
	if (status != FP_OK)
		return status;
	*ret_blob = (struct wire_blob){ .bytes = { 0 } };
	memcpy(ret_blob->bytes, &b, sizeof(b));
	return FP_OK;
}

static void shm_unlisten(struct xport *x)
{
	door_shut(&((struct shm *)x)->door);
}

/* What shm_dial() calls. */
struct shm_call {
	const uint8_t *name;
	const char *peer;
};

static enum fp_status shm_dial(void *arg, int *ret_fd, struct fp_err *err)
{
	const struct shm_call *call = arg;
	struct sockaddr_un addr;
	socklen_t len = door_address(call->name, &addr);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int errnum;

	if (fd < 0)
		return fp_err_sys(err, errno, "socket");
	if (connect(fd, (const struct sockaddr *)&addr, len) == 0) {
		*ret_fd = fd;
		return FP_OK;
	}
	errnum = errno;
	close(fd);
	if (errnum != EAGAIN)
		return meet_errno(err, errnum, "connect to", call->peer);
	/* others are before us at the door */
	*ret_fd = -1;
	return FP_OK;
}

/* It does not wait for the welcome: a name of 128 random bits is the peer's own
 * door, and one that waits for nobody cannot be part of a circle of members
 * who wait for each other at doors of different transports. */
static enum fp_status call_peer(struct shm *shm, const struct xport_peer *peer,
                                const struct meet *meet,
                                struct shm_meeting *met, struct fp_err *err)
{
	const struct shm_blob b = blob_read(peer->blob);
	struct shm_call call = { .name = b.name, .peer = meet->name };
	const struct meet_dial dial = { .dial = shm_dial, .arg = &call };
	struct knock knock = { .fd = -1, .trusts = true };
	enum fp_status status;
	int fd = -1;

	status = shm_segment_make(sizeof(struct shm_control), &met->control,
	                          &fd, err);
	if (status != FP_OK)
		return status;
	knock.pass_fd = fd;
	knock.hello =
		door_words_make(shm->env->setup->data_token, peer->trial->id,
	                        peer->me, peer->peer, peer->lane);
	status = meet_active(meet, &dial, &knock, 1, err);
	close(fd);
	if (status != FP_OK)
		shm_segment_done(&met->control);
	met->sock = knock.fd;
	met->welcome = door_words_answer(&knock.hello);
	return status;
}

static enum fp_status guest_seat(const struct door_guest *guest,
                                 struct shm_meeting *met, struct fp_err *err)
{
	enum fp_status status;

	if (guest->passed_fd < 0)
		return fp_err_set(err, FP_ERR_PROTO, "the peer passed nothing");
	status = shm_segment_map(guest->passed_fd, true, &met->control, err);
	if (status != FP_OK)
		return status;
	if (met->control.bytes == sizeof(struct shm_control))
		return FP_OK;
	shm_segment_done(&met->control);
	return fp_err_set(err, FP_ERR_PROTO, "the peer passed other memory");
}

static enum fp_status await_peer(struct shm *shm, const struct xport_peer *peer,
                                 struct meet *meet, struct shm_meeting *met,
                                 struct fp_err *err)
{
	struct door_guest guest = { .fd = -1, .passed_fd = -1 };
	enum fp_status status;

	meet->name = "the shared-memory socket";
	status = meet_passive(meet, peer->peer, peer->lane, err);
	if (status != FP_OK)
		return status;
	door_take(&shm->door, peer->peer, peer->lane, 0, &guest);
	status = guest_seat(&guest, met, err);
	if (guest.passed_fd >= 0)
		close(guest.passed_fd);
	if (status != FP_OK)
		close(guest.fd);
	met->sock = guest.fd;
	return status;
}

static enum fp_status shm_connect(struct xport *x,
                                  const struct xport_peer *peer,
                                  struct xport_ep **ret_ep, struct fp_err *err)
{
	struct shm *shm = (struct shm *)x;
	const struct shm_blob b = blob_read(peer->blob);
	struct shm_meeting met = { .active = peer->side == XPORT_ACTIVE };
	char name[64];
	struct meet meet = {
		.door = &shm->door,
		.board = shm->env->board,
		.trial = peer->trial->id,
		.me = peer->me,
		.name = name,
		.deadline_ns = peer->deadline_ns,
	};
	struct shm_ep *ep;
	enum fp_status status;

	if (b.magic != BLOB_MAGIC)
		return fp_err_set(err, FP_ERR_PROTO,
		                  "the peer's shm endpoint makes no sense");
	shm_peer_name(peer, name, sizeof(name));
	if (b.host != shm->host)
		return fp_err_set(err, FP_ERR_PEER, "%s is on another host",
		                  name);
	if (met.active)
		status = call_peer(shm, peer, &meet, &met, err);
	else
		status = await_peer(shm, peer, &meet, &met, err);
	if (status != FP_OK)
		return status;
	status = shm_ep_open(shm, peer, &met, &ep, err);
	if (status == FP_OK)
		*ret_ep = &ep->port.ep;
	return status;
}

static void shm_close(struct xport *x)
{
	if (!x)
		return;
	shm_unlisten(x);
	free(x);
}

const struct xport_ops xport_shm_ops = {
	.name = "shm",
	.id = XPORT_SHM,
	.caps = XPORT_CAP_P2P | XPORT_CAP_HOST_MEM | XPORT_CAP_SAME_HOST,
	.probe = shm_probe,
	.open = shm_open_xport,
	.listen = shm_listen,
	.unlisten = shm_unlisten,
	.connect = shm_connect,
	.tx_region = shm_tx_region,
	.step = xport_flow_step,
	.counters = shm_counters,
	.ep_close = shm_ep_close,
	.close = shm_close,
	.flow = &shm_flow_ops,
};
