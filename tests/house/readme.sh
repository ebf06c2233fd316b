#!/bin/sh
# What the README says must be so: its C programs are the files of docs/ that the tests compile and run, its scene and
# its commands run, its package list is that of tools/packages, and the files it points to exist.
# usage: readme.sh ROOT PROGRAM SCRATCH
set -u
cd "$1" || exit 2
program=$2
scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
bad=0

# Every C block follows a line that names its file: <!-- docs/NAME.c -->
for file in docs/*.c; do
    awk -v mark="<!-- $file -->" '
        $0 == mark { wanted = 1; next }
        wanted && /^```c$/ { inside = 1; next }
        inside && /^```$/ { exit }
        inside { print }' README.md docs/api.md >"$scratch/block.c"
    if ! diff -u "$file" "$scratch/block.c"; then
        echo "neither README.md nor docs/api.md shows $file as it is"
        bad=1
    fi
done
blocks=$(cat README.md docs/api.md | grep -c '^```c$')
files=$(find docs -name '*.c' | wc -l)
if [ "$blocks" -ne "$files" ] || [ "$files" -eq 0 ]; then
    echo "README.md and docs/api.md have $blocks blocks of C, docs/ has $((files)) files"
    bad=1
fi

# The scene and the commands under "Running", shortened to a few steps without pictures.
awk '/^```yaml$/ { inside = 1; next } inside && /^```$/ { exit } inside { print }' README.md >"$scratch/my.yaml"
awk '/^## / { inside = $2 == "Running" } inside && /^quadrille / { sub(/ *#.*/, ""); sub(/^quadrille /, ""); print }' \
    README.md >"$scratch/commands"
[ "$(wc -l <"$scratch/commands")" -ge 4 ] || {
    echo "README.md shows fewer than four commands under Running"
    bad=1
}
while IFS= read -r arguments; do
    case $arguments in
    run*--help) ;;
    run*) arguments="$arguments --steps 3 --frames 0 -q" ;;
    *'>'*) arguments=${arguments%%>*} ;;
    esac
    # shellcheck disable=SC2086 # words, as a shell would split them
    (cd "$scratch" && exec "$program" $arguments) >"$scratch/out" 2>&1 </dev/null || {
        echo "quadrille $arguments failed: $(cat "$scratch/out")"
        bad=1
    }
done <"$scratch/commands"

# The package list for a build by hand.
said=$(awk '/^sudo apt-get install / { inside = 1; $1 = $2 = $3 = "" }
    inside { more = $NF == "\\"; for (i = 1; i <= NF - more; ++i) if ($i != "") print $i; inside = more }' README.md | sort)
listed=$(tools/packages --list build test | sort)
if [ "$said" != "$listed" ]; then
    echo "README.md's packages are not those of tools/packages --list build test:"
    printf '%s\n' "$said" >"$scratch/said"
    printf '%s\n' "$listed" | diff "$scratch/said" -
    bad=1
fi

for page in README.md CONTRIBUTING.md docs/*.md; do
    links=$(grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | grep -v '^http')
    for link in $links; do
        [ -e "$(dirname "$page")/$link" ] || {
            echo "$page points to $link, which does not exist"
            bad=1
        }
    done
done
exit $bad
