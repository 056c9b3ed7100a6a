#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explain --ras against a stand-in for NCCL's RAS: of today, from before JSON,
one that hangs up, one that is silent, and none."""
import json
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, __file__.rpartition("/")[0] + "/../lib")
import case  # noqa: E402
from ras import Ras, status  # noqa: E402

TEXT = """#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  30 ranks have launched up to operation 6650
  2 ranks have launched up to operation 6649
  Rank 4 -- GPU 0 managed by process 4711 on node 10.0.0.1
  Rank 5 -- GPU 1 managed by process 4712 on node 10.0.0.1
"""


class Live(unittest.TestCase):
    def run_it(self, address, times):
        return subprocess.run(
            [case.PROGRAM, "explain", "--json", "-", "--ras", address,
             "--ras-times", str(times), "--ras-every", "10ms"],
            capture_output=True, text=True, timeout=60, check=False)

    def ask(self, bodies, **how):
        ras = Ras(bodies, **how)
        done = self.run_it(ras.address, len(bodies))
        ras.thread.join(30)
        self.assertEqual(ras.heard[:4],
                         ["CLIENT PROTOCOL 2", "TIMEOUT 5",
                          "SET FORMAT json", "VERBOSE STATUS"][:len(
                              ras.heard[:4])])
        return done

    def test_rank_that_stays_behind(self):
        done = self.ask([status([9, 8, 9, 9])] * 3)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["findings"][0]["id"],
                         "FP-EXPLAIN-RAS-BEHIND")
        self.assertEqual(answer["culprits"]["ranks"], [1])
        self.assertEqual(done.returncode, 1)

    def test_what_moves_does_not_hang(self):
        done = self.ask([status([9, 8, 9, 9]), status([12, 11, 12, 12]),
                         status([15, 14, 14, 15])])
        answer = json.loads(done.stdout)
        self.assertEqual(answer["findings"], [])
        self.assertEqual(answer["verdict"], "healthy")
        self.assertEqual(done.returncode, 0)

    def test_one_stands_while_others_move(self):
        done = self.ask([status([9, 8, 9, 9]), status([12, 8, 12, 12])])
        self.assertEqual(json.loads(done.stdout)["culprits"]["ranks"], [1])

    def test_text_from_before_json(self):
        done = self.ask([TEXT], knows_json=False)
        self.assertEqual(json.loads(done.stdout)["culprits"]["ranks"], [4, 5])

    def test_hangs_up(self):
        done = self.ask([None])
        self.assertEqual(done.returncode, 2)
        self.assertIn("RAS hung up", done.stderr)

    def test_nobody_there(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        done = self.run_it(f"127.0.0.1:{port}", 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no RAS there", done.stderr)
        done = self.run_it("[::1", 1)
        self.assertEqual(done.returncode, 2)
        self.assertIn("use HOST:PORT", done.stderr)


case.main()
