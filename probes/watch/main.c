// SPDX-License-Identifier: Apache-2.0
// The program that watches a GPU.
#include "probes/watch/watch.h"

int main(void)
{
	return watch_main();
}
