#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What stands for ssh on a bed: a server outside of all hosts, and its client.

    rsh.py SOCKET HOST COMMAND...

The client hands its standard streams to the server, which runs the command on
the host and tells the exit status. As with ssh the command goes through a
shell there and gets none of the client's environment. What the server does
depends on the state of the host:

    up           runs it
    dead         no route to host
    hang         never answers
    hang-launch  never answers to a launcher daemon, runs all else
"""
import array
import os
import socket
import subprocess
import sys
import threading

FDS = array.array("i", [0, 0, 0])
REQUEST_MAX = 1 << 20
ENV = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
       "HOME": "/root", "SHELL": "/bin/sh"}


def client(path, host, command):
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.connect(path)
        s.sendmsg([("%s\n%s" % (host, command)).encode()],
                  [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                    array.array("i", [0, 1, 2]))])
        answer = s.recv(16)
    if answer == b"dead":
        sys.stderr.write("connect to host %s port 22: No route to host\n"
                         % host)
    return int(answer) if answer.isdigit() else 255


class Server:
    """Runs commands on hosts: on(host) gives the command line's beginning."""

    def __init__(self, path, on):
        self.on, self.state = on, {}
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(path)
        self.socket.listen(64)
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def _serve(self):
        while True:
            try:
                conn = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._answer, args=(conn,),
                             daemon=True).start()

    def _answer(self, conn):
        with conn:
            data, ancillary, _, _ = conn.recvmsg(
                REQUEST_MAX, socket.CMSG_SPACE(FDS.itemsize * 3))
            fds = array.array("i")
            for _, _, rights in ancillary:
                fds.frombytes(rights)
            try:
                answer = self._run(conn, data.decode(), list(fds))
            finally:
                for fd in fds:
                    os.close(fd)
            try:
                conn.send(answer)
            except OSError:
                pass

    def _run(self, conn, request, fds):
        host, _, command = request.partition("\n")
        state = self.state.get(host, "dead")
        if state == "hang" or state == "hang-launch" and "orted" in command:
            conn.recv(1)  # until the client is gone
            return b"255"
        if state not in ("up", "hang-launch"):
            return b"dead"
        status = subprocess.call(
            self.on(host) + ["sh", "-c", command], stdin=fds[0],
            stdout=fds[1], stderr=fds[2], env=ENV, start_new_session=True)
        return b"%d" % (status if status >= 0 else 128 - status)


if __name__ == "__main__":
    sys.exit(client(sys.argv[1], sys.argv[2], " ".join(sys.argv[3:])))
