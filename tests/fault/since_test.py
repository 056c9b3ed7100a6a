# SPDX-License-Identifier: Apache-2.0
"""What got slower since an earlier run: a pair that was made slow since, and
nobody where nothing was. Over a loopback whose rate cores do not decide."""
import subprocess
import unittest

import fault_case
import case
import report

SLOW = ("--inject", "slow src=1 dst=3 factor=4")


class Since(fault_case.FaultCase, unittest.TestCase):

    BOOT = "local"
    SHAPED = True
    OPTIONS = ["pairs", "--quick", "--no-progress", "--xport", "tcp"]

    @staticmethod
    def since(found):
        return [(f["id"], f["locus"]["rank"], f["locus"]["peer_rank"])
                for f in found if f["id"].startswith("FP-SINCE-")]

    def again(self, *argv):
        """(exit status, what it says) of a command on saved runs."""
        done = subprocess.run([case.PROGRAM, *argv], capture_output=True,
                              text=True, timeout=fault_case.END_S, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_slow_since(self):
        with self.start(4) as before:
            self.assertEqual(before.wait(fault_case.START_S + 15), 0,
                             before.tell())
            steady = self.run_it(4, "--baseline", before.saved)
            self.healthy(steady)
            self.assertEqual(self.since(steady.report["findings"]), [])
            with self.start(4, "--baseline", before.saved, *SLOW) as now:
                now.wait(fault_case.START_S + 30)
                live = report.load(now.json)
                self.assertEqual(self.since(live["findings"]),
                                 [("FP-SINCE-PAIR", 1, 3)], now.tell())
                self.saved_runs(before, now)

    def saved_runs(self, before, now):
        """Reports of saved runs say the same; a report is no saved run."""
        status, said = self.again("report", now.saved, "--format", "json",
                                  "--baseline", before.saved)
        self.assertIn('"FP-SINCE-PAIR"', said)
        status, said = self.again("compare", before.saved, now.saved)
        self.assertIn("FP-SINCE-PAIR", said)
        for argv in (("compare", before.json, now.saved),
                     ("compare", before.saved, now.json),
                     ("report", now.saved, "--baseline", before.json)):
            status, said = self.again(*argv)
            self.assertEqual(status, 2, said)
            self.assertIn("a report, which has no samples", said)
            self.assertIn("--out", said)


if __name__ == "__main__":
    fault_case.main()
