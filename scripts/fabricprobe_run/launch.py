# SPDX-License-Identifier: Apache-2.0
"""One run of a launcher: passes on what it prints, ends it if need be."""
import glob
import os
import re
import subprocess
import sys
import time

from .ask import Question, kill_group, last_line
from .hosts import Unusable
from .start import BEGUN, Start

QUIET_S = 10  # rank 0 silent for so long: ask its host
LINGER_S = 5  # for the launcher to end by itself after the verdict
STOP_S = 6    # from the signal to SIGKILL while a report may still come
END_S = 2     # the same once it has come
TICK_S = 0.5
STOPPED = "was stopped"  # rank 0, by somebody's SIGSTOP

VERDICT = re.compile(rb"(?:# )?fabricprobe: verdict=([a-z]+) exit=(\d+)\s*$")
# How a text report begins. srun drops the end of what is printed when it ends a
# step of which a task was killed.
HEADLINE = re.compile(rb"(HEALTHY|FAULT|INCOMPLETE)  ")
STATUS = {"healthy": 0, "fault": 1, "incomplete": 3}

# Stands between mpirun and the agent: notes that each host was called and how
# that ended, since mpirun does not say which host keeps it waiting.
SHIM = """#!/bin/sh
: >"{work}/call.$1"
{agent} "$@" 2>"{work}/words.$1"
status=$?
cat "{work}/words.$1" >&2
echo $status >"{work}/done.$1"
exit $status
"""


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


class Stream:
    """
    What a launcher prints: passed on, or kept, and split into lines. What
    begins as a verdict does is held until its line is whole, and then not
    passed on: whether it is the last word is not known yet.
    """

    def __init__(self, pipe, sink):
        self.pipe, self.sink, self.kept = pipe, sink, b""
        self.tail, self.passed = b"", 0  # passed: bytes of the tail

    def fileno(self):
        return self.pipe.fileno()

    def read(self):
        """What there is, once there is some: whole lines, None at the end."""
        data = os.read(self.fileno(), 65536)
        if self.sink is None:
            self.kept += data
        if not data:
            rest, self.tail = self.tail, b""
            self._pass_on(rest)
            return [rest] if rest else None
        *lines, self.tail = (self.tail + data).split(b"\n")
        for line in lines:
            self._pass_on(line + b"\n")
        if not may_be_verdict(self.tail):
            self._pass_on(self.tail)
            self.passed = len(self.tail)
        return lines

    def _pass_on(self, data):
        data, self.passed = data[self.passed:], 0
        if not data or self.sink is None or VERDICT.match(data) or \
                data.strip() == BEGUN:
            return
        try:
            self.sink.write(data)
            self.sink.flush()
        except BrokenPipeError:
            self.sink = open(os.devnull, "wb")


def may_be_verdict(text):
    """Could @text become a verdict with what comes after it?"""
    return any(text[:len(start)] == start[:len(text)]
               for start in (b"fabricprobe: ", b"# fabricprobe: "))


class Launch:
    """
    A launcher at work over a plan (host -> ranks; rank 0 on the first).

    verdict: (word, exit status), or None
    last:    its line
    why:     why it had to be ended, or None
    lost:    host -> why, of hosts that went or never came
    died:    how rank 0 ended, if without a verdict; or None
    cut:     was the verdict line missing, but not the report's first one?
    jobs:    how the names of Open MPI's shared memory begin, hexadecimal
    """

    def __init__(self, run, plan):
        self.run, self.bell, self.opts = run, run.bell, run.opts
        self.hosts = list(plan)
        self.verdict = self.why = self.headline = None
        self.last = ""
        self.lost, self.jobs = {}, ""
        self.died = None
        self.complained = self.cut = self.settled = False
        self.called = set()  # hosts to which the call has come to its end
        self.stops = self.bell.stops
        self.question, self.misses = None, 0
        self.started = self.heard = self.verdict_at = time.monotonic()
        self.start = Start(run, self.hosts)
        argv, env = run.command(plan)
        try:
            self.proc = subprocess.Popen(
                argv, env=env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)
        except OSError as e:
            raise Unusable("cannot start %s: %s" % (argv[0], e))
        sink = None if run.json_out else sys.stdout.buffer
        self.out = Stream(self.proc.stdout, sink)
        self.streams = [self.out, Stream(self.proc.stderr, sys.stderr.buffer)]

    def stopped(self):
        return self.bell.stops > self.stops

    def watch(self):
        """See it to its end, which is ours where it has none of its own."""
        kill_at = None
        while self.proc.poll() is None:
            self._pump(TICK_S)
            now = time.monotonic()
            if self.died:
                kill_group(self.proc)
                break
            if kill_at is None:
                self.why = self._due(now)
                if self.why:
                    # What it says when it is ended is not about the run.
                    self.settled = bool(self.verdict)
                    self.proc.send_signal(self.run.stop_signal)
                    kill_at = now + (END_S if self.verdict else STOP_S)
            elif now > kill_at or self.bell.stops > self.stops + 1:
                kill_group(self.proc)
                break
        until = time.monotonic() + END_S
        while self._pump(0) and time.monotonic() < until:
            pass
        if self.verdict is None and self.headline:
            self.cut = True
            self.verdict = self.headline, STATUS[self.headline]
        if self.verdict is None and not self.stopped():
            self._find_uncalled()
            self.lost.update(self.lost or self.run.dead(self.hosts))
            if not (self.lost or self.why or self.complained):
                self.died = self.died or "ended without a word"

    def _pump(self, seconds):
        """Take what is printed within @seconds. Was there anything?"""
        ready = self.bell.wait(seconds, self.streams)
        for stream in ready:
            lines = stream.read()
            if lines is None:
                self.streams.remove(stream)
            for line in lines or []:
                self._line(line)
        return bool(ready)

    def _line(self, line):
        self.heard, self.misses = time.monotonic(), 0
        if line.strip() == BEGUN:
            self.start.begun = True
            return
        found = HEADLINE.match(line)
        if found and not self.headline:
            self.headline = found.group(1).decode().lower()
        found = VERDICT.match(line)
        if found and not self.settled:
            self.last = line.decode().strip()
            self.verdict = found.group(1).decode(), int(found.group(2))
            self.verdict_at = self.heard
        self.complained |= not found and line.startswith(b"fabricprobe: ")

    def _due(self, now):
        """Why the launcher is to be ended now, or None."""
        self._note_jobs()
        if self.stopped():
            return "told to stop"
        if self.verdict:
            late = now > self.verdict_at + LINGER_S
            return "it does not end by itself" if late else None
        if self.opts.timeout and now > self.started + self.opts.timeout:
            return "no verdict within %g s" % self.opts.timeout
        self._find_uncalled()
        self._find_rank0(now)
        if self.lost:
            return "a host is LOST"
        return None if self.opts.srun else self._find_mute()

    def _find_mute(self):
        """Hosts without which nothing begins. Why to end it, or None."""
        lost, why = self.start.look()
        while self._pump(0):  # it may have begun meanwhile
            pass
        if self.start.begun or self.verdict:
            return None
        self.lost.update(lost)
        return "a host is LOST" if lost else why

    def _note_jobs(self):
        if self.jobs:
            return
        for path in glob.glob(self.run.work + "/ompi.*/pid.*/contact.txt"):
            number = read(path).partition(".")[0]
            if number.isdigit():
                self.jobs = "%x" % (int(number) >> 16)

    def _find_uncalled(self):
        """Hosts whose launcher daemon could not be started, or hangs."""
        for host in self.hosts:
            try:
                called = os.stat(self.run.at("call", host)).st_mtime
            except OSError:
                continue
            status = read(self.run.at("done", host)).strip()
            if not status or host not in self.called:
                self.start.progress()
            if status:
                self.called.add(host)
            if status not in ("", "0"):
                self.lost[host] = last_line(read(self.run.at("words", host)),
                                            "exit status " + status)
            elif not status and time.time() - called > self.opts.launch_s:
                self.lost[host] = ("did not start a launcher daemon within "
                                   "%g s" % self.opts.launch_s)

    def _find_rank0(self, now):
        """Ask rank 0's host when it is quiet; gone if it misses two."""
        host = self.hosts[0] if self.hosts else "localhost"
        if self.question is None and now > self.heard + QUIET_S:
            self.question = Question(self.run.ask_alive(host),
                                     self.opts.preflight_s)
        answer = self.question and self.question.answer()
        if answer is None:
            return
        self.question = None
        self.misses = self.misses + 1 if answer else 0
        if self.misses >= 2 and answer == STOPPED:
            self.died = STOPPED
        elif self.misses >= 2:
            self.lost[host] = answer
        elif not answer:
            self.heard = now
