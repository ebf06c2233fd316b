#!/bin/sh
# The commands of docs/gallery.md that draw a map of cities run, on Debian's file where it is installed, else on three lines of
# the same form.
# usage: cities.sh ROOT PROGRAM SCRATCH
set -eu
root=$1
program=$2
scratch=$3
data=/usr/share/libtimezonemap/ui/cities15000.txt
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/work"
ln -s "$program" "$scratch/bin/quadrille"
cd "$scratch/work"
# Blocks of sh and the quoted command are one script; the block of YAML is the scene.
awk '/^## / { cities = /^## Cities$/ }
     !cities { next }
     /^```yaml$/ { file = "cities.yaml"; next }
     /^```sh$/ || /^`quadrille / { file = "commands" }
     /^```/ { if (!/sh$/) file = ""; next }
     file { line = $0; gsub(/`/, "", line); if (/^`quadrille /) line = line " \\"; print line > file }
     /[^`]`$/ { file = "" }' "$root/docs/gallery.md"
grep -q "$data" commands || { echo "the gallery does not name $data"; exit 1; }
if [ ! -e "$data" ]; then
    printf '1\tOne\tOne\t\t42.5\t1.5\tP\tPPL\tAD\t\t\t\t\t\t15853\n2\tTwo\tTwo\t\t40\t-3.5\tP\tPPL\tES\t\t\t\t\t\t3255944\n3\tThree\tThree\t\t-17.7\t178.4\tP\tPPL\tFJ\t\t\t\t\t\t77366\n' >three.txt
    sed "s|$data|three.txt|" commands >own && mv own commands
fi
grep -v '^sudo ' commands >own
PATH=$scratch/bin:$PATH sh -eu own >"$scratch/said" 2>&1 </dev/null || { cat "$scratch/said"; exit 1; }
[ "$(wc -l <cities.csv)" -ge 4 ] || { echo "there are few cities: $(wc -l <cities.csv)"; exit 1; }
for frame in cities/frames/frame_000000.png spain/frames/frame_000000.png; do
    [ -s "$frame" ] || { echo "the gallery's commands left no $frame"; exit 1; }
done
