// SPDX-License-Identifier: Apache-2.0
// Unit tests of who has a GPU open, by files that are made.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/made_root.h"
#include "topo/source/live.h"

struct made {
	struct made_root root;
	struct live live;
};

static void put_process(const struct made *made, const char *pid,
                        const char *name)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "proc/%s/comm", pid);
	made_root_put(&made->root, path, name);
}

static void put_open(const struct made *made, const char *pid, int fd,
                     const char *device)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "proc/%s/fd/%d", pid, fd);
	made_root_link(&made->root, path, device);
}

static int make(void **state)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made_root_make(&made->root);
	made_root_put(&made->root, "proc/driver/nvidia/version", "550\n");
	made->live.root_fd = made->root.fd;
	made->live.readings = readings_new(1);
	*state = made;
	return 0;
}

static int unmake(void **state)
{
	struct made *made = *state;

	readings_unref(made->live.readings);
	made_root_remove(&made->root);
	free(made);
	return 0;
}

static const char *gpus_of(struct made *made, const char *process)
{
	assert_int_equal(live_users_ops.read(&made->live, NULL), FP_OK);
	return readings_get_text(made->live.readings, process, "process.gpus");
}

/* 1 is within 10, and is another GPU. */
static void each_gpu_once(void **state)
{
	static const char *const open[] = { "/dev/nvidia10",   "/dev/nvidia1",
		                            "/dev/nvidia1",    "/dev/nvidiactl",
		                            "/dev/nvidia-uvm", "/dev/nvidia0" };
	struct made *made = *state;

	put_process(made, "4711", "python3\n");
	for (int i = 0; i < (int)(sizeof(open) / sizeof(*open)); i++)
		put_open(made, "4711", 3 + i, open[i]);
	assert_true(live_users_any(made->live.root_fd));
	assert_string_equal(gpus_of(made, "process 4711"), "0,1,10");
}

static void all_of_a_large_host(void **state)
{
	struct made *made = *state;
	char device[32];

	put_process(made, "4711", "python3\n");
	for (int i = 0; i < 16; i++) {
		(void)snprintf(device, sizeof(device), "/dev/nvidia%d", i);
		put_open(made, "4711", 3 + i, device);
	}
	assert_string_equal(gpus_of(made, "process 4711"),
	                    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
}

/* What waits is in the kernel; what runs has an empty stack. */
static void where_it_is(void **state)
{
	struct made *made = *state;
	struct reading stack;

	put_process(made, "1", "python3\n");
	put_open(made, "1", 3, "/dev/nvidia0");
	made_root_put(&made->root, "proc/1/stack",
	              "[<0>] os_acquire_mutex+0x3/0x10 [nvidia]\n"
	              "[<0>] nvidia_ioctl+0x12/0x90 [nvidia]\n");
	put_process(made, "2", "python3\n");
	put_open(made, "2", 3, "/dev/nvidia0");
	made_root_put(&made->root, "proc/2/stack", "");
	assert_int_equal(live_users_ops.read(&made->live, NULL), FP_OK);
	assert_string_equal(readings_get_text(made->live.readings, "process 1",
	                                      "process.stack"),
	                    "os_acquire_mutex < nvidia_ioctl");
	stack = (struct reading){ 0 };
	assert_false(readings_get(made->live.readings, "process 2",
	                          "process.stack", &stack));
	assert_int_equal(stack.kind, READING_SKIP);
	assert_string_equal(stack.text, "empty: it is not in the kernel");
}

static void nobody(void **state)
{
	struct made *made = *state;

	put_process(made, "12", "nvidia-smi\n");
	put_open(made, "12", 3, "/dev/nvidia0");
	put_process(made, "13", "bash\n");
	put_open(made, "13", 3, "/dev/nvidiactl");
	assert_false(live_users_any(made->live.root_fd));
	assert_string_equal(gpus_of(made, "process 13"), "");
	assert_int_equal(readings_count(made->live.readings), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_gpu_once, make, unmake),
		cmocka_unit_test_setup_teardown(all_of_a_large_host, make,
		                                unmake),
		cmocka_unit_test_setup_teardown(where_it_is, make, unmake),
		cmocka_unit_test_setup_teardown(nobody, make, unmake),
	};

	return cmocka_run_group_tests_name("proc_users", tests, NULL, NULL);
}
