# SPDX-License-Identifier: Apache-2.0
"""Two leaves, joined by a link of its own: what is the leaf's is not held
against hosts, and what is a host's not against the leaf."""
import json
import subprocess

import bed  # which makes those below known
import bed_case
import case
import report

WIRE = 200   # Mbit/s of a host
UPLINK = 900  # of the link between the leaves: all hosts of one at once


class TwoLeaves(bed.Bed):
    """The first half of the hosts is on br0, the second on br1."""

    def _switch(self):
        super()._switch()
        net = self.switch.net
        net("ip", "link", "add", "br1", "type", "bridge", "stp_state", "0",
            "forward_delay", "0")
        net("ip", "link", "set", "br1", "mtu", str(self.mtu), "up")
        net("ip", "link", "add", "up0", "mtu", str(self.mtu), "type", "veth",
            "peer", "name", "up1", "mtu", str(self.mtu))
        for leaf in "01":
            net("ip", "link", "set", "up" + leaf, "master", "br" + leaf, "up")
        self.uplinks(UPLINK, UPLINK)

    def _cable(self, host, dev, port, bridge):
        if self.names.index(host.name) >= len(self.names) // 2:
            bridge = "br1"
        super()._cable(host, dev, port, bridge)

    def uplinks(self, *mbits):
        """What leaves each leaf for the other."""
        for leaf, mbit in enumerate(mbits):
            self._qdisc(self.switch, "up%d" % leaf, mbit)

    def heal(self):
        super().heal()
        self.uplinks(UPLINK, UPLINK)


class Leaves(bed_case.BedCase):
    HOSTS = 6
    TIMEOUT_S = 5

    @classmethod
    def setUpClass(cls):
        try:
            bed.require()
        except bed.Unsupported as e:
            raise bed_case.unittest.SkipTest(str(e))
        cls.bed = TwoLeaves(cls.HOSTS, mbit=WIRE).__enter__()
        with open(cls.bed.path("topology.conf"), "w") as f:
            f.write("SwitchName=l0 Nodes=h[0-2]\n"
                    "SwitchName=l1 Nodes=h[3-5]\n"
                    "SwitchName=top Switches=l[0-1]\n")

    def locate(self, *options):
        return self.run_it("--fabric", self.bed.path("topology.conf"),
                           *options, measure_s=65)

    def blamed(self, result, *expected):
        """Exactly these places: (id, host or None, words)."""
        self.assertEqual(result.verdict, ("fault", 1), result.told)
        found = [(f["id"], f["locus"]["host"],
                  f["locus"]["device"] or f["locus"]["netdev"])
                 for f in report.faults(result.report)]
        self.assertEqual(sorted(found, key=str), sorted(expected, key=str),
                         result.told)

    def test_clean(self):
        self.healthy(self.locate())

    def test_slow_uplink(self):
        self.bed.uplinks(100, UPLINK)
        result = self.locate()
        self.blamed(result, ("FP-UPLINK-SLOW", None, "uplinks of leaf l0"))
        detail = report.faults(result.report)[0]["detail"]
        self.assertIn("downlinks to leaf l1", detail)
        self.saved_says_the_same(result)

    def saved_says_the_same(self, result):
        """What was saved has all of it, times of rounds apart."""
        done = subprocess.run([case.PROGRAM, "report", self.folder, "--format",
                               "json"], capture_output=True, text=True,
                              timeout=bed_case.END_S, check=False)
        again = json.loads(done.stdout)
        self.assertEqual(done.returncode, 1, done.stderr)
        for said in (result.report, again):
            del said["timing"]
        self.assertEqual(json.dumps(result.report), json.dumps(again))

    @case.long
    def test_slow_send_of_a_host(self):
        self.bed.limit("h4", tx=150)
        self.blamed(self.locate(), ("FP-NIC-TX-SLOW", "h4", "eth0"))

    def test_slow_host(self):
        self.bed.limit("h1", tx=120, rx=120)
        self.blamed(self.locate(), ("FP-NIC-SLOW", "h1", "eth0"))

    @case.long
    def test_policed_pair(self):
        self.bed.police(100, "h0", "h5")
        result = self.locate()
        self.assertEqual([(f["id"], f["locus"]["host"],
                           f["locus"]["peer_host"])
                          for f in report.faults(result.report)],
                         [("FP-PAIR-SLOW", "h0", "h5")], result.told)

    @case.long
    def test_oversubscribed(self):
        """Links for half of the hosts of a leaf: it is said, and nobody's
        fault."""
        self.bed.uplinks(*2 * (3 * WIRE / 2,))
        # Long enough to be at the same time, however late some begin.
        result = self.locate("--trial-time", "0.5")
        self.healthy(result)
        self.assertIn("FP-OVERSUBSCRIBED",
                      [f["id"] for f in result.report["findings"]],
                      result.told)

    @case.long
    def test_oversubscribed_as_described(self):
        """What is known to be so is not put to the test."""
        self.bed.uplinks(*2 * (3 * WIRE / 2,))
        path = self.bed.path("leaves.json")
        with open(path, "w") as f:
            f.write('{"hosts": 6, "hosts_per_leaf": 3, "oversubscription": 2}')
        result = self.run_it("--fabric", path, measure_s=65)
        self.healthy(result)
        self.assertNotIn("FP-OVERSUBSCRIBED",
                         [f["id"] for f in result.report["findings"]],
                         result.told)


if __name__ == "__main__":
    bed_case.main(3)
