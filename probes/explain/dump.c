// SPDX-License-Identifier: Apache-2.0
// Readers of whole files: pickles and JSON, by what is in them.
#include <ctype.h>
#include <string.h>

#include "probes/explain/fr.h"
#include "probes/explain/ras.h"
#include "probes/explain/value.h"

static int pickle_sniff(const char *head, size_t len)
{
	return len >= 4 && (unsigned char)head[0] == 0x80 && head[1] >= 2 &&
	                       head[1] <= 5
	               ? 90
	               : 0;
}

static enum fp_status pickle_whole(struct intake *r, const char *data,
                                   size_t len, struct fp_err *err)
{
	struct values v = { 0 };
	struct value dump;
	enum fp_status status = value_from_pickle(&v, data, len, &dump, err);

	if (status == FP_OK && !fr_is_dump(&dump))
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "a pickle, but no Flight Recorder dump");
	if (status == FP_OK)
		status = fr_read(r, &dump, err);
	values_done(&v);
	return status;
}

static int json_sniff(const char *head, size_t len)
{
	size_t at = 0;

	while (at < len && isspace((unsigned char)head[at]))
		at++;
	if (at == len || head[at] != '{')
		return 0;
	for (at++; at < len && isspace((unsigned char)head[at]);)
		at++;
	return at == len || head[at] == '"' || head[at] == '}' ? 60 : 0;
}

static enum fp_status json_whole(struct intake *r, const char *data, size_t len,
                                 struct fp_err *err)
{
	struct values v = { 0 };
	struct value dump;
	enum fp_status status = value_from_json(&v, data, len, &dump, err);

	if (status == FP_OK && ras_is_status(&dump))
		ras_read(r, &dump);
	else if (status == FP_OK && fr_is_dump(&dump))
		status = fr_read(r, &dump, err);
	else if (status == FP_OK)
		status = fp_err_set(err, FP_ERR_INPUT,
		                    "JSON, but neither a Flight Recorder dump "
		                    "nor a status of NCCL RAS");
	values_done(&v);
	return status;
}

const struct explain_reader reader_pickle = {
	.name = "Flight Recorder dump",
	.help = "pickles of PyTorch's Flight Recorder, one file a rank",
	.sniff = pickle_sniff,
	.whole = pickle_whole,
};

const struct explain_reader reader_json = {
	.name = "JSON",
	.help = "Flight Recorder dumps and NCCL RAS status as JSON",
	.sniff = json_sniff,
	.whole = json_whole,
};
