#!/bin/sh
# What floors.sh asks of includes holds for calls too: a unit calls only units of its own room, and of lower rooms and floors. And
# no more than four units call each other in a circle. Read from the object files of a build.
# usage: calls.sh ROOT BUILD
set -u
root=$1
build=$2
cd "$build" || exit 2
{
    grep -v '^#' "$root/tests/house/rooms.txt" | sed 's/^/R /'
    (cd "$root" && find core sim export tools -name '*.c' | sed 's/^/S /')
    find core sim export tools -name '*.c.o' -path '*/CMakeFiles/*.dir/*' ! -path '*/__/*' -exec nm -A {} +
} | awk '
    # A unit is FLOOR/ROOM/file.c; what was made by the build lies elsewhere and is left out.
    function unit_of(object,   floor) {
        floor = object
        sub(/\/.*/, "", floor)
        sub(/.*CMakeFiles\/[^\/]*\.dir\//, "", object)
        sub(/\.o:?.*/, "", object)
        return floor "/" object
    }
    function room_of(unit,   part) { split(unit, part, "/"); return part[1] "/" part[2] }
    function complain(text) { print text; bad = 1 }
    # Units that can be reached from one, itself only through others.
    function reach(from, seen,   list, head, tail, unit, k, to, n, next_units) {
        head = tail = 0
        list[tail++] = from
        while (head < tail) {
            unit = list[head++]
            n = split(calls[unit], next_units, " ")
            for (k = 1; k <= n; ++k) {
                to = next_units[k]
                if (to in seen) continue
                seen[to] = 1
                list[tail++] = to
            }
        }
    }
    $1 == "R" { rank[$2] = ++rooms; next }
    $1 == "S" { there[$2] = 1; next }
    {
        unit = unit_of($1)
        if (!(room_of(unit) in rank) || !(unit in there)) next # made by the build, or left over in it
        units[unit] = 1
        type = $(NF - 1)
        if (type ~ /^[TDRBVW]$/) home[$NF] = unit
        else if (type == "U") needs[++needed] = unit " " $NF
    }
    END {
        for (i = 1; i <= needed; ++i) {
            split(needs[i], pair, " ")
            if (!(pair[2] in home) || home[pair[2]] == pair[1]) continue
            to = home[pair[2]]
            if (rank[room_of(to)] > rank[room_of(pair[1])])
                complain(pair[1] " must not call " pair[2] " of " to)
            if (!((pair[1], to) in known)) { known[pair[1], to] = 1; calls[pair[1]] = calls[pair[1]] " " to; edges += 1 }
        }
        for (unit in units) { # units that reach each other
            if (unit in done) continue
            split("", seen)
            reach(unit, seen)
            circle = ""
            size = 0
            for (other in seen) {
                split("", back)
                if (other in done) continue
                reach(other, back)
                if (unit in back) { circle = circle " " other; size += 1; done[other] = 1 }
            }
            if (size > 4) complain(size " units call each other in a circle:" circle)
        }
        if (edges < 1) complain("no calls were found: this test looks in the wrong place")
        exit bad
    }'
