# SPDX-License-Identifier: Apache-2.0
"""Cases on this host alone, with --local N and under mpirun -np N."""
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import proc  # noqa: E402
import report  # noqa: E402

START_S, END_S = 15, 10
TRIAL_TIMEOUT_S, LOST_AFTER_S = 2, 3

# Rates inside a host depend on what else its cores do: such cells may be
# noisy where nothing is wrong, but nobody may be accused for that.
NOISE = ("OK", "DEGRADED", "SUSPECT", "FLAKY")

# A private /dev/shm, where we may have one, so that what is found there
# afterwards is ours; and a loopback of 1 Gbit/s, whose rates, unlike those of
# memory, do not depend on what else the cores do.
PRIVATE = 'mount --bind "$TMPDIR/shm" /dev/shm && exec "$@"'
SHAPE = ("ip link set lo up && tc qdisc add dev lo root tbf rate 1gbit "
         "burst 256kb latency 50ms && ")


def can(*namespaces):
    """May we have such namespaces?"""
    return (os.geteuid() == 0 and shutil.which("unshare")
            and os.system("unshare %s true 2>/dev/null"
                          % " ".join(namespaces)) == 0)


def both_boots(cls):
    """A class decorator: the same cases for each way to start the ranks."""
    module = sys.modules[cls.__module__]
    for boot in ("local", "mpi"):
        name = cls.__name__ + boot.capitalize()
        setattr(module, name, type(name, (cls, unittest.TestCase),
                                   {"BOOT": boot, "__module__": cls.__module__,
                                    "__doc__": cls.__doc__}))
    return cls


class FaultCase:
    """How ranks are started, and what must be true of every end."""

    BOOT = None  # "local" or "mpi"
    SHAPED = False
    OPTIONS = ["--quick", "--no-progress",
               "--trial-timeout", str(TRIAL_TIMEOUT_S),
               "--lost-after", str(LOST_AFTER_S)]

    def setUp(self):
        if self.BOOT == "mpi" and not shutil.which(case.MPIRUN):
            self.skipTest("%s is not installed" % case.MPIRUN)
        if self.SHAPED and not can("--mount", "--net"):
            self.skipTest("a network namespace of our own needs root")

    def argv(self, n, options):
        start = [case.PROGRAM] + self.OPTIONS
        if self.BOOT == "local":
            start += ["--local", str(n)]
        else:
            start = [case.MPIRUN, "-q", "--enable-recovery", "--mca",
                     "orte_allowed_exit_without_sync", "1", "--mca",
                     "orte_abort_on_non_zero_status", "0", "--bind-to",
                     "none", "-np", str(n)] + start
        return start + list(options)

    def start(self, n, *options):
        """The program at work; p.json and p.saved are its outputs."""
        return Local(self.argv(n, options), self.SHAPED)

    def run_it(self, n, *options, measure_s=15, act=None):
        with self.start(n, *options) as p:
            if act:
                act(p)
            p.status = p.wait(START_S + measure_s + END_S)
            self.clean(p)
            p.told, p.said = p.tell(), p.verdict()
            p.report = (report.load(p.json) if os.path.exists(p.json)
                        else None)
        if self.BOOT == "local" and p.said:
            self.assertEqual(p.status, p.said[1], p.told)
        return p

    def clean(self, p):
        """Nothing is left: no process, no shared memory, no file."""
        try:
            proc.wait_for("end of all processes", lambda: not p.pids(), 5)
        except AssertionError:
            self.fail("left behind: %s" % [proc.command(pid)
                                           for pid in p.pids()])
        self.assertEqual(p.litter(), [], p.tell())

    def healthy(self, p):
        self.assertEqual(p.said, ("healthy", 0), p.told)
        report.check(self, p.report, [], NOISE)

    def faulty(self, p, *expected):
        self.assertEqual(p.said, ("fault", 1), p.told)
        self.assertTrue(p.report["drill"] or "--inject" not in p.argv)
        report.check(self, p.report, list(expected), NOISE)


class Local(proc.Proc):
    """A run on this host, with folders of its own."""

    def __init__(self, argv, shaped=False):
        self.shaped = shaped
        super().__init__(argv)

    def prepare(self, argv):
        self.json, self.saved = self.path("report.json"), self.path("saved")
        for folder in ("tmp", "tmp/shm"):
            os.mkdir(self.path(folder))
        if "report" not in argv:
            argv = argv + ["--json", self.json]
            argv += [] if "--out" in argv else ["--out", self.saved]
        if self.shaped:
            argv = ["unshare", "--mount", "--net", "sh", "-c",
                    SHAPE + PRIVATE, "-"] + argv
        elif can("--mount"):
            argv = ["unshare", "--mount", "sh", "-c", PRIVATE, "-"] + argv
        return argv, {"TMPDIR": self.path("tmp"), **case.MPI_ENV}

    def job(self):
        """The agents' process ids, by rank, once the journal has them."""
        job = next(line["job"] for line in report.journal_lines(self.saved)
                   if "job" in line)
        return [rank["pid"] for rank in job["snapshot"]["ranks"]]

    def wait_begun(self, **which):
        """Until a trial with these members has begun."""
        proc.wait_for("a trial of %s" % which,
                      lambda: self.popen.poll() is not None
                      or report.begun(self.saved, **which), 30)

    def litter(self):
        """Files in the temporary folders, Open MPI's own empty ones apart."""
        found = []
        for top, folders, files in os.walk(self.path("tmp")):
            found += [os.path.join(top, name) for name in files]
        return found


main = case.main
