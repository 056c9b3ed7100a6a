#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Runs a command in a small virtual machine that has N soft-RoCE HCAs, with the
files of this host below it; what it writes stays in the guest.

  guest.py [-n HCAS] [-t SECONDS] -- command [argument...]

Its output is the command's, its exit status the command's; 124 when the time
was up, 125 when the guest died, 77 when there can be none, with the reason.
Emulated in software: no KVM, no root, no InfiniBand on the host is needed.
"""
import argparse
import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
import threading

import image

HERE = os.path.dirname(os.path.abspath(__file__))
TIMED_OUT, DIED, SKIP = 124, 125, 77
MEMORY_MIB = 2048

# A panic or a lockup ends the guest at once, instead of holding a test.
KERNEL_LINE = ("console=ttyS0 quiet loglevel=4 mitigations=off nokaslr "
               "tsc=reliable no_timer_check cryptomgr.notests "
               "random.trust_cpu=on panic=-1 softlockup_panic=1 "
               "watchdog_thresh=20")


def script(argv, hcas, env):
    """What the guest's init runs."""
    lines = ["export %s=%s" % (k, shlex.quote(v)) for k, v in env.items()]
    lines += ["ulimit -l unlimited", "cd %s" % shlex.quote(os.getcwd())]
    if hcas:
        lines.append("%s %s/rig.py up %d || exit 125" %
                     (shlex.quote(sys.executable), shlex.quote(HERE), hcas))
    return "\n".join(lines + ["exec " + shlex.join(argv), ""])


def machine(kernel, initramfs, folder):
    """QEMU's command line; its serial lines end in @folder."""
    def share(name, path, more):
        return ["-fsdev", "local,id=%s,path=%s,security_model=none%s" %
                (name, path, more), "-device",
                "virtio-9p-pci,fsdev=%s,mount_tag=%s" % (name, name)]

    # it ends with this process, however that ends
    return ([image.tool("setpriv", "util-linux"), "--pdeathsig", "KILL",
             image.tool("qemu-system-x86_64", "qemu-system-x86"),
             "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max",
             "-M", "q35", "-m", str(MEMORY_MIB), "-smp", "2", "-nodefaults",
             "-no-user-config", "-display", "none", "-no-reboot",
             "-kernel", kernel, "-initrd", initramfs,
             "-append", KERNEL_LINE,
             "-serial", "file:%s/console" % folder,
             "-device", "virtio-serial-pci",
             "-chardev", "file,id=out,path=%s/out" % folder,
             "-device", "virtserialport,chardev=out,name=out",
             "-device", "virtio-rng-pci"]
            + share("root", "/", ",readonly=on,multidevs=remap")
            + share("ctl", folder + "/ctl", ""))


def guest_env():
    """What a command finds in its environment: names and paths of tests."""
    kept = ("FP_", "FABRICPROBE", "MPIRUN", "OMPI_MCA_", "OMPI_ALLOW_",
            "PYTHON", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
    env = {k: v for k, v in os.environ.items() if k.startswith(kept)}
    env.update(HOME="/root", TERM="dumb", LC_ALL="C.UTF-8", FP_VM_GUEST="1",
               PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
                    "/sbin:/bin")
    return env


def relay(path, to):
    """Copy what comes through a fifo until its writers are gone."""
    with open(path, "rb") as f:
        for piece in iter(lambda: f.read1(65536), b""):
            to.write(piece)
            to.flush()


def read(path):
    with contextlib.suppress(OSError), open(path, errors="replace") as f:
        return f.read()
    return ""


def boot(argv, seconds, folder):
    """Run QEMU to its end; what it said, or None when the time was up."""
    done = subprocess.Popen(argv, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        return done.communicate(timeout=seconds)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None
    finally:
        done.kill()
        done.wait()


def status_of(folder, said):
    left = read(folder + "/ctl/status").strip()
    if left.isdigit():
        return int(left)
    tail = "\n".join(read(folder + "/console").splitlines()[-30:])
    if said is None:
        sys.stderr.write("guest: did not end in time\n%s\n" % tail)
        return TIMED_OUT
    sys.stderr.write("guest: gave no exit status\n%s\n%s\n" % (said, tail))
    return DIED


def run(argv, hcas=2, seconds=300, to=None):
    """
    Run @argv in a guest; its exit status, or TIMED_OUT, or DIED. What it
    prints goes to @to. Raises image.Unsupported where there can be no guest.
    """
    with image.get() as (kernel, initramfs), \
            tempfile.TemporaryDirectory(prefix="fabricprobe-vm.") as folder:
        os.mkdir(folder + "/ctl")
        with open(folder + "/ctl/run", "w") as f:
            f.write(script(argv, hcas, guest_env()))
        os.mkfifo(folder + "/out")
        reader = threading.Thread(
            target=relay, args=(folder + "/out", to or sys.stdout.buffer))
        reader.start()
        # held open: QEMU opens it late, or never when it fails
        with open(folder + "/out", "wb"):
            said = boot(machine(kernel, initramfs, folder), seconds, folder)
        reader.join()
        return status_of(folder, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().split(
        "\n")[0])
    parser.add_argument("-n", "--hcas", type=int, default=2)
    parser.add_argument("-t", "--timeout", type=float, default=300)
    parser.add_argument("command", nargs="+")
    args = parser.parse_args()
    try:
        sys.exit(run(args.command, args.hcas, args.timeout))
    except image.Unsupported as e:
        print("skipped: %s" % e)
        sys.exit(SKIP)


if __name__ == "__main__":
    main()
