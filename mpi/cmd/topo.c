// SPDX-License-Identifier: Apache-2.0
// fabricprobe topo: from saved text, or of the hosts of a job.
#include "mpi/cmd/topo.h"

int cmd_topo(const struct cmd *cmd)
{
	return *cmd->opts->from ? topo_text(cmd)
	                        : cmd_run_job(cmd, topo_job_show);
}
