# SPDX-License-Identifier: Apache-2.0
"""What every rank of a job finds wrong is said by one of them, and ends all of
them with exit status 2."""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import proc  # noqa: E402

BOUND_S = 20
RECOVERY = ["--enable-recovery", "--mca", "orte_allowed_exit_without_sync",
            "1", "--mca", "orte_abort_on_non_zero_status", "0"]
# Notes how each rank ended; where nobody ends the others, all of them do.
NOTE = '"$@"; echo $? >"$NOTES/$OMPI_COMM_WORLD_RANK"'


class Job(proc.Proc):

    def prepare(self, argv):
        return [case.MPIRUN] + argv, {"NOTES": self.dir, **case.MPI_ENV}

    def lines(self):
        """What fabricprobe itself said."""
        return [line for line in self.err.splitlines()
                if line.startswith("fabricprobe: ")]

    def statuses(self, n):
        return [proc.read(self.path(str(i))).strip() for i in range(n)]


class Usage(unittest.TestCase):

    WRONG = (
        (["--quik"], "--quik: no such option"),
        (["mend"], "'mend' is not a command"),
        (["--boot", "env"], "FABRICPROBE_TOKEN"),
    )

    def setUp(self):
        if not shutil.which(case.MPIRUN):
            self.skipTest("%s is not installed" % case.MPIRUN)

    def test_first_rank_speaks(self):
        """Whichever of them comes to it first; mpirun ends the others."""
        for words, said in self.WRONG:
            with self.subTest(words), \
                    Job(["-np", "4", case.PROGRAM] + words) as p:
                self.assertEqual(p.wait(BOUND_S), 2, p.tell())
                found = [line for line in p.lines() if said in line]
                self.assertEqual(len(found), 1, p.tell())
                self.assertLessEqual(len(p.lines()), 2, p.tell())
                self.assertEqual(p.out, "")

    def test_all_end_by_2(self):
        with Job(["-np", "4"] + RECOVERY + ["sh", "-c", NOTE, "-",
                 case.PROGRAM, "--quik"]) as p:
            p.wait(BOUND_S)
            self.assertEqual(p.statuses(4), ["2"] * 4, p.tell())
            self.assertEqual(len(p.lines()), 2, p.tell())

    def test_launcher_of_another_mpi(self):
        """Each rank is alone in a job of its own: one says so."""
        # As if it had been started by a launcher that MPI knows nothing of.
        alone = ("rank=$OMPI_COMM_WORLD_RANK; for v in $(env | sed -n "
                 "'s/^\\(OMPI_[^=]*\\|PMIX_[^=]*\\)=.*/\\1/p'); do unset $v; "
                 "done; export PMI_RANK=$rank PMI_SIZE=3; ")
        with Job(["-np", "3"] + RECOVERY + [
                "sh", "-c", alone + NOTE.replace("$OMPI_COMM_WORLD_RANK",
                                                 "$rank"), "-",
                case.PROGRAM, "--quick"]) as p:
            p.wait(BOUND_S)
            self.assertEqual(p.statuses(3), ["2"] * 3, p.tell())
            self.assertEqual(len(p.lines()), 1, p.tell())
            self.assertIn("MPI sees 1", p.lines()[0])


class ByHand(unittest.TestCase):
    """Ranks that somebody numbered: each says what is wrong with its own
    environment, since no other rank knows."""

    def test_each_speaks(self):
        good = {"FABRICPROBE_RANK": "3", "FABRICPROBE_SIZE": "4",
                "FABRICPROBE_MEET": "127.0.0.1:9",
                "FABRICPROBE_TOKEN": "0" * 32}
        for name, value in (("FABRICPROBE_RANK", "7"),
                            ("FABRICPROBE_TOKEN", "xyz"),
                            ("FABRICPROBE_MEET", "127.0.0.1")):
            with self.subTest(name):
                done = subprocess.run(
                    [case.PROGRAM, "--quick"], timeout=BOUND_S, text=True,
                    env={**os.environ, **good, name: value},
                    stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(name, done.stderr)


if __name__ == "__main__":
    case.main()
