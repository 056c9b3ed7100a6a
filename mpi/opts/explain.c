// SPDX-License-Identifier: Apache-2.0
// Says what is wrong with a word of the command line that argp refused.
#include <string.h>

#include "mpi/opts/argp.h"
#include "topo/base/fmt.h"

/* enum flaw - what can be wrong with an option before its value is read. */
enum flaw {
	FLAW_NONE,
	FLAW_UNKNOWN,
	FLAW_AMBIGUOUS,
	FLAW_FOREIGN, /* another command's */
	FLAW_VALUE,   /* has a value and takes none */
	FLAW_NO_VALUE,
};

static const struct opt_row *find_letter(unsigned command, char letter,
                                         bool ours)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);

	for (i = 0; i < n; i++)
		if (rows[i].letter == letter &&
		    opt_row_taken(&rows[i], command) == ours)
			return &rows[i];
	return NULL;
}

static enum flaw letters_flaw(unsigned command, const char *letters,
                              const struct opt_row **ret_row)
{
	for (; *letters; letters++) {
		*ret_row = find_letter(command, *letters, true);
		if (!*ret_row) {
			*ret_row = find_letter(command, *letters, false);
			return *ret_row ? FLAW_FOREIGN : FLAW_UNKNOWN;
		}
		if ((*ret_row)->arg)
			return letters[1] ? FLAW_NONE : FLAW_NO_VALUE;
	}
	return FLAW_NONE;
}

/* How many of the rows begin with @name; one of that length beats the rest. */
static unsigned find_name(unsigned command, const char *name, size_t len,
                          bool ours, const struct opt_row **ret_row)
{
	size_t n, i;
	const struct opt_row *rows = opt_rows(&n);
	unsigned found = 0;

	for (i = 0; i < n; i++) {
		if (opt_row_taken(&rows[i], command) != ours ||
		    strncmp(rows[i].name, name, len) != 0)
			continue;
		*ret_row = &rows[i];
		if (!rows[i].name[len])
			return 1;
		found++;
	}
	return found;
}

static enum flaw name_flaw(unsigned command, const char *name,
                           const struct opt_row **ret_row)
{
	size_t len = strcspn(name, "=");
	bool value = name[len] == '=';

	switch (find_name(command, name, len, true, ret_row)) {
	case 0:
		return find_name(command, name, len, false, ret_row) == 1
		               ? FLAW_FOREIGN
		               : FLAW_UNKNOWN;
	case 1:
		if (value == !!(*ret_row)->arg)
			return FLAW_NONE;
		return value ? FLAW_VALUE : FLAW_NO_VALUE;
	default:
		return FLAW_AMBIGUOUS;
	}
}

static enum flaw word_flaw(unsigned command, const char *word,
                           const struct opt_row **ret_row)
{
	if (word[0] != '-' || !word[1])
		return FLAW_NONE;
	if (word[1] != '-')
		return letters_flaw(command, word + 1, ret_row);
	return name_flaw(command, word + 2, ret_row);
}

static void say(enum flaw flaw, const char *word, const struct opt_row *row,
                unsigned command, struct fp_err *err)
{
	char accepted[OPT_ACCEPTED_MAX], label[OPT_LABEL_MAX], shown[48];
	const char *name = opts_command_name(command);

	fp_copy(shown, sizeof(shown), word);
	switch (flaw) {
	case FLAW_FOREIGN:
		fp_err_set(err, FP_ERR_USAGE, "%s: not an option of %s",
		           opt_label(row, label), name);
		return;
	case FLAW_VALUE:
		fp_err_set(err, FP_ERR_USAGE, "%s takes no value",
		           opt_label(row, label));
		return;
	case FLAW_NO_VALUE:
		opt_accepted(row, accepted, sizeof(accepted));
		fp_err_set(err, FP_ERR_USAGE, "%s needs a value: %s",
		           opt_label(row, label), accepted);
		return;
	case FLAW_AMBIGUOUS:
		fp_err_set(err, FP_ERR_USAGE,
		           "%s: the beginning of several options; see "
		           "fabricprobe %s --help",
		           shown, name);
		return;
	case FLAW_NONE:
	case FLAW_UNKNOWN:
		break;
	}
	fp_err_set(err, FP_ERR_USAGE,
	           "%s: no such option; see fabricprobe %s --help", shown,
	           name);
}

void opts_explain(unsigned command, char *const argv[], int argc, int next,
                  struct fp_err *err)
{
	const struct opt_row *row = NULL;
	int at = next - 1;
	enum flaw flaw = FLAW_NONE;

	if (at > 0)
		flaw = word_flaw(command, argv[at], &row);
	/* A value is missing only at the end: elsewhere the next word is it.
	 * And getopt stays at a group of letters until its last one. */
	if (flaw == FLAW_NONE || (flaw == FLAW_NO_VALUE && next < argc)) {
		at = next < argc ? next : argc - 1;
		flaw = at > 0 ? word_flaw(command, argv[at], &row)
		              : FLAW_UNKNOWN;
	}
	say(flaw, at > 0 ? argv[at] : "", row, command, err);
}
