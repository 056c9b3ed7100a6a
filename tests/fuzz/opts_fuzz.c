// SPDX-License-Identifier: Apache-2.0
// Command lines from anywhere: words are cut at line ends. What is taken has
// an echo and fits a worker; what is refused is told in words.
#include <stdlib.h>
#include <string.h>

#include "mpi/opts/opts.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct opts *opts)
{
	struct wire_setup setup = { 0 };
	struct session_opts session;
	char *echo;

	if (opts->help || opts->version)
		return;
	opts_session(opts, &session);
	opts_setup(opts, &setup);
	if (session.min_bytes > session.max_bytes ||
	    !session.factor == !session.step_bytes || setup.streams < 1 ||
	    setup.sockbuf < 0 || setup.inject[sizeof(setup.inject) - 1])
		abort();
	echo = opts_to_json(opts);
	if (!echo || echo[0] != '{')
		abort();
	free(echo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *argv[WORDS_MAX + 1], *save = NULL;
	struct fp_err err = { 0 };
	struct opts opts;
	int argc = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	argv[argc++] = (char[]){ "fabricprobe" };
	while (argc < WORDS_MAX) {
		argv[argc] = strtok_r(argc == 1 ? text : NULL, "\n", &save);
		if (!argv[argc])
			break;
		argc++;
	}
	argv[argc] = NULL;
	if (opts_parse(argc, argv, &opts, &err) == FP_OK)
		use(&opts);
	else if (err.status == FP_OK || !err.text[0])
		abort();
	free(text);
	return 0;
}
