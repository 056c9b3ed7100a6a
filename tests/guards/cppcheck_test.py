# SPDX-License-Identifier: Apache-2.0
"""check-cppcheck catches what cppcheck sees."""
from plant import LICENCE, prove

prove("check-cppcheck", [
    ("an index past the end",
     {"probes/trial/a.c": LICENCE + "int a(void);\nint a(void)\n{\n"
      "\tint b[2] = { 0, 1 };\n\n\treturn b[2];\n}\n"},
     "probes/trial/a.c:7", "arrayIndexOutOfBounds"),
    ("memory that is lost",
     {"mpi/agent/a.c": LICENCE + "#include <stdlib.h>\nint a(void);\n"
      "int a(void)\n{\n\tchar *b = malloc(4);\n\n\tif (!b)\n\t\treturn 1;\n"
      "\tb[0] = 1;\n\treturn 0;\n}\n"}, "memleak"),
])
