# SPDX-License-Identifier: Apache-2.0
"""Workers that stop, ignore signals, flood, speak nonsense or die."""
import fault_case

# Two deadlines, after which the rank gets no more trials, each with the
# ladder that ends a worker.
TROUBLE_S = 2 * (fault_case.TRIAL_TIMEOUT_S + 2)


@fault_case.both_boots
class Worker(fault_case.FaultCase):

    def trouble(self, kind, finding):
        p = self.run_it(4, "--inject", kind + " rank=2 after=3",
                        measure_s=10 + TROUBLE_S)
        self.faulty(p, {"id": finding, "kind": "rank", "rank": 2})
        return p

    def test_dies(self):
        p = self.trouble("die", "FP-WORKER-DIED")
        self.assertIn("signal 9", p.report["findings"][0]["evidence"][0])

    def test_stopped(self):
        self.trouble("stop", "FP-WORKER-HUNG")

    def test_ignores_sigterm(self):
        self.trouble("stubborn", "FP-WORKER-HUNG")

    def test_floods(self):
        self.trouble("flood", "FP-WORKER-GARBAGE")

    def test_speaks_nonsense(self):
        self.trouble("garbage", "FP-WORKER-GARBAGE")

    def test_dies_in_mid_frame(self):
        self.trouble("half", "FP-WORKER-DIED")

    def test_two_ranks(self):
        p = self.run_it(4, "--inject", "die rank=1 after=3",
                        "--inject", "stop rank=2 after=3",
                        measure_s=10 + TROUBLE_S)
        self.faulty(p, {"id": "FP-WORKER-DIED", "rank": 1},
                    {"id": "FP-WORKER-HUNG", "rank": 2})

    def test_missing(self):
        with self.start(2, "--worker", "/nonexistent/w") as p:
            status = p.wait(fault_case.START_S)
            self.assertIn("/nonexistent/w", p.err)
            if self.BOOT == "local":
                self.assertEqual(status, 2, p.tell())
            self.clean(p)


if __name__ == "__main__":
    fault_case.main(3)
