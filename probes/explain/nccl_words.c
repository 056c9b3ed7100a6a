// SPDX-License-Identifier: Apache-2.0
// What NCCL, its plugins and CUDA say when something fails.
#include "probes/explain/nccl.h"

/* More particular rows first. */
static const struct nccl_message messages[] = {
	/* asynchronous events of verbs */
	{ "local access violation", NULL, KIND_IB_ACCESS },
	{ "async event", "port error", KIND_IB_PORT },
	{ "async event", "port active", KIND_NIC_UP },
	{ "async event", "GID", KIND_IB_GID },
	{ "async event", "LID", KIND_IB_GID },
	{ "async event", "client reregistration", KIND_IB_GID },
	{ "async event", "P_Key", KIND_IB_GID },
	{ "async event", "fatal", KIND_IB_FATAL },
	{ "async event", "CQ error", KIND_IB_FATAL },
	{ "async fatal event", NULL, KIND_IB_FATAL },
	{ "GID table changed", NULL, KIND_IB_GID },
	{ "speed change detected", NULL, KIND_IB_SPEED },

	/* calls of verbs */
	{ "ibv_modify_qp", "ail", KIND_QP_MODIFY },
	{ "ibv_reg_mr", "Cannot allocate memory", KIND_REG_MEMORY },
	{ "ibv_reg_mr", "Bad address", KIND_REG_ADDRESS },
	{ "ibv_reg_dmabuf_mr", "ail", KIND_REG_ADDRESS },
	{ "ibv_reg_mr", "Invalid argument", KIND_REG_ADDRESS },
	{ "Call to ibv_", "Cannot allocate memory", KIND_REG_MEMORY },
	{ "Unable to open device", NULL, KIND_OPEN_DEVICE },
	{ "Call to ibv_open_device", NULL, KIND_OPEN_DEVICE },
	{ "Call to ibv_", "ail", KIND_VERBS_FAIL },
	{ "NET/IB : No device found", NULL, KIND_IB_NONE },
	{ "NET/IB: No device found", NULL, KIND_IB_NONE },
	{ "Failed to open libibverbs", NULL, KIND_IB_NONE },

	/* sockets */
	{ "no socket interface found", NULL, KIND_SOCK_NONE },
	{ "No socket interface found", NULL, KIND_SOCK_NONE },
	{ "Address family not supported", NULL, KIND_SOCK_NONE },
	{ "No interface found", NULL, KIND_SOCK_NONE },
	{ "Could not find any local interface", NULL, KIND_SOCK_NONE },
	{ "Connect to ", "ail", KIND_SOCK_CONNECT },
	{ "onnect to ", "efused", KIND_SOCK_CONNECT },
	{ "onnect to ", "imed out", KIND_SOCK_CONNECT },
	{ "onnect to ", "No route to host", KIND_SOCK_CONNECT },
	{ "Call to connect", "ail", KIND_SOCK_CONNECT },
	{ "socketPollConnect", NULL, KIND_SOCK_CONNECT },
	{ "socketStartConnect", NULL, KIND_SOCK_CONNECT },
	{ "socketFinalizeConnect", NULL, KIND_SOCK_CONNECT },
	{ "Connection closed by remote peer", NULL, KIND_SOCK_CLOSED },
	{ "Connection closed by localRank", NULL, KIND_LOCAL_CLOSED },
	{ "Call to recv from ", NULL, KIND_SOCK_RESET },
	{ "Call to send to ", NULL, KIND_SOCK_RESET },
	{ "Call to sendto", NULL, KIND_SOCK_RESET },
	{ "recv from ", "Connection reset", KIND_SOCK_RESET },
	{ "Call to bind failed", NULL, KIND_SOCK_NONE },
	{ "socketProgress", NULL, KIND_SOCK_OTHER },

	/* what follows from something else */
	{ "Failed to execute operation", NULL, KIND_PROXY_FAIL },
	{ "Socket recv failed while polling", NULL, KIND_PROXY_FAIL },
	{ "Could not receive type from localRank", NULL, KIND_PROXY_FAIL },
	{ "Proxy Call to rank", NULL, KIND_PROXY_FAIL },
	{ "Service thread", "ail", KIND_PROXY_FAIL },
	{ "[Service thread] Accept failed", NULL, KIND_PROXY_FAIL },

	/* set-up of the job */
	{ "Duplicate GPU detected", NULL, KIND_DUPLICATE_GPU },
	{ "using the same GPU", NULL, KIND_DUPLICATE_GPU },
	{ "/dev/shm", "No space left", KIND_SHM_SMALL },
	{ "failed to extend", NULL, KIND_SHM_SMALL },
	{ "creating shared memory segment", NULL, KIND_SHM_SMALL },
	{ "posix_fallocate failed", NULL, KIND_SHM_SMALL },
	{ "insufficient shared memory", NULL, KIND_SHM_SMALL },
	{ "unable to write to file </torch_", NULL, KIND_SHM_SMALL },
	{ "Mismatched collective", NULL, KIND_MISMATCH_CALL },
	{ "Mismatched NCCL version", NULL, KIND_VERSIONS },
	{ "NCCL version mismatch", NULL, KIND_VERSIONS },
	{ "Message truncated", NULL, KIND_MISMATCH_CALL },
	{ "message truncated", NULL, KIND_MISMATCH_CALL },
	{ "receiving ", "bytes instead of", KIND_MISMATCH_CALL },
	{ "P2P is disabled between NVLINK", NULL, KIND_P2P_OFF },
	{ "GPU Direct RDMA Disabled", NULL, KIND_GDR_OFF },
	{ "GPU Direct RDMA Enabled", NULL, KIND_GDR_ON },
	{ "nv_peer_mem", "not loaded", KIND_GDR_OFF },
	{ "Could not open XML topology", NULL, KIND_TOPO_WRONG },
	{ "Topology detection", "ail", KIND_TOPO_WRONG },
	{ "XML Import", NULL, KIND_TOPO_WRONG },
	{ "XML parse error", NULL, KIND_TOPO_WRONG },

	/* EFA */
	{ "NET/OFI", "insert remote address", KIND_OFI_ADDRESS },
	{ "NET/OFI", "Couldn't", KIND_OFI_RESOURCE },
	{ "NET/OFI", "No eligible providers", KIND_OFI_RESOURCE },
	{ "NET/OFI", "completed with error", KIND_OFI_OTHER },
	{ "NET/OFI", "Unable to", KIND_OFI_RESOURCE },
	{ "NET/OFI", " RC: -", KIND_OFI_OTHER },
	{ "fi_getinfo", "ail", KIND_OFI_RESOURCE },

	/* NVLink multicast and the fabric manager's realm */
	{ "nvls.cc", "Cuda failure", KIND_NVLS_FAIL },
	{ "Failed to bind NVLink SHARP", NULL, KIND_NVLS_FAIL },
	{ "NVLS", "multicast", KIND_NVLS_FAIL },
	{ "system not yet initialized", NULL, KIND_CUDA_NOT_READY },
	{ "cudaErrorSystemNotReady", NULL, KIND_CUDA_NOT_READY },
	{ "CUDA_ERROR_SYSTEM_NOT_READY", NULL, KIND_CUDA_NOT_READY },
	{ "Error 802", NULL, KIND_CUDA_NOT_READY },
	{ "cuMemSetAccess", "ultinode", KIND_CUDA_IMEX },
	{ "cuMemImportFromShareableHandle", NULL, KIND_CUDA_IMEX },
	{ "cuMemExportToShareableHandle", NULL, KIND_CUDA_IMEX },
	{ "IMEX", "ail", KIND_CUDA_IMEX },
	{ "nvidia-caps-imex-channels", NULL, KIND_CUDA_IMEX },

	/* CUDA */
	{ "driver version is insufficient", NULL, KIND_CUDA_DRIVER },
	{ "forward compatibility was attempted", NULL, KIND_CUDA_DRIVER },
	{ "system has unsupported display driver", NULL, KIND_CUDA_DRIVER },
	{ "PTX was compiled with an unsupported", NULL, KIND_CUDA_DRIVER },
	{ "no kernel image is available", NULL, KIND_CUDA_DRIVER },
	{ "no CUDA-capable device", NULL, KIND_CUDA_NO_DEVICE },
	{ "No CUDA GPUs are available", NULL, KIND_CUDA_NO_DEVICE },
	{ "invalid device ordinal", NULL, KIND_CUDA_ORDINAL },
	{ "CUDA out of memory", NULL, KIND_CUDA_MEMORY },
	{ "uda failure", "out of memory", KIND_CUDA_MEMORY },
	{ "CUDA error: out of memory", NULL, KIND_CUDA_MEMORY },
	{ "illegal memory access", NULL, KIND_CUDA_ADDRESS },
	{ "device-side assert", NULL, KIND_CUDA_ADDRESS },
	{ "misaligned address", NULL, KIND_CUDA_ADDRESS },
	{ "illegal instruction was", NULL, KIND_CUDA_ADDRESS },
	{ "unspecified launch failure", NULL, KIND_CUDA_ADDRESS },
	{ "uncorrectable ECC error", NULL, KIND_CUDA_ECC },
	{ "uncorrectable NVLink error", NULL, KIND_CUDA_NVLINK },
	{ "peer access is not supported", NULL, KIND_CUDA_P2P },
	{ "peer mapping resources exhausted", NULL, KIND_CUDA_P2P },
	{ "uda failure", NULL, KIND_CUDA_OTHER },
	{ "CUDA failure", NULL, KIND_CUDA_OTHER },

	/* what reaches the program */
	{ "ncclRemoteError", NULL, KIND_REMOTE_ERROR },
	{ "remote process exited or there was a", NULL, KIND_REMOTE_ERROR },
	{ "ncclUnhandledCudaError", NULL, KIND_CUDA_ERROR_SEEN },
	{ "unhandled cuda error", NULL, KIND_CUDA_ERROR_SEEN },
	{ "ncclInternalError", NULL, KIND_INTERNAL_ERROR },
	{ "ncclSystemError", NULL, KIND_SYSTEM_ERROR },
	{ "unhandled system error", NULL, KIND_SYSTEM_ERROR },
	{ "ncclInvalidUsage", NULL, KIND_USAGE_ERROR },
	{ "ncclInvalidArgument", NULL, KIND_USAGE_ERROR },
};

const struct nccl_message *nccl_messages(size_t *ret_n)
{
	*ret_n = sizeof(messages) / sizeof(messages[0]);
	return messages;
}
