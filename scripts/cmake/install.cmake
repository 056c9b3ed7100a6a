# SPDX-License-Identifier: Apache-2.0
# Where things go, and the manual pages.

install(TARGETS fabricprobe RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS fabricprobe-worker
        RUNTIME DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fabricprobe")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/fabricprobe-run"
        DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/scripts/fabricprobe_run"
        DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/fabricprobe"
        FILES_MATCHING PATTERN "*.py")
install(FILES "${PROJECT_SOURCE_DIR}/probes/report/report.schema.json"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/fabricprobe")

# The pages are what --help prints, so a program that cannot run here (cross
# build, no help2man) has none.
find_program(HELP2MAN help2man)
if(NOT HELP2MAN OR CMAKE_CROSSCOMPILING OR FP_FUZZ)
	message(STATUS "no manual pages: help2man is missing or cannot be used")
	return()
endif()

# fp_man(PAGE COMMAND TITLE): PAGE.1 from "fabricprobe COMMAND --help".
function(fp_man page command title)
	set(out "${PROJECT_BINARY_DIR}/man/${page}.1")
	set(run "$<TARGET_FILE:fabricprobe>")
	if(command)
		string(APPEND run " ${command}")
	endif()
	add_custom_command(
		OUTPUT "${out}"
		COMMAND "${CMAKE_COMMAND}" -E make_directory
		        "${PROJECT_BINARY_DIR}/man"
		COMMAND "${HELP2MAN}" --no-info --section=1
		        "--source=fabricprobe ${PROJECT_VERSION}"
		        "--version-string=${page} ${PROJECT_VERSION}"
		        "--name=${title}" "--output=${out}" "${run}"
		DEPENDS fabricprobe
		VERBATIM)
	install(FILES "${out}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
	set_property(GLOBAL APPEND PROPERTY FP_MAN_PAGES "${out}")
endfunction()

fp_man(fabricprobe "" "find the slow or hanging link of a GPU cluster")
fp_man(fabricprobe-pairs pairs "measure and judge every pair of ranks")
fp_man(fabricprobe-sweep sweep "time a collective over message sizes")
fp_man(fabricprobe-report report "render a saved run")
fp_man(fabricprobe-list list "say what this build can do")
get_property(pages GLOBAL PROPERTY FP_MAN_PAGES)
add_custom_target(man ALL DEPENDS ${pages})
