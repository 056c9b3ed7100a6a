// SPDX-License-Identifier: Apache-2.0
// Reads a scenario file.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/doubles/scenario.h"

static const char *const fault_names[FPD_FAULT_COUNT] = {
	[FPD_SLOW] = "slow",
	[FPD_NVLINK_DOWN] = "nvlink-down",
	[FPD_OFF_FABRIC] = "off-fabric",
	[FPD_NO_P2P] = "no-p2p",
	[FPD_NO_GDR] = "no-gdr",
	[FPD_NO_IB] = "no-ib",
	[FPD_PCIE] = "pcie",
	[FPD_CORRUPT] = "corrupt",
	[FPD_HANG] = "hang",
	[FPD_ASYNC] = "async",
	[FPD_EXIT] = "exit",
	[FPD_CUDA] = "cuda",
	[FPD_NCCL] = "nccl",
	[FPD_NO_DRIVER] = "no-driver",
	[FPD_NO_DEVICE] = "no-device",
	[FPD_SLOW_GPU] = "slow-gpu",
	[FPD_COUNTER] = "counter",
	[FPD_THROTTLE] = "throttle",
	[FPD_MIG] = "mig",
	[FPD_XID] = "xid",
	[FPD_NO_FABRIC] = "no-fabric",
	[FPD_NCCL_VERSION] = "nccl-version",
	[FPD_NONE] = "none",
};

/* Members of an object; what is not there keeps its value. */
static void get_number(const json_t *o, const char *key, double *ret)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_number(v))
		*ret = json_number_value(v);
}

static double number_of(const json_t *o, const char *key, double none)
{
	get_number(o, key, &none);
	return none;
}

static void get_text(const json_t *o, const char *key, char *buf, size_t size)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_string(v))
		(void)snprintf(buf, size, "%s", json_string_value(v));
}

static void gpu_read(const json_t *o, struct fpd_gpu *g)
{
	get_text(o, "name", g->name, sizeof(g->name));
	g->nvlinks = (unsigned)number_of(o, "nvlinks", g->nvlinks);
	g->nvlink_version =
		(unsigned)number_of(o, "nvlink_version", g->nvlink_version);
	g->pcie_gen = (unsigned)number_of(o, "pcie_gen", g->pcie_gen);
	g->pcie_width = (unsigned)number_of(o, "pcie_width", g->pcie_width);
	g->cc_major = (int)number_of(o, "cc_major", g->cc_major);
	g->cc_minor = (int)number_of(o, "cc_minor", g->cc_minor);
	g->memory_bytes =
		(uint64_t)number_of(o, "memory_bytes", (double)g->memory_bytes);
	get_number(o, "nvlink_Bps", &g->nvlink_Bps);
	get_number(o, "pcie_Bps", &g->pcie_Bps);
	get_number(o, "hbm_Bps", &g->hbm_Bps);
	get_number(o, "flops", &g->flops);
}

static bool hosts_read(const json_t *list, struct fpd_world *w)
{
	size_t i, n = json_array_size(list);

	if (n < 1 || n > FPD_HOSTS_MAX)
		return false;
	for (i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name)
			return false;
		(void)snprintf(w->hosts[i], FPD_NAME_MAX, "%s", name);
	}
	w->n_hosts = (unsigned)n;
	return true;
}

static void world_rates(const json_t *o, struct fpd_world *w)
{
	const struct {
		const char *key;
		double *value;
	} rows[] = {
		{ "nic_Bps", &w->nic_Bps },
		{ "gdr_off", &w->gdr_off },
		{ "socket_Bps", &w->socket_Bps },
		{ "shm_share", &w->shm_share },
		{ "vary", &w->vary },
		{ "nvlink_s", &w->nvlink_s },
		{ "pcie_s", &w->pcie_s },
		{ "shm_s", &w->shm_s },
		{ "net_s", &w->net_s },
		{ "socket_s", &w->socket_s },
		{ "launch_s", &w->launch_s },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		get_number(o, rows[i].key, rows[i].value);
}

/* "host" and "gpu" of one end; -1 where the fault does not say. */
static bool end_read(const json_t *o, const char *host_key, const char *gpu_key,
                     const struct fpd_world *w, struct fpd_end *ret)
{
	const char *name = json_string_value(json_object_get(o, host_key));

	*ret = (struct fpd_end){ .host = -1,
		                 .gpu = (int)number_of(o, gpu_key, -1) };
	for (unsigned i = 0; name && i < w->n_hosts; i++)
		if (strcmp(w->hosts[i], name) == 0)
			ret->host = (int)i;
	return !name || ret->host >= 0;
}

static bool kind_read(const json_t *o, enum fpd_fault_kind *ret)
{
	const char *name = json_string_value(json_object_get(o, "kind"));

	for (unsigned i = 0; name && i < FPD_FAULT_COUNT; i++) {
		if (strcmp(fault_names[i], name) == 0) {
			*ret = (enum fpd_fault_kind)i;
			return true;
		}
	}
	return false;
}

/* Is the environment of this process as @setting, "NAME=value", has it? */
static bool env_is(const char *setting)
{
	const char *equals = strchr(setting, '=');
	char name[64] = "";
	const char *value;

	if (!equals || (size_t)(equals - setting) >= sizeof(name))
		return false;
	memcpy(name, setting, (size_t)(equals - setting));
	value = getenv(name);
	return value && strcmp(value, equals + 1) == 0;
}

static bool is_off(const struct fpd_fault *f)
{
	return env_is(f->unless) || (f->when[0] && !env_is(f->when));
}

static bool fault_read(const json_t *o, const struct fpd_world *w,
                       struct fpd_fault *f)
{
	*f = (struct fpd_fault){
		.factor = number_of(o, "factor", 1),
		.n = (uint64_t)number_of(o, "n", 0),
		.after = (uint64_t)number_of(o, "after", 0),
		.times = (uint64_t)number_of(o, "times", 0),
		.code = (int)number_of(o, "code", 0),
		.busy_s = number_of(o, "busy_s", 0),
	};
	get_text(o, "where", f->where, sizeof(f->where));
	get_text(o, "via", f->via, sizeof(f->via));
	get_text(o, "call", f->call, sizeof(f->call));
	get_text(o, "unless", f->unless, sizeof(f->unless));
	get_text(o, "when", f->when, sizeof(f->when));
	f->nccl = json_is_true(json_object_get(o, "nccl"));
	return kind_read(o, &f->kind) && f->factor > 0 &&
	       end_read(o, "host", "gpu", w, &f->at) &&
	       end_read(o, "to_host", "to_gpu", w, &f->to);
}

static bool faults_read(const json_t *list, struct fpd_world *w, char *why,
                        size_t size)
{
	size_t i, n = json_array_size(list);

	for (i = 0; i < n && i < FPD_FAULTS_MAX; i++) {
		if (!fault_read(json_array_get(list, i), w, &w->faults[i])) {
			(void)snprintf(why, size, "fault %zu makes no sense",
			               i);
			return false;
		}
		if (is_off(&w->faults[i]))
			w->faults[i].kind = FPD_NONE;
	}
	w->n_faults = (unsigned)i;
	return true;
}

static bool world_fill(const json_t *o, struct fpd_world *w, char *why,
                       size_t size)
{
	get_text(o, "name", w->name, sizeof(w->name));
	get_text(o, "driver", w->driver, sizeof(w->driver));
	get_text(o, "hca", w->hca, sizeof(w->hca));
	w->n_gpus = (unsigned)number_of(o, "gpus", w->n_gpus);
	w->cuda_driver = (int)number_of(o, "cuda_driver", w->cuda_driver);
	w->nccl_version = (int)number_of(o, "nccl_version", w->nccl_version);
	gpu_read(json_object_get(o, "gpu"), &w->gpu);
	world_rates(o, w);
	(void)snprintf(why, size, "needs 1 to %d hosts and %d GPUs at most",
	               FPD_HOSTS_MAX, FPD_GPUS_MAX);
	if (!hosts_read(json_object_get(o, "hosts"), w) ||
	    w->n_gpus > FPD_GPUS_MAX)
		return false;
	return faults_read(json_object_get(o, "faults"), w, why, size);
}

bool fpd_world_read(const char *path, struct fpd_world *ret, char *why,
                    size_t size)
{
	json_error_t jerr = { .line = 0 };
	json_t *o = json_load_file(path, 0, &jerr);
	struct stat st = { .st_mtime = 0 };
	bool good;

	*ret = (struct fpd_world){
		.name = "H100",
		.driver = "580.65.06",
		.hca = "mlx5_",
		.n_gpus = 8,
		.cuda_driver = 13000,
		.nccl_version = 22809,
		.gpu = { .name = "NVIDIA H100 80GB HBM3",
		         .cc_major = 9,
		         .memory_bytes = 85899345920,
		         .nvlinks = 18,
		         .nvlink_version = 4,
		         .pcie_gen = 5,
		         .pcie_width = 16,
		         .nvlink_Bps = 20.6e9,
		         .pcie_Bps = 55.4e9,
		         .hbm_Bps = 2.4e12,
		         .flops = 6e13 },
		.nic_Bps = 48.6e9,
		.gdr_off = 0.4,
		.socket_Bps = 1.2e9,
		.shm_share = 0.5,
		.nvlink_s = 3e-6,
		.pcie_s = 6e-6,
		.shm_s = 9e-6,
		.net_s = 12e-6,
		.socket_s = 60e-6,
		.launch_s = 2e-6,
	};
	if (!o) {
		(void)snprintf(why, size, "line %d: %s", jerr.line, jerr.text);
		return false;
	}
	if (stat(path, &st) == 0)
		ret->epoch_s = st.st_mtime;
	good = world_fill(o, ret, why, size);
	json_decref(o);
	return good;
}
