# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM: a report of what is known comes out at once."""
import os
import signal
import time

import fault_case
import proc
import report

REPORT_S = 0.5  # what is promised
SLACK_S = 1.5   # of a busy machine: a launcher and four processes are told


@fault_case.both_boots
class Signal(fault_case.FaultCase):

    def stop(self, signum):
        """In the middle of a trial that would take much longer."""
        with self.start(4, "--trial-timeout", "60", "--inject",
                        "hang src=1 dst=3 op=write") as p:
            p.wait_begun(src=1, dst=3)
            p.signal(signum)
            told = time.monotonic()
            proc.wait_for("a report", lambda: os.path.exists(p.json),
                          REPORT_S + SLACK_S)
            status = p.wait(told - p.started + fault_case.END_S)
            self.assertEqual(p.verdict(), ("incomplete", 3), p.tell())
            if self.BOOT == "local":
                self.assertEqual(status, 3)
            said = report.load(p.json)
            self.assertTrue(said["interrupted"])
            self.assertGreater(said["coverage"]["pairs_measured"], 0)
            self.clean(p)

    def lose(self, *signums):
        """The launcher goes, and takes standard output with it."""
        with self.start(4, "--trial-timeout", "60", "--inject",
                        "hang src=1 dst=3 op=write") as p:
            p.wait_begun(src=1, dst=3)
            for signum in signums:
                p.signal(signum)
            told = time.monotonic()
            proc.wait_for("a report", lambda: os.path.exists(p.json),
                          REPORT_S + SLACK_S)
            p.wait(told - p.started + fault_case.END_S)
            said = report.load(p.json)
            self.assertTrue(said["interrupted"])
            self.assertGreater(said["coverage"]["pairs_measured"], 0)
            proc.wait_for("end of all processes", lambda: not p.pids(), 5)

    def test_sigint_twice(self):
        """mpirun ends at once, and passes nothing on any more."""
        self.lose(signal.SIGINT, signal.SIGINT)

    def test_launcher_killed(self):
        self.lose(signal.SIGKILL)

    def test_same_words_again(self):
        """A replay says what the run said."""
        with self.start(4, "--trial-timeout", "60", "--inject",
                        "hang src=1 dst=3 op=write") as p:
            p.wait_begun(src=1, dst=3)
            p.signal(signal.SIGTERM)
            p.wait(fault_case.START_S + fault_case.END_S)
            with fault_case.Local([fault_case.case.PROGRAM, "report",
                                   p.saved]) as again:
                self.assertEqual(again.wait(10), 3, again.tell())
                self.assertEqual(again.out,
                                 proc.read(p.saved + "/report.txt"))
                self.assertIn("interrupted before its end", again.out)

    def test_sigterm(self):
        self.stop(signal.SIGTERM)

    def test_sigint(self):
        self.stop(signal.SIGINT)


if __name__ == "__main__":
    fault_case.main()
