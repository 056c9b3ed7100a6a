# SPDX-License-Identifier: Apache-2.0
"""
A folder that is made once and used by many processes: the newest of its kind
is kept, older ones go as soon as nobody uses them.
"""
import contextlib
import fcntl
import os
import re
import shutil

NAME = re.compile(r"[0-9a-f]{12}$")  # what a folder of ours is called


def _lock(folder, how):
    """The folder's lock as an open file; BlockingIOError where it is taken
    and @how has LOCK_NB. None: it was removed meanwhile."""
    try:
        f = open(folder + "/lock", "a")
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(f, how)
        if os.path.samestat(os.fstat(f.fileno()), os.stat(f.name)):
            return f
    except FileNotFoundError:
        pass
    except BaseException:
        f.close()
        raise
    f.close()
    return None


def _remove_others(root, name):
    """Folders of other names that nobody uses; and nothing else there."""
    for other in os.listdir(root):
        folder = os.path.join(root, other)
        if other == name or not NAME.match(other):
            continue
        # Somebody uses it, or it is another user's: it stays.
        with contextlib.suppress(OSError):
            lock = _lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock:
                with lock:
                    shutil.rmtree(folder)


def _made(folder, mark, make):
    """Make what is in @folder, alone, unless somebody did."""
    lock = _lock(folder, fcntl.LOCK_EX)
    if lock:
        with lock:
            if not os.path.exists(os.path.join(folder, mark)):
                make(folder)
                os.stat(os.path.join(folder, mark))


@contextlib.contextmanager
def use(root, name, mark, make):
    """
    The folder @root/@name, with the file @mark in it, which make(folder) makes
    last. It stays while the context lasts.
    """
    folder = os.path.join(root, name)
    while True:
        os.makedirs(folder, exist_ok=True)
        lock = _lock(folder, fcntl.LOCK_SH)
        if not lock:
            continue
        with lock:
            if os.path.exists(os.path.join(folder, mark)):
                _remove_others(root, name)
                yield folder
                return
        _made(folder, mark, make)
