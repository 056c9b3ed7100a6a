# SPDX-License-Identifier: Apache-2.0
"""The cache of guests' images: one of them is kept, and never one that is in
use taken away. No guest is needed to see that."""
import os
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import cache  # noqa: E402
import case  # noqa: E402

OLD, NEW = "0123456789ab", "ba9876543210"
BOUND_S = 20


class Cache(unittest.TestCase):

    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="fabricprobe-test.")
        self.addCleanup(temp.cleanup)
        self.root = temp.name + "/cache"
        self.made = []

    def make(self, folder):
        self.made.append(os.path.basename(folder))
        for name in ("initramfs", "kernel"):
            with open(os.path.join(folder, name), "w") as f:
                f.write(folder)

    def use(self, name):
        return cache.use(self.root, name, "kernel", self.make)

    def kept(self):
        return sorted(os.listdir(self.root))

    def test_made_once(self):
        for _ in range(2):
            with self.use(OLD) as folder:
                self.assertEqual(folder, os.path.join(self.root, OLD))
                self.assertTrue(os.path.exists(folder + "/initramfs"))
        self.assertEqual(self.made, [OLD])

    def test_next_one_replaces_it(self):
        for name in (OLD, NEW, OLD):
            with self.use(name):
                self.assertEqual(self.kept(), [name])
            self.assertEqual(self.kept(), [name])
        self.assertEqual(self.made, [OLD, NEW, OLD])

    def test_not_while_it_is_used(self):
        with self.use(OLD) as old:
            with self.use(NEW):
                self.assertEqual(self.kept(), sorted([OLD, NEW]))
                self.assertTrue(os.path.exists(old + "/kernel"))
            with self.use(OLD) as again:  # side by side with itself
                self.assertEqual(again, old)
        with self.use(NEW):
            self.assertEqual(self.kept(), [NEW])

    def test_nothing_else_is_removed(self):
        for path in ("notes", "0123", OLD + "x"):
            os.makedirs(os.path.join(self.root, path))
        with self.use(NEW):
            pass
        self.assertEqual(self.kept(), sorted([NEW, "notes", "0123",
                                              OLD + "x"]))

    def test_made_by_one_of_many(self):
        got = []
        gate = threading.Barrier(8)

        def one():
            gate.wait(BOUND_S)
            with self.use(OLD) as folder:
                with open(folder + "/kernel") as f:
                    got.append(f.read())
        threads = [threading.Thread(target=one) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(BOUND_S)
        self.assertEqual(got, [os.path.join(self.root, OLD)] * 8)
        self.assertEqual(self.made, [OLD])

    def test_failure_is_tried_again(self):
        def fail(_):
            raise OSError("no network")
        with self.assertRaises(OSError):
            with cache.use(self.root, OLD, "kernel", fail):
                pass
        with self.use(OLD):
            self.assertEqual(self.made, [OLD])


if __name__ == "__main__":
    case.main()
