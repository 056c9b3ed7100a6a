// SPDX-License-Identifier: Apache-2.0
// The table of options as argp wants it, and the help of each command.
#include "mpi/opts/argp.h"

#include <stdlib.h>
#include <string.h>

#include "topo/base/fmt.h"

/* Keys of options without a letter: their rows, counted from here. */
#define KEY_FIRST 256

static const struct {
	const char *name, *args, *doc;
} commands[CMD_COUNT] = {
	[CMD_RUN] = { "run", "",
	              "Measure the links of a job and name what is slow or "
	              "hangs. Start it as the job is started: mpirun "
	              "fabricprobe." },
	[CMD_PAIRS] = { "pairs", "", "Measure and judge every pair of ranks." },
	[CMD_SWEEP] = { "sweep", "",
	                "Time a collective over message sizes, in the columns "
	                "of nccl-tests." },
	[CMD_REPORT] = { "report", "DIR",
	                 "Render a run that was saved with --out DIR." },
	[CMD_COMPARE] = { "compare", "BEFORE NOW",
	                  "Say what got slower between two runs that were "
	                  "saved with --out: kinds of transfers, hosts, pairs. "
	                  "Exit status 1 if something did." },
	[CMD_LIST] = { "list", "",
	               "List the transports, operations and formats of this "
	               "build." },
	[CMD_TOPO] = { "topo", "[FILE|DIR]",
	               "Draw the hosts of a job as nvidia-smi topo -m does, "
	               "those that look the same once, and say what stands "
	               "out. With FILE, as with --from, the host that "
	               "saved text tells of." },
	[CMD_EXPLAIN] = { "explain", "FILE|DIR|-...",
	                  "Read logs, dumps and saved output of tools, and "
	                  "say what happened, who is at fault, how sure that "
	                  "is, and what to do next." },
	[CMD_CHECK] = { "check", "[FILE|DIR...]",
	                "Judge what hosts are, before any traffic: links, "
	                "ports, MTUs, versions, limits, the kernel log. Only "
	                "the MTU of paths takes datagrams. With FILE, as with "
	                "--from, judge what was saved." },
	[CMD_BISECT] = { "bisect", "",
	                 "Name the ranks or hosts by which a collective "
	                 "hangs or fails." },
	[CMD_SIMULATE] = { "simulate", "",
	                   "Run on a model of a cluster with given faults, "
	                   "and report as a run does." },
};

static const char epilogue[] =
	"Commands: fabricprobe [run], pairs, sweep, report, list, topo, "
	"explain, check, simulate, bisect, compare; fabricprobe COMMAND --help "
	"tells "
	"the options of each. Sizes are binary (64K, 1M, 2G); times are "
	"seconds or have a unit (500ms, 2m, 1h).\n\n"
	"Exit status: 0 healthy, 1 a fault was found, 2 could not run, 3 not "
	"everything could be measured and no fault was found.";

const struct opt_choice opts_commands = { opts_command_name, NULL, CMD_COUNT };

const char *opts_command_name(unsigned command)
{
	return command < CMD_COUNT ? commands[command].name : "?";
}

static int row_key(size_t index, const struct opt_row *row)
{
	return row->letter ? row->letter : KEY_FIRST + (int)index;
}

const struct opt_row *opts_argp_row(int key)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);

	for (i = 0; i < n; i++)
		if (row_key(i, &rows[i]) == key)
			return &rows[i];
	return NULL;
}

void opts_argp_list(unsigned command, struct argp_option list[OPTS_ARGP_MAX])
{
	size_t n, i, used = 0;
	const struct opt_row *rows = opt_rows(&n);
	int group = 0; /* argp's groups count from 1 */

	for (i = 0; i < n && used + 3 < OPTS_ARGP_MAX; i++) {
		const struct opt_row *row = &rows[i];
		const char *title = opt_group_title(row->group);

		if (!opt_row_taken(row, command))
			continue;
		if (group != row->group + 1 && title)
			list[used++] = (struct argp_option){
				.doc = title,
				.group = row->group + 1,
			};
		group = row->group + 1;
		list[used++] = (struct argp_option){
			.name = row->name,
			.key = row_key(i, row),
			.arg = row->arg,
			.doc = row->doc,
			.group = group,
		};
	}
	list[used] = (struct argp_option){ 0 };
}

/* "1 to 64; default 1", or as much of it as helps. */
static void append_facts(const struct opt_row *row, struct fp_text *out)
{
	struct fp_text dflt = { 0 };
	const unsigned bounded = 1u << OPT_UINT | 1u << OPT_INDEX |
	                         1u << OPT_BYTES | 1u << OPT_SECONDS |
	                         1u << OPT_CHOICE;
	char accepted[OPT_ACCEPTED_MAX];

	if (bounded >> row->type & 1) {
		opt_accepted(row, accepted, sizeof(accepted));
		fp_text_printf(out, "%s", accepted);
	}
	opt_default(row, &dflt);
	if (dflt.len)
		fp_text_printf(out, "%s%s", out->len ? "; " : "",
		               fp_text_str(&dflt));
	fp_text_free(&dflt);
}

/* argp asks this for every text of the help, and frees what is new. */
static char *help_filter(int key, const char *text, void *input)
{
	const struct opt_row *row = opts_argp_row(key);
	struct fp_text facts = { 0 }, out = { 0 };

	(void)input;
	if (!row || !text)
		return (char *)text;
	append_facts(row, &facts);
	if (facts.len)
		fp_text_printf(&out, "%s (%s)", text, fp_text_str(&facts));
	fp_text_free(&facts);
	if (out.len && !out.failed)
		return out.data;
	fp_text_free(&out);
	return (char *)text;
}

static void write_help(uint32_t command, FILE *out)
{
	struct argp_option list[OPTS_ARGP_MAX];
	struct argp argp = { .options = list, .help_filter = help_filter };
	char doc[1024], name[32];

	opts_argp_list(command, list);
	(void)snprintf(doc, sizeof(doc), "%s\v%s", commands[command].doc,
	               epilogue);
	(void)snprintf(name, sizeof(name), "fabricprobe%s%s",
	               command == CMD_RUN ? "" : " ",
	               command == CMD_RUN ? "" : commands[command].name);
	argp.doc = doc;
	argp.args_doc = commands[command].args;
	argp_help(&argp, out,
	          ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, name);
}

/* argp leaves a line of spaces behind a text that ends at the margin. */
static void copy_lines(const char *text, FILE *out)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), blank = strspn(text, " ");

		len += text[len] == '\n';
		if (!blank || text[blank] != '\n')
			fwrite(text, 1, len, out);
		text += len;
	}
}

void opts_help(uint32_t command, FILE *out)
{
	char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len);

	if (!memory)
		return;
	write_help(command, memory);
	if (fclose(memory) == 0)
		copy_lines(text, out);
	free(text);
}
