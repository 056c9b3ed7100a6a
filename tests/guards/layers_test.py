# SPDX-License-Identifier: Apache-2.0
"""check-layers catches includes that go up, sideways, or past their file."""
from plant import LICENCE, expect, CLEAN, prove

assert expect(
    "check-layers", "each library in its own file passes", {
        **CLEAN,
        "mpi/boot_mpi.c": LICENCE + "#include <mpi.h>\n",
        "mpi/mailbox.c": LICENCE + "#include <event2/event.h>\n",
        "mpi/opts_json.c": LICENCE + "#include <jansson.h>\n",
        "topo/discover.c": LICENCE + '#include "topo/source/a.h"\n',
        "topo/source/a.h": "/* SPDX-License-Identifier: Apache-2.0 */\n",
        "probes/xport/verbs.c": LICENCE + "#include <infiniband/verbs.h>\n",
    }, 0)

prove("check-layers", [
    ("topo includes probes",
     {"topo/a.c": LICENCE + '#include "probes/twice.h"\n'},
     "topo/a.c:2", '"probes/twice.h"'),
    ("probes includes mpi",
     {"probes/a.c": LICENCE + '#include "mpi/a.h"\n', "mpi/a.h": ""},
     "probes/a.c:2"),
    ("the floor includes topo",
     {"topo/base/a.c": LICENCE + '#include "topo/a.h"\n', "topo/a.h": ""},
     "topo/base/a.c:2"),
    ("a judge includes a source of the host",
     {"topo/path.c": LICENCE + '#include "topo/source/a.h"\n',
      "topo/source/a.h": ""}, "topo/discover only"),
    ("a program includes a test",
     {"mpi/a.c": LICENCE + '#include "tests/a.h"\n', "tests/a.h": ""},
     "mpi/a.c:2"),
    ("an include that is not from the root",
     {"probes/a.c": LICENCE + '#include "twice.h"\n'}, "from its root"),
    ("an include with spaces",
     {"probes/a.c": LICENCE + '  #  include  "mpi/a.h"\n', "mpi/a.h": ""},
     "probes/a.c:2"),
    ("MPI outside of its file",
     {"mpi/a.c": LICENCE + "#include <mpi.h>\n"}, "mpi/boot_mpi.c"),
    ("libevent in probes",
     {"probes/a.c": LICENCE + "#include <event2/event.h>\n"}, "mpi/*"),
    ("jansson in a judge",
     {"probes/judge.c": LICENCE + "#include <jansson.h>\n"}, "<jansson.h>"),
    ("verbs in a check",
     {"probes/check.c": LICENCE + "#include <infiniband/verbs.h>\n"},
     "probes/xport/verbs"),
    ("CUDA in an agent",
     {"mpi/agent.c": LICENCE + "#include <cuda_runtime_api.h>\n"},
     "probes/xport/cuda"),
])
