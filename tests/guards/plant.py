# SPDX-License-Identifier: Apache-2.0
"""Proves a guard: it passes a clean tree and catches what is planted in it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SKIP = 77

LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"
HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n"

# A small tree that every guard is content with.
CLEAN = {
    "topo/base/add.h": HEAD + """#ifndef ADD_H
#define ADD_H

int add(int a, int b);

#endif
""",
    "topo/base/add.c": LICENCE + """#include "topo/base/add.h"

int add(int a, int b)
{
	return a + b;
}
""",
    "probes/trial/twice.h": HEAD + """#ifndef TWICE_H
#define TWICE_H

int twice(int a);

#endif
""",
    "probes/trial/twice.c": LICENCE + """#include "probes/trial/twice.h"

#include "topo/base/add.h"

int twice(int a)
{
	return add(a, a);
}
""",
    "mpi/main.c": LICENCE + """#include "probes/trial/twice.h"

int main(void)
{
	return twice(0);
}
""",
}


def run(script, files):
    """Exit status and output of scripts/@script over a tree of @files."""
    with tempfile.TemporaryDirectory(prefix="fp-guard-") as folder:
        tree = pathlib.Path(folder)
        for settings in (".clang-format", ".clang-tidy") if files else ():
            shutil.copy(SOURCE / settings, tree)
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        got = subprocess.run([SOURCE / "scripts" / script, tree],
                             capture_output=True, text=True, check=False,
                             stdin=subprocess.DEVNULL)
        return got.returncode, got.stdout + got.stderr


def expect(script, what, files, status, *words):
    """One case; False and a line about it when it goes another way."""
    got, output = run(script, files)
    if got == SKIP:
        print(output.strip().splitlines()[-1])
        sys.exit(SKIP)
    missing = [word for word in words if word not in output]
    if got == status and not missing:
        print(f"ok: {what}")
        return True
    print(f"FAILED: {what}: status {got} instead of {status}, "
          f"missing {missing}, output:\n{output}")
    return False


def prove(script, plants):
    """Ends the test. @plants: (what, {file: text}, words of the output...);
    each is put into the clean tree on its own and must be caught."""
    good = [expect(script, "a clean tree passes", CLEAN, 0),
            expect(script, "an empty tree does not pass", {}, 1)]
    for what, files, *words in plants:
        good.append(expect(script, f"caught: {what}", {**CLEAN, **files}, 1,
                           *words))
    sys.exit(0 if all(good) else 1)
