#!/usr/bin/env bash
# Runs docs/scale.md's job array on a Slurm of one node that this script sets up for itself, and holds the merged results to those
# of a run without Slurm. Needs Debian's packages slurm-wlm and munge, and root: tests/clusters/slurm.sh [PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/../.."
count="${1:-40}"
clearance="$(realpath "${CLEARANCE:-target/debug/clearance}")"
[ -x "$clearance" ] || { echo "no program at $clearance: build it, or name it by CLEARANCE" >&2; exit 2; }
for tool in munged slurmctld slurmd sbatch; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: apt-get install slurm-wlm munge" >&2; exit 2; }
done

work="$(mktemp -d)"
started=()
finish() {
    for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT

# A munge, a controller and a node of its own, in this folder.
chmod 755 "$work"
mkdir -m 700 "$work/munge"
head -c 1024 /dev/urandom > "$work/munge/key"
chmod 600 "$work/munge/key"
mkdir -m 755 "$work/run" "$work/spool" "$work/state"
munged --foreground --force --key-file="$work/munge/key" --socket="$work/run/munge" --pid-file="$work/run/munge.pid" \
    --seed-file="$work/munge/seed" --log-file="$work/munge/log" > "$work/munge/out" 2>&1 &
started+=($!)
host="$(hostname -s)"
cpus="$(nproc)"
cat > "$work/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/run/munge
SlurmctldPort=36817
SlurmdPort=36818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/run/slurmctld.pid
SlurmdPidFile=$work/run/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF="$work/slurm.conf"
slurmctld -D -f "$SLURM_CONF" > "$work/slurmctld.out" 2>&1 &
started+=($!)
slurmd -D -f "$SLURM_CONF" > "$work/slurmd.out" 2>&1 &
started+=($!)
for _ in $(seq 60); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 1
done
sinfo -h -o %t | grep -q idle || { tail -5 "$work"/slurm*.out "$work"/slurm*.log >&2; exit 2; }

# The batch: the example cell and random programs over it.
cp -r robots/arm6/. "$work/cell"
benches/make_batch.py "$work/cell/programs" "$count"
mkdir "$work/bin"
ln -s "$clearance" "$work/bin/clearance"
export PATH="$work/bin:$PATH" XDG_CACHE_HOME="$work/trees"
cd "$work/cell"
# Finding something is no failure of the script.
clearance batch --cell cell.toml programs --results whole.jsonl > whole.txt || [ $? -eq 1 ]
find programs -type f | sort > programs.txt

# As docs/scale.md has them.
cat > verify.sbatch <<'END'
#!/bin/sh
#SBATCH --array=1-4
#SBATCH --cpus-per-task=1
#SBATCH --output=slurm-%a.log
clearance batch --cell cell.toml --list programs.txt --results part-$SLURM_ARRAY_TASK_ID.jsonl --resume \
    --shard auto --threads $SLURM_CPUS_PER_TASK
code=$?
# 1 says that something was found: that is a result, not a failure of the job.
[ $code -eq 1 ] && exit 0 || exit $code
END
cat > merge.sbatch <<'END'
#!/bin/sh
#SBATCH --output=report.txt
clearance merge part-*.jsonl --results results.jsonl
END
for array in 1-4 0-3 10-40:10; do
    rm -f part-*.jsonl results.jsonl
    job=$(sbatch --parsable --array="$array" verify.sbatch)
    sbatch --wait --dependency="afterany:$job" merge.sbatch || true
    cmp results.jsonl whole.jsonl
    echo "--array=$array: $(ls part-*.jsonl | wc -l) parts, merged as the run without Slurm: $(tail -n 1 report.txt)"
done
# A job that leaves parts out is refused: nothing is verified twice or not at all without a word.
sbatch --wait --array=1,3,4 verify.sbatch > /dev/null || true
grep -h "arrays without gaps" slurm-3.log
