# SPDX-License-Identifier: Apache-2.0
"""check-tidy catches bugs, mutable globals and functions without bounds."""
from plant import LICENCE, prove

STATUS = """#ifndef STATUS_H
#define STATUS_H
enum fp_status { FP_OK, FP_ERR_SYS };
struct fp_err;
enum fp_status fp_err_set(struct fp_err *err, enum fp_status status,
                          const char *fmt, ...);
enum fp_status fp_err_sys(struct fp_err *err, int errnum, const char *fmt,
                          ...);
#endif
"""

prove("check-tidy", [
    ("a null pointer followed",
     {"topo/a.c": LICENCE + "int a(int *p);\nint a(int *p)\n{\n"
      "\tif (!p)\n\t\treturn *p;\n\treturn 0;\n}\n"},
     "topo/a.c:6", "NullDereference"),
    ("a mutable global",
     {"probes/trial/a.c": LICENCE + "int fp_a;\n"},
     "avoid-non-const-global-variables"),
    ("a mutable static",
     {"probes/trial/a.c": LICENCE + "static int fp_a;\nint a(void);\n"
      "int a(void)\n{\n\treturn ++fp_a;\n}\n"},
     "avoid-non-const-global-variables"),
    ("61 lines",
     {"mpi/agent/a.c": LICENCE + "int a(int x);\nint a(int x)\n{\n"
      + "\n" * 60 + "\treturn x;\n}\n"}, "function-size"),
    ("nesting of 4",
     {"mpi/agent/a.c": LICENCE + "int a(int x);\nint a(int x)\n{\n"
      "\tif (x > 1) {\n\t\tif (x > 2) {\n\t\t\tif (x > 3) {\n"
      "\t\t\t\tif (x > 4) {\n\t\t\t\t\treturn 1;\n"
      "\t\t\t\t}\n\t\t\t}\n\t\t}\n\t}\n\treturn x;\n}\n"}, "nesting level"),
    ("7 parameters",
     {"mpi/agent/a.c": LICENCE + "int a(int b, int c, int d, int e, int f, int g, "
      "int h);\nint a(int b, int c, int d, int e, int f, int g, int h)\n{\n"
      "\treturn b + c + d + e + f + g + h;\n}\n"}, "7 parameters"),
    ("a shell",
     {"mpi/agent/a.c": LICENCE + "#include <stdlib.h>\nint a(void);\n"
      "int a(void)\n{\n\treturn system(\"true\");\n}\n"}, "cert-env33-c"),
    ("a value used though the status said no",
     {"topo/base/status.h": STATUS,
      "topo/a.c": LICENCE + '#include "topo/base/status.h"\n'
      "int a(void);\nstatic enum fp_status get(int *ret)\n{\n"
      '\treturn ret ? fp_err_set(0, FP_ERR_SYS, "no") : FP_OK;\n}\n\n'
      "int a(void)\n{\n\tint b;\n\n\tif (get(&b) == FP_OK)\n\t\treturn 0;\n"
      "\treturn b;\n}\n"}, "topo/a.c:15"),
])
