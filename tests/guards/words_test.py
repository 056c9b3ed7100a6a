# SPDX-License-Identifier: Apache-2.0
"""check-words catches what has no place in the repository. The words are put
together here, so that this file has none of them."""
from plant import CLEAN, LICENCE, expect, prove

assert expect("check-words", "what looks alike passes", {
    **CLEAN,
    "README.md": "the /workers/ of a rootless session share issues, see "
                 "README.md and https://example.com/PERF.md\n"
                 "NVIDIA/nccl issue 933\n",
    "tests/a.c": LICENCE + 'char a[] = "/tmp/fp-XXXXXX";\n',
    "tests/b.bin": "\0/wor" "k/x",
}, 0)


def line(*parts):
    return {"README": "one\nsee " + "".join(parts) + "\n"}


prove("check-words", [
    ("a path of a builder", line("/wor", "k/main"), "README:2"),
    ("a home", line("/ho", "me/me/x"), "README:2"),
    ("root's home", line("/ro", "ot/x"), "README:2"),
    ("a temporary file of somebody", line("/tm", "p/x"), "mkdtemp"),
    ("a document that is elsewhere", line("des", "ign", ".md"), "README:2"),
    ("another one", line("fac", "ts/style"), "README:2"),
    ("a list that is elsewhere", line("iss", "ue 2"), "README:2"),
    ("a left-over mark", line("FIX", "ME"), "left-over"),
    ("a merge conflict", {"README": "<" * 7 + " HEAD\n"}, "README:1"),
    ("a source without a licence", {"mpi/a.c": "int a;\n"},
     "mpi/a.c:1: the licence"),
    ("a script without a licence", {"scripts/a": "#!/bin/sh\n"},
     "scripts/a:1: the licence"),
])
