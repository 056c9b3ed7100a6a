# SPDX-License-Identifier: Apache-2.0
# Where things go, and the manual pages.

install(TARGETS fabricprobe RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS fabricprobe-worker fabricprobe-watch
        RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fabricprobe")
if(FP_CUDA)
	install(TARGETS fabricprobe-worker-cuda
	        RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fabricprobe")
endif()
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/fabricprobe-run"
        "${PROJECT_SOURCE_DIR}/scripts/capture-host"
        DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/fabricprobe_run"
        DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fabricprobe"
        FILES_MATCHING PATTERN "*.py")
install(FILES "${PROJECT_SOURCE_DIR}/probes/report/report.schema.json"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fabricprobe")

# All that is installed, and none of the tests.
add_custom_target(product)
add_dependencies(product fabricprobe fabricprobe-worker fabricprobe-watch)
if(FP_CUDA)
	add_dependencies(product fabricprobe-worker-cuda)
endif()

# The pages are what --help prints, so a program that cannot run here (cross
# build, no help2man) has none.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN OR CMAKE_CROSSCOMPILING OR FP_FUZZ)
	message(STATUS "no manual pages: help2man is missing or cannot be used")
	return()
endif()

set(wrapper "${PROJECT_SOURCE_DIR}/scripts/fabricprobe-run")

# fp_man(PAGE RUN TITLE): PAGE.1 from "RUN --help".
function(fp_man page run title)
	set(out "${PROJECT_BINARY_DIR}/man/${page}.1")
	add_custom_command(
		OUTPUT "${out}"
		COMMAND "${CMAKE_COMMAND}" -E make_directory
		        "${PROJECT_BINARY_DIR}/man"
		COMMAND "${HELP2MAN}" --no-info --section=1
		        "--source=fabricprobe ${PROJECT_VERSION}"
		        "--version-string=${page} ${PROJECT_VERSION}"
		        "--name=${title}" "--output=${out}" "${run}"
		DEPENDS fabricprobe "${wrapper}"
		VERBATIM)
	install(FILES "${out}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
	set_property(GLOBAL APPEND PROPERTY FP_MAN_PAGES "${out}")
endfunction()

# Each command but run, which is the program's own page.
set(program "$<TARGET_FILE:fabricprobe>")
fp_man(fabricprobe "${program}"
       "find the slow or hanging link of a GPU cluster")
fp_man(fabricprobe-run "${wrapper}"
       "launch fabricprobe on hosts that may be sick")
foreach(row IN ITEMS
        "pairs:measure and judge every pair of ranks"
        "sweep:time a collective over message sizes"
        "bisect:name the ranks by which a collective hangs"
        "check:judge what hosts are, without traffic"
        "topo:draw the map of hosts"
        "explain:say what logs and dumps tell, and who is at fault"
        "simulate:try faults on a model of a cluster"
        "compare:say what got slower between two saved runs"
        "report:render a saved run"
        "list:say what this build can do")
	string(REGEX MATCH "^[a-z]+" command "${row}")
	string(REGEX REPLACE "^[a-z]+:" "" title "${row}")
	fp_man("fabricprobe-${command}" "${program} ${command}" "${title}")
endforeach()
get_property(pages GLOBAL PROPERTY FP_MAN_PAGES)
add_custom_target(man ALL DEPENDS ${pages})
add_dependencies(product man)
