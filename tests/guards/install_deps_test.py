# SPDX-License-Identifier: Apache-2.0
"""install-deps asks apt for what is missing and for nothing else, without a
question; elsewhere it says the names and stops. The package tools are fakes."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/install-deps"
TOOLS = ("bash", "env", "grep", "id")

DPKG = """#!/bin/sh
for name; do :; done
case " $HAVE " in
*" $name "*|*" all "*) echo "install ok installed" ;;
*) echo "no packages found" >&2; exit 1 ;;
esac
"""
APT = """#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >> "$LOG"
exit ${APT_STATUS:-0}
"""
SUDO = """#!/bin/sh
echo sudo >> "$LOG"
exec "$@"
"""
BUILD = ("cmake gcc make pkg-config python3 libopenmpi-dev openmpi-bin "
         "libjansson-dev libevent-dev libexpat1-dev libhwloc-dev "
         "zlib1g-dev libzstd-dev libibverbs-dev ibverbs-providers "
         "libibmad5")
APT_FAKES = {"apt-get": APT, "dpkg-query": DPKG}

# what, fakes, environment, arguments, status, in the output, in apt's log
CASES = [
    ("all there: nothing is done", APT_FAKES, {"HAVE": "all"}, [], 0, "",
     None),
    ("one is missing", APT_FAKES,
     {"HAVE": BUILD.replace("gcc", "")}, ["build"], 0, "installing gcc",
     "noninteractive -y -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "
     "install --no-install-recommends gcc"),
    ("tests want more than the build", APT_FAKES, {"HAVE": BUILD}, [], 0,
     "installing libcmocka-dev", "python3-jsonschema"),
    ("apt fails", APT_FAKES, {"HAVE": "", "APT_STATUS": "100"}, ["build"],
     100, "installing", "update"),
    ("dnf", {"dnf": APT}, {}, [], 1, "dnf install cmake gcc", None),
    ("zypper", {"zypper": APT}, {}, [], 1, "zypper install cmake gcc", None),
    ("nothing known", {}, {}, [], 1, "dnf install", None),
    ("a wrong word", APT_FAKES, {}, ["everything"], 2,
     "'everything': use build, test or bench", None),
    ("not root", {**APT_FAKES, "sudo": SUDO,
                  "id": "#!/bin/sh\necho 1000\n"},
     {"HAVE": ""}, ["build"], 0, "installing", "sudo"),
    ("not root, no sudo", {**APT_FAKES, "id": "#!/bin/sh\necho 1000\n"},
     {"HAVE": ""}, ["build"], 1, "run this as root", None),
]


def attempt(folder, fakes, environment, arguments):
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name))
    for name, text in fakes.items():
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    log = folder / "log"
    got = subprocess.run(
        [SCRIPT, *arguments], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL,
        env={"PATH": str(folder), "LOG": str(log), **environment})
    return (got.returncode, got.stdout + got.stderr,
            log.read_text() if log.exists() else None)


def main():
    bad = 0
    for what, fakes, environment, arguments, status, words, asked in CASES:
        with tempfile.TemporaryDirectory(prefix="fp-deps-") as folder:
            got, output, log = attempt(pathlib.Path(folder), fakes,
                                       environment, arguments)
        good = (got == status and words in output and
                (log is None if asked is None else asked in (log or "")))
        print(f"{'ok' if good else 'FAILED'}: {what}")
        if not good:
            print(f"status {got}, output {output!r}, asked {log!r}")
            bad += 1
    sys.exit(1 if bad else 0)


main()
