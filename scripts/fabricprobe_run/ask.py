# SPDX-License-Identifier: Apache-2.0
"""Commands on many hosts side by side, each under a deadline."""
import os
import select
import signal
import socket
import subprocess
import tempfile
import time

AT_ONCE = 128


class Bell:
    """Signals as bytes on a socket, so that every wait hears them."""

    def __init__(self):
        self.stops = 0  # how often we were told to stop
        self.near, self.far = socket.socketpair()
        for end in (self.near, self.far):
            end.setblocking(False)
        signal.set_wakeup_fd(self.far.fileno())
        for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                       signal.SIGCHLD):
            signal.signal(signum, self._heard)

    def _heard(self, signum, _):
        self.stops += signum != signal.SIGCHLD

    def wait(self, seconds, files=()):
        """Until one of @files can be read, a signal or the time. Which."""
        ready = select.select([self.near] + list(files), [], [],
                              max(0, seconds))[0]
        if self.near in ready:
            ready.remove(self.near)
            self.near.recv(4096)
        return ready


def kill_group(proc):
    """SIGKILL to a process that we started in a group of its own."""
    try:
        os.killpg(proc.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def last_line(text, otherwise):
    lines = text.strip().splitlines()
    return lines[-1].strip() if lines else otherwise


class Question:
    """A command that runs, and has until its deadline to end."""

    def __init__(self, argv, seconds):
        self.seconds, self.until = seconds, time.monotonic() + seconds
        self.words = tempfile.TemporaryFile()
        self.proc = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.words, start_new_session=True)

    def answer(self):
        """None: not yet; "": yes; else what is wrong. Never waits."""
        status = self.proc.poll()
        if status is None and time.monotonic() < self.until:
            return None
        kill_group(self.proc)
        if status is None:
            return "did not answer within %g s" % self.seconds
        if status == 0:
            return ""
        self.words.seek(0)
        return last_line(self.words.read(65536).decode(errors="replace"),
                         "exit status %d" % status)


def ask(bell, commands, seconds):
    """
    Run commands[host] of all hosts, AT_ONCE side by side. Ends early when the
    bell says stop; who has not answered by then is missing.

    Return: host -> answer.
    """
    answers, asked, todo = {}, {}, list(commands)
    stops = bell.stops
    while (todo or asked) and bell.stops == stops:
        while todo and len(asked) < AT_ONCE:
            host = todo.pop(0)
            asked[host] = Question(commands[host], seconds)
        for host, question in list(asked.items()):
            answer = question.answer()
            if answer is not None:
                answers[host] = answer
                del asked[host]
        if len(asked) == AT_ONCE or asked and not todo:
            bell.wait(min(q.until for q in asked.values()) - time.monotonic())
    for question in asked.values():
        kill_group(question.proc)
    return answers
