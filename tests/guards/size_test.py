# SPDX-License-Identifier: Apache-2.0
"""check-size catches files, functions and lists of parameters that grew."""
from plant import CLEAN, LICENCE, expect, prove


def function(name, lines):
    return f"int {name}(void)\n{{\n" + "\n" * (lines - 4) + "\treturn 1;\n}\n"


assert expect("check-size", "what is as long as it may be passes", {
    **CLEAN,
    "mpi/agent/a.c": function("a", 60),
    "probes/trial/a.h": "\n" * 400,
    "topo/a.c": "int a(int b, int c, int d, int e, int f,\n"
                "      int (*g)(int, int, int, int, int, int, int))\n"
                "{\n\treturn 1;\n}\n",
    "topo/b.c": "/* as the library calls it: NOLINTNEXTLINE("
                "readability-function-size) */\n"
                "static int b(int c, int d, int e, int f, int g, int h,\n"
                "             int i)\n{\n\treturn 1;\n}\n",
}, 0)

prove("check-size", [
    ("a file of 401 lines", {"probes/trial/a.h": "\n" * 401}, "probes/trial/a.h: 401"),
    ("a test of 401 lines", {"tests/unit/a.c": "\n" * 401}, "tests/unit/a.c"),
    ("a function of 61 lines", {"mpi/agent/a.c": LICENCE + function("a", 61)},
     "mpi/agent/a.c:2: a: 61 lines"),
    ("an inline function of 61 lines",
     {"mpi/agent/a.h": "static inline " + function("a", 61)}, "mpi/agent/a.h:1"),
    ("7 parameters",
     {"mpi/agent/a.c": LICENCE + "int a(int b, int c, int d, int e, int f,\n"
      "      int g, int h)\n{\n\treturn 1;\n}\n"}, "a: 7 parameters"),
    ("functions that are long on the whole",
     {"mpi/agent/a.c": "".join(function(f"a{i}", 16) for i in range(9))},
     "median"),
])
