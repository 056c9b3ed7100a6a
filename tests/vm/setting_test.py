# SPDX-License-Identifier: Apache-2.0
"""What is set up wrong: path MTU, addresses, permissions, limits."""
import glob
import os

import vm_case
from vm_case import report, rig

NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Settings(vm_case.VmCase):
    def test_mtu_of_switch_port(self):
        """Both ends say 4096; the port between lets 1500 bytes through."""
        rig.mtu(2, port=1500)
        self.faulty(self.run_it(), ("FP-HCA-MTU", "rxe2/1", "both"))

    def test_mtu_negotiated(self):
        """The smaller of both ends is used: no fault."""
        rig.mtu(2, own=1500)
        self.healthy(self.run_it())

    def test_mtu_forced(self):
        rig.mtu(2, own=1500)
        result = self.run_it("--rdma-mtu", "4096")
        self.assertEqual(result["verdict"], "fault", result["told"])
        self.assertEqual({f["locus"]["device"]
                          for f in report.faults(result)}, {"rxe2/1"},
                         result["told"])

    def test_gid_index(self):
        self.faulty(self.run_it(env={1: {"NCCL_IB_GID_INDEX": "9"}}),
                    ("FP-ENV-MIXED", "h1", None),
                    ("FP-RDMA-GID", "rxe1/1", None))

    def test_gid_family(self):
        """One end IPv6, the others IPv4: they cannot meet."""
        self.faulty(self.run_it(env={1: {"NCCL_IB_ADDR_FAMILY": "AF_INET6"}}),
                    ("FP-ENV-MIXED", "h1", None),
                    ("FP-RDMA-GID", "rxe1/1", "both"))

    def test_address_removed(self):
        rig.no_address(1)
        self.faulty(self.run_it(), ("FP-RDMA-GID", "rxe1/1", "both"))

    def test_no_permission(self):
        for path in glob.glob("/dev/infiniband/uverbs*"):
            os.chmod(path, 0o600)
        result = self.run_as(*NOBODY)
        self.assertEqual(result["verdict"], "incomplete", result["told"])
        self.assertIn("Permission denied", result["told"])

    def test_permission(self):
        """The same user, who may use the devices and lock memory."""
        self.allow()
        self.healthy(self.run_as(*NOBODY))

    def allow(self):
        for path in glob.glob("/dev/infiniband/uverbs*"):
            os.chmod(path, 0o666)

    def test_memlock(self):
        self.allow()
        result = self.run_as("prlimit", "--memlock=65536", *NOBODY)
        self.assertEqual({f["id"] for f in report.faults(result)},
                         {"FP-MEMLOCK"}, result["told"])


class NoDevice(vm_case.VmCase):
    def setUp(self):
        super().setUp()
        for i in range(vm_case.HCAS):
            rig.remove(i)

    def tearDown(self):
        for i in range(vm_case.HCAS):
            rig.add(i)

    def test_none(self):
        result = self.run_it()
        self.assertEqual(result["verdict"], "incomplete", result["told"])
        self.assertIn("no RDMA device", result["told"])


if __name__ == "__main__":
    vm_case.main(600)
