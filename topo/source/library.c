// SPDX-License-Identifier: Apache-2.0
// Loads libraries and finds their functions.
#include "topo/source/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_symbol(void *handle, const char *name, void *fn)
{
	void *symbol = handle ? dlsym(handle, name) : NULL;

	/* What POSIX promises and C does not: these pointers are alike. */
	memcpy(fn, &symbol, sizeof(symbol));
	return symbol;
}

const char *library_open(const char *file, const struct library_row *rows,
                         size_t n)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	const char *why;

	if (!handle) {
		why = dlerror();
		return why ? why : file;
	}
	for (size_t i = 0; i < n; i++)
		if (!library_symbol(handle, rows[i].name, rows[i].fn))
			return "it lacks a function";
	return NULL;
}
