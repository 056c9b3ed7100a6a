# SPDX-License-Identifier: Apache-2.0
"""Programs under test: started, watched against a bound, and searched for."""
import os
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

VERDICT = re.compile(r"^(?:# )?fabricprobe: verdict=(\w+) exit=(\d+)$", re.M)


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def alive(pid):
    """Is @pid a process that still runs, not a zombie?"""
    state = read("/proc/%d/stat" % pid).rpartition(")")[2].split()
    return bool(state) and state[0] not in "ZX"


def command(pid):
    text = read("/proc/%d/cmdline" % pid).replace("\0", " ").strip()
    return "%d (%s)" % (pid, text)


def children(pid):
    return [int(p) for p in
            read("/proc/%d/task/%d/children" % (pid, pid)).split()]


def send(pid, signum):
    """Signal one process; gone already is fine."""
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        pass


def wait_for(what, until, seconds):
    """Poll @until() until it is true; its value. Fails naming @what."""
    deadline = time.monotonic() + seconds
    while True:
        value = until()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError("%s: not within %g s" % (what, seconds))
        time.sleep(0.01)


class Proc:
    """
    A program with its output in files and a token in its environment, by
    which all that it starts is found. A context manager: kills on exit.
    """

    def __init__(self, argv):
        self.token = secrets.token_hex(8)
        self.dir = tempfile.mkdtemp(prefix="fabricprobe-test.")
        self.argv, env = self.prepare(argv)
        self.started = time.monotonic()
        with open(self.path("out"), "wb") as out, \
                open(self.path("err"), "wb") as err:
            self.popen = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True,
                env=dict(os.environ, FP_TEST_TOKEN=self.token, **env))

    def prepare(self, argv):
        """What is started, and with what in its environment."""
        return argv, {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.pids():
            send(pid, signal.SIGKILL)
        self.popen.kill()
        self.popen.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    @property
    def out(self):
        return read(self.path("out"))

    @property
    def err(self):
        return read(self.path("err"))

    def verdict(self):
        """(word, exit status) of the last verdict line on stdout, or None."""
        found = VERDICT.findall(self.out)
        return (found[-1][0], int(found[-1][1])) if found else None

    def pids(self, match=""):
        """Everything that it started and that runs, by command line."""
        return [pid for pid in all_pids() if alive(pid)
                and self.token in read("/proc/%d/environ" % pid)
                and re.search(match, command(pid))]

    def signal(self, signum, entered=False):
        """Signal it; where it was @entered by nsenter, what that runs."""
        pid = children(self.popen.pid)[0] if entered else self.popen.pid
        send(pid, signum)

    def wait(self, seconds):
        """Its exit status. Fails when it takes longer."""
        try:
            status = self.popen.wait(
                max(0, self.started + seconds - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise AssertionError("did not end within %g s\n%s" % (
                seconds, self.tell()))
        self.wall_s = time.monotonic() - self.started
        return status

    def tell(self):
        """For the message of a failed assertion."""
        return "%s\n--- stdout\n%s\n--- stderr\n%s" % (
            " ".join(self.argv), self.out[-6000:], self.err[-3000:])
