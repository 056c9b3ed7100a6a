/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of thing that readers see in what people paste. */
#ifndef FP_PROBES_EXPLAIN_KIND_H
#define FP_PROBES_EXPLAIN_KIND_H

#include <stdint.h>

/**
 * enum seen_kind - what was seen. Beside each: who it is about when that is
 * not the one that wrote the line, and what n[] and x[] hold.
 */
enum seen_kind {
	KIND_NONE,

	/* NCCL: InfiniBand and RoCE. n: status, vendor error, 1 if receiving */
	KIND_WC_RETRY,    /* 12, nothing came back from the peer */
	KIND_WC_RNR,      /* 13, the peer has no buffer posted */
	KIND_WC_LOC_PROT, /* 4, this side's memory may not be read */
	KIND_WC_LOC_LEN,  /* 1, message longer than the buffer */
	KIND_WC_REM_INV,  /* 9, the peer calls the request invalid */
	KIND_WC_REM_ACC,  /* 10, the peer's memory may not be written */
	KIND_WC_REM_OP,   /* 11 */
	KIND_WC_OTHER,
	KIND_WC_FLUSH,    /* 5, a follower */
	KIND_IB_ACCESS,   /* asynchronous local access violation */
	KIND_IB_PORT,     /* asynchronous port error */
	KIND_IB_FATAL,    /* the device, or a queue pair of it, is dead */
	KIND_IB_GID,      /* GID table or LID changed */
	KIND_IB_SPEED,    /* link speed changed; n: before, after in Mb/s */
	KIND_QP_MODIFY,   /* n: errno; device, peer_host: the remote GID;
	                    * x: 1 if the GIDs are of different subnets */
	KIND_REG_MEMORY,  /* registering memory: no memory */
	KIND_REG_ADDRESS, /* registering memory: bad address */
	KIND_VERBS_FAIL,  /* another call of verbs; n: errno */
	KIND_OPEN_DEVICE, /* a device cannot be opened */
	KIND_IB_NONE,     /* no device found */

	/* NCCL: sockets. peer_host: the other side's address */
	KIND_SOCK_CONNECT, /* n: errno; x: 1 if a container's private address */
	KIND_SOCK_RESET,   /* the peer dropped the connection */
	KIND_SOCK_CLOSED,  /* the peer closed it */
	KIND_SOCK_NONE,    /* no usable interface or address family */
	KIND_SOCK_OTHER,

	/* NCCL: followers and what is said of the whole job */
	KIND_CHAIN, /* file:line -> code, handed up; n: code */
	KIND_LOCAL_CLOSED,
	KIND_PROXY_FAIL,
	KIND_REMOTE_ERROR, /* ncclRemoteError reached the program */
	KIND_SYSTEM_ERROR,
	KIND_INTERNAL_ERROR,
	KIND_CUDA_ERROR_SEEN, /* ncclUnhandledCudaError */
	KIND_USAGE_ERROR,     /* ncclInvalidUsage or -Argument */
	KIND_WARN_OTHER,      /* a warning that no row knows */

	/* NCCL: start, topology, channels */
	KIND_LIBRARY,     /* op: version of NCCL */
	KIND_NETWORK,     /* op: the plugin or transport in use */
	KIND_ENV,         /* op: NAME=VALUE in the environment */
	KIND_INIT_START,  /* n: ranks; bus: of its GPU */
	KIND_INIT_DONE,   /* n: ranks */
	KIND_HCAS,        /* the NICs in use: n: how many; op: their names */
	KIND_CHANNEL_GDR, /* rank -> peer; n: NIC, 1 if receiving */
	KIND_CHANNEL_NET, /* the same without GPUDirect */
	KIND_CHANNEL_SOCKET,
	KIND_CHANNEL_LOCAL, /* P2P or SHM */
	KIND_GDR_OFF,       /* GPUDirect RDMA disabled for a NIC */
	KIND_GDR_ON,
	KIND_P2P_OFF,       /* between GPUs with NVLink */
	KIND_DUPLICATE_GPU, /* rank and peer; bus */
	KIND_RANK_TWICE, /* rank: two claim it; or its number of ranks differs */
	KIND_SHM_SMALL,
	KIND_MISMATCH_CALL, /* "mismatched collective" */
	KIND_NVLS_FAIL,
	KIND_VERSIONS, /* of NCCL differ */
	KIND_PLUGIN_FAIL,
	KIND_OFI_ADDRESS,  /* EFA: address cannot be inserted */
	KIND_OFI_RESOURCE, /* EFA: endpoint cannot be made */
	KIND_OFI_OTHER,
	KIND_TOPO_WRONG, /* a topology file or graph that does not fit */

	/* CUDA, from whoever prints it */
	KIND_CUDA_NOT_READY, /* system not yet initialized */
	KIND_CUDA_DRIVER,    /* driver too old for the runtime */
	KIND_CUDA_NO_DEVICE,
	KIND_CUDA_ORDINAL, /* no such device */
	KIND_CUDA_MEMORY,  /* out of memory */
	KIND_CUDA_ADDRESS, /* illegal access, device assertion, ... */
	KIND_CUDA_ECC,
	KIND_CUDA_NVLINK, /* uncorrectable NVLink error */
	KIND_CUDA_LOST,   /* the GPU is gone */
	KIND_CUDA_P2P,    /* peer access refused */
	KIND_CUDA_IMEX,   /* memory of another host cannot be mapped */
	KIND_CUDA_OTHER,

	/* the program and its launcher */
	KIND_SEGFAULT,
	KIND_KILLED,      /* by a signal; n: signal */
	KIND_HOST_MEMORY, /* killed for the host's memory */
	KIND_EXCEPTION,   /* the program's own; text */
	KIND_TIME_LIMIT,  /* the scheduler ended it when its time was up */
	KIND_EXIT,        /* a launcher reports a dead rank; n: status */
	KIND_STORE,       /* rendezvous or key-value store: time-out */
	KIND_GLOO,        /* a host-side collective failed */
	KIND_STACK_ERROR, /* of UCX or MPI, that no row knows */
	KIND_HEARTBEAT,   /* the watchdog itself hangs: CPU side */

	/* c10d's watchdog. group; op */
	KIND_WATCHDOG,   /* n: sequence, elements in, out, time-out ms, ran ms,
	                * 1 if rank is the one in the group */
	KIND_WORK,       /* n: stuck at, enqueued, completed, rank in group */
	KIND_DUMP,       /* a follower; peer: the rank that asked; n: enqueued,
	                * completed */
	KIND_REPEATED,   /* a launcher hid copies: n: how many */
	KIND_DESYNC_LAG, /* rank: one that never joined; n: sequence */
	KIND_DESYNC_STATE, /* rank: its latest; n: sequence, 1 if finished */

	/* Flight Recorder. rank: whose dump; group */
	KIND_FR_DUMP,   /* n: entries, members of the default group; op:
	                 * version */
	KIND_FR_MEMBER, /* rank is a member of group */
	KIND_FR_STATUS, /* n: enqueued, started, completed */
	KIND_FR_ENTRY,  /* op: name, sizes and types; n: sequence, state (enum
	                 * fr_state), created ns, enum fr_direction, record,
	                 * time-out ms; peer of a send or receive */
	KIND_FR_FRAME,  /* op: where the program called the last one */

	/* NCCL RAS. group: communicator; rank in it; host; pid; gpu */
	KIND_RAS_COMM, /* n: size, ranks that answered */
	KIND_RAS_COUNT, /* op: operation; n: launched, 1 or for rank -1 how many, 1 if
	                  * listed below such a sum */
	KIND_RAS_MISSING, /* n: 1 unresponsive, 2 dead, 0 not in it any more */
	KIND_RAS_ERROR,   /* n: code; op: words */
	KIND_RAS_DEAD,    /* n: processes */
	KIND_RAS_TIMEOUT,
	KIND_RAS_OK, /* n: communicators that are well */

	/* kernel logs. bus: the device */
	KIND_XID,       /* n: Xid, link or -1; pid */
	KIND_SXID,      /* n: SXid, link or -1, 1 if fatal */
	KIND_GPU_LOST,  /* fallen off the bus, or no handle */
	KIND_AER_FATAL, /* uncorrected; bus: the port */
	KIND_AER_CORRECTED,
	KIND_PCIE_LINK, /* n: Mb/s to be had, width; x: GT/s */
	KIND_NIC_CABLE, /* its module or cable reports an error */
	KIND_NIC_DOWN,  /* link down, cable unplugged */
	KIND_NIC_UP,
	KIND_NIC_FATAL,   /* firmware, health, command time-out */
	KIND_NIC_POWER,   /* noise */
	KIND_PEERMEM,     /* noise of nvidia-peermem */
	KIND_OOM,         /* the kernel killed a process; pid */
	KIND_KERNEL_HUNG, /* a task blocked, a lockup */
	KIND_GPU_INIT,    /* the driver cannot bring it up */
	KIND_THERMAL,

	/* fabric manager, NVSwitch, IMEX */
	KIND_FM_ERROR,
	KIND_FM_IDLE, /* started where there is no NVSwitch */
	KIND_FM_OK,
	KIND_IMEX_ERROR,

	/* saved output of tools */
	KIND_SMI_ECC,       /* n: uncorrected volatile, aggregate */
	KIND_SMI_REMAP,     /* n: 1 pending, 2 failed; rows */
	KIND_SMI_RECOVERY,  /* op: the recovery that is asked for */
	KIND_SMI_FABRIC,    /* op: state that is not Completed/Success */
	KIND_SMI_LINK,      /* PCIe: n: width, maximum, generation, maximum */
	KIND_SMI_THROTTLE,  /* op: reason */
	KIND_SMI_GPU,       /* a GPU that was read; op: model */
	KIND_SMI_CUT,       /* sections missing; n: GPUs read, GPUs attached */
	KIND_SMI_BRAKE,     /* held back from outside */
	KIND_NVLINK_DOWN,   /* n: link */
	KIND_NVLINK_ERRORS, /* op: counter; n: link, value */
	KIND_NVLINK_OK,     /* n: links */
	KIND_TOPO_FAULT,    /* op: words of what stands out in a map */
	KIND_TOPO_REMARK,
	KIND_TOPO_READ, /* n: GPUs, NICs */
	KIND_FOREIGN,   /* another kind of file than wanted; op: which */
	KIND_PORT_OK,   /* device; n: rate Mb/s, 1 if Ethernet */
	KIND_PORT_DISABLED,
	KIND_PORT_POLLING,
	KIND_PORT_DOWN,
	KIND_PORT_SLOW, /* n: rate, of its kind in Mb/s */
	KIND_PORT_NO_GID,
	KIND_PORT_MTU,    /* n: active MTU */
	KIND_PORT_ERRORS, /* op: counter; n: value */
	KIND_ACS_ON,
	KIND_IOMMU_FAULT, /* of a GPU or NIC */
	KIND_MEMLOCK,     /* ulimit -l; n: kB */
	KIND_SHM_SIZE,    /* /dev/shm; n: kB */

	/* tables */
	KIND_TABLE_READ,  /* op: which; n: rows, ranks; x: best busbw GB/s */
	KIND_TABLE_WRONG, /* wrong results; n: values */
	KIND_TABLE_SLOW,  /* x: measured, of what */
	KIND_TABLE_ALONE, /* processes that knew of no other; n[0]: how many */
	KIND_TABLE_EMPTY, /* a table's head without its rows; n[1]: ranks */
	KIND_TABLE_ODD,   /* a question without an answer; op: words */
	KIND_MATRIX_READ, /* op: title; n: rows, columns */
	KIND_MATRIX_GPU,  /* one device slower; gpu; x: its, the others' */
	KIND_MATRIX_PAIR, /* one pair slower; gpu, n: other */
	KIND_MATRIX_P2P,  /* peer to peer no faster than without */
	KIND_MATRIX_OVER, /* faster than any link; x: value */
	KIND_PEERS_READ,  /* who reaches whose memory */
	KIND_PERFTEST,    /* n: message bytes; x: Gb/s */
	KIND_PERFTEST_SLOW,

	/* derived from others once all is read; see derive.h */
	KIND_CALL_FAILED, /* a code was handed up, and nothing tells why */
	KIND_NO_GDR,      /* every channel between hosts lacks GPUDirect */
	KIND_GDR_UNEVEN,  /* rank: one that lacks it where others have it */
	KIND_SOCKET_ONLY, /* channels between hosts use sockets, with NICs there */
	KIND_NICS_DIFFER,  /* host: one with other NICs than most */
	KIND_RETRY_ROUTE,  /* no answer, and the addresses tell why */
	KIND_MTU_DIFFERS,  /* device or host */
	KIND_INIT_MISSING, /* rank: never began what others began */
	KIND_INIT_STUCK,   /* rank: began and did not end */
	KIND_NIC_GONE,     /* device: its link went down and stayed so */
	KIND_NIC_FLAP,     /* device: its link went down and came back */
	KIND_SLOT_SLOW,    /* a NIC's PCIe link is narrow; bus */
	KIND_HANG_ABSENT,  /* n: index into the hangs; all of these */
	KIND_HANG_MISMATCH,
	KIND_HANG_PARTIAL,
	KIND_HANG_STUCK,
	KIND_HANG_ORDER,
	KIND_HANG_DESYNC,
	KIND_HANG_SILENT,
	KIND_RAS_BEHIND, /* RAS: ranks have launched less than others */

	KIND_CUT, /* the input ends in the middle; op: of what */
	KIND_COUNT
};

/** enum kind_role - what an event of a kind says by itself. */
enum kind_role {
	ROLE_CONTEXT,  /* helps to read the rest */
	ROLE_HEALTHY,  /* something was looked at and is well */
	ROLE_NOISE,    /* looks bad and is not */
	ROLE_FOLLOWER, /* came of something else */
	ROLE_WEAK,     /* something is wrong, not what */
	ROLE_ORIGIN    /* can be where it began */
};

/** struct kind_info - a row of the table. */
struct kind_info {
	const char *id;    /* "wc-retry", for JSON and tests */
	uint32_t role;     /* enum kind_role */
	const char *words; /* for a person */
};

/** kind_info() - the row of @kind; never NULL. */
const struct kind_info *kind_info(unsigned kind);

#endif
