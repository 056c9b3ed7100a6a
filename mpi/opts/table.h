/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the command line's table, and what a type of option can do. */
#ifndef FP_MPI_OPTS_TABLE_H
#define FP_MPI_OPTS_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/opts/opts.h"
#include "topo/base/fmt.h"

/** enum opt_type - how a value is written, and the field it goes to. */
enum opt_type {
	OPT_FLAG,  /* bool */
	OPT_SET,   /* uint32_t: takes no value, sets the field to min */
	OPT_UINT,  /* uint32_t, min..max */
	OPT_INDEX, /* uint32_t, min..max, of which 1 more is kept: 0 is none */
	OPT_SEED,  /* uint64_t, any */
	OPT_BYTES, /* uint64_t, min..max */
	OPT_SECONDS, /* double, min..max in milliseconds */
	OPT_RATE,    /* double, bytes a second, above 0 */
	OPT_TEXT,    /* const char *, at most max characters, not empty */
	OPT_ADDR,    /* const char *, a numeric address */
	OPT_CHOICE,  /* uint32_t, by name */
	OPT_TEXTS,   /* struct opts_texts */
	OPT_TYPE_COUNT
};

/** enum opt_group - headings of the help, in its order. */
enum opt_group {
	OPT_MODE,
	OPT_WHAT,
	OPT_SIZES,
	OPT_TIME,
	OPT_DATA,
	OPT_RDMA,
	OPT_START,
	OPT_OUTPUT,
	OPT_DRILL,
	OPT_ABOUT,
	OPT_GROUP_COUNT
};

/** struct opt_choice - named values 0..count-1 of which some are taken. */
struct opt_choice {
	const char *(*name)(unsigned value);
	bool (*takes)(unsigned value); /* NULL: all */
	unsigned count;
};

/** struct opt_row - one option of some commands. */
struct opt_row {
	const char *name; /* without the dashes */
	const char *arg;  /* NULL: takes no value */
	const char *dflt; /* as it would be typed; NULL: 0, "" or false */
	const char *doc;
	const struct opt_choice *choice;
	uint64_t min, max;
	size_t field; /* offset into struct opts */
	size_t fills; /* of a row without dflt: offset into struct session_opts
	               * of what the mode has; 0: it has nothing */
	uint8_t type, group;
	uint32_t commands; /* bit per enum opts_command */
	char letter;       /* 0: none */
};

/** opt_rows() - the table; *@ret_n rows, sorted by group. */
const struct opt_row *opt_rows(size_t *ret_n);

/** opt_row_taken() - is @row an option of @command? */
static inline bool opt_row_taken(const struct opt_row *row, unsigned command)
{
	return row->commands >> command & 1;
}

/** opt_group_title() - heading of @group in the help, or NULL for none. */
const char *opt_group_title(unsigned group);

/** opts_commands - the commands, by name. */
extern const struct opt_choice opts_commands;

/** opt_choice_find() - the value that is called @name, or -1. */
int opt_choice_find(const struct opt_choice *choice, const char *name);

/** opt_choice_text() - the names in words: "a, b or c". Cut to @size. */
void opt_choice_text(const struct opt_choice *choice, char *buf, size_t size);

/**
 * opt_read() - read @text as a value of @row into @opts (NULL for an option
 * that takes none).
 *
 * Return: FP_OK; FP_ERR_USAGE naming the option and the accepted values.
 */
enum fp_status opt_read(const struct opt_row *row, const char *text,
                        struct opts *opts, struct fp_err *err);

/**
 * opt_accepted() - what @row takes, in words: "auto, shm or tcp", "1 to 64".
 * Cut to @size.
 */
void opt_accepted(const struct opt_row *row, char *buf, size_t size);

/**
 * opt_default() - what @row is where it is not given, in words: "default 1",
 * "default 1m quick, 10m standard, none deep"; "" where that says nothing.
 */
void opt_default(const struct opt_row *row, struct fp_text *out);

#define OPT_ACCEPTED_MAX 160
#define OPT_LABEL_MAX 48

/**
 * opt_label() - how an error names @row: "--bytes", "-b/--minbytes".
 *
 * Return: @buf.
 */
char *opt_label(const struct opt_row *row, char buf[static OPT_LABEL_MAX]);

#endif
