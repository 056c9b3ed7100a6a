#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What explain is given: packed and cut files, folders, pipes, what is
hostile, and what it prints for a person and for a program."""
import gzip
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "lib"))
import case  # noqa: E402
import truth  # noqa: E402

WARNING = b"h1:1:2 [0] init.cc:1 NCCL WARN Duplicate GPU detected : rank 1 " \
    b"and rank 0 both on CUDA device 1a000\n"
BOMB_BYTES = 128 << 20
DUPLICATE = "FP-EXPLAIN-DUPLICATE-GPU"


class Hostile:
    """Pickled, it would run a program where it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


class Input(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fp explain ")
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, name, data):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)
        return path

    def run_it(self, *words, stdin=b""):
        return subprocess.run([case.PROGRAM, "explain", *words],
                              input=stdin, capture_output=True, timeout=60,
                              check=False)

    def answer(self, *words, stdin=b""):
        done = self.run_it("--json", "-", *words, stdin=stdin)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["exit"], done.returncode)
        return answer

    def names(self, answer):
        return [finding["id"] for finding in answer["findings"]]

    def trouble(self, answer):
        return " ".join(f["trouble"] or "" for f in answer["files"])

    def test_plain_packed_and_piped(self):
        text = b"x\n" * 100000 + WARNING
        packed = gzip.compress(text[:100]) + gzip.compress(text[100:])
        files = [self.put("a.log", text), self.put("b", packed)]
        if shutil.which("zstd"):
            done = subprocess.run(["zstd", "-c"], input=text, check=True,
                                  capture_output=True)
            files.append(self.put("c.log", done.stdout))
        for path in files:
            answer = self.answer(path)
            self.assertEqual(self.names(answer), [DUPLICATE], path)
            self.assertEqual(answer["files"][0]["bytes"], len(text))
            self.assertEqual(answer["files"][0]["lines"], 100001)
        self.assertEqual(self.names(self.answer("-", stdin=packed)),
                         [DUPLICATE])

    def test_utf16_longer_than_what_is_read_at_once(self):
        # The first MiB of UTF-8 ends inside a character.
        text = "\u20ac\u20ac\n" * 200000 + WARNING.decode()
        for data in (text.encode("utf-16"),
                     b"\xfe\xff" + text.encode("utf-16-be")):
            answer = self.answer(self.put("a.log", data))
            self.assertEqual(self.names(answer), [DUPLICATE])
            self.assertEqual(answer["files"][0]["bytes"],
                             len(text.encode()))
            self.assertEqual(answer["files"][0]["lines"], 200001)

    def test_cut_packed_file(self):
        text = WARNING + os.urandom(100000)
        packed = gzip.compress(text)
        answer = self.answer(self.put("cut.gz", packed[:50000]))
        self.assertEqual(self.names(answer), [DUPLICATE])
        self.assertIn("the gzip file is cut", self.trouble(answer))
        packed = gzip.compress(b"".join(b"step %d\n" % i
                                        for i in range(9999)))
        answer = self.answer(self.put("bad.gz", packed[:99] + b"\xff" * 500))
        self.assertIn("damaged", self.trouble(answer))
        self.assertTrue(answer["incomplete"])

    def test_bomb_is_refused(self):
        packed = gzip.compress(b"\0" * BOMB_BYTES, 9)
        answer = self.answer(self.put("bomb.gz", packed))
        self.assertIn("refused", self.trouble(answer))
        self.assertEqual(answer["verdict"], "incomplete")

    def test_hostile_pickle_is_refused(self):
        ran = os.path.join(self.folder, "it ran")
        for protocol in (2, 3, 4):
            data = pickle.dumps({"entries": Hostile(ran)}, protocol)
            answer = self.answer(self.put("rank1", data))
            self.assertIn("would run code: refused", self.trouble(answer))
            self.assertEqual(answer["verdict"], "incomplete")
        self.assertFalse(os.path.exists(ran))

    def test_broken_dumps_are_named(self):
        rows = [(b"\x80\x02}q\x00X\xff", "ends in the middle"),
                (b'{"entries": [', "JSON, line 1"),
                (b'{"a": 1}', "neither a Flight Recorder dump"),
                (pickle.dumps({"a": 1}, 2), "no Flight Recorder dump"),
                (pickle.dumps({"entries": [], "pg_config": {}}, 2),
                 "the rank must be the last number")]
        for data, why in rows:
            answer = self.answer(self.put("dump", data))
            self.assertIn(why, self.trouble(answer))
            self.assertEqual(answer["verdict"], "incomplete")

    def test_folder_with_folders(self):
        for rank in range(12):
            self.put(f"node {rank // 4}/rank{rank}.log", b"fine\n" * rank)
        self.put("node 2/.hidden", WARNING)
        self.assertEqual(self.names(self.answer(self.folder)), [])
        self.put("node 2/rank11.log", WARNING)
        answer = self.answer(self.folder)
        self.assertEqual(self.names(answer), [DUPLICATE])
        self.assertEqual(len(answer["files"]), 12)
        order = [f["name"].rpartition("/")[2] for f in answer["files"]]
        self.assertEqual(order[-2:], ["rank10.log", "rank11.log"])

    def test_what_cannot_be_read(self):
        done = self.run_it(os.path.join(self.folder, "no such"))
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"no such: cannot open", done.stderr)
        done = self.run_it()
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"explain needs logs", done.stderr)

    def test_nothing_known_is_not_healthy(self):
        for data in (b"", b"\n\n", b"hello world\n", bytes(range(256)) * 99):
            answer = self.answer(self.put("x", data))
            self.assertEqual(answer["verdict"], "incomplete", data[:20])
            self.assertEqual(answer["findings"], [])

    def test_text_fits_80_columns(self):
        rng = truth.random_of(5)
        truth.recorder_absent(rng, self.folder, 16)
        done = self.run_it(self.folder)
        lines = done.stdout.decode().splitlines()
        self.assertEqual(done.returncode, 1)
        long = [line for line in lines
                if len(line) > 80 and self.folder not in line]
        self.assertEqual(long, [])
        self.assertEqual([line.split()[0] for line in lines[:8]
                          if not line.startswith(" ")][:3],
                         ["What", "Who", "Why"])
        self.assertEqual(lines[-1], "fabricprobe: verdict=fault exit=1")

    def test_findings_are_a_reports(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        path = os.path.join(case.SOURCE, "probes", "report",
                            "report.schema.json")
        with open(path, encoding="utf-8") as file:
            schema = json.load(file)
        schema["$ref"] = "#/definitions/finding"
        for key in ("type", "properties", "required",
                    "additionalProperties"):
            schema.pop(key)
        for index, maker in enumerate(truth.MAKERS):
            folder = os.path.join(self.folder, str(index))
            os.mkdir(folder)
            maker(truth.random_of(index), folder, 8)
            for finding in self.answer(folder)["findings"]:
                jsonschema.validate(finding, schema)

    def test_json_beside_text(self):
        path = os.path.join(self.folder, "out.json")
        done = self.run_it("--json", path, self.put("a.log", WARNING))
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"Two ranks were given the same GPU", done.stdout)
        with open(path, encoding="utf-8") as file:
            answer = json.load(file)
        self.assertEqual(answer["schema"], "fabricprobe-explain/1")
        self.assertEqual(answer["probe"],
                         "mpirun fabricprobe bisect --suspects 1")


case.main()
