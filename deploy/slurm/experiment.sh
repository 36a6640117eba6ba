#!/bin/bash
# Runners of one experiment as a Slurm array; submit it from the repository's root:
#   sbatch deploy/slurm/experiment.sh configs/experiments/table3.toml postgres://monju@host/monju
# The password belongs in ~/.pgpass, not here. The array can be cancelled or extended at any time.
#SBATCH --job-name=monju
#SBATCH --array=0-7
#SBATCH --cpus-per-task=4
# jobs × players of both sides × (hash_mib + 30 MiB)
#SBATCH --mem=8G
#SBATCH --time=12:00:00
# Ten minutes before the end, runners finish the pairs under way and begin no more.
#SBATCH --signal=B:TERM@600
#SBATCH --requeue
set -euo pipefail

file=${1:?the experiment, such as configs/experiments/table3.toml}
store=${2:?the store, such as postgres://monju@host/monju}

"${MONJU:-target/release/monju}" experiment run "$file" --store "$store" \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" &
runner=$!
# The shell passes the signal on. wait returns at once then, so it is called again.
trap 'kill -TERM "$runner" 2>/dev/null || true' TERM
status=0
while kill -0 "$runner" 2>/dev/null; do
    status=0
    wait "$runner" || status=$?
done
exit "$status"
