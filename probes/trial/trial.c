// SPDX-License-Identifier: Apache-2.0
// Names of what trials, outcomes and events hold, and their counters.
#include "probes/trial/trial.h"

static const char *name_of(const char *const *names, unsigned n, unsigned id)
{
	return id < n && names[id] ? names[id] : "?";
}

const char *trial_xport_name(unsigned xport)
{
	static const char *const names[XPORT_COUNT] = {
		[XPORT_AUTO] = "auto", [XPORT_SHM] = "shm",
		[XPORT_TCP] = "tcp",   [XPORT_VERBS] = "verbs",
		[XPORT_CUDA] = "cuda", [XPORT_NCCL] = "nccl",
	};

	return name_of(names, XPORT_COUNT, xport);
}

const char *trial_op_name(unsigned op)
{
	static const char *const names[OP_COUNT] = {
		[OP_WRITE] = "write",
		[OP_LATENCY] = "latency",
		[OP_DATAGRAM] = "datagram",
		[OP_ALLREDUCE] = "all_reduce",
		[OP_ALLGATHER] = "all_gather",
		[OP_REDUCESCATTER] = "reduce_scatter",
		[OP_BROADCAST] = "broadcast",
		[OP_ALLTOALL] = "alltoall",
		[OP_SENDRECV] = "sendrecv",
	};

	return name_of(names, OP_COUNT, op);
}

const char *trial_mem_name(unsigned mem)
{
	static const char *const names[MEM_COUNT] = {
		[MEM_HOST] = "host",
		[MEM_CUDA] = "cuda",
	};

	return name_of(names, MEM_COUNT, mem);
}

/* Rows of enum trial_type. */
static const struct {
	const char *name;
	uint32_t bytes;
} types[TYPE_COUNT] = {
	[TYPE_FLOAT] = { "float", 4 },       [TYPE_HALF] = { "half", 2 },
	[TYPE_BFLOAT16] = { "bfloat16", 2 }, [TYPE_DOUBLE] = { "double", 8 },
	[TYPE_INT8] = { "int8", 1 },         [TYPE_UINT8] = { "uint8", 1 },
	[TYPE_INT32] = { "int32", 4 },       [TYPE_UINT32] = { "uint32", 4 },
	[TYPE_INT64] = { "int64", 8 },
};

const char *trial_type_name(unsigned type)
{
	return type < TYPE_COUNT ? types[type].name : "?";
}

uint32_t trial_type_bytes(unsigned type)
{
	return type < TYPE_COUNT ? types[type].bytes : 0;
}

const char *trial_redop_name(unsigned redop)
{
	static const char *const names[REDOP_COUNT] = {
		[REDOP_SUM] = "sum",
		[REDOP_MAX] = "max",
		[REDOP_MIN] = "min",
	};

	return name_of(names, REDOP_COUNT, redop);
}

const char *trial_stage_name(unsigned stage)
{
	static const char *const names[TRIAL_STAGE_COUNT] = {
		[TRIAL_S0_LOCAL] = "S0 local",
		[TRIAL_S1_HOST] = "S1 inside hosts",
		[TRIAL_S2_LOOPBACK] = "S2 loopback",
		[TRIAL_S3_RAIL] = "S3 between hosts",
		[TRIAL_S4_CROSS] = "S4 across rails",
		[TRIAL_S5_LATENCY] = "S5 latency",
		[TRIAL_S6_COLL] = "S6 collectives",
		[TRIAL_S7_RETEST] = "S7 retest",
	};

	return name_of(names, TRIAL_STAGE_COUNT, stage);
}

const char *outcome_state_name(unsigned state)
{
	static const char *const names[OUTCOME_STATE_COUNT] = {
		[OUTCOME_NONE] = "NONE",     [OUTCOME_OK] = "OK",
		[OUTCOME_NOTRUN] = "NOTRUN", [OUTCOME_ERROR] = "ERROR",
		[OUTCOME_HANG] = "HANG",     [OUTCOME_LOST] = "LOST",
	};

	return name_of(names, OUTCOME_STATE_COUNT, state);
}

const char *outcome_stage_name(unsigned stage)
{
	static const char *const names[OUTCOME_STAGE_COUNT] = {
		[STAGE_SPAWN] = "SPAWN",   [STAGE_READY] = "READY",
		[STAGE_INIT] = "INIT",     [STAGE_CONNECT] = "CONNECT",
		[STAGE_WARM] = "WARM",     [STAGE_XFER] = "XFER",
		[STAGE_VERIFY] = "VERIFY", [STAGE_DONE] = "DONE",
	};

	return name_of(names, OUTCOME_STAGE_COUNT, stage);
}

const char *outcome_counter_name(unsigned id)
{
	static const char *const names[OUTCOME_COUNTER_COUNT] = {
		[COUNTER_NONE] = "none",
		[COUNTER_RETRANS] = "retransmits",
		[COUNTER_SEGS_OUT] = "segments_out",
		[COUNTER_SND_MSS] = "send_mss",
		[COUNTER_PMTU] = "path_mtu",
		[COUNTER_RTT_NS] = "rtt_ns",
		[COUNTER_SMALL_SENT] = "small_sent",
		[COUNTER_SMALL_RCVD] = "small_received",
		[COUNTER_FULL_SENT] = "full_sent",
		[COUNTER_FULL_RCVD] = "full_received",
		[COUNTER_FULL_BYTES] = "full_bytes",
		[COUNTER_PATH_BYTES] = "path_bytes",
		[COUNTER_STRANGERS] = "strangers",
		[COUNTER_STALL_NS] = "stall_ns",
		[COUNTER_IDLE_NS] = "idle_ns",
		[COUNTER_INJECTED] = "injected",
		[COUNTER_WC_STATUS] = "wc_status",
		[COUNTER_SETUP_ERRNO] = "setup_errno",
		[COUNTER_PORT_EVENT] = "port_event",
		[COUNTER_HOLES] = "holes",
		[COUNTER_CHANNELS_P2P] = "nccl_channels_p2p",
		[COUNTER_CHANNELS_SHM] = "nccl_channels_shm",
		[COUNTER_CHANNELS_IB] = "nccl_channels_net",
		[COUNTER_CHANNELS_GDR] = "nccl_channels_gdr",
		[COUNTER_CHANNELS_SOCKET] = "nccl_channels_socket",
		[COUNTER_PEER_ACCESS] = "cuda_peer_access",
		[COUNTER_LOCAL_H2D] = "local h2d",
		[COUNTER_LOCAL_D2H] = "local d2h",
		[COUNTER_LOCAL_COPY] = "local copy",
		[COUNTER_LOCAL_MEMORY] = "local memory",
		[COUNTER_LOCAL_FLOPS] = "local flops",
		[COUNTER_DEVICE_ERROR] = "device error",
		[COUNTER_PORT_TX_BYTES] = "port_tx_bytes",
		[COUNTER_PORT_RX_BYTES] = "port_rx_bytes",
	};

	return name_of(names, OUTCOME_COUNTER_COUNT, id);
}

const char *event_kind_name(unsigned kind)
{
	static const char *const names[EVENT_KIND_COUNT] = {
		[EVENT_NONE] = "none",
		[EVENT_AGENT_LOST] = "agent-lost",
		[EVENT_AGENT_MISSING] = "agent-missing",
		[EVENT_WORKER_FAILED] = "worker-failed",
		[EVENT_WORKER_DIED] = "worker-died",
		[EVENT_WORKER_KILLED] = "worker-killed",
		[EVENT_WORKER_WEDGED] = "worker-wedged",
		[EVENT_WORKER_GARBAGE] = "worker-garbage",
		[EVENT_STRANGER] = "stranger",
		[EVENT_CONTROL_SHARED] = "control-shared",
		[EVENT_CONTROL_SUSPECT] = "control-suspect",
		[EVENT_JOURNAL] = "journal",
		[EVENT_CUT] = "cut",
		[EVENT_INTERRUPTED] = "interrupted",
		[EVENT_INJECT_IDLE] = "inject-idle",
		[EVENT_WATCH_LOST] = "watch-lost",
		[EVENT_MODELLED] = "modelled",
		[EVENT_LOCATE] = "locate",
		[EVENT_LOCATE_CUT] = "locate-cut",
		[EVENT_LOCATED] = "located",
	};

	return name_of(names, EVENT_KIND_COUNT, kind);
}

double trial_busbw_factor(unsigned op, uint32_t n)
{
	double share = n ? (n - 1.0) / n : 0;

	switch (op) {
	case OP_ALLREDUCE:
		return 2 * share;
	case OP_ALLGATHER:
	case OP_REDUCESCATTER:
	case OP_ALLTOALL:
		return share;
	default:
		return 1;
	}
}

int64_t outcome_get(const struct outcome *o, unsigned id, int64_t none)
{
	for (size_t i = 0; id != COUNTER_NONE && i < OUTCOME_VALUES; i++) {
		if (o->values[i].id == id)
			return o->values[i].value;
	}
	return none;
}

void outcome_put(struct outcome *o, unsigned id, int64_t value)
{
	struct outcome_value *slot = NULL;

	if (id == COUNTER_NONE)
		return;
	for (size_t i = OUTCOME_VALUES; i > 0; i--) {
		uint32_t has = o->values[i - 1].id;

		if (has == COUNTER_NONE && (!slot || slot->id != id))
			slot = &o->values[i - 1];
		if (has == id)
			slot = &o->values[i - 1];
	}
	if (slot)
		*slot = (struct outcome_value){ .value = value, .id = id };
}
