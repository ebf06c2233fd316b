#!/bin/sh
# Dependencies run one way: tools -> export -> sim -> core. Reads every #include of our own headers, public
# (<quadrille/x.h>, which lives in one floor's include/) and private ("floor/x.h"), and refuses one of a higher floor
# or one that does not exist.
# usage: floors.sh ROOT
set -u
cd "$1" || exit 2
level() {
    case $1 in
    core) echo 0 ;;
    sim) echo 1 ;;
    export) echo 2 ;;
    tools) echo 3 ;;
    tests) echo 4 ;;
    *) echo 9 ;;
    esac
}
bad=0
seen=0
for floor in core sim export tools; do
    mine=$(level "$floor")
    found=$(find "$floor" -name '*.[ch]' -exec grep -Hn '^ *# *include *\(<quadrille/\|"\)' {} +)
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        seen=$((seen + 1))
        header=$(printf '%s\n' "$line" | sed 's/.*include *[<"]\([^>"]*\)[>"].*/\1/')
        case $header in
        quadrille/*)
            owner=$(find core sim export tools -path "*/include/$header" | sed 's,/.*,,')
            ;;
        */*)
            owner=${header%%/*}
            [ -e "$header" ] || owner=
            ;;
        *) owner= ;;
        esac
        if [ -z "$owner" ]; then
            echo "$line: no such header of ours; private ones are named with their folder"
            bad=1
        elif [ "$(level "$owner")" -gt "$mine" ]; then
            echo "$line: $floor/ must not know $owner/"
            bad=1
        fi
    done <<END
$found
END
done
if [ "$seen" -lt 3 ]; then
    echo "only $seen includes were found under $1: this test looks in the wrong place"
    bad=1
fi
exit $bad
