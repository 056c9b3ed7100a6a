// SPDX-License-Identifier: Apache-2.0
// Causes that lie in the program and its processes, and what stays open.
#include "probes/explain/cause.h"
#include "probes/finding/finding.h"

static const struct cause rows[] = {
	{
		.code = "FP-EXPLAIN-MISMATCH",
		.title = "Ranks call different collectives, or the same with "
			 "different sizes",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_PLAIN,
		.who = WHO_HANG,
		.confidence = 0.9,
		.any = { { KIND_HANG_MISMATCH, { 0 } },
	                 { KIND_MISMATCH_CALL, { 0 } } },
		.next = "Look for code that depends on the rank: uneven data, "
			"a branch, an early exit; TORCH_DISTRIBUTED_DEBUG="
			"DETAIL names the call",
		.disprove = "all ranks show the same calls in the same order",
	},
	{
		.code = "FP-EXPLAIN-ORDER",
		.title = "Ranks launch collectives of several groups in "
			 "different orders",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_DERIVED,
		.who = WHO_HANG,
		.confidence = 0.8,
		.any = { { KIND_HANG_ORDER, { 0 } } },
		.next = "Make every rank launch the groups' collectives in "
			"one order",
		.disprove = "the order of launches is the same on these ranks",
	},
	{
		.code = "FP-EXPLAIN-ABSENT",
		.title = "Ranks never launched the collective that the others "
			 "wait in: their host side stopped",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_DERIVED,
		.who = WHO_HANG,
		.confidence = 0.85,
		.any = { { KIND_HANG_ABSENT, { 0 } },
	                 { KIND_DESYNC_LAG, { 0 } } },
		.next = "py-spy dump the process of these ranks: data loader, "
			"a lock, .item(), a checkpoint; look for a dead or "
			"swapping process",
		.disprove =
			"these ranks have launched it and their kernel runs",
	},
	{
		.code = "FP-EXPLAIN-PARTIAL",
		.title = "The collective ended on some ranks and not on these: "
			 "their GPU, or the path into it",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_DERIVED,
		.who = WHO_HANG,
		.probe = CAUSE_PROBE_GPU,
		.confidence = 0.75,
		.any = { { KIND_HANG_PARTIAL, { 0 } } },
		.next = "Look for Xids and processes that hang on these ranks' "
			"GPUs; probe the paths of these ranks",
		.disprove = "these ranks' GPUs finish a collective with other "
			    "partners",
	},
	{
		.code = "FP-EXPLAIN-DESYNC",
		.title = "Ranks are at different collectives",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_DERIVED,
		.who = WHO_HANG,
		.confidence = 0.75,
		.any = { { KIND_HANG_DESYNC, { 0 } } },
		.next = "Compare the control flow of these ranks with the "
			"others'; a Flight Recorder dump of all ranks says "
			"more",
		.disprove = "all ranks stop at the same sequence number",
	},
	{
		.code = "FP-EXPLAIN-RAS-BEHIND",
		.title = "Some ranks have launched fewer operations than "
			 "others",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_DERIVED,
		.who = WHO_HANG,
		.confidence = 0.6,
		.any = { { KIND_RAS_BEHIND, { 0 } } },
		.next = "Ask again in ten seconds: counts that move are "
			"progress; else look at the ranks that are behind",
		.disprove = "the counts move, and the ranks behind change",
	},
	{
		.code = "FP-EXPLAIN-INIT-MISSING",
		.title = "Ranks never began to initialise",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_DERIVED,
		.who = WHO_SELF,
		.confidence = 0.7,
		.any = { { KIND_INIT_MISSING, { 0 } } },
		.next = "Look for these ranks' processes: did the launcher "
			"start them, do they wait elsewhere?",
		.disprove = "their logs have an Init START that is not in the "
			    "input",
	},
	{
		.code = "FP-EXPLAIN-PROCESS-DIED",
		.title = "A process died or lost its connection; the others "
			 "followed",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_WEAK,
		.who = WHO_PEER,
		.probe = CAUSE_PROBE_TRAFFIC,
		.confidence = 0.6,
		.any = { { KIND_SEGFAULT, { 0 } },
	                 { KIND_KILLED, { 0 } },
	                 { KIND_RAS_DEAD, { 0 } },
	                 { KIND_RAS_MISSING, { 0 } },

	                 { KIND_EXIT, { 0 } },
	                 { KIND_SOCK_RESET, { 0 } },
	                 { KIND_SOCK_CLOSED, { 0 } },
	                 { KIND_REMOTE_ERROR, { 0 } } },
		.next = "Read the log and the kernel log of that host at that "
			"time: killed, out of memory, crash, or a link that "
			"went away",
		.disprove = "that process still runs",
	},
	{
		.code = "FP-EXPLAIN-HOST-MEMORY",
		.title = "A host ran out of memory and a process was killed",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_WEAK,
		.who = WHO_SELF,
		.confidence = 0.8,
		.any = { { KIND_HOST_MEMORY, { 0 } }, { KIND_OOM, { 0 } } },
		.next = "Find what grew (data loaders, a checkpoint, a cache); "
			"raise the limit of the container, or use less",
		.disprove = "the process that was killed was none of the job's",
	},
	{
		.code = "FP-EXPLAIN-HOST-STUCK",
		.title = "A process hangs inside a call of CUDA, NCCL or the "
			 "kernel",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_WEAK,
		.who = WHO_SELF,
		.confidence = 0.6,
		.any = { { KIND_HEARTBEAT, { 0 } },
	                 { KIND_KERNEL_HUNG, { 0 } } },
		.next = "gdb or py-spy on that process, /proc/PID/stack, and "
			"the kernel log of its host",
		.disprove = "its threads are seen to run",
	},
	{
		.code = "FP-EXPLAIN-EXCEPTION",
		.title = "The program itself raised an error",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_WEAK,
		.who = WHO_SELF,
		.confidence = 0.6,
		.any = { { KIND_EXCEPTION, { 0 } },
	                 { KIND_USAGE_ERROR, { 0 } } },
		.next = "Read the first traceback",
		.disprove = "the exception came after a time-out",
	},
	{
		.code = "FP-EXPLAIN-STUCK",
		.title = "All ranks launched it and none ended: the data path "
			 "stalls, or a rank that wrote nothing is missing",
		.layer = LAYER_HARDWARE,
		.tier = CAUSE_STALL,
		.who = WHO_HANG,
		.probe = CAUSE_PROBE_TRAFFIC,
		.confidence = 0.5,
		.any = { { KIND_HANG_STUCK, { 0 } },
	                 { KIND_HANG_SILENT, { 0 } },
	                 { KIND_WATCHDOG, { 0 } },
	                 { KIND_WORK, { 0 } },
	                 { KIND_STORE, { 0 } },
	                 { KIND_GLOO, { 0 } },
	                 { KIND_INIT_STUCK, { 0 } },
	                 { KIND_RAS_TIMEOUT, { 0 } } },
		.next = "Get the logs or Flight Recorder dumps of all ranks; "
			"probe the paths between them",
		.disprove = "a dump shows a rank that never launched it",
	},
	{
		.code = "FP-EXPLAIN-ALONE",
		.title = "Each process of the benchmark ran by itself: nothing "
			 "between them was tried",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_PLAIN,
		.who = WHO_JOB,
		.confidence = 0.95,
		.any = { { KIND_TABLE_ALONE, { 0 } } },
		.next = "Build nccl-tests with MPI=1, against the MPI whose "
			"mpirun starts it",
		.disprove = "the list of devices has a rank of another number",
	},
	{
		.code = "FP-EXPLAIN-PERFORMANCE",
		.title = "Slower than the hardware allows; the input does not "
			 "tell why",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_OPEN,
		.who = WHO_JOB,
		.confidence = 0.4,
		.any = { { KIND_TABLE_ODD, { 0 } },
	                 { KIND_TABLE_SLOW, { 0 } },
	                 { KIND_PERFTEST_SLOW, { 0 } } },
		.next = "Run with NCCL_DEBUG=INFO and look at the channels; "
			"measure the pairs; over a bond try "
			"NCCL_IB_QPS_PER_CONNECTION=4",
		.disprove = "a second run is as fast as expected",
	},
	{
		.code = "FP-EXPLAIN-TIME-LIMIT",
		.title = "The scheduler ended the job when its time was up; "
			 "whether it hung before is not told",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_OPEN,
		.who = WHO_JOB,
		.confidence = 0.4,
		.any = { { KIND_TIME_LIMIT, { 0 } } },
		.next = "See whether its last step was long before: then it "
			"hung, and NCCL_DEBUG=INFO and the Flight Recorder "
			"tell where; else ask for more time",
		.disprove = "",
	},
	{
		.code = "FP-EXPLAIN-NO-FIGURES",
		.title = "The head of a benchmark's table is here, and none of "
			 "its figures",
		.layer = LAYER_RESOURCES,
		.tier = CAUSE_OPEN,
		.who = WHO_JOB,
		.confidence = 0.4,
		.any = { { KIND_TABLE_EMPTY, { 0 } } },
		.next = "Paste the rows as well. Where fewer flows than a bond "
			"has ports run at half of it, its hash put them on one "
			"port: NCCL_IB_QPS_PER_CONNECTION=4 and "
			"NCCL_IB_SPLIT_DATA_ON_QPS=1",
		.disprove = "",
	},
	{
		.code = "FP-EXPLAIN-UNKNOWN",
		.title = "Something failed; no known cause fits",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_OPEN,
		.who = WHO_SELF,
		.confidence = 0.3,
		.any = { { KIND_WC_OTHER, { 0 } },
	                 { KIND_VERBS_FAIL, { 0 } },
	                 { KIND_SOCK_OTHER, { 0 } },
	                 { KIND_CUDA_OTHER, { 0 } },
	                 { KIND_CUDA_ERROR_SEEN, { 0 } },
	                 { KIND_WARN_OTHER, { 0 } },
	                 { KIND_CALL_FAILED, { 0 } },
	                 { KIND_STACK_ERROR, { 0 } },
	                 { KIND_PLUGIN_FAIL, { 0 } },
	                 { KIND_RAS_ERROR, { 0 } },
	                 { KIND_XID, { 0 } },
	                 { KIND_WC_FLUSH, { 0 } },
	                 { KIND_IB_GID, { 0 } },
	                 { KIND_NIC_GONE, { 0 } },
	                 { KIND_SYSTEM_ERROR, { 0 } },
	                 { KIND_INTERNAL_ERROR, { 0 } } },
		.next = "Get the whole log with NCCL_DEBUG=INFO, from all "
			"ranks",
		.disprove = "",
	},
	{
		.code = "FP-EXPLAIN-NOISE",
		.title = "Messages that look bad and follow an unclean end",
		.layer = LAYER_DRIVER,
		.tier = CAUSE_NOTE,
		.who = WHO_SELF,
		.confidence = 0.7,
		.any = { { KIND_PEERMEM, { 0 } }, { KIND_NIC_POWER, { 0 } } },
		.next = "Look for what ended the process before",
		.disprove = "",
	},
	{
		.code = "FP-EXPLAIN-FOREIGN",
		.title = "A file of another kind",
		.layer = LAYER_APPLICATION,
		.tier = CAUSE_NOTE,
		.who = WHO_JOB,
		.confidence = 0.9,
		.any = { { KIND_FOREIGN, { 0 } } },
		.next = "Give the file that was meant (NCCL_TOPO_DUMP_FILE "
			"writes a topology)",
		.disprove = "",
	},
};

const struct cause_table cause_job = { rows, sizeof(rows) / sizeof(rows[0]) };
