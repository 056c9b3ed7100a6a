# SPDX-License-Identifier: Apache-2.0
"""
Cases that run fabricprobe on soft-RoCE. A file of them runs as a whole in one
guest: main() starts it there, and there it finds itself.
"""
import functools
import os
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../lib")]

import case  # noqa: E402
import guest  # noqa: E402
import image  # noqa: E402
import proc  # noqa: E402
import report  # noqa: E402
import rig  # noqa: E402

HCAS = 4
BOOT_S = 60

# Emulated, and on a busy machine: what a launch and its end may take.
START_S, END_S = 40, 20
# Of a trial, of its ends' meeting: on a machine of one's own, and else.
QUICK_TIMEOUTS_S, TIMEOUTS_S = (6, 4), (10, 8)
QUICK_S = .5  # a start of the program there

# A rank's host has a name of its own, by which ranks are told apart.
ON_HOST = 'hostname "$0" && exec "$@"'


@functools.lru_cache(maxsize=None)
def timeouts():
    """Deadlines in seconds, by how long the program needs to say its version:
    what waits for a dead port waits for them, many times in a run."""
    def once():
        began = time.monotonic()
        subprocess.run([case.PROGRAM, "--version"], timeout=60,
                       stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - began

    once()  # from the host's disk
    took = max(once() for _ in range(3))
    print("a start takes %.2f s" % took, file=sys.stderr)
    return QUICK_TIMEOUTS_S if took < QUICK_S else TIMEOUTS_S


class VmCase(unittest.TestCase):
    """
    Cases of one guest, whose fabric is healed before each. Every rank is a
    host of its own, h0.., with the HCA of its number.
    """

    RANKS = HCAS
    RAILS = 1  # HCAs of each rank: of RANKS * RAILS the k-th of each are rail k
    OPTIONS = ["pairs", "--xport", "verbs", "--no-progress", "--bytes",
               "64K", "--trial-time", "250ms"]

    def setUp(self):
        began = time.monotonic()
        self.addCleanup(lambda: print(
            "%.0f s: " % (time.monotonic() - began), end="",
            file=sys.stderr))
        rig.heal()
        folder = tempfile.mkdtemp()
        os.chmod(folder, 0o777)  # for cases of other users
        self.folder = folder + "/out"

    def command(self, options, env):
        argv = [case.MPIRUN]
        trial_s, connect_s = timeouts()
        for rank in range(self.RANKS):
            argv += [":"] if rank else []
            argv += ["-n", "1", "-x", "FABRICPROBE_HCA==" + ",".join(
                "rxe%d" % (rank + k * self.RANKS)
                for k in range(self.RAILS))]
            for name, value in env.get(rank, {}).items():
                argv += ["-x", "%s=%s" % (name, value)]
            argv += ["unshare", "--uts", "sh", "-c", ON_HOST, "h%d" % rank]
            argv += [case.PROGRAM] + self.OPTIONS + [
                "--out", self.folder, "--trial-timeout",
                str(trial_s), "--connect-timeout",
                str(connect_s)] + list(options)
        return argv

    def run_it(self, *options, env=(), act=None):
        """
        The report of a run, each rank with its @env; @act(proc) is called
        once it runs.
        """
        os.environ.update(case.MPI_ENV)
        return self.report_of(self.command(options, dict(env)), act)

    def run_as(self, *before):
        """The report of a run of two ranks without mpirun, by @before."""
        return self.report_of(list(before) + [
            case.PROGRAM] + self.OPTIONS + [
                "--local", "2", "--local-hosts", "2", "--out", self.folder])

    def report_of(self, argv, act=None, measure_s=60):
        with proc.Proc(argv) as p:
            if act:
                act(p)
            p.wait(START_S + measure_s + END_S)
            told = p.tell()
            verdict = p.verdict()
        path = self.folder + "/report.json"
        self.assertTrue(os.path.exists(path), told)
        result = report.load_plain(path)
        result["told"] = told
        self.assertEqual(result["verdict"], verdict[0], told)
        return result

    def healthy(self, result):
        self.assertEqual((result["verdict"], report.faults(result)),
                         ("healthy", []), result["told"])

    def faulty(self, result, *expected):
        """Exactly these faults: (id, host or None, direction or None)."""
        found = [(f["id"], f["locus"]["device"] or f["locus"]["host"],
                  f["locus"]["direction"]) for f in report.faults(result)]
        self.assertEqual(sorted(found, key=str), sorted(expected, key=str),
                         result["told"])

    def await_trials(self, p, n, **which):
        proc.wait_for("%d trials of %s" % (n, which),
                      lambda: p.popen.poll() is not None
                      or report.begun(self.folder, **which) >= n, START_S)

    def once_begun(self, then, **which):
        def act(p):
            self.await_trials(p, 1, **which)
            then()
        return act


def main(seconds, hcas=HCAS):
    """
    Run the cases of the calling script in a guest, @seconds at most; exit
    status as ctest wants it. A guest takes minutes: only where asked for.
    """
    if os.environ.get("FP_VM_GUEST"):
        case.main()
    if not os.environ.get("FABRICPROBE_VM"):
        print("skipped: FABRICPROBE_VM=1 runs it in an emulated guest, which "
              "takes minutes")
        sys.exit(guest.SKIP)
    try:
        status = guest.run([sys.executable, "-u"] + [
            os.path.abspath(sys.argv[0])] + sys.argv[1:], hcas,
            BOOT_S + seconds)
    except image.Unsupported as e:
        print("skipped: %s" % e)
        status = guest.SKIP
    sys.exit(status)
