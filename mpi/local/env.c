// SPDX-License-Identifier: Apache-2.0
// Makes the environment of local processes.
#include "mpi/local/env.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "mpi/boot/boot.h"

static const char *const env_names[LOCAL_ENV_COUNT] = {
	[LOCAL_ENV_LAUNCHER] = "FABRICPROBE_LOCAL",
	[LOCAL_ENV_MEET] = "FABRICPROBE_MEET",
	[LOCAL_ENV_TOKEN] = "FABRICPROBE_TOKEN",
	[LOCAL_ENV_SIZE] = "FABRICPROBE_SIZE",
	[LOCAL_ENV_RANK] = "FABRICPROBE_RANK",
	[LOCAL_ENV_HOST] = "FABRICPROBE_LOCAL_HOST",
	[LOCAL_ENV_MEET_FD] = "FABRICPROBE_MEET_FD",
};

const char *local_env_name(enum local_env_var var)
{
	return env_names[var];
}

static bool is_ours(const char *text)
{
	size_t len = strcspn(text, "=");

	for (size_t i = 0; i < LOCAL_ENV_COUNT; i++)
		if (strlen(env_names[i]) == len &&
		    !strncmp(env_names[i], text, len))
			return true;
	return false;
}

static void __attribute__((format(printf, 3, 4)))
env_set(struct local_env *e, enum local_env_var var, const char *fmt, ...)
{
	char value[48];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	(void)snprintf(e->texts[var], sizeof(e->texts[var]), "%s=%s",
	               env_names[var], value);
}

static enum fp_status env_set_token(struct local_env *e, struct fp_err *err)
{
	uint8_t token[BOOT_TOKEN_BYTES];
	char hex[2 * sizeof(token) + 1];

	if (getrandom(token, sizeof(token), 0) != (ssize_t)sizeof(token))
		return fp_err_sys(err, errno, "make a token");
	for (size_t i = 0; i < sizeof(token); i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", token[i]);
	env_set(e, LOCAL_ENV_TOKEN, "%s", hex);
	return FP_OK;
}

enum fp_status local_env_init(struct local_env *e, char *const *base,
                              uint32_t port, struct fp_err *err)
{
	size_t n = 0;

	*e = (struct local_env){ 0 };
	while (base[n])
		n++;
	e->envp = calloc(n + LOCAL_ENV_COUNT + 1, sizeof(*e->envp));
	if (!e->envp)
		return fp_err_set(err, FP_ERR_NOMEM, "environment");
	for (size_t i = 0; i < n; i++)
		if (!is_ours(base[i]))
			e->envp[e->n_foreign++] = base[i];
	env_set(e, LOCAL_ENV_LAUNCHER, "%ld", (long)getpid());
	env_set(e, LOCAL_ENV_MEET, "127.0.0.1:%u", port);
	env_set(e, LOCAL_ENV_MEET_FD, "%d", LOCAL_ENV_FD);
	return env_set_token(e, err);
}

uint32_t local_host_of(uint32_t rank, uint32_t n, uint32_t hosts)
{
	return (uint32_t)((uint64_t)rank * hosts / n);
}

void local_env_rank(struct local_env *e, uint32_t n, uint32_t hosts,
                    uint32_t rank)
{
	const bool given[LOCAL_ENV_COUNT] = {
		[LOCAL_ENV_LAUNCHER] = true,     [LOCAL_ENV_MEET] = true,
		[LOCAL_ENV_TOKEN] = true,        [LOCAL_ENV_SIZE] = true,
		[LOCAL_ENV_RANK] = true,         [LOCAL_ENV_HOST] = hosts > 0,
		[LOCAL_ENV_MEET_FD] = rank == 0,
	};
	size_t at = e->n_foreign;

	env_set(e, LOCAL_ENV_SIZE, "%u", n);
	env_set(e, LOCAL_ENV_RANK, "%u", rank);
	if (hosts)
		env_set(e, LOCAL_ENV_HOST, "local%u",
		        local_host_of(rank, n, hosts));
	for (size_t i = 0; i < LOCAL_ENV_COUNT; i++)
		if (given[i])
			e->envp[at++] = e->texts[i];
	e->envp[at] = NULL;
}

void local_env_done(struct local_env *e)
{
	free(e->envp);
	e->envp = NULL;
}
