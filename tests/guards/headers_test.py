# SPDX-License-Identifier: Apache-2.0
"""check-headers catches headers that need another, or cannot come twice."""
from plant import HEAD, prove

prove("check-headers", [
    ("a header that needs another",
     {"topo/a.h": HEAD + "#ifndef A_H\n#define A_H\nsize_t a(void);\n#endif\n"},
     "topo/a.h: does not compile alone", "size_t"),
    ("a header without a guard",
     {"topo/a.h": HEAD + "struct a {\n\tint a;\n};\n"},
     "topo/a.h: does not compile alone"),
    ("a prototype without void",
     {"topo/a.h": HEAD + "#ifndef A_H\n#define A_H\nint a();\n#endif\n"},
     "strict-prototypes"),
])
