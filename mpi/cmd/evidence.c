// SPDX-License-Identifier: Apache-2.0
// Writes the bundle of --evidence.
#include "mpi/cmd/evidence.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "mpi/cmd/mask.h"
#include "mpi/cmd/output.h"
#include "topo/json/snapshot.h"
#include "topo/reading/reading.h"
#include "topo/reading/reading_names.h"

#define COLUMNS 80

struct bundle {
	const struct report *report;
	const char *dir;
	struct mask *mask; /* NULL: as it is */
};

static void put_time(int64_t time_s, struct fp_text *out)
{
	time_t when = (time_t)time_s;
	char text[32] = "-";
	struct tm tm;

	if (when > 0 && gmtime_r(&when, &tm))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fp_text_printf(out, "%s", text);
}

static void put_value(const struct reading *r, struct fp_text *out)
{
	const struct reading_name *row = reading_name_find(r->name);
	const char *unit = row ? row->unit : "";

	switch (r->kind) {
	case READING_INT:
		fp_text_printf(out, "%lld%s%s", (long long)r->number,
		               *unit ? " " : "", unit);
		break;
	case READING_REAL:
		fp_text_printf(out, "%.9g%s%s", r->real, *unit ? " " : "",
		               unit);
		break;
	case READING_TEXT:
		fp_text_printf(out, "%s", r->text);
		break;
	default:
		fp_text_printf(out, "not read: %s", r->text);
	}
}

/* Host, device, name, value, source, time; tabs between. */
static void put_reading(const struct topo_host *host, const struct reading *r,
                        struct fp_text *out)
{
	fp_text_printf(out, "%s\t%s\t%s\t", host->name,
	               r->device[0] ? r->device : "-", r->name);
	put_value(r, out);
	fp_text_printf(out, "\t%s\t", reading_source_name(r->source));
	put_time(r->time_s, out);
	fp_text_printf(out, "\n");
}

static void each_reading(const struct bundle *b, bool log, struct fp_text *out)
{
	const struct topo_job *job = b->report->session->job;

	for (size_t h = 0; h < job->n_hosts; h++) {
		const struct topo_host *host = &job->hosts[h];
		size_t n = readings_count(host->readings);

		for (size_t i = 0; i < n; i++) {
			struct reading r = readings_at(host->readings, i);

			if (!log)
				put_reading(host, &r, out);
			else if (r.source == READ_KMSG && r.text[0])
				fp_text_printf(out, "%s: %s\n", host->name,
				               r.text);
		}
	}
}

static enum fp_status make_readings(const struct bundle *b, struct fp_text *out,
                                    struct fp_err *err)
{
	(void)err;
	each_reading(b, false, out);
	return FP_OK;
}

static enum fp_status make_log(const struct bundle *b, struct fp_text *out,
                               struct fp_err *err)
{
	(void)err;
	each_reading(b, true, out);
	return FP_OK;
}

static enum fp_status make_snapshot(const struct bundle *b, struct fp_text *out,
                                    struct fp_err *err)
{
	char *json = topo_job_to_json(b->report->session->job);

	if (!json)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for JSON");
	fp_text_printf(out, "%s\n", json);
	free(json);
	return FP_OK;
}

static enum fp_status make_text(const struct bundle *b, struct fp_text *out,
                                struct fp_err *err)
{
	struct report plain = *b->report;

	plain.colour = false;
	plain.columns = COLUMNS;
	return report_text_ops.render(&plain, out, err);
}

static enum fp_status make_json(const struct bundle *b, struct fp_text *out,
                                struct fp_err *err)
{
	return report_json_ops.render(b->report, out, err);
}

static const struct {
	const char *file;
	enum fp_status (*make)(const struct bundle *b, struct fp_text *out,
	                       struct fp_err *err);
} parts[] = {
	{ "report.txt", make_text },        { "report.json", make_json },
	{ "snapshot.json", make_snapshot }, { "readings.txt", make_readings },
	{ "kernel.txt", make_log },
};

static enum fp_status put_file(const struct bundle *b, const char *file,
                               const struct fp_text *text, struct fp_err *err)
{
	char path[PATH_MAX];

	if (text->failed)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory for %s", file);
	if (snprintf(path, sizeof(path), "%s/%s", b->dir, file) >=
	    (int)sizeof(path))
		return fp_err_set(err, FP_ERR_LIMIT, "%s: too long", b->dir);
	return output_file(path, fp_text_str(text), text->len, err);
}

static enum fp_status write_part(const struct bundle *b, size_t part,
                                 struct fp_err *err)
{
	struct fp_text text = { 0 }, masked = { 0 };
	enum fp_status status = parts[part].make(b, &text, err);

	if (status == FP_OK && b->mask)
		mask_apply(b->mask, fp_text_str(&text), &masked);
	if (status == FP_OK)
		status = put_file(b, parts[part].file,
		                  b->mask ? &masked : &text, err);
	fp_text_free(&masked);
	fp_text_free(&text);
	return status;
}

enum fp_status evidence_write(const char *dir, bool mask,
                              const struct report *report, struct fp_err *err)
{
	struct bundle b = { .report = report, .dir = dir };
	enum fp_status status = FP_OK;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		return fp_err_sys(err, errno, "%s", dir);
	if (mask)
		status = mask_new(report->session->job, &b.mask, err);
	for (size_t i = 0;
	     status == FP_OK && i < sizeof(parts) / sizeof(*parts); i++)
		status = write_part(&b, i, err);
	mask_free(b.mask);
	return status;
}
