# SPDX-License-Identifier: Apache-2.0
# The CUDA toolkit and NCCL, where there are any: FP_CUDA says whether there
# is enough for the GPU worker, FP_CUDA_MISSING what is not there.

option(FP_GPU "Build the GPU worker where CUDA and NCCL are found" ON)
set(FP_CUDA OFF)
set(FP_CUDA_MISSING "")
set(fp_cuda_hints "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda)

find_program(FP_NVCC nvcc HINTS ${fp_cuda_hints} PATH_SUFFIXES bin)
find_path(FP_CUDA_INCLUDE cuda_runtime_api.h HINTS ${fp_cuda_hints}
          PATH_SUFFIXES include)
find_library(FP_CUDART cudart HINTS ${fp_cuda_hints}
             PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
find_path(FP_NCCL_INCLUDE nccl.h HINTS "$ENV{NCCL_HOME}" ${fp_cuda_hints}
          PATH_SUFFIXES include)
find_library(FP_NCCL nccl HINTS "$ENV{NCCL_HOME}" ${fp_cuda_hints}
             PATH_SUFFIXES lib64 lib)

foreach(part IN ITEMS "FP_NVCC nvcc" "FP_CUDA_INCLUDE cuda_runtime_api.h"
        "FP_CUDART libcudart" "FP_NCCL_INCLUDE nccl.h" "FP_NCCL libnccl")
	string(REPLACE " " ";" part "${part}")
	list(GET part 0 var)
	list(GET part 1 name)
	if(NOT ${var})
		list(APPEND FP_CUDA_MISSING "${name}")
	endif()
endforeach()
if(FP_GPU AND NOT FP_CUDA_MISSING)
	set(FP_CUDA ON)
endif()
# A fuzzer's or a sanitizer's run-time cannot live beside nvcc's host code.
if(FP_FUZZ)
	set(FP_CUDA OFF)
	list(APPEND FP_CUDA_MISSING "a build without fuzz targets")
endif()
list(JOIN FP_CUDA_MISSING ", " FP_CUDA_MISSING)

# fp_cuda_object(OUT SOURCE): SOURCE compiled by nvcc for every architecture
# that this toolkit knows, for linking by a C compiler.
function(fp_cuda_object out source)
	set(object "${PROJECT_BINARY_DIR}/kernels/${source}.o")
	cmake_path(GET object PARENT_PATH folder)
	file(MAKE_DIRECTORY "${folder}")
	add_custom_command(
		OUTPUT "${object}"
		COMMAND "${FP_NVCC}" -c -arch=all-major -O3 -Wno-deprecated-gpu-targets
		        "-I${PROJECT_SOURCE_DIR}"
		        -Xcompiler -fPIC,-fno-exceptions,-fno-threadsafe-statics
		        -Xcompiler -fno-asynchronous-unwind-tables
		        -o "${object}" "${PROJECT_SOURCE_DIR}/${source}"
		DEPENDS "${PROJECT_SOURCE_DIR}/${source}"
		        "${PROJECT_SOURCE_DIR}/probes/xport/cuda_kernel.h"
		        "${PROJECT_SOURCE_DIR}/probes/xport/cuda_kernel_body.h"
		        "${PROJECT_SOURCE_DIR}/probes/xport/cuda_type.h"
		VERBATIM)
	set(${out} "${object}" PARENT_SCOPE)
endfunction()
