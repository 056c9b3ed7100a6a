# SPDX-License-Identifier: Apache-2.0
"""Hosts that are dead, hang or go: at launch, in mid-run, and rank 0's own.
The launcher runs on h0, which takes no part."""
import json
import os
import signal
import sys

import bed_case
import proc
import report

sys.path.insert(0, bed_case.case.SOURCE + "/scripts")

from fabricprobe_run import start  # noqa: E402

PREFLIGHT_S, LAUNCH_S = 2, 4
WRAPPER = ("--preflight-timeout", str(PREFLIGHT_S),
           "--launch-timeout", str(LAUNCH_S))
LOST_S = bed_case.LOST_AFTER_S + 2 * bed_case.TRIAL_TIMEOUT_S


class Hosts(bed_case.BedCase):
    HOSTS = 6
    RANKS = "h[1-5]"

    def run_it(self, *options, **how):
        return super().run_it(*options, wrapper=WRAPPER, **how)

    def lost(self, result, *hosts):
        self.faulty(result, *({"id": "FP-HOST-LOST", "host": h}
                              for h in hosts))
        self.assertEqual(result.report["exclude_hosts"], sorted(hosts))
        for host in hosts:
            self.assertIn("exclude: ", result.out)

    def launch_record(self):
        with open(os.path.join(self.folder, "launch.json")) as f:
            return json.load(f)

    def test_clean(self):
        self.healthy(self.run_it())
        self.assertEqual(self.launch_record()["lost"], [])

    def test_dead_at_launch(self):
        self.bed.reach("h3", "dead")
        result = self.run_it()
        self.lost(result, "h3")
        lines = result.out.splitlines()
        self.assertTrue(lines[0].startswith("FAULT  host h3 is LOST: "))
        self.assertIn("No route to host", lines[0])
        self.assertEqual(lines[1], "The other hosts:")
        self.assertEqual(lines[-2:], ["exclude: h3",
                                      "fabricprobe: verdict=fault exit=1"])
        self.assertEqual(result.out.count("verdict="), 1)
        with open(os.path.join(self.folder, "report.txt")) as f:
            self.assertEqual(f.read(), result.out)
        self.assertEqual(len(result.report["job"]["ranks"]), 4)
        self.assertEqual([lost["host"] for lost in
                          self.launch_record()["lost"]], ["h3"])

    def test_hangs_at_launch(self):
        self.bed.reach("h2", "hang")
        self.lost(self.run_it(measure_s=10 + PREFLIGHT_S), "h2")

    @bed_case.case.long
    def test_hangs_after_the_first_question(self):
        self.bed.reach("h2", "hang-launch")
        result = self.run_it(measure_s=20 + LAUNCH_S)
        self.lost(result, "h2")
        self.assertIn("starting once more, on h1,h3,h4,h5", result.err)

    def kept_waiting(self, why, then, **how):
        """h2 is found by what keeps the launch waiting, and left out."""
        result = self.run_it(measure_s=15 + 3 * LAUNCH_S, **how)
        self.lost(result, "h2")
        self.assertIn("FAULT  host h2 is LOST: " + why, result.out)
        self.assertIn(then, result.report["findings"][0]["next"])
        self.assertIn("starting once more, on h1,h3,h4,h5", result.err)

    def test_daemon_that_never_reports(self):
        """It was started, but its packets to mpirun's host vanish."""
        self.bed.drop("h2", "h0")
        self.kept_waiting(start.UNLINKED, "--control-if")

    def test_rank_stopped_before_the_start(self):
        """MPI knows nothing of it, and all others wait in MPI_Init."""
        program = self.bed.path("program")
        with open(program, "w") as f:
            f.write('#!/bin/sh\n[ $(hostname) != h2 ] || kill -STOP $$\n'
                    'exec %s "$@"\n' % bed_case.case.PROGRAM)
        os.chmod(program, 0o755)
        self.kept_waiting(start.HALTED, "stopped", prog=program)

    def test_power_off_in_mid_run(self):
        act = self.once_begun(lambda: self.bed.power_off("h4"), dst=3)
        self.lost(self.run_it("--trial-time", "0.5", act=act,
                              measure_s=25 + LOST_S), "h4")

    @bed_case.case.long
    def test_two_power_offs_in_mid_run(self):
        def both():
            self.bed.power_off("h3")
            self.bed.power_off("h4")
        act = self.once_begun(both, dst=3)
        self.lost(self.run_it("--trial-time", "0.5", act=act,
                              measure_s=25 + LOST_S), "h3", "h4")

    def test_rank0_host_gone(self):
        """It is started once more elsewhere, and the bad host is named."""
        act = self.once_begun(lambda: self.bed.power_off("h1"), dst=3)
        result = self.run_it("--trial-time", "0.5", act=act,
                             measure_s=60 + LOST_S)
        self.lost(result, "h1")
        self.assertIn("starting once more, on h2,h3,h4,h5", result.err)
        self.assertEqual(len(result.report["job"]["ranks"]), 4)

    @bed_case.case.long
    def test_rank0_killed(self):
        """Its host lives: rank 0 is another one then, and nobody is left out
        for it."""
        def act(p):
            agents = [pid for pid in self.bed.hosts["h1"].pids()
                      if proc.read("/proc/%d/comm" % pid) == "fabricprobe\n"]
            self.assertEqual(len(agents), 1)
            proc.send(agents[0], signal.SIGKILL)
        result = self.run_it(
            "--trial-time", "0.5", measure_s=60 + LOST_S,
            act=lambda p: self.once_begun(lambda: act(p), dst=3)(p))
        self.faulty(result, {"id": "FP-AGENT-LOST", "host": "h1"})
        self.assertIn("starting once more, on h2,h3,h4,h5,h1", result.err)
        self.assertEqual(len(result.report["job"]["ranks"]), 5)

    def test_frozen_in_mid_run(self):
        """Nothing on it can end by itself, and nothing is left there."""
        def freeze():
            for pid in self.bed.hosts["h4"].pids():
                proc.send(pid, signal.SIGSTOP)
        self.lost(self.run_it("--trial-time", "0.5", measure_s=25 + LOST_S,
                              act=self.once_begun(freeze, dst=3)), "h4")

    def test_all_dead(self):
        for host in self.bed.names[1:]:
            self.bed.reach(host, "dead")
        with self.start() as p:
            self.assertEqual(p.wait(bed_case.START_S), 2, p.tell())
            self.assertEqual(p.verdict(), ("error", 2))

    def stop(self, signum):
        """In the middle of a trial that would take much longer."""
        with self.start("--no-progress", "--trial-timeout", "60",
                        "--inject", "hang src=1 dst=2 op=write",
                        wrapper=WRAPPER) as p:
            self.once_begun(lambda: p.signal(signum, entered=True),
                            src=1, dst=2)(p)
            status = p.wait(bed_case.START_S + bed_case.END_S)
            self.assertEqual(p.verdict(), ("incomplete", 3), p.tell())
            self.assertEqual(status, 3)
        self.assertTrue(report.load(
            self.folder + "/report.json")["interrupted"])

    def test_terminated(self):
        self.stop(signal.SIGTERM)

    def test_interrupted(self):
        self.stop(signal.SIGINT)


if __name__ == "__main__":
    bed_case.main(3)
