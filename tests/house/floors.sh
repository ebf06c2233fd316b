#!/bin/sh
# Dependencies run one way: tools -> export -> sim -> core, and inside of a floor from room to room as tests/house/rooms.txt
# lists them. Reads every #include of our own headers, public (<quadrille/x.h>, which lives in one floor's include/ and is there for
# all rooms of it) and private ("floor/room/x.h"), and refuses one of a higher floor or room or one that does not exist. Public headers
# include public ones. A file lies in a listed room, but for main.c.
# usage: floors.sh ROOT
set -u
cd "$1" || exit 2
rooms=tests/house/rooms.txt
[ -s "$rooms" ] || { echo "no $rooms" && exit 1; }
{
    grep -v '^#' "$rooms" | sed 's/^/R /'
    find core sim export tools -path '*/include/quadrille/*.h' | sed 's/^/F /'
    find core sim export tools -name '*.[ch]' ! -path '*/include/*' | sed 's/^/F /'
    find core sim export tools -name '*.[ch]' \
        -exec grep -Hn '^ *# *include *\(<quadrille/\|"\)' {} + | sed 's/^/I /'
} | awk '
    function floor_of(path) { sub(/\/.*/, "", path); return path }
    function room_of(path,   n, part) { n = split(path, part, "/"); return n > 2 ? part[1] "/" part[2] : part[1] "/" }
    function is_public(path) { return path ~ /\/include\/quadrille\// }
    function complain(text) { print text; bad = 1 }
    BEGIN { level["core"] = 1; level["sim"] = 2; level["export"] = 3; level["tools"] = 4 }
    $1 == "R" { rank[$2] = ++count; next }
    $1 == "F" {
        there[$2] = 1
        if (is_public($2)) { name = $2; sub(/.*\/include\//, "", name); owner[name] = floor_of($2); next }
        if (!(room_of($2) in rank) && $2 !~ /^[a-z]+\/main\.c$/) complain($2 ": lies in no room of tests/house/rooms.txt")
        next
    }
    {
        seen += 1
        line = substr($0, 3)
        file = line
        sub(/:.*/, "", file)
        header = line
        sub(/.*include *[<"]/, "", header)
        sub(/[>"].*/, "", header)
        floor = floor_of(file)
        if (header ~ /^quadrille\//) {
            if (!(header in owner)) complain(line ": no such header of ours")
            else if (level[owner[header]] > level[floor]) complain(line ": " floor "/ must not know " owner[header] "/")
            next
        }
        if (!(header in there)) {
            complain(line ": no such header of ours; private ones are named with their folder")
            next
        }
        to = room_of(header)
        from = room_of(file)
        if (level[floor_of(header)] > level[floor])
            complain(line ": " floor "/ must not know " floor_of(header) "/")
        else if (is_public(file))
            complain(line ": a public header must not know a private one")
        else if (from in rank && to in rank && rank[to] > rank[from])
            complain(line ": " from " must not know " to)
    }
    END {
        if (seen < 3) complain("only " seen " includes were found: this test looks in the wrong place")
        exit bad
    }'
