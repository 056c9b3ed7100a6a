/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded where a host has them. */
#ifndef FP_TOPO_SOURCE_LIBRARY_H
#define FP_TOPO_SOURCE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/** struct library_row - a function, and the pointer that is to point to it. */
struct library_row {
	const char *name;
	void *fn;
};

/** library_symbol() - the function @name of @handle (may be NULL) into the
 * pointer at @fn. Return: false, and NULL there, if it has none. */
bool library_symbol(void *handle, const char *name, void *fn);

/**
 * library_open() - load @file and find all of @rows. It stays loaded: those
 * that talk to drivers leave handlers behind.
 *
 * Return: NULL, or why it cannot be used, until the next call of dlerror(3).
 */
const char *library_open(const char *file, const struct library_row *rows,
                         size_t n);

#endif
