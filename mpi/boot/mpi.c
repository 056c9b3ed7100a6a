// SPDX-License-Identifier: Apache-2.0
// Start-up by MPI: rank, size, rank 0's address to all, and the end.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mpi/boot/alarm.h"
#include "mpi/boot/boot.h"
#include "mpi/boot/netif.h"
#include "mpi/mailbox/sock.h"
#include "topo/base/clock.h"

#define MPI_TAG 1
#define MPI_SPARE_FDS 256
#define MPI_NAP_MIN_NS 50000L
#define MPI_NAP_MAX_NS 2000000L
/* Rank 0 waits no longer for a rank when the others are long done. */
#define MPI_PATIENCE 6

struct boot {
	int32_t rank, size;
	struct boot_opts opts;
	struct boot_meet meet; /* what is on its way */
	MPI_Request *requests; /* [size] on rank 0 */
	int *indices;          /* [size] on rank 0 */
};

/* Open MPI would try every interface: the fabric under test, and bridges that
 * have the same address on each host; and no loopback even where there is
 * nothing else. Whoever launched it may know better. */
static void mpi_prepare_netif(void)
{
	char names[256];

	if (getenv("OMPI_MCA_btl_tcp_if_include") ||
	    getenv("OMPI_MCA_btl_tcp_if_exclude"))
		return;
	netif_control_names(names, sizeof(names));
	if (names[0])
		(void)setenv("OMPI_MCA_btl_tcp_if_include", names, 1);
}

/* Sockets only: MPI must not touch the devices under test, nor wait for a
 * stopped neighbour inside shared memory, nor leave segments behind when it
 * is killed; its resident size is the same. Whatever a module file set is
 * overridden; 4.x and 5.x each ignore the other's names. */
static void mpi_prepare_env(void)
{
	static const struct {
		const char *name, *value;
	} rows[] = {
		{ "OMPI_MCA_pml", "ob1" },
		{ "OMPI_MCA_btl", "self,tcp" },
		{ "OMPI_MCA_coll", "^hcoll,ucc" },
		{ "OMPI_MCA_osc", "^ucx" },
		{ "OMPI_MCA_opal_cuda_support", "0" },
		{ "OMPI_MCA_accelerator", "null" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		(void)setenv(rows[i].name, rows[i].value, 1);
	mpi_prepare_netif();
}

static enum fp_status from_mpi(int rc, const char *what, struct fp_err *err)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len = 0;

	if (rc == MPI_SUCCESS)
		return FP_OK;
	(void)MPI_Error_string(rc, text, &len);
	return fp_err_set(err, FP_ERR_LIB, "%s: %.150s", what, text);
}

static enum fp_status mpi_init(const struct boot_opts *opts, struct fp_err *err)
{
	struct boot_alarm alarm;
	enum fp_status status;
	int rc;

	status = boot_alarm_start(&alarm, opts->init_s, 2,
	                          "MPI_Init did not return",
	                          "a host of the job is dead or stuck: "
	                          "fabricprobe-run finds and leaves out such "
	                          "hosts",
	                          err);
	if (status != FP_OK)
		return status;
	rc = MPI_Init(NULL, NULL);
	boot_alarm_stop(&alarm);
	if (rc == MPI_SUCCESS)
		(void)MPI_Comm_set_errhandler(MPI_COMM_WORLD,
		                              MPI_ERRORS_RETURN);
	return from_mpi(rc, "MPI_Init", err);
}

static void mpi_finalize(double within_s, int exit_status)
{
	struct boot_alarm alarm;

	if (boot_alarm_start(&alarm, within_s, exit_status,
	                     "MPI_Finalize did not return",
	                     "the report is complete without it",
	                     NULL) != FP_OK)
		return;
	(void)MPI_Finalize();
	boot_alarm_stop(&alarm);
}

/* N jobs of one rank each would all call a cluster healthy. */
static enum fp_status size_check(int32_t size, struct fp_err *err)
{
	int32_t expected = boot_expected_size(getenv);

	if (size > 1 || expected <= 1)
		return FP_OK;
	return fp_err_set(err, FP_ERR_USAGE,
	                  "the launcher started %d ranks, MPI sees 1: they "
	                  "are of different MPIs; use the mpirun of the MPI "
	                  "that fabricprobe was built with, or srun "
	                  "--mpi=pmix, or fabricprobe-run",
	                  expected);
}

static enum fp_status mpi_room(struct boot *b, struct fp_err *err)
{
	size_t n = b->rank == 0 ? (size_t)b->size : 1;

	b->requests = malloc(n * sizeof(*b->requests));
	b->indices = malloc(n * sizeof(*b->indices));
	if (!b->requests || !b->indices)
		return fp_err_set(err, FP_ERR_NOMEM, "start-up of %d ranks",
		                  b->size);
	for (size_t i = 0; i < n; i++)
		b->requests[i] = MPI_REQUEST_NULL;
	return FP_OK;
}

static void mpi_free(struct boot *b)
{
	free(b->requests);
	free(b->indices);
	free(b);
}

static enum fp_status mpi_open(const struct boot_opts *opts, struct boot **ret,
                               struct fp_err *err)
{
	struct boot *b = calloc(1, sizeof(*b));
	enum fp_status status;
	int rank, size;

	if (!b)
		return fp_err_set(err, FP_ERR_NOMEM, "start-up");
	b->opts = *opts;
	if (!opts->keep_mpi_env)
		mpi_prepare_env();
	status = mpi_init(opts, err);
	if (status != FP_OK)
		goto err_free;
	(void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	(void)MPI_Comm_size(MPI_COMM_WORLD, &size);
	b->rank = rank;
	b->size = size;
	status = size_check(size, err);
	if (status == FP_OK)
		status = mpi_room(b, err);
	if (status != FP_OK)
		goto err_finalize;
	*ret = b;
	return FP_OK;

err_finalize:
	mpi_finalize(opts->finish_s, 2);
err_free:
	mpi_free(b);
	return status;
}

static int32_t mpi_rank(const struct boot *b)
{
	return b->rank;
}

static int32_t mpi_size(const struct boot *b)
{
	return b->size;
}

static int mpi_listen_fd(const struct boot *b, struct boot_meet *meet,
                         bool *ret_fixed)
{
	(void)b;
	(void)meet;
	*ret_fixed = false;
	return -1;
}

/* Polling with naps instead of MPI_Wait, which spins and has no deadline. */
static void nap(long *ns)
{
	const struct timespec ts = { .tv_nsec = *ns };

	(void)nanosleep(&ts, NULL);
	if (*ns < MPI_NAP_MAX_NS)
		*ns *= 2;
}

/* A star of plain sends and not a collective: a rank that is stuck keeps
 * nobody but itself from the address. It will be missed by the mailbox. */
static enum fp_status send_to_all(struct boot *b)
{
	int64_t deadline_ns = fp_after_ns(b->opts.exchange_s);
	int64_t patience_ns =
		(int64_t)(b->opts.exchange_s * 1e9) / MPI_PATIENCE;
	int64_t progress_ns = fp_now_ns(), now_ns;
	long nap_ns = MPI_NAP_MIN_NS;
	int done = 0;

	for (int i = 1; i < b->size; i++)
		if (MPI_Isend(&b->meet, sizeof(b->meet), MPI_BYTE, i, MPI_TAG,
		              MPI_COMM_WORLD, &b->requests[i]) != MPI_SUCCESS)
			b->requests[i] = MPI_REQUEST_NULL;
	for (;;) {
		if (MPI_Testsome(b->size, b->requests, &done, b->indices,
		                 MPI_STATUSES_IGNORE) == MPI_SUCCESS &&
		    done == MPI_UNDEFINED)
			return FP_OK;
		now_ns = fp_now_ns();
		if (done > 0)
			progress_ns = now_ns;
		if (now_ns >= deadline_ns ||
		    now_ns - progress_ns >= patience_ns)
			return FP_OK;
		nap(&nap_ns);
	}
}

static bool meet_is_sane(const struct boot_meet *meet)
{
	if (meet->port == 0 || meet->port > 65535 || meet->n_addrs == 0 ||
	    meet->n_addrs > BOOT_ADDRS_MAX)
		return false;
	for (uint32_t i = 0; i < meet->n_addrs; i++)
		if (!memchr(meet->addrs[i], '\0', BOOT_ADDR_MAX))
			return false;
	return true;
}

static enum fp_status receive(struct boot *b, struct fp_err *err)
{
	int64_t deadline_ns = fp_after_ns(b->opts.exchange_s);
	long nap_ns = MPI_NAP_MIN_NS;
	MPI_Status mpi_status;
	enum fp_status status;
	int done = 0, rc;

	rc = MPI_Irecv(&b->meet, sizeof(b->meet), MPI_BYTE, 0, MPI_TAG,
	               MPI_COMM_WORLD, b->requests);
	while (rc == MPI_SUCCESS) {
		rc = MPI_Test(b->requests, &done, &mpi_status);
		if (done || rc != MPI_SUCCESS)
			break;
		if (fp_now_ns() >= deadline_ns)
			return fp_err_set(err, FP_ERR_TIMEOUT,
			                  "rank %d: rank 0 sent no address "
			                  "within %.3g s",
			                  b->rank, b->opts.exchange_s);
		nap(&nap_ns);
	}
	status = from_mpi(rc, "receive rank 0's address", err);
	if (status == FP_OK && !meet_is_sane(&b->meet))
		return fp_err_set(err, FP_ERR_PROTO,
		                  "rank %d: rank 0 sent no address; is it of "
		                  "another version?",
		                  b->rank);
	return status;
}

static enum fp_status mpi_exchange(struct boot *b, struct boot_meet *meet,
                                   struct fp_err *err)
{
	enum fp_status status;

	if (b->rank == 0) {
		/* MPI's connections stay open beside the mailbox's. */
		status = mailbox_sock_files(
			2 * (uint64_t)b->size + MPI_SPARE_FDS, err);
		b->meet = *meet;
		return status == FP_OK ? send_to_all(b) : status;
	}
	status = receive(b, err);
	if (status == FP_OK)
		*meet = b->meet;
	return status;
}

static void mpi_finish(struct boot *b, bool all_answered, int exit_status)
{
	/* Else MPI may still hold addresses in @b, until the process ends. */
	if (!all_answered)
		return;
	mpi_finalize(b->opts.finish_s, exit_status);
	mpi_free(b);
}

const struct boot_ops boot_mpi_ops = {
	.name = "mpi",
	.open = mpi_open,
	.rank = mpi_rank,
	.size = mpi_size,
	.listen_fd = mpi_listen_fd,
	.exchange = mpi_exchange,
	.finish = mpi_finish,
};
