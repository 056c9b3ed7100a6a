#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Start-up and end of real jobs: with MPI, without it, and with a rank that
# does not take part. Every run ends by deadlines of the program's own.
set -u

prog=${FP_PROGS:?}/boot_prog
mpirun=${MPIRUN:-mpirun}
command -v "$mpirun" >/dev/null || { echo "no mpirun here"; exit 77; }
"$mpirun" --version 2>&1 | grep -qE 'Open MPI|OpenRTE' || {
	echo "the flags and variables are Open MPI's, and this is another"
	exit 77
}
# What an MPI library leaks is not looked for here.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# try NAME STATUS command...: output in $dir/out, exit status as expected.
try()
{
	local name=$1 want=$2 got
	shift 2
	case=$name
	rm -f "$dir/file"
	timeout -k 5 90 "$@" >"$dir/out" 2>&1 </dev/null
	got=$?
	[ "$want" = any ] || [ "$got" = "$want" ] ||
		bad "exit status $got, not $want"
}

bad()
{
	echo "FAILED: $case: $*"
	sed 's/^/    /' "$dir/out"
	failed=1
}

says()
{
	grep -qE -- "$1" "$dir/out" || bad "does not say: $1"
}

never_says()
{
	! grep -qE -- "$1" "$dir/out" || bad "says: $1"
}


for n in 1 2 4; do
	try "$n ranks" 0 "$mpirun" -np "$n" "$prog" ok
	says "rank 0 of $n by mpi: $((n - 1)) came"
	never_says 'stranger|lost'
done

# Whatever a module file has set is overridden, unless told not to.
export OMPI_MCA_btl=self,vader
try "environment" 0 "$mpirun" -np 2 "$prog" env
says 'rank 1: pml ob1, btl self,tcp$'
try "kept environment" 0 "$mpirun" -np 2 "$prog" env - keep
says 'btl self,vader$'
unset OMPI_MCA_btl

# A host without any network but loopback, where that can be had.
if unshare -n ip link set lo up 2>/dev/null; then
	try "loopback only" 0 unshare -n bash -c \
		'ip link set lo up && exec "$@"' - "$mpirun" -np 2 "$prog" ok
	says 'rank 0 of 2 by mpi: 1 came'
fi

# One rank never calls MPI_Init; the others do not wait for it for ever.
try "no MPI_Init" any "$mpirun" -np 2 "$prog" no-init "$dir/file"
says 'fabricprobe: MPI_Init did not return within 0.5 s'

# One rank is stuck before the exchange; all the others meet.
try "stuck rank" 0 "$mpirun" --enable-recovery \
	--mca orte_allowed_exit_without_sync 1 -np 4 \
	"$prog" stuck "$dir/file"
says 'rank 0 of 4 by mpi: 2 came'

# One rank does not finalize; the exit status is the run's.
try "no MPI_Finalize" any "$mpirun" -np 2 "$prog" no-finish "$dir/file"
says 'fabricprobe: MPI_Finalize did not return within 0.5 s'
says 'rank 0 of 2 by mpi: 1 came'

# N jobs of one rank each: the launcher of another MPI.
try "mismatch" 2 env OMPI_COMM_WORLD_SIZE=4 "$prog" ok
says 'the launcher started 4 ranks, MPI sees 1'
says 'fabricprobe-run'

# Slurm tasks without anything to find each other by.
try "bare srun" 2 env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=1 "$prog" ok
says 'srun --mpi=pmix'

# No launcher: nothing of MPI is touched.
try "alone" 0 "$prog" ok
says 'rank 0 of 1 by solo: 0 came'

# The environment's start-up; rank 0 comes last, the others wait for it.
without_mpi()
{
	local port=$1 rank pids=()
	export FABRICPROBE_MEET=127.0.0.1:$port FABRICPROBE_SIZE=3
	export FABRICPROBE_TOKEN=000102030405060708090a0b0c0d0e0f
	for rank in 2 1 0; do
		FABRICPROBE_RANK=$rank "$prog" ok &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || return 1
	done
}
export -f without_mpi
export prog
port=$((20000 + RANDOM % 10000))
try "environment only" 0 bash -c "without_mpi $port"
says 'rank 0 of 3 by env: 2 came'
never_says 'stranger|lost'

[ "$failed" = 0 ] && echo "all start-ups and ends as they should be"
exit "$failed"
