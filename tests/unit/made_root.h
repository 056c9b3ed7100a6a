/* SPDX-License-Identifier: Apache-2.0 */
/* A folder that is read as a host's "/", and goes with all that is in it. */
#ifndef FP_TESTS_UNIT_MADE_ROOT_H
#define FP_TESTS_UNIT_MADE_ROOT_H

/** struct made_root - zero-initialise; made_root_remove(). */
struct made_root {
	char path[64];
	int fd;
};

/** made_root_make() - an empty one, in TMPDIR or /tmp. */
void made_root_make(struct made_root *ret);

/** made_root_put() - the file @path with its @text, and its folders. */
void made_root_put(const struct made_root *root, const char *path,
                   const char *text);

/** made_root_link() - @path as a link to @target, and its folders. */
void made_root_link(const struct made_root *root, const char *path,
                    const char *target);

/** made_root_remove() - with all that is in it; takes one that is zero. */
void made_root_remove(struct made_root *root);

#endif
