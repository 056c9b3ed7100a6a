// SPDX-License-Identifier: Apache-2.0
// Gives a file to the reader that wants all of it.
#include "probes/explain/whole.h"

#include <stdlib.h>
#include <string.h>

#include "probes/explain/strip.h"

#define SCORE_CERTAIN 90 /* nobody else is asked */

static const struct explain_reader *sniff_all(const char *data, size_t head)
{
	size_t n;
	const struct explain_reader *const *readers = explain_readers(&n);
	const struct explain_reader *found = NULL;
	int best = 0;

	for (size_t i = 0; i < n && best < SCORE_CERTAIN; i++) {
		int score = readers[i]->whole && readers[i]->sniff
		                    ? readers[i]->sniff(data, head)
		                    : 0;

		if (score <= best)
			continue;
		best = score;
		found = readers[i];
	}
	return found;
}

/* A copy without what all lines begin with; NULL: they have nothing alike. */
static char *make_stripped(const char *data, size_t len, size_t *ret_len)
{
	size_t head = len < READER_HEAD_MAX ? len : READER_HEAD_MAX;
	struct strip strip;
	char *copy;

	strip_find(&strip, data, head);
	copy = strip.n ? malloc(len + 1) : NULL;
	if (!copy)
		return NULL;
	memcpy(copy, data, len);
	*ret_len = strip_apply(&strip, copy, len);
	return copy;
}

const struct explain_reader *whole_choose(const char *head, size_t len)
{
	const struct explain_reader *found = sniff_all(head, len);
	char *copy = found ? NULL : make_stripped(head, len, &len);

	if (!copy)
		return found;
	found = sniff_all(copy, len);
	free(copy);
	/* Dumps are not made of lines. */
	return found && found->also ? found : NULL;
}

static enum fp_status read_as(const struct explain_reader *reader,
                              const struct intake *base, const char *data,
                              size_t len, struct fp_err *err)
{
	struct intake r = *base;
	enum fp_status status;

	r.state = calloc(1, reader->state_size + 1);
	if (!r.state)
		return fp_err_set(err, FP_ERR_NOMEM, "no memory");
	status = reader->whole(&r, data, len, err);
	free(r.state);
	return status;
}

static void read_stripped(const struct intake *base, const char *data,
                          size_t len)
{
	const struct explain_reader *reader;
	struct fp_err err = { 0 };
	char *copy = make_stripped(data, len, &len);

	if (!copy)
		return;
	reader = sniff_all(copy, len < READER_HEAD_MAX ? len : READER_HEAD_MAX);
	if (reader && reader->also)
		(void)read_as(reader, base, copy, len, &err);
	free(copy);
}

enum fp_status whole_read(const struct explain_reader *reader,
                          const struct intake *base, const char *data,
                          size_t len, struct fp_err *err)
{
	size_t before = base->events->n;
	struct fp_err trouble = { 0 };
	enum fp_status status = read_as(reader, base, data, len, &trouble);

	if (!reader->also || base->events->n != before) {
		*err = trouble;
		return status;
	}
	/* Its words were there, but not its text. */
	read_stripped(base, data, len);
	return FP_OK;
}
