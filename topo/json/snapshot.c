// SPDX-License-Identifier: Apache-2.0
// Hosts and jobs to JSON and back.
#include "topo/json/snapshot.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "topo/json/json_field.h"
#include "topo/json/json_map.h"
#include "topo/json/json_readings.h"
#include "topo/model/model_map.h"

static const struct field netdev_rows[] = {
	FIELD_TEXT_OF(topo_netdev, name),
	FIELD_TEXT_OF(topo_netdev, addr),
	FIELD_TEXT_OF(topo_netdev, driver),
	FIELD_INT_IN(topo_netdev, speed_bps, -1, INT64_MAX),
	FIELD_INT_IN(topo_netdev, mtu_bytes, -1, INT32_MAX),
	FIELD_BOOL_OF(topo_netdev, up),
	FIELD_BOOL_OF(topo_netdev, loopback),
	FIELD_BOOL_OF(topo_netdev, hca),
};
static const struct field host_rows[] = {
	FIELD_TEXT_OF(topo_host, name),
	FIELD_TEXT_OF(topo_host, boot_id),
	FIELD_TEXT_OF(topo_host, host_id),
	FIELD_TEXT_OF(topo_host, kernel),
	FIELD_INT_IN(topo_host, n_cpus, -1, INT32_MAX),
};
static const struct field rank_rows[] = {
	FIELD_INT_IN(topo_rank, rank, 0, TOPO_MAX_RANKS - 1),
	FIELD_INT_IN(topo_rank, host, -1, TOPO_MAX_RANKS - 1),
	FIELD_INT_IN(topo_rank, local_rank, -1, TOPO_MAX_RANKS - 1),
	FIELD_INT_IN(topo_rank, netdev, -1, TOPO_MAX_NETDEVS - 1),
	FIELD_INT_IN(topo_rank, pid, -1, INT64_MAX),
	FIELD_TEXT_OF(topo_rank, port),
	FIELD_TEXT_OF(topo_rank, ports),
};

static const struct fields netdev_fields = FIELDS(netdev_rows);
static const struct fields host_fields = FIELDS(host_rows);
static const struct fields rank_fields = FIELDS(rank_rows);

static json_t *netdevs_to_json(const struct topo_host *host)
{
	json_t *list = json_array();

	for (size_t i = 0; i < host->n_netdevs; i++) {
		json_t *dev = fields_to_json(&netdev_fields, &host->netdevs[i]);

		if (json_array_append_new(list, dev) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

/* By the first host's where they share: that is the one that is shared with. */
static json_t *host_readings_to_json(const struct topo_host *host,
                                     const struct topo_host *first)
{
	const struct readings *base = readings_base(host->readings);

	if (base && first && first != host && first->readings == base)
		return readings_like_to_json(host->readings, 0);
	return readings_to_json(host->readings);
}

/* @first: of the same job; NULL: a host alone. */
static json_t *host_to_json(const struct topo_host *host,
                            const struct topo_host *first)
{
	json_t *json = fields_to_json(&host_fields, host);

	if (json_object_set_new(json, "netdevs", netdevs_to_json(host)) == 0 &&
	    (!host->map ||
	     json_object_set_new(json, "map", map_to_json(host->map)) == 0) &&
	    (!host->readings ||
	     json_object_set_new(json, "readings",
	                         host_readings_to_json(host, first)) == 0))
		return json;
	json_decref(json);
	return NULL;
}

static json_t *hosts_to_json(const struct topo_job *job)
{
	json_t *list = json_array();

	for (size_t i = 0; i < job->n_hosts; i++) {
		if (json_array_append_new(list, host_to_json(&job->hosts[i],
		                                             job->hosts)) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

static json_t *ranks_to_json(const struct topo_job *job)
{
	json_t *list = json_array();

	for (size_t i = 0; i < job->n_ranks; i++) {
		json_t *rank = fields_to_json(&rank_fields, &job->ranks[i]);

		if (json_array_append_new(list, rank) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

static json_t *job_to_json(const struct topo_job *job)
{
	json_t *json = json_object();
	json_t *schema = json_string(TOPO_SNAPSHOT_SCHEMA);

	if (json_object_set_new(json, "schema", schema) == 0 &&
	    json_object_set_new(json, "hosts", hosts_to_json(job)) == 0 &&
	    json_object_set_new(json, "ranks", ranks_to_json(job)) == 0)
		return json;
	json_decref(json);
	return NULL;
}

static char *dump(json_t *json)
{
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

char *topo_host_to_json(const struct topo_host *host)
{
	return dump(host_to_json(host, NULL));
}

char *topo_job_to_json(const struct topo_job *job)
{
	return dump(job_to_json(job));
}

static enum fp_status parse(const char *text, size_t len, json_t **ret_json,
                            struct fp_err *err)
{
	json_error_t why;
	json_t *json;

	if (len > TOPO_SNAPSHOT_MAX_BYTES)
		return fp_err_set(err, FP_ERR_LIMIT, "%zu bytes, more than %u",
		                  len, TOPO_SNAPSHOT_MAX_BYTES);
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!json && json_error_code(&why) == json_error_out_of_memory)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	if (!json)
		return fp_err_set(err, FP_ERR_INPUT, "line %d, column %d: %s",
		                  why.line, why.column, why.text);
	*ret_json = json;
	return FP_OK;
}

static enum fp_status netdevs_from_json(const json_t *list,
                                        struct topo_host *host,
                                        struct fp_err *err)
{
	size_t n = json_array_size(list);
	enum fp_status status = FP_OK;

	if (n == 0)
		return FP_OK;
	host->netdevs = calloc(n, sizeof(*host->netdevs));
	if (!host->netdevs)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for %zu network devices", n);
	host->n_netdevs = n;
	for (size_t i = 0; i < n && status == FP_OK; i++) {
		struct topo_netdev *dev = &host->netdevs[i];

		dev->speed_bps = -1;
		dev->mtu_bytes = -1;
		status = fields_from_json(&netdev_fields,
		                          json_array_get(list, i), dev, err);
		if (status != FP_OK)
			fp_err_prefix(err, "netdev %zu", i);
	}
	return status;
}

/* A host without a map has no member of that name. */
static enum fp_status host_map_from_json(const json_t *json,
                                         struct topo_host *host,
                                         struct fp_err *err)
{
	const json_t *map = json_object_get(json, "map");
	enum fp_status status;

	if (!map)
		return FP_OK;
	host->map = calloc(1, sizeof(*host->map));
	if (!host->map)
		return fp_err_set(err, FP_ERR_NOMEM,
		                  "no memory for a host's map");
	status = map_from_json(map, host->map, err);
	if (status != FP_OK)
		fp_err_prefix(err, "map");
	return status;
}

/* @first: the job's first host, which "like" 0 means; NULL: there is none. */
static enum fp_status host_readings_from_json(const json_t *json,
                                              const struct topo_host *first,
                                              struct topo_host *host,
                                              struct fp_err *err)
{
	const json_t *member = json_object_get(json, "readings");
	json_int_t like = readings_json_like(member);
	struct readings *base = like == 0 && first ? first->readings : NULL;
	enum fp_status status;

	if (!member)
		return FP_OK;
	if (like >= 0 && !base)
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "'like' %lld names no host with readings",
		                    (long long)like);
	else
		status = readings_from_json(member, base, &host->readings, err);
	if (status != FP_OK)
		fp_err_prefix(err, "readings");
	return status;
}

static enum fp_status host_from_json(const json_t *json,
                                     const struct topo_host *first,
                                     struct topo_host *ret_host,
                                     struct fp_err *err)
{
	struct topo_host host = { .n_cpus = -1 };
	enum fp_status status;
	json_t *list = NULL;

	status = fields_from_json(&host_fields, json, &host, err);
	if (status == FP_OK)
		status = field_list(json, "netdevs", TOPO_MAX_NETDEVS, &list,
		                    err);
	if (status == FP_OK)
		status = netdevs_from_json(list, &host, err);
	if (status == FP_OK)
		status = host_map_from_json(json, &host, err);
	if (status == FP_OK)
		status = host_readings_from_json(json, first, &host, err);
	if (status == FP_OK)
		*ret_host = host;
	else
		topo_host_done(&host);
	return status;
}

enum fp_status topo_host_from_json(const char *text, size_t len,
                                   struct topo_host *ret_host,
                                   struct fp_err *err)
{
	json_t *json = NULL;
	enum fp_status status;

	status = parse(text, len, &json, err);
	if (status == FP_OK)
		status = host_from_json(json, NULL, ret_host, err);
	json_decref(json);
	if (status != FP_OK)
		fp_err_prefix(err, "host");
	return status;
}

static enum fp_status hosts_from_json(const json_t *list, struct topo_job *job,
                                      struct fp_err *err)
{
	size_t n = json_array_size(list);
	enum fp_status status;

	job->n_hosts = 0;
	job->hosts = n ? calloc(n, sizeof(*job->hosts)) : NULL;
	if (n && !job->hosts)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %zu hosts",
		                  n);
	for (size_t i = 0; i < n; i++) {
		status = host_from_json(json_array_get(list, i),
		                        i ? &job->hosts[0] : NULL,
		                        &job->hosts[i], err);
		if (status != FP_OK) {
			fp_err_prefix(err, "host %zu", i);
			return status;
		}
		job->n_hosts = i + 1;
	}
	return FP_OK;
}

static enum fp_status rank_check(const struct topo_job *job, size_t i,
                                 struct fp_err *err)
{
	const struct topo_rank *r = &job->ranks[i];
	size_t n_netdevs = 0;

	if (r->rank != (int32_t)i)
		return fp_err_set(err, FP_ERR_INPUT,
		                  "'rank' says %d in place %zu", r->rank, i);
	if (r->host >= 0 && (size_t)r->host >= job->n_hosts)
		return fp_err_set(err, FP_ERR_INPUT, "'host' %d of %zu",
		                  r->host, job->n_hosts);
	if (r->host >= 0)
		n_netdevs = job->hosts[r->host].n_netdevs;
	if (r->netdev >= 0 && (size_t)r->netdev >= n_netdevs)
		return fp_err_set(err, FP_ERR_INPUT, "'netdev' %d of %zu",
		                  r->netdev, n_netdevs);
	if (r->local_rank >= 0 && (size_t)r->local_rank >= job->n_ranks)
		return fp_err_set(err, FP_ERR_INPUT, "'local_rank' %d of %zu",
		                  r->local_rank, job->n_ranks);
	return FP_OK;
}

static enum fp_status ranks_from_json(const json_t *list, struct topo_job *job,
                                      struct fp_err *err)
{
	for (size_t i = 0; i < job->n_ranks; i++) {
		enum fp_status status;

		status = fields_from_json(&rank_fields, json_array_get(list, i),
		                          &job->ranks[i], err);
		if (status == FP_OK)
			status = rank_check(job, i, err);
		if (status != FP_OK) {
			fp_err_prefix(err, "rank %zu", i);
			return status;
		}
		if (job->ranks[i].host >= 0)
			job->placed_end = i + 1;
	}
	return FP_OK;
}

static enum fp_status check_schema(const json_t *json, struct fp_err *err)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));

	if (schema && strcmp(schema, TOPO_SNAPSHOT_SCHEMA) == 0)
		return FP_OK;
	return fp_err_set(err, FP_ERR_INPUT, "'schema' is %.64s, not %s",
	                  schema ? schema : "missing", TOPO_SNAPSHOT_SCHEMA);
}

static enum fp_status
job_from_json(const json_t *json, struct topo_job *ret_job, struct fp_err *err)
{
	json_t *hosts = NULL, *ranks = NULL;
	struct topo_job job = { 0 };
	enum fp_status status;

	status = check_schema(json, err);
	if (status == FP_OK)
		status = field_list(json, "hosts", TOPO_MAX_RANKS, &hosts, err);
	if (status == FP_OK)
		status = field_list(json, "ranks", TOPO_MAX_RANKS, &ranks, err);
	if (status == FP_OK)
		status = topo_job_init(&job, json_array_size(ranks), err);
	if (status == FP_OK)
		status = hosts_from_json(hosts, &job, err);
	if (status == FP_OK)
		status = ranks_from_json(ranks, &job, err);
	if (status == FP_OK)
		*ret_job = job;
	else
		topo_job_done(&job);
	return status;
}

enum fp_status topo_job_from_json(const char *text, size_t len,
                                  struct topo_job *ret_job, struct fp_err *err)
{
	json_t *json = NULL;
	enum fp_status status;

	status = parse(text, len, &json, err);
	if (status == FP_OK)
		status = job_from_json(json, ret_job, err);
	json_decref(json);
	if (status != FP_OK)
		fp_err_prefix(err, "snapshot");
	return status;
}
