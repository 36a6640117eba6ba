#!/bin/bash
# Runners of one experiment as a Slurm array; submit it from the repository's root:
#   sbatch deploy/slurm/experiment.sh configs/experiments/table3.toml postgres://monju@host/monju
# The password belongs in ~/.pgpass, not here. An SQLite file takes runners of one node alone (--nodelist), and
# lies on a disk of that node. The array can be cancelled or extended at any time.
# A runner that its time limit stops before the last pair goes back to the queue.
#SBATCH --job-name=monju
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
# jobs × players of both sides × (hash_mib + 30 MiB)
#SBATCH --mem=8G
#SBATCH --time=12:00:00
# Ten minutes before the end, runners finish the pairs under way and begin no more.
#SBATCH --signal=B:USR1@600
#SBATCH --requeue
set -euo pipefail

file=${1:?the experiment, such as configs/experiments/table3.toml}
store=${2:?the store, such as postgres://monju@host/monju}

# The status of a runner that was stopped and can go on.
stopped=75

# The shell passes signals on: USR1 ten minutes before the time limit, and TERM of scancel, after which nothing is
# queued again. After USR1, TERM may be that of the limit as well, so a job that is cancelled in its last ten minutes
# goes back to the queue: cancel it once more there.
# wait returns at once then, so it is called again.
runner=
time_is_up=
is_cancelled=
tell() {
    [ -z "$runner" ] || kill -TERM "$runner" 2>/dev/null || true
}
trap 'time_is_up=yes; tell' USR1
trap 'is_cancelled=yes; tell' TERM

"${MONJU:-target/release/monju}" experiment run "$file" --store "$store" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" &
runner=$!
# A signal may have come before there was a runner.
[ -z "$time_is_up$is_cancelled" ] || tell
while kill -0 "$runner" 2>/dev/null; do
    wait "$runner" || true
done
# The status of the last wait above may be that of a signal, if the runner ended right after it.
status=0
wait "$runner" || status=$?
if [ "$status" -eq "$stopped" ] && [ -n "$time_is_up" ] && [ -n "${SLURM_JOB_ID:-}" ]; then
    # Slurm ends this script when it queues the job again.
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
