# SPDX-License-Identifier: Apache-2.0
"""Cases of `fabricprobe topo`: "key: value" texts, one program run.

source:  the input, beside the case (or in the folder that the test names)
tree:    instead of it, the hosts of a job: names of host_shapes
options: further words of the command line
exit:    the exit status
target:  a file beside the case that standard output equals
cell:    A B RELATION, both ways
tail:    GPU CPUS NUMAS OWN; "-" for an empty column
says:    a text that is in the output (or in the error)
silent:  a text that is not
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import host_tree  # noqa: E402


def load(path):
    """The case as (key, value) pairs, in their order."""
    rows = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if not colon:
            raise SystemExit(f"{path}:{number}: no key")
        rows.append((key.strip(), value.strip()))
    return rows


def matrix(text):
    """{(row, column): cell} and {row: what is behind the cells}."""
    lines = text.splitlines()
    while lines and not lines[0].startswith("\t"):
        lines.pop(0)
    heads = lines[0].split("\t")[1:] if lines else []
    names = [head for head in heads
             if " " not in head]  # "CPU Affinity" and the like have one
    cells, tails = {}, {}
    for line in lines[1:]:
        words = line.split("\t")
        if words[0] not in names:
            break
        for name, cell in zip(names, words[1:]):
            cells[words[0], name] = cell.strip()
        rest = words[1 + len(names):]
        tails[words[0]] = rest[:2] + [word for word in rest[2:] if word][:1]
    return cells, tails


def run_topo(options):
    return subprocess.run(
        [os.environ["FABRICPROBE"], "topo", *options],
        capture_output=True, text=True, timeout=60, check=False)


def run_trees(shapes, options):
    """One host as it is; several as ranks that each have a host of their
    own, whose names the program gives."""
    import host_shapes
    with tempfile.TemporaryDirectory() as folder:
        for i, shape in enumerate(shapes):
            name = "local%d" % i
            tree = host_tree.Tree(os.path.join(folder, name), name)
            getattr(host_shapes, shape)(tree)
        n = str(len(shapes))
        if len(shapes) == 1:
            return run_topo(["--sysroot", folder + "/local0", *options])
        return run_topo(["--local", n, "--local-hosts", n, "--sysroot",
                         folder + "/%h", *options])


class Case:
    """One case, run; problems() are what is wrong."""

    def __init__(self, path, folder):
        self.path, self.rows = path, load(path)
        values = dict(self.rows)
        options = values.get("options", "").split()
        if "tree" in values:
            run = run_trees(values["tree"].split(), options)
        else:
            found = sorted(folder.glob(values["source"]))
            if len(found) != 1:
                raise SystemExit(
                    f"{path}: {len(found)} files match the source")
            run = run_topo(["--from", found[0], *options])
        self.out, self.err, self.exit = run.stdout, run.stderr, run.returncode
        self.cells, self.tails = matrix(self.out)

    def check_exit(self, value):
        if self.exit != int(value):
            yield f"exit status {self.exit}, not {value}: {self.err}"

    def check_cell(self, value):
        a, b, want = value.split()
        for pair in ((a, b), (b, a)):
            if self.cells.get(pair) != want:
                yield f"{pair[0]} to {pair[1]} is {self.cells.get(pair)}, " \
                      f"not {want}"

    def check_tail(self, value):
        row, *want = value.split()
        want = ["" if word == "-" else word for word in want]
        if self.tails.get(row) != want:
            yield f"{row} ends in {self.tails.get(row)}, not {want}"

    def check_says(self, value):
        if value not in self.out + self.err:
            yield f"'{value}' is not said in:\n{self.out}{self.err}"

    def check_silent(self, value):
        if value in self.out:
            yield f"'{value}' is said in:\n{self.out}"

    def check_target(self, value):
        path = self.path.parent / value
        if os.environ.get("FP_UPDATE_GOLDEN") == "1":
            path.write_text(self.out)
        elif not path.is_file() or path.read_text() != self.out:
            yield f"standard output is not {value}:\n{self.out}"

    def problems(self):
        checks = {"exit": self.check_exit, "cell": self.check_cell,
                  "tail": self.check_tail, "says": self.check_says,
                  "silent": self.check_silent, "target": self.check_target}
        for key, value in self.rows:
            if key in ("source", "tree", "options"):
                continue
            if key not in checks:
                yield f"unknown key '{key}'"
                continue
            yield from checks[key](value)


def run_all(cases, folder):
    """Run the *.case files in @cases. Return: the exit status."""
    bad, n = 0, 0
    for path in sorted(pathlib.Path(cases).glob("*.case")):
        n += 1
        for problem in Case(path, pathlib.Path(folder)).problems():
            print(f"{path.name}: {problem}")
            bad += 1
    print(f"{n} cases, {bad} problems")
    return 1 if bad or not n else 0
