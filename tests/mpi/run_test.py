# SPDX-License-Identifier: Apache-2.0
"""The launch wrapper on this host: verdicts, streams, signals, what it leaves;
with mpirun, and with something that stands for srun."""
import json
import os
import shlex
import shutil
import signal
import socket
import sys
import time
import types
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402
import proc  # noqa: E402
import report  # noqa: E402

sys.path.insert(0, case.SOURCE + "/scripts")

from fabricprobe_run.launch import QUIET_S  # noqa: E402
from fabricprobe_run import start  # noqa: E402
from fabricprobe_run.run import CLEAN  # noqa: E402

START_S = 20

# A program that does what its first argument says; rank 0 tells a verdict.
PROGRAM = """#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$SLURM_PROCID}
say() { [ "$rank" != 0 ] || echo "fabricprobe: verdict=$1 exit=$2"; }
trap 'say incomplete 3; exit 3' TERM INT
case $1 in
verdict) echo "rank $rank" >&2; say "$2" "$3"; exit "$3" ;;
early) say healthy 0; [ "$rank" != 0 ] || echo "the last word"; exit 0 ;;
twice) say healthy 0; say fault 1; exit 1 ;;
halt) if [ "$rank" = 0 ] && mkdir "$2"; then kill -STOP $$; fi; say healthy 0 ;;
die) if [ "$rank" = 0 ] && mkdir "$2"; then kill -9 $$; fi; say healthy 0 ;;
cut) [ "$rank" != 0 ] || echo "FAULT  2 ranks on 1 host"; exit 1 ;;
none) echo "fabricprobe: no" >&2; exit 2 ;;
linger) say fault 1; while :; do sleep 0.1; done ;;
hang) echo "ready $rank" >&2; while :; do sleep 0.1; done ;;
json) [ "$rank" != 0 ] || cat "$2"; say healthy 0 >&2 ;;
esac
"""

# srun as far as it is used: ranks by SLURM_HOSTFILE, all on this host; hands
# SIGINT on (-X), answers SIGTERM by SIGKILL to the ranks.
SRUN = """#!/usr/bin/env python3
import os, signal, subprocess, sys
args, n, host = sys.argv[1:], 1, None
while args[0].startswith("-"):
    word = args.pop(0)
    if word in ("-n", "-w"):
        value = args.pop(0)
        n, host = (int(value), host) if word == "-n" else (n, value)
hosts = open(os.environ["SLURM_HOSTFILE"]).read().split() if n > 1 else [host]
if n > 1 and len(hosts) != n:
    sys.exit("%d ranks, %d hosts" % (n, len(hosts)))
ranks = [subprocess.Popen(args, env=dict(
    os.environ, SLURM_PROCID=str(i), SLURM_NTASKS=str(n),
    SLURM_STEP_NUM_TASKS=str(n), SLURMD_NODENAME=str(hosts[i])))
    for i in range(n)]
def tell(signum):
    for rank in ranks:
        rank.send_signal(signum)
signal.signal(signal.SIGINT, lambda *_: tell(signal.SIGINT))
signal.signal(signal.SIGTERM, lambda *_: tell(signal.SIGKILL))
sys.exit(max(abs(rank.wait()) for rank in ranks))
"""


class Wrapper(proc.Proc):
    """The wrapper at work; its program and srun are those above."""

    def prepare(self, argv):
        for name, text in (("program", PROGRAM), ("srun", SRUN)):
            with open(self.path(name), "w") as f:
                f.write(text)
            os.chmod(self.path(name), 0o755)
        os.mkdir(self.path("tmp"))
        path = self.dir + os.pathsep + os.environ["PATH"]
        return ([case.WRAPPER] + [word.format(dir=self.dir) for word in argv],
                {"TMPDIR": self.path("tmp"), "PATH": path, **case.MPI_ENV})


class RunCase(unittest.TestCase):

    def setUp(self):
        if not shutil.which(case.MPIRUN):
            self.skipTest("%s is not installed" % case.MPIRUN)

    def start(self, *argv, ranks=2):
        return Wrapper(["--mpirun", case.MPIRUN, "-n", str(ranks), "--prog",
                        "{dir}/program"] + list(argv))

    def end(self, p, status, seconds=START_S):
        self.assertEqual(p.wait(seconds), status, p.tell())
        self.assertEqual(p.pids(), [], p.tell())
        self.assertEqual(os.listdir(p.path("tmp")), [], p.tell())


class Verdicts(RunCase):

    def test_status_is_the_program_s(self):
        for word, status in (("healthy", 0), ("fault", 1), ("incomplete", 3)):
            with self.subTest(word), \
                    self.start("verdict", word, str(status)) as p:
                self.end(p, status)
                self.assertEqual(p.out, "fabricprobe: verdict=%s exit=%d\n"
                                 % (word, status))
                self.assertEqual(sorted(line for line in p.err.splitlines()
                                        if line.startswith("rank")),
                                 ["rank 0", "rank 1"])

    def test_last_line_counts(self):
        """And is the only one of its kind, whatever was said before."""
        for mode, lines in (
                ("early", ["the last word",
                           "fabricprobe: verdict=healthy exit=0"]),
                ("twice", ["fabricprobe: verdict=fault exit=1"])):
            with self.subTest(mode), self.start(mode) as p:
                self.end(p, int(lines[-1][-1]))
                self.assertEqual(p.out.splitlines(), lines)

    def test_no_verdict(self):
        with self.start("none") as p:
            self.end(p, 2)
            self.assertIn("could not run", p.out)
            self.assertEqual(p.verdict(), ("error", 2))

    def test_report_that_was_cut(self):
        with self.start("cut") as p:
            self.end(p, 1)
            self.assertNotIn("once more", p.err)
            self.assertEqual(p.verdict(), ("fault", 1))

    def test_rank0_killed(self):
        """It is tried once more; the fault stays, whatever comes then."""
        with self.start("die", "{dir}/died") as p:
            self.end(p, 1)
            self.assertIn("starting once more", p.err)
            self.assertEqual(p.out.splitlines(), [
                "FAULT  rank 0 (?) ended without a word",
                "fabricprobe: verdict=fault exit=1"])

    def test_rank0_stopped(self):
        """Nobody would hear of it any more: it is asked for, and ended."""
        with self.start("halt", "{dir}/halted") as p:
            self.end(p, 1, START_S + QUIET_S + START_S)
            self.assertIn("starting once more", p.err)
            self.assertEqual(p.out.splitlines(), [
                "FAULT  rank 0 (?) was stopped",
                "fabricprobe: verdict=fault exit=1"])

    def test_program_that_does_not_end(self):
        with self.start("linger") as p:
            self.end(p, 1)
            self.assertEqual(p.verdict(), ("fault", 1))

    def test_time_out(self):
        with self.start("--timeout", "2", "hang") as p:
            self.end(p, 3)

    def test_signals(self):
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signum), self.start("hang") as p:
                proc.wait_for("the ranks", lambda: p.err.count("ready") == 2,
                              START_S)
                p.signal(signum)
                told = time.monotonic() - p.started
                self.end(p, 3, told + 10)
                self.assertEqual(p.verdict(), ("incomplete", 3))

    def test_json_stays_json(self):
        with self.start("json", "{dir}/r.json") as p:
            with open(p.path("r.json"), "w") as f:
                f.write('{"a": 1}\n')
            self.end(p, 0)
            self.assertEqual(json.loads(p.out.splitlines()[0]), {"a": 1})

    def test_record(self):
        with self.start("--out", "{dir}/saved", "verdict", "healthy",
                        "0") as p:
            self.end(p, 0)
            self.assertEqual(report.load_plain(
                p.path("saved/launch.json")), {
                    "schema": "fabricprobe-launch/1", "exit": 0, "lost": [],
                    "died": []})


class Options(RunCase):

    def test_refused(self):
        for argv, name in (
                (["-H", "a[1-"], "-H"), (["--hostfile", "/nonexistent"],
                                         "--hostfile"),
                (["-n", "0"], "-n"), (["-H", "localhost:1", "-n", "2"], "-n"),
                (["--prog", "/nonexistent"], "--prog"),
                (["--mpirun", "/nonexistent"], "--mpirun"),
                (["-H", "a", "--rsh-agent", "/nonexistent x"],
                 "--rsh-agent"), (["--srun"], "--srun")):
            with self.subTest(argv), self.start(*argv) as p:
                self.end(p, 2)
                self.assertIn(name + ":", p.err)
                self.assertEqual(p.out, "")

    def test_no_host_answers(self):
        agent = "sh -c 'echo no route >&2; exit 255' -"
        with self.start("-H", "a,b", "--rsh-agent", agent, "verdict",
                        "healthy", "0") as p:
            self.end(p, 2)
            self.assertIn("a is LOST: no route", p.out)
            self.assertIn("exclude: a,b", p.out)

    def test_where_ours_end(self):
        """What is behind the first other word is the program's."""
        with self.start("--", "verdict", "healthy", "0", "-n", "7",
                        "--timeout", "0") as p:
            self.end(p, 0)


class Clean(unittest.TestCase):
    """What runs on each host afterwards."""

    def clean(self, folder, jobs):
        half = len(folder) // 2
        script = CLEAN % (folder[:half], folder[half:], jobs or "''")
        return proc.subprocess.call(["sh", "-c", script])

    def test_marked_processes(self):
        with Wrapper(["--help"]) as p:
            folder = p.path("fabricprobe-run.x")
            os.mkdir(folder)
            open(folder + "/session", "w").close()
            marked = proc.subprocess.Popen(
                ["sleep", "60"], env={"FABRICPROBE_RUN": folder})
            named = proc.subprocess.Popen(
                ["sh", "-c", "sleep 60; :", folder], start_new_session=True)
            other = proc.subprocess.Popen(["sleep", "60"],
                                          env={"FABRICPROBE_RUN": p.dir})
            try:
                self.assertEqual(self.clean(folder, ""), 0)
                self.assertEqual(marked.wait(5), -signal.SIGKILL)
                self.assertEqual(named.wait(5), -signal.SIGKILL)
                self.assertIsNone(other.poll())
                self.assertFalse(os.path.exists(folder))
                self.assertTrue(os.path.exists(p.dir))
            finally:
                for child in (marked, other):
                    child.kill()
                    child.wait()
                os.killpg(named.pid, signal.SIGKILL)

    def test_shared_memory(self):
        """Of the job's family of numbers, and of no other."""
        name = "/dev/shm/vader_segment.h.%d." % os.getuid()
        files = [name + "fab30001.0", name + "fab40001.0",
                 "/dev/shm/vader_segment.h.%d.fab30001.0"
                 % (os.getuid() + 1)]
        for path in files:
            open(path, "w").close()
        try:
            with Wrapper(["--help"]) as p:
                self.clean(p.path("fabricprobe-run.none"), "fab3")
            self.assertEqual([os.path.exists(f) for f in files],
                             [False, True, True])
        finally:
            for path in filter(os.path.exists, files):
                os.unlink(path)

    def test_only_folders_of_ours(self):
        with Wrapper(["--help"]) as p:
            other = p.path("other")
            os.mkdir(other)
            self.assertEqual(self.clean(other, ""), 2)
            self.assertTrue(os.path.exists(other))


class Look(unittest.TestCase):
    """What a host is asked when a launch does not begin. bash stands for the
    launcher daemon: it takes any name, and can connect."""

    def setUp(self):
        self.home = Wrapper(["--help"])
        self.addCleanup(self.home.__exit__)
        self.folder = self.home.path("fabricprobe-run.x")
        os.mkdir(self.folder)
        shutil.copy(shutil.which("bash"), self.home.path("orted"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.listener.close)

    def run_marked(self, name, script, **env):
        """A process of the launch that says a word once it has begun."""
        p = proc.subprocess.Popen(
            [name, "-c", script + "; echo; read word"],
            stdin=proc.subprocess.PIPE, stdout=proc.subprocess.PIPE,
            env=dict(os.environ, FABRICPROBE_RUN=self.folder, **env))
        self.addCleanup(p.communicate)
        self.addCleanup(p.kill)
        p.stdout.readline()
        return p

    def daemon(self, connect=False):
        to = "/dev/tcp/127.0.0.1/%d" % self.listener.getsockname()[1]
        return self.run_marked(self.home.path("orted"),
                               "exec 3<>" + to if connect else ":")

    def rank(self):
        return self.run_marked("bash", ":", OMPI_COMM_WORLD_RANK="1")

    def stop(self, p):
        p.send_signal(signal.SIGSTOP)
        proc.wait_for("a stopped process", lambda: " T " in proc.read(
            "/proc/%d/stat" % p.pid), 5)

    def found(self, why):
        half = len(self.folder) // 2
        script = start.LOOK % tuple(map(shlex.quote, (
            self.folder[:half], self.folder[half:], start.HALTED, start.IDLE,
            start.UNLINKED, start.STOPPED, start.ABSENT)))
        done = proc.subprocess.run(
            ["sh", "-c", script], stdin=proc.subprocess.DEVNULL,
            stdout=proc.subprocess.PIPE, stderr=proc.subprocess.STDOUT,
            universal_newlines=True, timeout=START_S)
        self.assertEqual((done.returncode, done.stdout.strip()),
                         (3 if why else 0, why))

    def test_nobody(self):
        self.found(start.ABSENT)

    def test_daemon(self):
        self.found(start.ABSENT)
        alone = self.daemon()
        self.found(start.UNLINKED)
        self.stop(alone)
        self.found(start.STOPPED)

    def test_daemon_that_reported(self):
        linked = self.daemon(connect=True)
        self.found(start.IDLE)
        self.stop(linked)
        self.found(start.STOPPED)

    def test_ranks(self):
        self.daemon(connect=True)
        self.rank()
        self.found("")
        self.stop(self.rank())
        self.found(start.HALTED)


class Begin(unittest.TestCase):
    """Who is blamed for what the hosts say, and when."""

    LOOKS = (
        ([{}, {}], {}, None),
        ([{"b": start.UNLINKED}] * 2, {"b": start.UNLINKED}, None),
        ([{"b": start.UNLINKED}, {}], {}, None),
        ([{"b": start.UNLINKED}, {"c": start.UNLINKED}], {}, None),
        # what waits for b is not to blame
        ([{"a": start.IDLE, "b": start.STOPPED, "c": start.IDLE}] * 2,
         {"b": start.STOPPED}, None),
        # ranks run on a and c
        ([{"b": start.IDLE}] * 2, {"b": start.NO_RANK}, None),
        ([dict.fromkeys("abc", start.IDLE)] * 2, {},
         "no rank was started on any host"),
    )

    def test_looks(self):
        for looks, lost, why in self.LOOKS:
            with self.subTest(looks):
                got = self.begin(looks)
                self.assertEqual(got.look(), ({}, None))
                got.due = 0
                self.assertEqual(got.look(), (lost, why))

    def begin(self, answers):
        run = types.SimpleNamespace(opts=types.SimpleNamespace(launch_s=0))
        said = iter(answers)
        begin = start.Start(run, list("abc"))
        begin.answers = lambda: next(said)
        return begin

    def test_no_hosts_to_ask(self):
        """Those of a scheduler are the launcher's matter."""
        begin = self.begin([{}, {}])
        begin.hosts = []
        self.assertEqual([begin.look(), begin.look()], [({}, None)] * 2)

    def test_not_once_it_has_begun(self):
        begin = self.begin([])
        begin.begun = True
        self.assertEqual(begin.look(), ({}, None))

    def test_not_before_it_is_due(self):
        begin = self.begin([])
        begin.run.opts.launch_s = 1000
        begin.progress()
        self.assertEqual(begin.look(), ({}, None))


class Srun(RunCase):

    def start(self, *argv, ranks=3):
        return super().start("--srun", "-H", "localhost:2,127.0.0.1:2",
                             *argv, ranks=ranks)

    def test_verdict(self):
        with self.start("verdict", "fault", "1") as p:
            self.end(p, 1)
            self.assertEqual(p.err.count("rank"), 3)

    def test_sigint(self):
        with self.start("hang") as p:
            proc.wait_for("the ranks", lambda: p.err.count("ready") == 3,
                          START_S)
            p.signal(signal.SIGTERM)
            self.end(p, 3)
            self.assertEqual(p.verdict(), ("incomplete", 3))

    def test_fabricprobe(self):
        """The real program, which meets without MPI then."""
        with self.start("--prog", case.PROGRAM, "--out", "{dir}/saved", "--",
                        "--quick", "--no-progress", ranks=3) as p:
            self.end(p, 0, START_S + 15)
            saved = report.load(p.path("saved/report.json"))
            self.assertEqual(len(saved["job"]["ranks"]), 3)


if __name__ == "__main__":
    case.main(3)
