// SPDX-License-Identifier: Apache-2.0
// The verbs transport's port: which one it is, and how it stands.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/xport/verbs.h"
#include "topo/base/fmt.h"
#include "topo/base/log.h"
#include "topo/discover/hca_near.h"
#include "topo/model/rails.h"
#include "topo/source/sysfs.h"

#define CLASS "sys/class/infiniband"
#define DEVICES_MAX 64
#define PORTS_MAX 128

/* Every port of the host, as sysfs has them. */
struct ports {
	struct hca_candidate p[PORTS_MAX];
	size_t n;
};

static void ports_of(int root_fd, const char *name, struct ports *ret)
{
	struct fp_err err = { 0 };
	char path[256], state[32];
	char **list = NULL;
	size_t n = 0;

	(void)snprintf(path, sizeof(path), CLASS "/%.63s/ports", name);
	(void)sysfs_list(root_fd, path, PORTS_MAX, &list, &n, &err);
	for (size_t i = 0; i < n && ret->n < PORTS_MAX; i++) {
		struct hca_candidate *c = &ret->p[ret->n++];

		(void)snprintf(path, sizeof(path),
		               CLASS "/%.63s/ports/%.16s/state", name, list[i]);
		sysfs_read(root_fd, path, state, sizeof(state));
		*c = (struct hca_candidate){
			.port = (int32_t)strtol(list[i], NULL, 10),
			.active = state[0] == '4', /* "4: ACTIVE" */
		};
		fp_copy(c->name, sizeof(c->name), name);
	}
	sysfs_list_free(list, n);
}

static enum fp_status ports_read(const char *sysroot, struct ports *ret,
                                 struct fp_err *err)
{
	enum fp_status status;
	char **list = NULL;
	size_t n = 0;
	int fd = -1;

	ret->n = 0;
	status = sysfs_open(sysroot, &fd, err);
	if (status != FP_OK)
		return status;
	status = sysfs_list(fd, CLASS, DEVICES_MAX, &list, &n, err);
	for (size_t i = 0; i < n; i++)
		ports_of(fd, list[i], ret);
	sysfs_list_free(list, n);
	close(fd);
	return status;
}

static enum fp_status none_wanted(const struct ports *ports, struct fp_err *err)
{
	struct fp_text text = { 0 };
	enum fp_status status;

	if (ports->n == 0)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "this host has no RDMA device "
		                  "(/" CLASS " is empty)");
	for (size_t i = 0; i < ports->n; i++)
		fp_text_printf(&text, "%s%s/%d", i ? ", " : "",
		               ports->p[i].name, (int)ports->p[i].port);
	status = fp_err_set(err, FP_ERR_NOTSUP,
	                    "no port of this host is chosen; it has %.120s",
	                    fp_text_str(&text));
	fp_text_free(&text);
	return status;
}

/* "mlx5_0/1"; a name that is too long for a record is cut. */
static void port_name(const struct hca_candidate *c,
                      char ret[static VERBS_PORT_MAX])
{
	(void)snprintf(ret, VERBS_PORT_MAX, "%.58s/%u", c->name,
	               (unsigned)c->port & UINT8_MAX);
}

enum fp_status verbs_hca_ports(const struct verbs_env *opts,
                               char ret[static TOPO_PORTS_MAX],
                               struct fp_err *err)
{
	struct ports ports;
	size_t picks[PORTS_MAX], n;
	char name[VERBS_PORT_MAX];
	int64_t at;
	enum fp_status status = ports_read(opts->sysroot, &ports, err);

	if (status != FP_OK)
		return status;
	/* a host that cannot be read has no GPU that is known of */
	if (opts->hcas.n == 0 && ports.n > 1)
		(void)hca_near_read(opts->sysroot, ports.p, ports.n, NULL);
	n = hca_pick(&opts->hcas, ports.p, ports.n, picks);
	if (n == 0)
		return none_wanted(&ports, err);
	ret[0] = '\0';
	for (size_t k = 0; k < n; k++) {
		at = hca_share(n, opts->local_rank, opts->local_size, k);
		if (at < 0)
			break;
		port_name(&ports.p[picks[at]], name);
		if (strlen(name) >= TOPO_PORT_MAX) {
			fp_log(FP_LOG_WARN,
			       "%s: not measured, its name is "
			       "too long",
			       name);
			continue;
		}
		if (!topo_ports_add(ret, name)) {
			fp_log(FP_LOG_WARN,
			       "%s and what follows: not measured, the list "
			       "of ports is full",
			       name);
			break;
		}
	}
	return ret[0] ? FP_OK
	              : fp_err_set(err, FP_ERR_NOTSUP,
	                           "%s: the name of this RDMA port is too long",
	                           name);
}

/* What verbs_hca_ports() wrote, apart again. */
static enum fp_status port_parse(const char *name, struct hca_candidate *ret,
                                 struct fp_err *err)
{
	const char *slash = strrchr(name, '/');
	size_t len = slash ? (size_t)(slash - name) : 0;

	if (len == 0 || len >= sizeof(ret->name))
		return fp_err_set(err, FP_ERR_USAGE, "'%s' names no RDMA port",
		                  name);
	*ret = (struct hca_candidate){
		.port = (int32_t)strtol(slash + 1, NULL, 10),
	};
	memcpy(ret->name, name, len);
	return FP_OK;
}

static enum fp_status port_choose(const struct verbs_env *opts,
                                  const char *name, struct hca_candidate *ret,
                                  struct fp_err *err)
{
	char all[TOPO_PORTS_MAX], first[TOPO_PORT_MAX];
	enum fp_status status;

	if (name[0])
		return port_parse(name, ret, err);
	status = verbs_hca_ports(opts, all, err);
	return status == FP_OK
	               ? port_parse(topo_ports_at(all, 0, first), ret, err)
	               : status;
}

static enum fp_status cannot_open(struct ibv_device *dev, int errnum,
                                  struct fp_err *err)
{
	const char *text;
	char path[128];

	/* the library says how its last attempt went, not its first one */
	(void)snprintf(path, sizeof(path), "/dev/infiniband/%.64s",
	               dev->dev_name);
	if (access(path, R_OK | W_OK) != 0)
		errnum = errno;
	text = strerrordesc_np(errnum);
	return fp_err_set(err, FP_ERR_NOTSUP, "%s: /dev/infiniband/%s: %s%s",
	                  ibv_get_device_name(dev), dev->dev_name,
	                  text ? text : "unknown error",
	                  errnum == EACCES || errnum == EPERM
	                          ? " (this user needs read and write access)"
	                          : "");
}

static enum fp_status ctx_open(const char *name, struct ibv_context **ret,
                               struct fp_err *err)
{
	int n = 0, i;
	struct ibv_device **list = ibv_get_device_list(&n);
	enum fp_status status;

	if (!list)
		return fp_err_set(err, FP_ERR_NOTSUP,
		                  "the kernel has no user verbs (modprobe "
		                  "ib_uverbs): %s",
		                  strerrordesc_np(errno));
	for (i = 0; i < n; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			break;
	errno = 0;
	*ret = i < n ? ibv_open_device(list[i]) : NULL;
	if (*ret)
		status = FP_OK;
	else if (i < n)
		status = cannot_open(list[i], errno, err);
	else
		status = fp_err_set(err, FP_ERR_NOTSUP,
		                    "%s: user verbs do not know it (its "
		                    "library or /dev/infiniband is missing)",
		                    name);
	ibv_free_device_list(list);
	return status;
}

static enum fp_status gid_pick(const struct verbs_env *opts,
                               struct verbs_hca *hca, struct fp_err *err)
{
	struct ibv_gid_entry entries[GID_TABLE_MAX];
	struct gid_row rows[GID_TABLE_MAX];
	enum fp_status status;
	size_t at = 0, n = 0;
	ssize_t got;

	if (!verbs_is_ethernet(hca)) {
		hca->gid = (struct gid_row){ .index = 0 };
		return FP_OK;
	}
	got = ibv_query_gid_table(hca->ctx, entries, GID_TABLE_MAX, 0);
	if (got < 0)
		return fp_err_sys(err, (int)-got, "%s: read the GID table",
		                  hca->name);
	for (ssize_t i = 0; i < got; i++) {
		if (entries[i].port_num != hca->port)
			continue;
		rows[n] = (struct gid_row){
			.index = (int32_t)entries[i].gid_index,
			.type = entries[i].gid_type,
		};
		memcpy(rows[n++].gid, entries[i].gid.raw, GID_BYTES);
	}
	status = gid_choose(rows, n, &opts->gid, &at, err);
	if (status == FP_OK)
		hca->gid = rows[at];
	else
		fp_err_prefix(err, "port %s", hca->name);
	return status;
}

static enum fp_status port_query(struct verbs_hca *hca, struct fp_err *err)
{
	int rc = ibv_query_port(hca->ctx, hca->port, &hca->attr);

	return rc ? fp_err_sys(err, rc, "query port %s", hca->name) : FP_OK;
}

enum fp_status verbs_hca_ready(const struct verbs_env *opts,
                               struct verbs_hca *hca, struct fp_err *err)
{
	enum fp_status status = port_query(hca, err);

	if (status != FP_OK)
		return status;
	if (hca->attr.state != IBV_PORT_ACTIVE)
		return fp_err_set(err, FP_ERR_LIB, "port %s is down (%s)",
		                  hca->name,
		                  ibv_port_state_str(hca->attr.state));
	return gid_pick(opts, hca, err);
}

static enum fp_status hca_fill(struct verbs_hca *hca, struct fp_err *err)
{
	int flags = fcntl(hca->ctx->async_fd, F_GETFL);
	int rc = ibv_query_device(hca->ctx, &hca->dev_attr);

	if (rc)
		return fp_err_sys(err, rc, "query %s", hca->name);
	/* what the device says by itself is read, never waited for */
	if (flags < 0 ||
	    fcntl(hca->ctx->async_fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return fp_err_sys(err, errno, "events of %s", hca->name);
	hca->pd = ibv_alloc_pd(hca->ctx);
	if (!hca->pd)
		return fp_err_sys(err, errno, "protection domain of %s",
		                  hca->name);
	return port_query(hca, err);
}

enum fp_status verbs_hca_open(const struct verbs_env *opts, const char *name,
                              struct verbs_hca *ret, struct fp_err *err)
{
	struct verbs_hca hca = { .port = 0 };
	struct hca_candidate chosen = { .port = 0 };
	enum fp_status status = port_choose(opts, name, &chosen, err);

	if (status != FP_OK)
		return status;
	hca.port = (uint8_t)chosen.port;
	hca.pkey_index = (uint16_t)opts->pkey_index;
	port_name(&chosen, hca.name);
	status = ctx_open(chosen.name, &hca.ctx, err);
	if (!hca.ctx)
		return status;
	status = hca_fill(&hca, err);
	if (status != FP_OK) {
		verbs_hca_close(&hca);
		return status;
	}
	*ret = hca;
	return FP_OK;
}

void verbs_hca_close(struct verbs_hca *hca)
{
	if (hca->pd)
		(void)ibv_dealloc_pd(hca->pd);
	if (hca->ctx)
		(void)ibv_close_device(hca->ctx);
	*hca = (struct verbs_hca){ .port = 0 };
}
