# SPDX-License-Identifier: Apache-2.0
# fp_flags: how every file of this repository is compiled and linked.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(fp_warnings -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes
    -Wstrict-prototypes -Wformat=2)
if(FP_WERROR)
	list(APPEND fp_warnings -Werror)
endif()

add_library(fp_flags INTERFACE)
target_include_directories(fp_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(fp_flags INTERFACE _GNU_SOURCE)
target_compile_options(fp_flags INTERFACE ${fp_warnings})

set(fp_sanitizers ${FP_SANITIZE})
if(FP_FUZZ)
	if(NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
		message(FATAL_ERROR "FP_FUZZ needs CMAKE_C_COMPILER=clang")
	endif()
	list(APPEND fp_sanitizers fuzzer-no-link)
endif()
if(fp_sanitizers)
	list(JOIN fp_sanitizers "," fp_sanitizers)
	target_compile_options(fp_flags INTERFACE
	                       -fsanitize=${fp_sanitizers}
	                       -fno-sanitize-recover=all
	                       -fno-omit-frame-pointer)
	target_link_options(fp_flags INTERFACE -fsanitize=${fp_sanitizers})
endif()
