# SPDX-License-Identifier: Apache-2.0
"""What checks find on hosts of a job, and the MTU of the paths between them."""
import os

import bed_case
import case
import host_tree

LIMIT_S = 10  # a check of eight hosts ends within


class Check(bed_case.BedCase):
    HOSTS, BED = 8, {"control": True, "mtu": 9000, "offload": False}
    OPTIONS = ["check", "--control-if", "eth1", "--netdev", "eth0"]

    def check(self, *options, **how):
        """Nothing may be cut to end in time."""
        with self.start("--no-progress", "--time-limit", str(LIMIT_S),
                        *options, **how) as p:
            status = p.wait(bed_case.START_S + LIMIT_S + bed_case.END_S)
            result = bed_case.Result(status, p, self.folder)
            result.told = p.tell()
        self.assertIsNotNone(result.verdict, result.told)
        self.assertFalse([s for s in result.report["coverage"]["skipped"]
                          if s["missing"]], result.told)
        self.assertLess(result.report["elapsed_s"], LIMIT_S)
        return result

    def evidence(self, result):
        return "\n".join(line for f in result.report["findings"]
                         for line in f["evidence"])

    def test_clean(self):
        result = self.check()
        self.healthy(result)
        self.assertEqual(result.report["coverage"]["pairs_measured"], 56)

    def test_host_mtu(self):
        """One host has 1500 bytes where all others have 9000."""
        self.bed.host_mtu("h5", 1500)
        result = self.check()
        self.faulty(result, {"id": "FP-MTU-MIXED", "host": "h5",
                             "netdev": "eth0"})

    def test_port_mtu(self):
        """A switch port of 1500 bytes between hosts of 9000."""
        self.bed.port_mtu("h2", 1500)
        result = self.check()
        self.faulty(result, {"id": "FP-NIC-MTU", "host": "h2"})
        self.assertIn("packets of up to 1500 bytes arrive",
                      self.evidence(result))

    def test_port_mtu_one_way(self):
        """Large packets towards one host vanish, what it sends arrives."""
        self.bed.drop_large(4092, dst="h6")
        result = self.check()
        self.faulty(result, {"id": "FP-NIC-MTU", "host": "h6",
                             "direction": "rx"})
        self.assertIn("packets of up to 4092 bytes arrive",
                      self.evidence(result))

    def test_pair_mtu(self):
        """Of one directed pair alone: it is not the hosts."""
        self.bed.drop_large(2044, "h1", "h3")
        result = self.check()
        self.faulty(result, {"id": "FP-PAIR-MTU", "host": "h1",
                             "peer_host": "h3"})

    def wrapped(self, lines):
        """The program behind a script of @lines, the same on every host."""
        path = self.bed.path(self._testMethodName + ".sh")
        with open(path, "w") as f:
            f.write("#!/bin/sh\n%s\nexec %s \"$@\"\n"
                    % (lines, case.PROGRAM))
        os.chmod(path, 0o755)
        return ("--prog", path)

    def test_environment(self):
        """One rank was given another variable, for NCCL and for debugging."""
        lines = "export NCCL_PROTO=Simple NCCL_DEBUG=$(hostname)\n" \
                "[ $(hostname) = h4 ] && export NCCL_ALGO=Ring"
        result = self.check(wrapper=self.wrapped(lines))
        self.faulty(result, {"id": "FP-ENV-MIXED", "host": "h4"})
        self.assertIn("NCCL_ALGO", self.evidence(result))

    def test_hca_set(self):
        """One host has an HCA less than the others."""
        for name in self.bed.names:
            tree = host_tree.Tree(self.bed.path("trees", name), name)
            tree.cpu(["0-3"])
            above = tree.host_bridge()
            for _ in range(1 if name == "h7" else 2):
                tree.hca(tree.bridge(above))
            self.bed.overlay_sys(name, tree.root)
        # With HCAs, limits of this machine itself would count.
        result = self.check("--skip", "limits")
        self.faulty(result, {"id": "FP-HCA-SET", "host": "h7"})


if __name__ == "__main__":
    bed_case.main(3)
