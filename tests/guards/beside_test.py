# SPDX-License-Identifier: Apache-2.0
"""Cases that run side by side: each runs once, those that are alone come when
the others are over, and what fails, dies or skips is told."""
import os
import pathlib
import subprocess
import sys
import tempfile

LIB = pathlib.Path(__file__).resolve().parents[1] / "lib"
BEGIN = """
import os, sys, unittest
sys.path.insert(0, %r)
import case
def say(word): os.write(1, (word + "\\n").encode())
class A(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.ready = True
    def test_1(self): say("A1 %%s" %% self.ready)
    def test_2(self): say("A2")
    @case.alone
    def test_3(self): say("alone")
class B(A):
    def test_4(self): say("B4")
""" % str(LIB)
END = "\ncase.main(2)\n"
RAN = ["A1 True", "A1 True", "A2", "A2", "B4", "alone", "alone"]


def run(more):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x_test.py")
        with open(path, "w", encoding="utf-8") as f:
            f.write(BEGIN + more + END)
        return subprocess.run([sys.executable, path], capture_output=True,
                              text=True, check=False, timeout=60)


def expect(what, more, status, ran, word=""):
    got = run(more)
    lines = got.stdout.splitlines()
    if (got.returncode, sorted(lines)) == (status, sorted(ran)) \
            and lines[-2:] == ran[-2:] and word in got.stdout + got.stderr:
        print(f"ok: {what}")
        return True
    print(f"FAILED: {what}: status {got.returncode}\n{got.stdout}"
          f"{got.stderr}")
    return False


SKIPPED = """
A = B = None
class C(unittest.TestCase):
    def test_1(self): self.skipTest("nothing here")
    test_2 = test_1
"""

good = [
    expect("each once, alone last", "", 0, RAN),
    expect("one that fails", "    def test_5(self): self.fail('bad')\n", 1,
           RAN, "AssertionError: bad"),
    expect("one that fails alone",
           "    @case.alone\n    def test_5(self): self.fail('bad')\n", 1,
           RAN, "AssertionError: bad"),
    expect("one whose process ends", "    def test_5(self): os._exit(0)\n", 1,
           RAN, "in the middle of one"),
    expect("all skipped", SKIPPED, 77, ["skipped: nothing here"],
           "nothing here"),
]
sys.exit(0 if all(good) else 1)
