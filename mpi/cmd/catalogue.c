// SPDX-License-Identifier: Apache-2.0
// fabricprobe simulate --catalogue: the table of accuracy.
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "mpi/cmd/output.h"
#include "mpi/cmd/simulate.h"
#include "probes/sim/catalogue.h"

static const int32_t sizes[] = { 1, 8, 64 };

static double cpu_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void heading(bool csv, struct fp_text *out)
{
	if (csv)
		fp_text_printf(out, "fault,gpus,trials,exact,group,missed,"
		                    "wrong,precision,recall,rounds,cpu_ms\n");
	else
		fp_text_printf(out, "%-16s%6s%7s%6s%6s%7s%6s%6s%7s%7s%6s\n",
		               "fault", "GPUs", "trials", "exact", "group",
		               "missed", "wrong", "prec.", "recall", "rounds",
		               "ms");
}

static void line(bool csv, const char *name, const struct sim_cell *c,
                 const struct sim_tally *t, double ms, struct fp_text *out)
{
	double n = t->trials, faults = n * c->faults;
	double precision =
		t->accused ? 1 - (double)t->innocent / (double)t->accused : 1;
	double recall = faults > 0 ? (double)t->found / faults : 1;

	fp_text_printf(out,
	               csv ? "%s,%d,%u,%u,%u,%u,%u,%.4f,%.4f,%.1f,%.2f\n"
	                   : "%-16s%6d%7u%6u%6u%7u%6u%6.3f%7.3f%7.0f%6.0f\n",
	               name, (int)c->hosts * 8, t->trials, t->exact, t->grouped,
	               t->missed, t->wrong, precision, recall,
	               (double)t->rounds / n, ms / n);
}

static enum fp_status one_cell(const struct cmd *cmd, const char *name,
                               const struct sim_cell *c, uint32_t *io_wrong,
                               struct fp_err *err)
{
	struct fp_text out = { 0 };
	double begin_s = cpu_s();
	enum fp_status status;
	struct sim_tally t;

	status = sim_cell_run(c, &t, err);
	if (status)
		return status;
	*io_wrong += t.wrong;
	line(cmd->opts->csv, name, c, &t, 1e3 * (cpu_s() - begin_s), &out);
	status = output_fd(STDOUT_FILENO, fp_text_str(&out), out.len, err);
	fp_text_free(&out);
	return status;
}

static enum fp_status all_sizes(const struct cmd *cmd, const char *name,
                                struct sim_cell *c, uint32_t *io_wrong,
                                struct fp_err *err)
{
	enum fp_status status = FP_OK;
	size_t i;

	for (i = 0; !status && i < sizeof(sizes) / sizeof(*sizes); i++) {
		c->hosts = sizes[i];
		status = one_cell(cmd, name, c, io_wrong, err);
	}
	return status;
}

static enum fp_status all_kinds(const struct cmd *cmd, uint32_t *io_wrong,
                                struct fp_err *err)
{
	struct sim_cell c = {
		.noise = sim_noise_usual(),
		.trials = cmd->opts->trials,
		.seed = cmd->opts->seed,
	};
	enum fp_status status = all_sizes(cmd, "healthy", &c, io_wrong, err);
	uint8_t kind;

	c.kinds = &kind;
	c.n_kinds = c.faults = 1;
	for (kind = 0; !status && kind < SIM_FAULT_COUNT; kind++)
		status = all_sizes(cmd, sim_fault_info(kind)->name, &c,
		                   io_wrong, err);
	return status;
}

int simulate_catalogue(const struct cmd *cmd)
{
	struct fp_text out = { 0 };
	struct fp_err err = { 0 };
	enum fp_status status;
	uint32_t wrong = 0;

	heading(cmd->opts->csv, &out);
	status = output_fd(STDOUT_FILENO, fp_text_str(&out), out.len, &err);
	fp_text_free(&out);
	if (!status)
		status = all_kinds(cmd, &wrong, &err);
	if (status)
		return cmd_fail(&err);
	return wrong ? CMD_EXIT_FAULT : CMD_EXIT_HEALTHY;
}
