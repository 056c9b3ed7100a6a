// SPDX-License-Identifier: Apache-2.0
// Writes reports.
#include "mpi/cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_PATH_MAX 4096
#define OUTPUT_COLUMNS 80
#define OUTPUT_WAIT_MS 5000

/* A pipe that is full: its reader gets some time. */
static bool may_wait(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	if (errno != EAGAIN)
		return false;
	if (poll(&pfd, 1, OUTPUT_WAIT_MS) == 1)
		return true;
	errno = EAGAIN;
	return false;
}

static bool write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = write(fd, text, len);
		if (n < 0 && (errno == EINTR || may_wait(fd)))
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return true;
}

enum fp_status output_fd(int fd, const char *text, size_t len,
                         struct fp_err *err)
{
	if (write_all(fd, text, len) || errno == EPIPE)
		return FP_OK;
	return fp_err_sys(err, errno, "cannot write the report");
}

static int temp_open(const char *path, char temp[OUTPUT_PATH_MAX],
                     struct fp_err *err)
{
	int fd;

	if (snprintf(temp, OUTPUT_PATH_MAX, "%s.%d.tmp", path, (int)getpid()) >=
	    OUTPUT_PATH_MAX) {
		fp_err_set(err, FP_ERR_USAGE, "%.64s...: path too long", path);
		return -1;
	}
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		fp_err_sys(err, errno, "cannot write %s", path);
	return fd;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* A device, a pipe, a socket: nothing that may be replaced by a file. */
static bool is_special(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static enum fp_status special_write(const char *path, const char *text,
                                    size_t len, struct fp_err *err)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	bool good = fd >= 0 && write_all(fd, text, len);
	int errnum = errno;

	if (fd >= 0)
		close(fd);
	return good ? FP_OK : fp_err_sys(err, errnum, "cannot write %s", path);
}

enum fp_status output_file(const char *path, const char *text, size_t len,
                           struct fp_err *err)
{
	char temp[OUTPUT_PATH_MAX];
	int errnum, fd;
	bool good;

	if (is_special(path))
		return special_write(path, text, len, err);
	fd = temp_open(path, temp, err);
	if (fd < 0)
		return FP_ERR_SYS;
	good = write_all(fd, text, len) && fsync(fd) == 0;
	errnum = errno;
	if (close(fd) < 0 && good) {
		good = false;
		errnum = errno;
	}
	if (good && rename(temp, path) < 0) {
		good = false;
		errnum = errno;
	}
	if (good)
		return FP_OK;
	(void)unlink(temp);
	return fp_err_sys(err, errnum, "cannot write %s", path);
}

enum fp_status output_check(const char *path, struct fp_err *err)
{
	char temp[OUTPUT_PATH_MAX];
	int fd;

	/* Opening a pipe to look would end its reader. */
	if (is_folder(path))
		return fp_err_set(err, FP_ERR_USAGE, "%s is a folder", path);
	if (is_special(path))
		return access(path, W_OK) == 0
		               ? FP_OK
		               : fp_err_sys(err, errno, "cannot write %s",
		                            path);
	fd = temp_open(path, temp, err);
	if (fd < 0)
		return FP_ERR_USAGE;
	close(fd);
	(void)unlink(temp);
	return FP_OK;
}

int output_columns(int fd)
{
	struct winsize size = { 0 };

	if (isatty(fd) == 1 && ioctl(fd, TIOCGWINSZ, &size) == 0 &&
	    size.ws_col >= 40)
		return size.ws_col;
	return OUTPUT_COLUMNS;
}

void output_utc(char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) ||
	    strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		buf[0] = '\0';
}
