// SPDX-License-Identifier: Apache-2.0
// Reads the tables of perftest: ib_write_bw and its like.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probes/explain/nccl.h"

struct perftest_state {
	double to_gbps; /* of the table's unit; 0 outside of one */
};

static const char *const words[] = {
	"BW average[Gb/sec]",
	"BW average[MB/sec]",
	"BW average[MiB/sec]",
	" Failed status ",
};

static const struct {
	const char *unit;
	double to_gbps;
} units[] = {
	{ "[Gb/sec]", 1 },
	{ "[MB/sec]", 8e-3 * 1.048576 }, /* its MB are MiB */
	{ "[MiB/sec]", 8e-3 * 1.048576 },
};

static const char *needle(size_t i)
{
	return i < sizeof(words) / sizeof(words[0]) ? words[i] : NULL;
}

/* "#bytes #iterations BW peak BW average MsgRate" */
static bool take_row(struct intake *r, const struct logline *line)
{
	const struct perftest_state *s = r->state;
	struct event e;
	const char *at = line->text;
	double value[4];

	for (size_t i = 0; i < 4; i++) {
		char *end;

		value[i] = strtod(at, &end);
		if (end == at || !isfinite(value[i]) || value[i] < 0 ||
		    value[i] > 1e15)
			return false;
		at = end;
	}
	e = intake_event(r, line, KIND_PERFTEST);
	e.n[0] = (int64_t)value[0];
	e.x[0] = value[3] * s->to_gbps;
	intake_add(r, line, &e);
	return true;
}

/* " Failed status 4: wr_id 0 syndrom 0x51" */
static void take_failure(struct intake *r, const struct logline *line)
{
	static const char failed[] = " Failed status ", vendor[] = " syndrom ";
	const char *at = strstr(line->text, failed);
	const char *syndrome = at ? strstr(at, vendor) : NULL;
	struct event e;
	int64_t status;

	if (!syndrome)
		return;
	status = strtol(at + sizeof(failed) - 1, NULL, 10);
	e = intake_event(r, line, nccl_wc_kind(status));
	e.n[0] = status;
	e.n[1] = strtol(syndrome + sizeof(vendor) - 1, NULL, 16);
	intake_add(r, line, &e);
}

static enum reader_want perftest_line(struct intake *r,
                                      const struct logline *line)
{
	struct perftest_state *s = r->state;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strstr(line->text, "BW average") &&
		    strstr(line->text, units[i].unit)) {
			s->to_gbps = units[i].to_gbps;
			return LINE_MORE;
		}
	if (s->to_gbps > 0 && take_row(r, line))
		return LINE_MORE;
	take_failure(r, line);
	s->to_gbps = 0;
	return LINE_DONE;
}

const struct explain_reader reader_perftest = {
	.bare = true,
	.name = "perftest",
	.help = "tables and failures of ib_write_bw and its like",
	.needle = needle,
	.state_size = sizeof(struct perftest_state),
	.line = perftest_line,
};
