// SPDX-License-Identifier: Apache-2.0
// The table of all options.
#include "mpi/opts/table.h"

#include <limits.h>

#include "probes/trial/registry.h"
#include "probes/trial/trial.h"
#include "probes/trial/wire.h"
#include "topo/path/path.h"

#define RUN (1u << CMD_RUN)
#define PAIRS (1u << CMD_PAIRS)
#define SWEEP (1u << CMD_SWEEP)
#define REPORT (1u << CMD_REPORT)
#define LIST (1u << CMD_LIST)
#define TOPO (1u << CMD_TOPO)
#define EXPLAIN (1u << CMD_EXPLAIN)
#define CHECK (1u << CMD_CHECK)
#define SIMULATE (1u << CMD_SIMULATE)
#define BISECT (1u << CMD_BISECT)
#define COMPARE (1u << CMD_COMPARE)
#define RUNS (RUN | PAIRS | SWEEP | BISECT | EXPLAIN) /* explain --probe */
#define LIVE (RUNS | CHECK)
#define STARTS (LIVE | TOPO) /* all ranks, and their workers */
#define PLANS (LIVE | SIMULATE)
#define SHOWS (PLANS | REPORT)
#define ALL (SHOWS | LIST | TOPO | COMPARE)

#define HOUR_MS 3600000ull

#define OPTION(heading, word, takers) \
	.group = (heading), .name = (word), .commands = (takers)
#define FIELD(member, kind) \
	.field = offsetof(struct opts, member), .type = (kind)
#define RANGE(least, most) .min = (least), .max = (most)

#define FLAG(member) FIELD(member, OPT_FLAG)
/* Where the mode's value is looked up for the help. */
#define MODES(member) .fills = offsetof(struct session_opts, member)

#define MODE(value) FIELD(mode, OPT_SET), .min = (value)
#define COUNT(member, least, most) \
	FIELD(member, OPT_UINT), .arg = "N", RANGE(least, most)
#define INDEX(member, least, most) \
	FIELD(member, OPT_INDEX), .arg = "N", RANGE(least, most)
#define SIZE(member, least, most) \
	FIELD(member, OPT_BYTES), .arg = "SIZE", RANGE(least, most)
#define SECONDS(member, least_ms, most_ms) \
	FIELD(member, OPT_SECONDS), .arg = "TIME", RANGE(least_ms, most_ms)
#define TEXT(member, word, most) \
	FIELD(member, OPT_TEXT), .arg = (word), .max = (most)
#define CHOICE(member, word, names) \
	FIELD(member, OPT_CHOICE), .arg = (word), .choice = &(names)

/* Longest text that a worker can be told. */
#define WIRE(member) (sizeof(((struct wire_setup *)0)->member) - 1)
#define PATH_LIMIT (PATH_MAX - 64) /* room for file names below it */

static bool xport_takes(unsigned value)
{
	size_t n, i;
	const struct registry_xport *rows = registry_xports(&n);

	for (i = 0; i < n; i++)
		if (rows[i].id == value)
			return rows[i].built != 0;
	return value == XPORT_AUTO;
}

static bool pairs_op_takes(unsigned value)
{
	return value == OP_WRITE || value == OP_LATENCY;
}

static bool sweep_op_takes(unsigned value)
{
	return value > OP_DATAGRAM;
}

static const struct opt_choice xports = { trial_xport_name, xport_takes,
	                                  XPORT_COUNT };
static const struct opt_choice pairs_ops = { trial_op_name, pairs_op_takes,
	                                     OP_COUNT };
static const struct opt_choice sweep_ops = { trial_op_name, sweep_op_takes,
	                                     OP_COUNT };
static const struct opt_choice rdma_ops = { wire_rdma_op_name, NULL,
	                                    WIRE_RDMA_OPS };
static const struct opt_choice types = { trial_type_name, NULL, TYPE_COUNT };
static const struct opt_choice redops = { trial_redop_name, NULL, REDOP_COUNT };
static const struct opt_choice boots = { opts_boot_name, NULL,
	                                 OPTS_BOOT_COUNT };
static const struct opt_choice colors = { opts_color_name, NULL,
	                                  OPTS_COLOR_COUNT };
static const struct opt_choice formats = { opts_format_name, NULL,
	                                   OPTS_FORMAT_COUNT };

static const struct opt_choice views = { opts_view_name, NULL,
	                                 PATH_VIEW_COUNT };

static const struct opt_row rows[] = {
	{ OPTION(OPT_MODE, "quick", PLANS), MODE(MODE_QUICK),
	  .doc = "A gate before a job: a minute at most" },
	{ OPTION(OPT_MODE, "standard", PLANS), MODE(MODE_STANDARD), .dflt = "",
	  .doc = "Longer trials, more partners" },
	{ OPTION(OPT_MODE, "deep", PLANS), MODE(MODE_DEEP),
	  .doc = "Every pair of hosts, long trials" },

	/* what is measured */
	{ OPTION(OPT_WHAT, "xport", RUNS), CHOICE(xport, "NAME", xports),
	  .dflt = "auto",
	  .doc = "Transport; auto: NCCL where every rank has a GPU, else RDMA "
	         "where every rank of several hosts has a port, else shared "
	         "memory inside hosts and TCP between them" },
	{ OPTION(OPT_WHAT, "op", PAIRS), CHOICE(op, "NAME", pairs_ops),
	  .dflt = "write",
	  .doc = "What each pair does: stream one way, or ping-pong" },
	{ OPTION(OPT_WHAT, "op", SWEEP | BISECT | EXPLAIN),
	  CHOICE(op, "NAME", sweep_ops), .dflt = "all_reduce",
	  .doc = "Collective to time" },
	{ OPTION(OPT_WHAT, "bytes", RUN | PAIRS | BISECT | SIMULATE | EXPLAIN),
	  SIZE(bytes, 1, TRIAL_BYTES_MAX), MODES(bytes),
	  .doc = "Message of a pair; binary: 1K is 1024; 8 where a ping-pong "
	         "is all" },
	{ OPTION(OPT_WHAT, "bidirectional", RUN | PAIRS), FLAG(bidirectional),
	  .doc = "Both directions at once" },
	{ OPTION(OPT_WHAT, "seed", PLANS), FIELD(seed, OPT_SEED), .arg = "N",
	  .dflt = "1", .doc = "Of the data and of what is sampled" },

	{ OPTION(OPT_WHAT, "cluster", SIMULATE),
	  TEXT(cluster, "FILE", PATH_LIMIT),
	  .doc = "Description of the cluster: JSON with hosts, gpus, nics, "
	         "nic_gbps, nvlinks, hosts_per_leaf, leaves, spines, "
	         "oversubscription, rail_optimised, inside" },
	{ OPTION(OPT_WHAT, "fault", SIMULATE), FIELD(faults, OPT_TEXTS),
	  .arg = "FAULT",
	  .doc = "A fault of the model: KIND PLACE [key=value], e.g. "
	         "'cable-tx 3/5 ratio=.6'; may be repeated" },
	{ OPTION(OPT_WHAT, "catalogue", SIMULATE), FLAG(catalogue),
	  .doc = "Instead of one run: how well each kind of fault is named on "
	         "clusters of three sizes" },
	{ OPTION(OPT_WHAT, "trials", SIMULATE), COUNT(trials, 1, 1000000),
	  .dflt = "20", .doc = "Runs for each line of --catalogue" },

	{ OPTION(OPT_WHAT, "fabric", RUN), TEXT(fabric, "FILE", PATH_LIMIT),
	  .doc = "Where hosts are plugged, so that leaves and their links can "
	         "be named: topology.conf of Slurm, ibnetdiscover's output, "
	         "lines host,nic,switch[,port,cable], or JSON with "
	         "hosts_per_leaf" },
	{ OPTION(OPT_WHAT, "baseline", RUN | PAIRS | SWEEP | REPORT),
	  TEXT(baseline, "DIR", PATH_LIMIT),
	  .doc = "An earlier run of these hosts, saved with --out: what got "
	         "slower since is a fault" },
	{ OPTION(OPT_WHAT, "suspects", BISECT),
	  TEXT(suspects, "LIST",
	       sizeof(((struct session_opts *)0)->suspects) - 1),
	  .doc = "Ranks and hosts that a log named, with commas between: they "
	         "are tried first" },

	{ OPTION(OPT_WHAT, "floor", BISECT), FIELD(floor_Bps, OPT_RATE),
	  .arg = "RATE",
	  .doc = "A group whose busbw is below RATE, such as 350GB/s, fails as "
	         "one that hangs does: who makes the collective slow" },

	{ OPTION(OPT_WHAT, "from", TOPO), TEXT(from, "FILE", PATH_LIMIT),
	  .doc = "Saved text: nvidia-smi topo -m or -p2p, nvlink -s, -q, a "
	         "topology file of NCCL, hwloc XML, ibstat, ibv_devinfo; a "
	         "captured host or a folder of them; -: standard input" },
	{ OPTION(OPT_WHAT, "from", CHECK), FIELD(saved, OPT_TEXTS),
	  .arg = "FILE",
	  .doc = "Judge what was saved, each FILE a host: a snapshot, a folder "
	         "of texts or a captured host, nvidia-smi -q or topo -m, "
	         "ibstat, a kernel log; or a folder that holds a folder for "
	         "each "
	         "host; may be repeated" },
	{ OPTION(OPT_WHAT, "only", CHECK), TEXT(only, "NAMES", PATH_LIMIT),
	  .doc = "These checks alone, with commas between their names" },
	{ OPTION(OPT_WHAT, "skip", CHECK), TEXT(skip, "NAMES", PATH_LIMIT),
	  .doc = "All checks but these" },
	{ OPTION(OPT_WHAT, "probe", EXPLAIN), FLAG(probe),
	  .doc = "Then try it here: bisect a collective over this job's ranks, "
	         "suspects first, and say whether the suspicion holds" },
	{ OPTION(OPT_WHAT, "ras", EXPLAIN), TEXT(ras, "HOST:PORT", 300),
	  .doc = "Ask the RAS of a running NCCL job too, 28028 is its port" },
	{ OPTION(OPT_WHAT, "ras-times", EXPLAIN), COUNT(ras_times, 1, 100),
	  .dflt = "3",
	  .doc = "Ask N times: what moves between them does not hang" },
	{ OPTION(OPT_WHAT, "ras-every", EXPLAIN),
	  SECONDS(ras_every_s, 10, HOUR_MS), .dflt = "10",
	  .doc = "Between two of them" },
	{ OPTION(OPT_WHAT, "view", TOPO), CHOICE(view, "NAME", views),
	  .dflt = "smi", .doc = "Relations as nvidia-smi or NCCL has them" },

	/* sizes of a sweep, with the letters of nccl-tests */
	{ OPTION(OPT_SIZES, "minbytes", SWEEP), .letter = 'b',
	  SIZE(min_bytes, 1, TRIAL_BYTES_MAX), .dflt = "8",
	  .doc = "Smallest message" },
	{ OPTION(OPT_SIZES, "maxbytes", SWEEP), .letter = 'e',
	  SIZE(max_bytes, 1, TRIAL_BYTES_MAX), .dflt = "32M",
	  .doc = "Largest message" },
	{ OPTION(OPT_SIZES, "stepfactor", SWEEP), .letter = 'f',
	  COUNT(factor, 1, 1024),
	  .doc = "Each size is the one before times N; 2 unless -i is given" },
	{ OPTION(OPT_SIZES, "stepbytes", SWEEP), .letter = 'i',
	  SIZE(step_bytes, 1, TRIAL_BYTES_MAX),
	  .doc = "Each size is the one before plus SIZE, where no -f above 1 "
	         "is given" },
	{ OPTION(OPT_SIZES, "iters", SWEEP), .letter = 'n',
	  COUNT(iters, 1, TRIAL_ITERS_MAX), .dflt = "20",
	  .doc = "Timed operations of a size" },
	{ OPTION(OPT_SIZES, "warmup_iters", SWEEP), .letter = 'w',
	  COUNT(warmup, 0, TRIAL_ITERS_MAX), .dflt = "1",
	  .doc = "Operations before these" },
	{ OPTION(OPT_SIZES, "check", SWEEP), .letter = 'c',
	  COUNT(check, 0, 1000), .dflt = "1",
	  .doc = "Verify the results; 0: do not" },

	{ OPTION(OPT_SIZES, "datatype", SWEEP), .letter = 'd',
	  CHOICE(type, "TYPE", types), .dflt = "float",
	  .doc = "Elements; others than float with --xport nccl" },
	{ OPTION(OPT_SIZES, "redop", SWEEP), .letter = 'o',
	  CHOICE(redop, "OP", redops), .dflt = "sum",
	  .doc = "Reduction; those whose results are exact" },
	{ OPTION(OPT_SIZES, "ngpus", SWEEP), .letter = 'g',
	  COUNT(gpus, 1, 1024), .dflt = "1",
	  .doc = "GPUs of a rank: 1, so that one that hangs is known" },
	{ OPTION(OPT_SIZES, "nthreads", SWEEP), .letter = 't',
	  COUNT(threads, 1, 1024), .dflt = "1",
	  .doc = "Threads of a rank: 1, for the same reason" },
	{ OPTION(OPT_SIZES, "local_register", SWEEP), .letter = 'R',
	  COUNT(registered, 0, 1), .dflt = "0",
	  .doc = "1: register the buffers with NCCL, of 2.19 or later" },
	{ OPTION(OPT_SIZES, "cudagraph", SWEEP), .letter = 'G',
	  COUNT(graphs, 0, 1000000), .dflt = "0",
	  .doc = "Of nccl-tests; only 0: no graphs are captured here" },

	/* time */
	{ OPTION(OPT_TIME, "time-limit", PLANS),
	  SECONDS(time_limit_s, 1000, 720ull * HOUR_MS), MODES(time_limit_s),
	  .doc = "Of the whole run; stages are cut to fit, and the report says "
	         "which" },
	{ OPTION(OPT_TIME, "trial-time", RUN | PAIRS),
	  SECONDS(trial_time_s, 1, HOUR_MS), MODES(trial_s),
	  .doc = "Measuring time of a pair; less inside a host" },
	{ OPTION(OPT_TIME, "trial-timeout", RUN | PAIRS),
	  SECONDS(trial_timeout_s, 100, HOUR_MS), MODES(deadline_s),
	  .doc = "A trial that takes longer hangs" },
	{ OPTION(OPT_TIME, "load", RUN), SECONDS(load_s, 1000, HOUR_MS),
	  .doc = "Keep all GPUs busy for so long, then beside all measuring" },
	{ OPTION(OPT_TIME, "timeout", SWEEP | BISECT | EXPLAIN), .letter = 'T',
	  SECONDS(trial_timeout_s, 100, HOUR_MS), MODES(deadline_s),
	  .doc = "A size that takes longer hangs" },
	{ OPTION(OPT_TIME, "connect-timeout", LIVE),
	  SECONDS(connect_timeout_s, 50, HOUR_MS), .dflt = "5",
	  .doc = "For two workers to meet" },
	{ OPTION(OPT_TIME, "start-timeout", STARTS),
	  SECONDS(start_timeout_s, 100, HOUR_MS), .dflt = "30",
	  .doc = "For agents and workers to come up" },
	{ OPTION(OPT_TIME, "heartbeat", STARTS),
	  SECONDS(heartbeat_s, 20, 60000), .dflt = "1",
	  .doc = "Between signs of life of an agent" },
	{ OPTION(OPT_TIME, "lost-after", STARTS),
	  SECONDS(lost_after_s, 100, HOUR_MS), .dflt = "15",
	  .doc = "An agent silent so long is lost" },

	/* data path */
	{ OPTION(OPT_DATA, "netdev", LIVE), TEXT(netdev, "NAME", WIRE(netdev)),
	  .doc = "Network device that TCP measures on every host" },
	{ OPTION(OPT_DATA, "addr", LIVE), FIELD(addr, OPT_ADDR),
	  .arg = "ADDRESS", .max = WIRE(addr),
	  .doc = "Local address that TCP measures, instead of a device" },
	{ OPTION(OPT_DATA, "streams", RUNS), COUNT(streams, 1, 64), .dflt = "1",
	  .doc = "TCP connections of a pair" },
	{ OPTION(OPT_DATA, "sockbuf", RUNS), SIZE(sockbuf, 4096, 1u << 30),
	  .doc = "Socket buffers; the kernel's choice by default" },
	{ OPTION(OPT_DATA, "tcp-cc", RUNS), TEXT(tcp_cc, "NAME", WIRE(tcp_cc)),
	  .doc = "Congestion control; the kernel's choice by default" },

	{ OPTION(OPT_RDMA, "hca", RUNS), TEXT(hca, "LIST", WIRE(rdma.hca)),
	  .doc = "Ports that verbs measures, written as NCCL_IB_HCA, which is "
	         "the default" },
	{ OPTION(OPT_RDMA, "gid-index", RUNS), INDEX(gid_index, 0, 255),
	  .doc = "Of RoCE; NCCL_IB_GID_INDEX, else chosen as NCCL does" },
	{ OPTION(OPT_RDMA, "qps", RUNS), COUNT(qps, 1, 8),
	  .doc = "Queue pairs of a connection; NCCL_IB_QPS_PER_CONNECTION, "
	         "else 1" },
	{ OPTION(OPT_RDMA, "rdma-op", RUNS), CHOICE(rdma_op, "NAME", rdma_ops),
	  .dflt = "write",
	  .doc = "How bandwidth is measured: the sender writes, the receiver "
	         "reads, or both by send and receive" },
	{ OPTION(OPT_RDMA, "rdma-mtu", RUNS), SIZE(rdma_mtu, 256, 4096),
	  .doc = "Path MTU to force; the smaller of both ends by default" },
	{ OPTION(OPT_RDMA, "sl", RUNS), INDEX(sl, 0, 15),
	  .doc = "Service level; NCCL_IB_SL, else 0" },
	{ OPTION(OPT_RDMA, "tc", RUNS), INDEX(tc, 0, 255),
	  .doc = "Traffic class; NCCL_IB_TC, else 0" },

	/* start-up and control */
	{ OPTION(OPT_START, "local", STARTS), COUNT(local, 1, OPTS_LOCAL_MAX),
	  .doc = "Start N ranks on this host, without mpirun" },
	{ OPTION(OPT_START, "local-hosts", STARTS),
	  COUNT(local_hosts, 1, OPTS_LOCAL_MAX),
	  .doc = "Let the ranks of --local look like N hosts" },
	{ OPTION(OPT_START, "boot", STARTS), CHOICE(boot, "HOW", boots),
	  .dflt = "auto",
	  .doc = "How ranks meet: by MPI or by FABRICPROBE_MEET in the "
	         "environment" },
	{ OPTION(OPT_START, "keep-mpi-env", STARTS), FLAG(keep_mpi_env),
	  .doc = "Leave the settings of the MPI library as they are" },
	{ OPTION(OPT_START, "control-if", STARTS),
	  TEXT(control_if, "NAME", WIRE(netdev)),
	  .doc = "Network device of the control traffic" },
	{ OPTION(OPT_START, "host-id", STARTS),
	  TEXT(host_id, "TEXT", WIRE(host_id)),
	  .doc = "Ranks with the same TEXT share a host" },
	{ OPTION(OPT_START, "worker", STARTS), TEXT(worker, "PATH", PATH_LIMIT),
	  .doc = "Worker program; fabricprobe-worker beside this program by "
	         "default" },
	{ OPTION(OPT_START, "nccl-lib", RUNS),
	  TEXT(nccl_lib, "PATH", WIRE(nccl_lib)),
	  .doc = "The job's own libnccl.so.2, such as the one inside torch, on "
	         "every host; the loader's choice by default" },
	{ OPTION(OPT_START, "sysroot", STARTS),
	  TEXT(sysroot, "PATH", WIRE(sysroot)), .dflt = "/",
	  .doc = "Read what the host is like below PATH, such as what "
	         "capture-host saved; %h in it is the host's name" },

	/* output */
	{ OPTION(OPT_OUTPUT, "out", PLANS), TEXT(out_dir, "DIR", PATH_LIMIT),
	  .doc = "Save the run in DIR while it goes" },
	{ OPTION(OPT_OUTPUT, "out", TOPO), TEXT(out_dir, "DIR", PATH_LIMIT),
	  .doc = "Write the map into DIR in all its forms: map.txt, map.json, "
	         "map.xml, map.dot" },
	{ OPTION(OPT_OUTPUT, "evidence", CHECK),
	  TEXT(evidence, "DIR", PATH_LIMIT),
	  .doc = "Put the report, all readings and log lines into DIR, for a "
	         "vendor's ticket" },
	{ OPTION(OPT_OUTPUT, "mask", CHECK), FLAG(mask),
	  .doc = "No host names, addresses and serial numbers in --evidence; "
	         "each gets a stand-in of its own" },
	{ OPTION(OPT_OUTPUT, "json", PLANS | TOPO | COMPARE), .letter = 'J',
	  TEXT(json_path, "FILE", PATH_LIMIT),
	  .doc = "Write the report as JSON too; -: to standard output, instead "
	         "of text" },
	{ OPTION(OPT_OUTPUT, "xml", TOPO), TEXT(xml_path, "FILE", PATH_LIMIT),
	  .doc = "Write a topology file for NCCL_TOPO_FILE too; - as above" },
	{ OPTION(OPT_OUTPUT, "dot", TOPO), TEXT(dot_path, "FILE", PATH_LIMIT),
	  .doc = "Write a graph for dot(1) too; - as above" },
	{ OPTION(OPT_OUTPUT, "csv", SIMULATE), FLAG(csv),
	  .doc = "The table of --catalogue with commas" },
	{ OPTION(OPT_OUTPUT, "format", REPORT), CHOICE(format, "NAME", formats),
	  .dflt = "text", .doc = "Format of the report" },
	{ OPTION(OPT_OUTPUT, "color", SHOWS | COMPARE),
	  CHOICE(color, "WHEN", colors), .dflt = "auto",
	  .doc = "Colours in the report" },
	{ OPTION(OPT_OUTPUT, "gbits", SHOWS | COMPARE), FLAG(gbits),
	  .doc = "Rates in Gb/s instead of GB/s" },
	{ OPTION(OPT_OUTPUT, "timing", SHOWS), FLAG(timing),
	  .doc = "Say where the time of the run went" },
	{ OPTION(OPT_OUTPUT, "no-progress", PLANS), FLAG(no_progress),
	  .doc = "No progress on standard error" },
	{ OPTION(OPT_OUTPUT, "verbose", ALL), .letter = 'v', FLAG(verbose),
	  .doc = "Say what is done on standard error" },

	/* drills */
	{ OPTION(OPT_DRILL, "inject", LIVE), FIELD(inject, OPT_TEXTS),
	  .arg = "FAULT",
	  .doc = "Make a fault on purpose, e.g. 'slow src=1 dst=3 factor=4'; "
	         "may be repeated" },

	/* about */
	{ OPTION(OPT_ABOUT, "help", ALL), .letter = 'h', FLAG(help),
	  .doc = "Print this help" },
	{ OPTION(OPT_ABOUT, "version", ALL), .letter = 'V', FLAG(version),
	  .doc = "Print the version" },
};

static const char *const group_titles[OPT_GROUP_COUNT] = {
	[OPT_MODE] = "How much:",
	[OPT_WHAT] = "What to measure:",
	[OPT_SIZES] = "Sizes, as nccl-tests takes them:",
	[OPT_TIME] = "Time:",
	[OPT_DATA] = "TCP:",
	[OPT_RDMA] = "RDMA:",
	[OPT_START] = "Start-up:",
	[OPT_OUTPUT] = "Output:",
	[OPT_DRILL] = "Drills:",
	[OPT_ABOUT] = NULL,
};

const struct opt_row *opt_rows(size_t *ret_n)
{
	*ret_n = sizeof(rows) / sizeof(rows[0]);
	return rows;
}

const char *opt_group_title(unsigned group)
{
	return group < OPT_GROUP_COUNT ? group_titles[group] : NULL;
}
