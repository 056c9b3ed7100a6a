# SPDX-License-Identifier: Apache-2.0
"""The launch wrapper's host lists: what they mean, and what is refused."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import case  # noqa: E402

sys.path.insert(0, case.SOURCE + "/scripts")

from fabricprobe_run import hosts  # noqa: E402

LISTS = (
    ("a", {"a": None}),
    ("a,b", {"a": None, "b": None}),
    ("b:2,a:4", {"b": 2, "a": 4}),
    ("a:2,b,a:3", {"a": 5, "b": None}),
    ("a,a", {"a": None}),
    ("root@a.example.org:8", {"root@a.example.org": 8}),
    ("10.0.0.1:2", {"10.0.0.1": 2}),
    ("n[1-3]", {"n1": None, "n2": None, "n3": None}),
    ("n[08-10]:2", {"n08": 2, "n09": 2, "n10": 2}),
    ("n[1,3-4,7]-ib", {"n1-ib": None, "n3-ib": None, "n4-ib": None,
                       "n7-ib": None}),
    ("r[1-2]n[1-2]", {"r1n1": None, "r1n2": None, "r2n1": None,
                      "r2n2": None}),
    ("n[1-2]:2,m,k[5]", {"n1": 2, "n2": 2, "m": None, "k5": None}),
    ("", {}),
)

REFUSED = ("a:0", "a:", "a:x", "a:-1", "a:1:2", "n[1-", "n[1-3", "n1]", "[",
           "n[3-1]", "n[]", "n[-]", "n[1-]", "n[a-b]", "n[1--3]", "a;b", "a b",
           "-x", "$(x)", "n[0-99999999]", "a[1-1000][1-1000]", "a:9999999")

FILES = (
    ("a\nb\n", {"a": None, "b": None}),
    ("# all\na slots=4 # big\n\n  b slots=2 max_slots=4\n", {"a": 4, "b": 2}),
    ("a:2\nn[1-2] slots=3", {"a": 2, "n1": 3, "n2": 3}),
)

SHARES = (
    ({"a": None, "b": None}, None, {"a": 1, "b": 1}),
    ({"a": 4, "b": None}, None, {"a": 4, "b": 1}),
    ({"a": None, "b": None}, 4, {"a": 2, "b": 2}),
    ({"a": None, "b": None}, 5, {"a": 3, "b": 2}),
    ({"a": None, "b": None, "c": None}, 2, {"a": 1, "b": 1}),
    ({"a": 4, "b": 4}, 6, {"a": 4, "b": 2}),
    ({"a": 2, "b": None, "c": None}, 5, {"a": 2, "b": 2, "c": 1}),
    ({}, 4, {}),
)


class Hosts(unittest.TestCase):

    def test_lists(self):
        for text, want in LISTS:
            with self.subTest(text):
                got = hosts.read_words(hosts.split_list(text))
                self.assertEqual(list(got.items()), list(want.items()))

    def test_refused(self):
        for text in REFUSED:
            with self.subTest(text), self.assertRaises(hosts.Unusable):
                hosts.read_words(hosts.split_list(text))

    def test_files(self):
        for text, want in FILES:
            with self.subTest(text), tempfile.NamedTemporaryFile("w") as f:
                f.write(text)
                f.flush()
                self.assertEqual(hosts.read_file(f.name), want)

    def test_file_that_cannot_be_read(self):
        with self.assertRaises(hosts.Unusable):
            hosts.read_file("/nonexistent/hosts")

    def test_shares(self):
        for given, n, want in SHARES:
            with self.subTest(given=given, n=n):
                self.assertEqual(hosts.share(given, n), want)


if __name__ == "__main__":
    case.main()
