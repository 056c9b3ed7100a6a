// SPDX-License-Identifier: Apache-2.0
// The host-memory worker program.
#include "probes/worker/worker.h"

int main(void)
{
	return worker_main();
}
