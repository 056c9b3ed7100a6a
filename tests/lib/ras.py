# SPDX-License-Identifier: Apache-2.0
"""A stand-in for NCCL's RAS on a port of this host."""
import json
import socket
import threading

ACCEPT_S = 120  # a test that asks nothing ends all the same


def status(counts):
    return json.dumps({
        "nccl_version": "2.30.7", "communicators_count": 1, "communicators": [
            {"hash": "0x27a0", "size": len(counts),
             "ranks_count": len(counts), "missing_ranks_count": 0,
             "ranks": [{"rank": rank, "host": "10.0.0.1", "pid": 100 + rank,
                        "cuda_dev": rank, "nvml_dev": rank,
                        "status": {"init_state": 0, "async_error": 0},
                        "collective_counts": {"AllReduce": count}}
                       for rank, count in enumerate(counts)],
             "missing_ranks": []}],
        "ras": {"timeouts_count": 0}})


class Ras:
    """Answers each client with the next of @bodies, as RAS would."""

    def __init__(self, bodies, knows_json=True):
        self.bodies, self.knows_json = list(bodies), knows_json
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(ACCEPT_S)
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.heard = []
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        for body in self.bodies:
            try:
                client, _ = self.server.accept()
            except TimeoutError:
                break
            client.settimeout(ACCEPT_S)
            with client, client.makefile("rw", newline="\n") as file:
                self.talk(file, body)
        self.server.close()

    def talk(self, file, body):
        for line in file:
            self.heard.append(line.strip())
            word = line.split()[0]
            if body is None:
                return
            if word == "CLIENT":
                file.write("SERVER PROTOCOL 2\n")
            elif word == "SET" and not self.knows_json:
                file.write("ERROR: Unknown command SET FORMAT json\n")
            elif word == "VERBOSE":
                file.write(body)
                return
            else:
                file.write("OK\r\n")
            file.flush()
