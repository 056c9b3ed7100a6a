# SPDX-License-Identifier: Apache-2.0
"""
What a guest boots from: Debian's kernel, unpacked, never installed, and an
initramfs of busybox and the few modules that soft-RoCE needs. Made once, kept
in a cache that several test runs may share.
"""
import contextlib
import glob
import hashlib
import lzma
import os
import re
import shutil
import subprocess
import tempfile

import cache

HERE = os.path.dirname(os.path.abspath(__file__))

# The first that the package lists know: newer kernels have a better soft-RoCE,
# those of clouds have none.
KERNELS = ("linux-image-6.12-amd64", "linux-image-amd64")

MODULES = ("virtio_pci", "virtio_console", "virtio-rng", "9p", "9pnet_virtio",
           "overlay", "rdma_rxe", "ib_uverbs", "crc32_generic",
           "crc32-pclmul", "veth", "bridge", "sch_netem", "sch_prio",
           "cls_u32")
FOLDERS = ("drivers/infiniband/core", "drivers/infiniband/sw",
           "drivers/virtio", "drivers/char", "drivers/net/*.ko*",
           "net/*/*.ko*", "fs/9p", "fs/netfs", "fs/fscache", "fs/overlayfs",
           "fs/configfs", "lib", "crypto", "arch/x86/crypto")
APPLETS = ("sh", "mount", "mkdir", "cat", "echo", "ip", "chroot", "poweroff",
           "ln", "uname", "hostname", "modprobe")


class Unsupported(Exception):
    """No guest can be had here; says why."""


def tool(name, package):
    path = shutil.which(name)
    if not path:
        raise Unsupported("%s is not installed (package %s)" % (name, package))
    return path


def run(*argv, **how):
    """A command's stdout; Unsupported, with its last words, when it fails."""
    try:
        return subprocess.run(argv, check=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=300, **how).stdout
    except subprocess.CalledProcessError as e:
        said = e.stderr.decode(errors="replace").strip().splitlines()
        raise Unsupported("%s: %s" % (" ".join(argv[:3]),
                                      said[-1] if said else e))
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Unsupported("%s: %s" % (" ".join(argv[:3]), e))


def kernel_package():
    """The package with the kernel itself, which a meta package names."""
    tool("apt-get", "apt")
    for meta in KERNELS:
        with contextlib.suppress(Unsupported):
            said = run("apt-cache", "depends", meta).decode()
            found = re.search(r"Depends: (linux-image-[0-9]\S*)", said)
            if found:
                return found.group(1)
    raise Unsupported("no package of %s is known here: run apt-get update" %
                      " or ".join(KERNELS))


def unpack_kernel(folder):
    """Kernel and modules of Debian below @folder; (its vmlinuz, release)."""
    # without the name of the user _apt: the folder is this user's alone
    run("apt-get", "-q", "-o", "APT::Sandbox::User=root", "download",
        kernel_package(), cwd=folder)
    deb, = glob.glob(folder + "/*.deb")
    wanted = ["./boot/vmlinuz-*", "./lib/modules/*/modules.*"]
    wanted += ["./lib/modules/*/kernel/" + f for f in FOLDERS]
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb],
                          stdout=subprocess.PIPE) as out:
        # a pattern that another version has nothing for is no failure
        subprocess.run(["tar", "x", "--wildcards"] + wanted, cwd=folder,
                       stdin=out.stdout, stderr=subprocess.DEVNULL)
    os.unlink(deb)
    kernels = glob.glob(folder + "/boot/vmlinuz-*")
    if len(kernels) != 1:
        raise Unsupported("%s holds no kernel" % os.path.basename(deb))
    return kernels[0], os.path.basename(kernels[0]).partition("-")[2]


def unxz(folder):
    for path in glob.glob(folder + "/**/*.ko.xz", recursive=True):
        with lzma.open(path) as packed, open(path[:-3], "wb") as plain:
            shutil.copyfileobj(packed, plain)
        os.unlink(path)


def module_files(modules):
    """MODULES and what they need, as paths below the modules' folder."""
    needs = {}
    with open(modules + "/modules.dep") as f:
        for line in f:
            path, _, rest = line.partition(":")
            name = os.path.basename(path).partition(".")[0].replace("-", "_")
            needs[name] = [path] + rest.split()
    return {path for name in MODULES
            for path in needs.get(name.replace("-", "_"), ())}


def fill_root(root, unpacked, release):
    """The initramfs's files."""
    busybox = tool("busybox", "busybox-static")
    old = "%s/lib/modules/%s" % (unpacked, release)
    new = "%s/lib/modules/%s" % (root, release)
    run(busybox, "depmod", "-b", unpacked, release)
    for path in module_files(old):
        os.makedirs(os.path.dirname(os.path.join(new, path)), exist_ok=True)
        shutil.copy(os.path.join(old, path), os.path.join(new, path))
    for path in glob.glob(old + "/modules.[ob][ru]*"):
        shutil.copy(path, new)
    run(busybox, "depmod", "-b", root, release)
    for folder in ("bin", "sbin", "dev", "proc", "sys", "ro", "rw", "new"):
        os.makedirs(os.path.join(root, folder))
    shutil.copy(busybox, root + "/bin/busybox")
    for name in APPLETS:
        os.symlink("busybox", root + "/bin/" + name)
    # where the kernel looks for it
    os.symlink("../bin/busybox", root + "/sbin/modprobe")
    shutil.copy(HERE + "/init", root + "/init")
    os.chmod(root + "/init", 0o755)


def pack(root, path):
    names = run("find", ".", "-print0", cwd=root)
    with open(path, "wb") as out:
        cpio = subprocess.Popen(
            [tool("cpio", "cpio"), "-o0", "-H", "newc", "--quiet"], cwd=root,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        gzip = subprocess.Popen(["gzip", "-1"], stdin=cpio.stdout, stdout=out)
        cpio.stdin.write(names)
        cpio.stdin.close()
        if cpio.wait() or gzip.wait():
            raise Unsupported("an initramfs cannot be packed")


def build(folder):
    """Make kernel and initramfs in @folder, the kernel last."""
    for name, package in (("busybox", "busybox-static"), ("cpio", "cpio"),
                          ("dpkg-deb", "dpkg")):
        tool(name, package)
    with tempfile.TemporaryDirectory(dir=folder) as work:
        kernel, release = unpack_kernel(work)
        unxz(work)
        fill_root(work + "/root", work, release)
        pack(work + "/root", folder + "/initramfs")
        os.replace(kernel, folder + "/kernel")


def stamp():
    """Changes with all that an image is made of."""
    text = repr((KERNELS, MODULES, APPLETS))
    with open(HERE + "/init") as f:
        text += f.read()
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextlib.contextmanager
def get():
    """The paths (kernel, initramfs), made now if need be; they stay while the
    context lasts. One image is kept: the next one replaces it."""
    root = os.environ.get("FP_VM_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or
        os.path.expanduser("~/.cache"), "fabricprobe-vm")
    with cache.use(root, stamp(), "kernel", build) as folder:
        yield folder + "/kernel", folder + "/initramfs"
