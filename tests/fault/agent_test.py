# SPDX-License-Identifier: Apache-2.0
"""Agents that are killed or stopped in mid-run."""
import signal

import fault_case
import proc
import report

LOST_S = fault_case.LOST_AFTER_S + 2 * fault_case.TRIAL_TIMEOUT_S


@fault_case.both_boots
class Agent(fault_case.FaultCase):

    def hit(self, signum, rank=2):
        """Signal the agent of a rank while it takes part in a trial."""
        def act(p):
            p.wait_begun(src=rank)
            pid = p.job()[rank]
            proc.send(pid, signum)
            # A launcher waits for a stopped rank, but the verdict does not.
            proc.wait_for("a verdict", p.verdict, 20 + LOST_S)
            proc.send(pid, signal.SIGKILL)

        p = self.run_it(4, "--trial-time", "0.25", act=act,
                        measure_s=20 + LOST_S)
        self.faulty(p, {"id": "FP-AGENT-LOST", "kind": "rank", "rank": rank})
        for m in p.report["matrices"]:
            for (s, d), state in report.cells(m).items():
                if rank not in (s, d):
                    self.assertNotEqual(state, "LOST", p.told)

    def test_killed(self):
        self.hit(signal.SIGKILL)

    def test_stopped(self):
        self.hit(signal.SIGSTOP)

    def test_rank0_stopped(self):
        """The others give it up. It is the one that is named: by the launcher
        of --local, which ends it; or by itself, once it is continued."""
        with self.start(4, "--trial-time", "0.5") as p:
            p.wait_begun(dst=3)
            agents = p.job()
            proc.send(agents[0], signal.SIGSTOP)
            proc.wait_for("end of the others",
                          lambda: not any(map(proc.alive, agents[1:])),
                          fault_case.START_S + 2 * fault_case.LOST_AFTER_S)
            proc.send(agents[0], signal.SIGCONT)
            status = p.wait(fault_case.START_S + 2 * fault_case.LOST_AFTER_S
                            + fault_case.END_S)
            self.assertEqual(p.verdict(), ("fault", 1), p.tell())
            self.clean(p)
            if self.BOOT == "local":
                self.assertEqual(status, 1)
                self.assertIn("rank 0 was stopped", p.err)
                return
            found = report.faults(report.load(p.json))
            self.assertEqual([(f["id"], f["locus"]["rank"]) for f in found],
                             [("FP-AGENT-LOST", 0)], p.tell())

    def test_rank0_killed(self):
        """The others end, and the journal has what was measured by then."""
        with self.start(4, "--trial-time", "0.5") as p:
            p.wait_begun(dst=3)
            proc.send(p.job()[0], signal.SIGKILL)
            p.wait(fault_case.START_S + fault_case.LOST_AFTER_S
                   + fault_case.END_S)
            self.clean(p)
            with fault_case.Local([fault_case.case.PROGRAM, "report",
                                   p.saved]) as again:
                status = again.wait(10)
                self.assertEqual(again.verdict(), ("incomplete", 3),
                                 again.tell())
                self.assertEqual(status, 3)


if __name__ == "__main__":
    fault_case.main(3)
