# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts in place works from there, and needs nothing of
the tree that it was built in."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402

BUILD = os.environ.get("FP_BUILD") or case.SOURCE + "/build"
BOUND_S = 60


def files(root):
    return sorted(os.path.relpath(os.path.join(folder, name), root)
                  for folder, _, names in os.walk(root) for name in names)


class Install(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.top = tempfile.mkdtemp(prefix="fabricprobe-test.")
        cls.addClassCleanup(shutil.rmtree, cls.top)
        first = os.path.join(cls.top, "first")
        subprocess.run(["cmake", "--install", BUILD, "--prefix", first],
                       check=True, stdout=subprocess.DEVNULL, timeout=BOUND_S)
        # It may be moved, too.
        cls.prefix = os.path.join(cls.top, "moved")
        os.rename(first, cls.prefix)
        cls.files = files(cls.prefix)

    def path(self, pattern):
        """The one file that was installed under such a name."""
        found = [f for f in self.files if re.search(pattern, f)]
        self.assertEqual(len(found), 1, (pattern, found))
        return os.path.join(self.prefix, found[0])

    def run_it(self, program, *argv):
        """Its standard output; it has to succeed."""
        if program == "fabricprobe-run" and not shutil.which(case.MPIRUN):
            self.skipTest("%s is not installed" % case.MPIRUN)
        done = subprocess.run(
            [self.path("bin/%s$" % program)] + list(argv), cwd=self.top,
            env=dict(os.environ, **case.MPI_ENV), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            universal_newlines=True, timeout=BOUND_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(files(self.prefix), self.files)  # nothing written
        return done.stdout

    def test_program(self):
        """It finds its worker."""
        self.assertIn("HEALTHY  2 ranks", self.run_it(
            "fabricprobe", "--local", "2", "--quick", "--no-progress"))

    def test_wrapper_and_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        text = self.run_it("fabricprobe-run", "--mpirun", case.MPIRUN, "-n",
                           "2", "--", "--quick", "--no-progress", "--json",
                           "-")
        with open(self.path("report.schema.json$")) as f:
            jsonschema.validate(json.loads(text), json.load(f))

    def test_capture(self):
        self.run_it("capture-host", os.path.join(self.top, "host"))
        self.assertIn("NUMA node", self.run_it(
            "fabricprobe", "topo", "--sysroot",
            os.path.join(self.top, "host")))

    def test_manual(self):
        """A page for each command that help tells of."""
        if not shutil.which("help2man"):
            self.skipTest("help2man is not installed")
        text = " ".join(self.run_it("fabricprobe", "--help").split())
        words = re.search(r"Commands: fabricprobe \[run\], ([a-z, ]+);",
                          text).group(1).split(", ")
        self.assertIn("pairs", words)
        for word in words + ["run"]:
            self.path("man1/fabricprobe-%s.1$" % word)
        self.path("man1/fabricprobe.1$")


if __name__ == "__main__":
    case.main()
