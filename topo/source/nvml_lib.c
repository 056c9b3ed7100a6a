// SPDX-License-Identifier: Apache-2.0
// Loads NVML.
#include "topo/source/nvml_lib.h"

#include <dlfcn.h>

#include "topo/source/library.h"

bool nvml_symbol(const struct nvml *lib, const char *name, void *fn)
{
	return library_symbol(lib->handle, name, fn);
}

const char *nvml_error(const struct nvml *lib, int code)
{
	const char *text = lib->error_string ? lib->error_string(code) : NULL;

	return text ? text : "unknown error";
}

enum fp_status nvml_open(const char *file, struct nvml *ret, struct fp_err *err)
{
	struct nvml lib = { .handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) };
	int (*init)(void);
	const char *why;
	int code;

	if (!lib.handle) {
		why = dlerror();
		return fp_err_set(err, FP_ERR_NOTSUP, "%s",
		                  why ? why : "cannot be loaded");
	}
	(void)nvml_symbol(&lib, "nvmlErrorString", &lib.error_string);
	if (!nvml_symbol(&lib, "nvmlInit_v2", &init)) {
		(void)dlclose(lib.handle);
		return fp_err_set(err, FP_ERR_NOTSUP, "%s has no nvmlInit_v2",
		                  file);
	}
	code = init();
	if (code != NVML_OK) {
		(void)fp_err_set(err, FP_ERR_LIB, "nvmlInit: %s (%d)",
		                 nvml_error(&lib, code), code);
		(void)dlclose(lib.handle);
		return FP_ERR_LIB;
	}
	*ret = lib;
	return FP_OK;
}

void nvml_close(struct nvml *lib)
{
	int (*end)(void);

	if (!lib->handle)
		return;
	if (nvml_symbol(lib, "nvmlShutdown", &end))
		(void)end();
	(void)dlclose(lib->handle);
	*lib = (struct nvml){ 0 };
}

void nvml_put_code(const struct nvml *lib, struct reading_pen *pen,
                   const char *name, int code)
{
	if (code != NVML_OK && code != NVML_NOT_SUPPORTED &&
	    code != NVML_INVALID_ARGUMENT && code != NVML_FUNCTION_NOT_FOUND)
		reading_put_skip(pen, name, "NVML: %s (%d)",
		                 nvml_error(lib, code), code);
}

static int64_t field_number(const struct nvml_field_value *value)
{
	switch (value->type) {
	case NVML_VALUE_DOUBLE:
		return (int64_t)value->value.real;
	case NVML_VALUE_UINT:
		return value->value.ui;
	case NVML_VALUE_INT:
		return value->value.si;
	case NVML_VALUE_USHORT:
		return value->value.us;
	default:
		return value->value.sll;
	}
}

int nvml_read_field(const struct nvml *lib, nvml_dev dev, uint32_t field,
                    uint32_t scope, int64_t *ret)
{
	struct nvml_field_value value = { .field = field, .scope = scope };
	int (*get)(nvml_dev, int, struct nvml_field_value *);
	int code;

	if (!nvml_symbol(lib, "nvmlDeviceGetFieldValues", &get))
		return NVML_FUNCTION_NOT_FOUND;
	code = get(dev, 1, &value);
	if (code == NVML_OK)
		code = value.status;
	if (code == NVML_OK)
		*ret = field_number(&value);
	return code;
}
