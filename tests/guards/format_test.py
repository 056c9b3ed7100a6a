# SPDX-License-Identifier: Apache-2.0
"""check-format catches what clang-format would change."""
from plant import LICENCE, prove

prove("check-format", [
    ("spaces for a tab",
     {"mpi/a.c": LICENCE + "int a(void)\n{\n    return 1;\n}\n"}, "mpi/a.c:3"),
    ("a brace in the wrong place",
     {"mpi/a.h": LICENCE + "static inline int a(void) {\n\treturn 1;\n}\n"},
     "mpi/a.h:2"),
    ("a line of more than 80 columns",
     {"tests/unit/a.c": LICENCE + "int a(int " + "b" * 30 + ", int "
      + "c" * 40 + ");\n"}, "tests/unit/a.c:2"),
])
