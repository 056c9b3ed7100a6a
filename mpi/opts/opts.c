// SPDX-License-Identifier: Apache-2.0
// Reads the command line with argp, from the table of options.
#include "mpi/opts/opts.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/opts/argp.h"
#include "mpi/opts/table.h"
#include "probes/xport/inject.h"
#include "topo/base/fmt.h"

/* struct parse - what argp's callback works on. */
struct parse {
	struct opts *opts;
	struct fp_err *err;
	const char **words;     /* NULL: only counted */
	const char *run_option; /* explain's last one that is about a run */
};

void opts_defaults(uint32_t command, struct opts *ret)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);

	memset(ret, 0, sizeof(*ret));
	ret->baseline = "";
	ret->dir = ret->tcp_cc = ret->netdev = ret->addr = "";
	ret->control_if = ret->host_id = ret->worker = ret->sysroot = "";
	ret->nccl_lib = "";
	ret->out_dir = ret->json_path = ret->xml_path = ret->dot_path = "";
	ret->from = ret->only = ret->skip = ret->evidence = ret->cluster =
		ret->hca = "";
	ret->ras = "";
	ret->suspects = ret->fabric = "";
	ret->command = command;
	/* rows of other commands first: theirs are not to win over ours */
	for (i = 0; i < n; i++)
		if (rows[i].dflt && !opt_row_taken(&rows[i], command))
			(void)opt_read(&rows[i], rows[i].dflt, ret, NULL);
	for (i = 0; i < n; i++)
		if (rows[i].dflt && opt_row_taken(&rows[i], command))
			(void)opt_read(&rows[i], rows[i].dflt, ret, NULL);
}

/* topo and check: a word is what --from would have; NULL: it has its own. */
static const struct opt_row *row_of_words(const struct opts *o)
{
	const struct opt_row *rows;
	size_t i, n;

	if (o->command == CMD_TOPO ? *o->from != '\0' : o->command != CMD_CHECK)
		return NULL;
	rows = opt_rows(&n);
	for (i = 0; i < n; i++)
		if (opt_row_taken(&rows[i], o->command) &&
		    strcmp(rows[i].name, "from") == 0)
			return &rows[i];
	return NULL;
}

static error_t take_word(struct parse *p, const char *word)
{
	const struct opt_row *from = row_of_words(p->opts);
	struct opts *o = p->opts;
	char shown[48];

	if (o->command == CMD_COMPARE && !*o->baseline) {
		o->baseline = word;
		return 0;
	}
	if ((o->command == CMD_REPORT || o->command == CMD_COMPARE) &&
	    !*o->dir) {
		o->dir = word;
		return 0;
	}
	if (o->command == CMD_EXPLAIN) {
		if (p->words)
			p->words[o->n_words] = word;
		o->n_words++;
		return 0;
	}
	if (from)
		return opt_read(from, word, o, p->err) == FP_OK ? 0 : EINVAL;
	fp_copy(shown, sizeof(shown), word);
	fp_err_set(p->err, FP_ERR_USAGE, "unexpected '%s'%s%s", shown,
	           o->command == CMD_REPORT ? ": report takes one folder"
	           : o->command == CMD_TOPO ? ": topo takes one file or folder"
	                                    : "",
	           opt_choice_find(&opts_commands, word) < 0
	                   ? ""
	                   : ": a command is the first word");
	return EINVAL;
}

/* Is it about a run, which explain has only with --probe? */
static bool is_of_run(const struct opt_row *row)
{
	return opt_row_taken(row, CMD_BISECT) &&
	       !opt_row_taken(row, CMD_LIST) &&
	       !opt_row_taken(row, CMD_REPORT) && strcmp(row->name, "json");
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	const struct opt_row *row;

	switch (key) {
	case ARGP_KEY_ARG:
		return take_word(p, arg);
	case ARGP_KEY_ERROR:
		opts_explain(p->opts->command, state->argv, state->argc,
		             state->next, p->err);
		return 0;
	default:
		row = opts_argp_row(key);
		if (!row)
			return ARGP_ERR_UNKNOWN;
		if (p->opts->command == CMD_EXPLAIN && is_of_run(row))
			p->run_option = row->name;
		return opt_read(row, arg, p->opts, p->err) == FP_OK ? 0
		                                                    : EINVAL;
	}
}

static enum fp_status check_times(const struct opts *o, struct fp_err *err)
{
	if (o->lost_after_s <= 2 * o->heartbeat_s)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--lost-after '%g': use more than twice "
		                  "--heartbeat (%g)",
		                  o->lost_after_s, o->heartbeat_s);
	if (o->trial_timeout_s > 0 && o->trial_time_s >= o->trial_timeout_s)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--trial-time '%g': use less than "
		                  "--trial-timeout (%g)",
		                  o->trial_time_s, o->trial_timeout_s);
	return FP_OK;
}

static enum fp_status check_local(const struct opts *o, struct fp_err *err)
{
	if (o->local_hosts > o->local)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"--local-hosts '%u': use at most --local (%u)",
			o->local_hosts, o->local);
	if (o->local && o->boot == OPTS_BOOT_MPI)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--boot 'mpi': use auto or env with --local, "
		                  "which starts its own ranks");
	if (o->local && *o->control_if)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"--control-if '%s': leave it out with --local, "
			"whose ranks meet over loopback",
			o->control_if);
	return FP_OK;
}

static enum fp_status check_sizes(const struct opts *o, struct fp_err *err)
{
	if (o->min_bytes > o->max_bytes)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "-b/--minbytes '%llu': use at most "
		                  "-e/--maxbytes (%llu)",
		                  (unsigned long long)o->min_bytes,
		                  (unsigned long long)o->max_bytes);
	return FP_OK;
}

/* What nccl-tests takes and this does not: why, and what to do instead. */
static enum fp_status check_ranks(const struct opts *o, struct fp_err *err)
{
	if (o->gpus > 1 || o->threads > 1)
		return fp_err_set(
			err, FP_ERR_USAGE,
			"-g '%u' -t '%u': a rank drives one GPU by one "
			"thread, so that one that hangs is known and "
			"can be killed alone: start %u ranks a host "
			"(mpirun --map-by ppr:%u:node)",
			o->gpus, o->threads, o->gpus * o->threads,
			o->gpus * o->threads);
	if (o->graphs)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "-G '%u': use 0; a graph hides which of its "
		                  "operations does not end, and its times are "
		                  "those of one launch",
		                  o->graphs);
	return FP_OK;
}

static enum fp_status check_inject(const struct opts *o, struct fp_err *err)
{
	struct inject_rule rule;
	size_t i, used = 0;

	for (i = 0; i < o->inject.n; i++) {
		const char *text = o->inject.text[i];

		if (inject_parse(text, &rule, err) != FP_OK) {
			fp_err_prefix(err, "--inject");
			return FP_ERR_USAGE;
		}
		used += strlen(text) + 1;
		if (used > WIRE_INJECT_MAX || strchr(text, '\n'))
			return fp_err_set(err, FP_ERR_USAGE,
			                  "--inject: use lines of %d "
			                  "characters in all",
			                  WIRE_INJECT_MAX - 1);
	}
	return FP_OK;
}

static enum fp_status check_checks(const struct opts *o, struct fp_err *err)
{
	uint32_t off;

	if (*o->only && *o->skip)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--only and --skip: use one of them");
	if (o->mask && !*o->evidence)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "--mask: use it with --evidence DIR");
	return opts_checks_off(o, &off, err);
}

static enum fp_status check(const struct opts *o, struct fp_err *err)
{
	enum fp_status status;

	if (o->command == CMD_REPORT && !*o->dir)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "report needs the folder of a saved run: "
		                  "fabricprobe report DIR");
	if (o->command == CMD_COMPARE && !*o->dir)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "compare needs the folders of two saved "
		                  "runs: fabricprobe compare BEFORE NOW");
	if (o->command == CMD_EXPLAIN && !o->n_words && !*o->ras)
		return fp_err_set(err, FP_ERR_USAGE,
		                  "explain needs logs, dumps or folders of "
		                  "them: fabricprobe explain FILE...; - is "
		                  "standard input");
	status = check_times(o, err);
	if (status == FP_OK)
		status = check_checks(o, err);
	if (status == FP_OK)
		status = check_local(o, err);
	if (status == FP_OK)
		status = check_sizes(o, err);
	if (status == FP_OK)
		status = check_ranks(o, err);
	if (status == FP_OK)
		status = check_inject(o, err);
	return status;
}

static enum fp_status parse_words(int argc, char **argv, struct parse *p)
{
	struct argp_option list[OPTS_ARGP_MAX];
	const struct argp argp = { .options = list, .parser = parse_key };
	error_t rc;

	opts_argp_list(p->opts->command, list);
	rc = argp_parse(&argp, argc, argv,
	                ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, p);
	if (rc == 0)
		return FP_OK;
	if (rc == ENOMEM)
		return fp_err_set(p->err, FP_ERR_NOMEM, "no memory");
	return fp_err_set(p->err, FP_ERR_USAGE, "cannot read the options");
}

static enum fp_status pick_command(int argc, char *const argv[],
                                   uint32_t *ret_command, struct fp_err *err)
{
	char accepted[OPT_ACCEPTED_MAX], shown[48];
	int found;

	*ret_command = CMD_RUN;
	if (argc < 2 || argv[1][0] == '-')
		return FP_OK;
	found = opt_choice_find(&opts_commands, argv[1]);
	if (found < 0) {
		fp_copy(shown, sizeof(shown), argv[1]);
		opt_choice_text(&opts_commands, accepted, sizeof(accepted));
		return fp_err_set(err, FP_ERR_USAGE,
		                  "'%s' is not a command: use %s", shown,
		                  accepted);
	}
	*ret_command = (uint32_t)found;
	return FP_OK;
}

/* A copy without the command: argp reorders what it is given. */
static char **copy_words(int argc, char *const argv[], int *ret_n)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	int skip = argc > 1 && argv[1][0] != '-', n;

	if (!words)
		return NULL;
	words[0] = (char *)"fabricprobe";
	for (n = 1; n + skip < argc; n++)
		words[n] = argv[n + skip];
	*ret_n = n;
	return words;
}

size_t opts_words(int argc, char *const argv[], const char *ret[])
{
	struct fp_err err = { 0 };
	struct opts o;
	struct parse p = { &o, &err, ret, NULL };
	uint32_t command;
	char **words;
	int n;

	if (pick_command(argc, argv, &command, &err) != FP_OK)
		return 0;
	opts_defaults(command, &o);
	words = copy_words(argc, argv, &n);
	if (!words)
		return 0;
	(void)parse_words(n, words, &p);
	free(words);
	return o.n_words;
}

enum fp_status opts_parse(int argc, char *const argv[], struct opts *ret,
                          struct fp_err *err)
{
	struct fp_err cause = { 0 };
	struct opts o;
	struct parse p = { &o, &cause, NULL, NULL };
	enum fp_status status;
	uint32_t command;
	char **words;
	int n;

	status = pick_command(argc, argv, &command, err);
	if (status != FP_OK)
		return status;
	opts_defaults(command, &o);
	words = copy_words(argc, argv, &n);
	if (!words)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = parse_words(n, words, &p);
	if (status == FP_OK && p.run_option && !o.probe && !o.help)
		status = fp_err_set(&cause, FP_ERR_USAGE,
		                    "--%s: explain runs nothing without "
		                    "--probe",
		                    p.run_option);
	if (status == FP_OK && !o.help && !o.version)
		status = check(&o, &cause);
	free(words);
	if (status != FP_OK)
		return fp_err_set(err, status, "%s", cause.text);
	*ret = o;
	return FP_OK;
}
