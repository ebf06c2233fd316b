#!/bin/sh
# Every command of the tutorial runs, with its scenes, in the order in which it shows them.
# usage: tutorial.sh ROOT PROGRAM SCRATCH
set -eu
root=$1
program=$2
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/work"
ln -s "$program" "$scratch/bin/quadrille"
cd "$scratch/work"
# "Write this to `NAME`" names the next block of YAML; blocks of sh are one script.
awk '/Write this to `/ { split($0, part, "`"); for (i = 2; i in part; i += 2) if (part[i] ~ /yaml$/) name = part[i] }
     /^```yaml$/ { file = name; next }
     /^```sh$/ { file = "commands"; next }
     /^```$/ { file = ""; next }
     file { print > file }' "$root/docs/tutorial.md"
shown=$(grep -c '^quadrille ' commands)
[ "$shown" -ge 10 ] || { echo "the tutorial shows $shown commands only"; exit 1; }
PATH=$scratch/bin:$PATH sh -eu commands >"$scratch/said" 2>&1 </dev/null || { cat "$scratch/said"; exit 1; }
for file in drops/result.json drops/report.html drops.png speed.png friction/sweep.csv friction/report.html tries/bouncy/export/csv; do
    [ -e "$file" ] || { echo "the tutorial left no $file"; exit 1; }
done
