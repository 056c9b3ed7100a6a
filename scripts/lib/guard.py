# SPDX-License-Identifier: Apache-2.0
"""What the check-* scripts share: which files there are, how they report."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
CODE = ("topo", "probes", "mpi")
FLAGS = ["-std=c17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wconversion",
         "-Wshadow", "-Wmissing-prototypes", "-Wstrict-prototypes",
         "-Wformat=2", "-Werror"]


def root(about):
    """The tree to check: the argument, or the one this script lies in."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("root", nargs="?", type=pathlib.Path,
                        default=pathlib.Path(__file__).parents[2],
                        help="tree to check (default: this one)")
    return parser.parse_args().root.resolve()


def sources(tree, suffixes, folders=CODE):
    """Files below @folders that end so, relative to @tree, sorted."""
    found = []
    for folder in folders:
        for path in (tree / folder).rglob("*"):
            if path.suffix in suffixes and path.is_file():
                found.append(path.relative_to(tree))
    return sorted(found)


def walk(tree):
    """Names of all files below @tree, build folders and git's apart."""
    for folder, folders, files in os.walk(tree):
        if "CMakeCache.txt" in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if name != ".git"]
        for name in files:
            yield os.path.relpath(os.path.join(folder, name), tree)


def texts(tree):
    """All files of the repository: what git has or would add, else all."""
    git = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        cwd=tree, capture_output=True, text=True, check=False) \
        if shutil.which("git") else None
    if git and git.returncode == 0:
        names = [name for name in git.stdout.split("\0") if name]
    else:
        names = walk(tree)
    return sorted(pathlib.Path(name) for name in names
                  if (tree / name).is_file())


def tool(*names, version=None):
    """The first of @names that is installed and says @version; else skip."""
    for name in names:
        path = shutil.which(name)
        if not path:
            continue
        if not version:
            return path
        said = subprocess.run([path, "--version"], capture_output=True,
                              text=True, check=False).stdout
        if version in said:
            return path
    skip(f"{names[0]} is not installed")
    return None


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def packages(*names):
    """Compiler flags of those pkg-config @names that are installed."""
    flags = []
    for name in names:
        got = subprocess.run(["pkg-config", "--cflags", name],
                             capture_output=True, text=True, check=False)
        if got.returncode == 0:
            flags += got.stdout.split()
    return flags


def mpi_flags():
    """Where mpicc finds <mpi.h>, whichever MPI it is of."""
    mpicc = shutil.which("mpicc")
    if not mpicc:
        return []
    said = subprocess.run([mpicc, "-show"], capture_output=True, text=True,
                          check=False).stdout
    return [word for word in said.split() if word.startswith("-I")]


def cuda_flags():
    """Flags for what includes the headers of CUDA and NCCL; None without."""
    homes = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH")]
    folders = [home + "/include" for home in homes + ["/usr/local/cuda"]
               if home]
    folders += ["/usr/local/include", "/usr/include"]
    found = [next((f for f in folders if os.path.exists(f + "/" + header)),
                  None) for header in ("cuda_runtime_api.h", "nccl.h")]
    if None in found:
        return None
    return [flag for folder in sorted(set(found))
            for flag in ("-isystem", folder)]


CUDA = re.compile(r'^#\s*include\s*(<(?:nccl|cuda_runtime_api)\.h>|'
                  r'"tests/doubles/(?:cuda|nccl)_impl\.h")', re.M)


def wants_cuda(path):
    """Does a file need these headers?"""
    return bool(CUDA.search(path.read_text(errors="replace")))


def each(items, check):
    """@check(item) of all, a thread per processor; the lists it gave, joined."""
    workers = len(os.sched_getaffinity(0))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return [line for lines in pool.map(check, items) for line in lines]


def run(command, tree):
    """Lines that a failing @command printed; none if it was content."""
    got = subprocess.run(command, cwd=tree, capture_output=True, text=True,
                         check=False)
    if got.returncode == 0:
        return []
    said = (got.stdout + got.stderr).strip()
    return said.splitlines() or [f"{command[0]} ended with {got.returncode}"]


def finish(violations, what, looked_at):
    """Print the verdict and end with it. Nothing looked at is no success."""
    for line in violations:
        print(line)
    if not looked_at:
        print(f"{what}: found nothing to look at")
        sys.exit(1)
    print(f"{what}: {len(violations)} lines about violations, "
          f"{looked_at} files" if violations
          else f"{what}: {looked_at} files, clean")
    sys.exit(1 if violations else 0)
