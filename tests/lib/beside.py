# SPDX-License-Identifier: Apache-2.0
"""A runner of test cases that runs several side by side.

For cases that mostly wait: for a deadline, a host, a launcher. Processes take
one case after the other from the same list; fixtures of a class are made once
in each. A case, or a class, that is @alone runs when all others are over.
"""
import multiprocessing
import os
import sys
import unittest


def alone(test):
    """Decorator: nothing may run beside it, because it measures speed."""
    test.alone = True
    return test


def is_alone(test):
    method = getattr(test, test._testMethodName, None)
    return getattr(test, "alone", False) or getattr(method, "alone", False)


def flat(suite):
    """The cases of a suite of suites."""
    if not isinstance(suite, unittest.TestSuite):
        return [suite]
    return [test for part in suite for test in flat(part)]


class Taken(unittest.TestSuite):
    """Cases of which each is run by who takes it first."""

    _cleanup = False

    def __init__(self, tests, next_one):
        super().__init__(tests)
        self.next_one = next_one

    def __iter__(self):
        tests = list(super().__iter__())
        while True:
            with self.next_one.get_lock():
                index = self.next_one.value
                self.next_one.value += 1
            if index >= len(tests):
                return
            yield tests[index]


class Whole:
    """Standard error by whole lines, so that those of several do not mix."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        if self.text.endswith("\n"):
            data, self.text = self.text.encode(), ""
            while data:
                data = data[os.write(2, data):]


class Result:
    """What came of all parts."""

    def __init__(self, parts):
        self.testsRun = sum(part[0] for part in parts)
        self.good = all(part[1] for part in parts)
        self.skipped = [skip for part in parts for skip in part[2]]

    def wasSuccessful(self):
        return self.good


class Runner:
    """Takes the place of unittest's; @width processes."""

    def __init__(self, width):
        self.width = width

    def run(self, suite):
        tests = flat(suite)
        together = [test for test in tests if not is_alone(test)]
        last = [test for test in tests if is_alone(test)]
        context = multiprocessing.get_context("fork")
        parts = []
        for group, width in ((together, self.width), (last, 1)):
            taken = Taken(group, context.Value("i", 0))
            ends = [start(context, taken)
                    for _ in range(min(width, len(group)))]
            parts += [finish(*end) for end in ends]
        return Result(parts)


def start(context, suite):
    """A process at work on @suite, and where it sends what came of it."""
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(suite, there))
    process.start()
    there.close()
    return process, here


def finish(process, here):
    """What came of it. One that died without a word is no success."""
    try:
        part = here.recv()
    except EOFError:
        part = (0, False, [])
        print("FAILED: a process of these cases ended in the middle of one",
              file=sys.stderr, flush=True)
    process.join()
    return part


def work(suite, there):
    stream = Whole()
    result = unittest.TextTestRunner(stream, verbosity=2).run(suite)
    stream.flush()
    there.send((result.testsRun, result.wasSuccessful(),
                [(str(test), why) for test, why in result.skipped]))
