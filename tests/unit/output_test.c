// SPDX-License-Identifier: Apache-2.0
// Reports appear whole or not at all, and never replace what is no file.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mpi/cmd/output.h"

static char dir[] = "/tmp/fp-output-test-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void in_dir(const char *name, char path[static 64])
{
	(void)snprintf(path, 64, "%s/%s", dir, name);
}

static size_t count_files(void)
{
	DIR *d = opendir(dir);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void file_is_whole_test(void **state)
{
	struct fp_err err = { 0 };
	char path[64], text[16] = "";
	FILE *f;

	(void)state;
	in_dir("report", path);
	assert_int_equal(output_check(path, &err), FP_OK);
	assert_int_equal(count_files(), 0);
	assert_int_equal(output_file(path, "first", 5, &err), FP_OK);
	assert_int_equal(output_file(path, "second", 6, &err), FP_OK);
	assert_int_equal(count_files(), 1);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof(text), f), 6);
	fclose(f);
	assert_string_equal(text, "second");
	assert_int_equal(unlink(path), 0);
}

static void device_stays_a_device_test(void **state)
{
	struct fp_err err = { 0 };
	struct stat st;

	(void)state;
	assert_int_equal(output_file("/dev/null", "x", 1, &err), FP_OK);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(output_check("/dev/full", &err), FP_OK);
	assert_int_equal(output_file("/dev/full", "x", 1, &err), FP_ERR_SYS);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void pipe_gets_it_all_test(void **state)
{
	struct fp_err err = { 0 };
	char path[64], text[8] = "";
	int fd;

	(void)state;
	in_dir("pipe", path);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(output_check(path, &err), FP_OK);
	assert_int_equal(output_file(path, "report", 6, &err), FP_OK);
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	close(fd);
	assert_string_equal(text, "report");
	assert_int_equal(unlink(path), 0);
}

static void cannot_write_test(void **state)
{
	struct fp_err err = { 0 };
	char path[64];

	(void)state;
	in_dir("none/report", path);
	assert_int_equal(output_check(path, &err), FP_ERR_USAGE);
	assert_non_null(strstr(err.text, path));
	err = (struct fp_err){ 0 };
	assert_int_equal(output_check(dir, &err), FP_ERR_USAGE);
	assert_non_null(strstr(err.text, "folder"));
	assert_int_equal(output_file(path, "x", 1, &err), FP_ERR_SYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_is_whole_test),
		cmocka_unit_test(device_stays_a_device_test),
		cmocka_unit_test(pipe_gets_it_all_test),
		cmocka_unit_test(cannot_write_test),
	};

	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
