# SPDX-License-Identifier: Apache-2.0
"""Cases that run fabricprobe on a bed, through the launch wrapper."""
import os
import unittest

import bed  # which makes those below known

import case
import proc
import report

# What a run may take beyond what it measures: start of a launcher and of all
# agents on a busy machine; its end.
START_S, END_S = 15, 10
TRIAL_TIMEOUT_S, LOST_AFTER_S = 2, 3


class Result:
    """What came of a run."""

    def __init__(self, status, p, folder):
        self.status, self.verdict = status, p.verdict()
        self.wall_s, self.out, self.err = p.wall_s, p.out, p.err
        path = os.path.join(folder, "report.json")
        self.report = report.load(path) if os.path.exists(path) else None


class BedCase(unittest.TestCase):
    """
    Cases that share a bed of HOSTS hosts made with BED, healed before each.
    LOGIN is where the launcher runs; the ranks are on RANKS, one on each.
    """

    HOSTS, BED = 6, {}
    LOGIN, RANKS = "h0", None
    TIMEOUT_S = TRIAL_TIMEOUT_S
    OPTIONS = ["--quick"]

    @classmethod
    def setUpClass(cls):
        try:
            bed.require()
        except bed.Unsupported as e:
            raise unittest.SkipTest(str(e))
        cls.bed = bed.Bed(cls.HOSTS, **cls.BED).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.bed.close()

    def setUp(self):
        self.bed.heal()
        self.folder = self.bed.path(self._testMethodName)

    def tearDown(self):
        """Nothing of ours is left on any host that is up."""
        try:
            proc.wait_for("clean hosts", lambda: not self.bed.leftovers(), 5)
        except AssertionError:
            left = self.bed.leftovers()
            self.bed.sweep()
            self.fail("left behind:\n" + "\n".join(left))

    def start(self, *options, hosts=None, wrapper=(), env=(), prog=None):
        hosts = hosts or self.RANKS or ",".join(self.bed.names)
        argv = [case.WRAPPER, "-H", hosts, "--rsh-agent", self.bed.agent,
                "--prog", prog or case.PROGRAM, "--out", self.folder]
        argv += list(wrapper) + ["--"] + self.OPTIONS + list(options)
        return proc.Proc(self.bed.on(self.LOGIN, "env", *env, *argv))

    def run_it(self, *options, measure_s=10, act=None, **how):
        """
        Run, bounded by @measure_s plus the start and the end of a launch;
        @act(proc) is called once it runs.
        """
        with self.start("--no-progress", "--trial-timeout",
                        str(self.TIMEOUT_S), "--lost-after",
                        str(LOST_AFTER_S), *options, **how) as p:
            if act:
                act(p)
            status = p.wait(START_S + measure_s + END_S)
            result = Result(status, p, self.folder)
            result.told = p.tell()
        self.assertIsNotNone(result.verdict, result.told)
        self.assertEqual(status, result.verdict[1], result.told)
        return result

    def healthy(self, result):
        self.assertEqual(result.verdict, ("healthy", 0), result.told)
        report.check(self, result.report, [])

    def faulty(self, result, *expected):
        self.assertEqual(result.verdict, ("fault", 1), result.told)
        report.check(self, result.report, list(expected))

    def once_begun(self, then, seconds=30, **which):
        """An act: @then() once a trial with these members has begun."""
        def act(p):
            proc.wait_for(
                "a trial of %s" % which,
                lambda: p.popen.poll() is not None
                or report.begun(self.folder, **which), seconds)
            then()
        return act


main = case.main
