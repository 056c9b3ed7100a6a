// SPDX-License-Identifier: Apache-2.0
// fabricprobe list: the registry's rows, operations and formats.
#include "mpi/cmd/cmd.h"

#include "probes/check/check.h"
#include "probes/explain/reader.h"
#include "probes/report/report.h"
#include "probes/trial/registry.h"
#include "probes/trial/trial.h"
#include "topo/discover/discover.h"
#include "topo/discover/discover_text.h"

static const char *const op_help[OP_COUNT] = {
	[OP_WRITE] = "one way, rate counted by the receiver",
	[OP_LATENCY] = "ping-pong, half of the round trip",
	[OP_DATAGRAM] =
		"numbered packets, small and of full size: which arrive",
	[OP_ALLREDUCE] = "ring, float32 sums verified",
	[OP_ALLGATHER] = "ring",
	[OP_REDUCESCATTER] = "ring, float32 sums verified",
	[OP_BROADCAST] = "pipelined ring",
	[OP_ALLTOALL] = "every rank to every other",
	[OP_SENDRECV] = "every rank to the next",
};

static const struct report_ops *const formats[] = {
	&report_text_ops,
	&report_json_ops,
	&report_sweep_ops,
};

static void list_xports(FILE *out)
{
	size_t n, i;
	const struct registry_xport *rows = registry_xports(&n);

	fprintf(out, "Transports (--xport):\n");
	for (i = 0; i < n; i++) {
		fprintf(out, "  %-15s %s\n", rows[i].name, rows[i].help);
		if (!rows[i].built)
			fprintf(out, "  %-15s %s\n", "", rows[i].needs);
	}
}

static void list_ops(FILE *out)
{
	unsigned i;

	fprintf(out, "\nOperations:\n");
	for (i = 0; i < OP_COUNT; i++)
		fprintf(out, "  %-15s %s\n", trial_op_name(i), op_help[i]);
}

static void list_formats(FILE *out)
{
	size_t i;

	fprintf(out, "\nReport formats (report --format):\n");
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		fprintf(out, "  %-15s %s\n", formats[i]->name,
		        formats[i]->help);
}

static void list_checks(FILE *out)
{
	size_t n, i;
	const struct check_ops *const *checks = checks_all(&n);

	fprintf(out, "\nChecks (check --only, --skip):\n");
	for (i = 0; i < n; i++)
		fprintf(out, "  %-15s %s\n", checks[i]->name, checks[i]->help);
}

/* What topo reads of a running or captured host, and of saved text. */
static void list_readers(FILE *out)
{
	size_t n;
	const struct source_ops *const *texts = topo_sources(&n);

	fprintf(out, "\nReaders of a host (topo):\n");
	for (size_t i = 0; topo_reader_name(i); i++)
		fprintf(out, "  %-15s %s\n", topo_reader_name(i),
		        topo_reader_help(i));
	fprintf(out, "\nReaders of saved text (topo --from):\n");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %-17s %s\n", texts[i]->name, texts[i]->help);
}

static void list_explain(FILE *out)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);

	fprintf(out, "\nWhat explain reads:\n");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "  %-20s %s\n", readers[i]->name,
		        readers[i]->help);
}

void cmd_list(FILE *out)
{
	list_xports(out);
	list_ops(out);
	list_checks(out);
	list_formats(out);
	list_readers(out);
	list_explain(out);
}
