#!/bin/sh
# Nothing of a world's state is forgotten: each member of a struct that sim/world/fields.c has lines of, and of qd_world, has a line there
# (so it is saved, loaded and compared), or is named in tests/house/fields.txt with the reason why not.
# usage: fields.sh ROOT
set -u
cd "$1" || exit 2
table=sim/world/fields.c
if [ ! -s "$table" ] || [ ! -s tests/house/fields.txt ]; then
    echo "no $table or no tests/house/fields.txt"
    exit 1
fi
{
    grep -v '^#' tests/house/fields.txt | sed 's/:.*//; s/^/E /'
    tr '\n' ' ' <"$table" | grep -oE '(FIELD|WORD|PARTS?|SAME)\( *qdi?_[a-z0-9_]+, *[a-z0-9_]+' | sed 's/^[A-Z]*( */T /; s/,/ /'
    find core sim -name '*.h' -exec sed 's,//.*,,' {} +
} | awk '
    function complain(text) { print text; bad = 1 }
    function member(struct, text) {
        gsub(/\[[^]]*\]/, "", text)
        sub(/ *$/, "", text)
        sub(/.*[ *]/, "", text)
        if (text == "") return
        if (!(struct in wanted)) return
        seen += 1
        if (!((struct, text) in known)) complain(struct "." text " has no line in sim/world/fields.c and no reason in tests/house/fields.txt")
        met[struct, text] = 1
    }
    $1 == "E" { for (i = 3; i <= NF; ++i) { known[$2, $i] = 1; reason[$2, $i] = 1 } ; wanted[$2] = 1; next }
    $1 == "T" { known[$2, $3] = 1; wanted[$2] = 1; next }
    !inside && match($0, /^(typedef )?struct qdi?_[a-z0-9_]+ \{/) {
        name = $0
        sub(/^(typedef )?struct /, "", name)
        sub(/ .*/, "", name)
        inside = 1
        text = ""
        next
    }
    inside && /^\}/ { inside = 0; next }
    inside {
        text = text " " $0
        while ((at = index(text, ";")) > 0) {
            n = split(substr(text, 1, at - 1), part, ",")
            for (i = 1; i <= n; ++i) member(name, part[i])
            text = substr(text, at + 1)
        }
    }
    END {
        wanted["qd_world"] = 1
        for (key in reason) if (!(key in met)) { split(key, pair, SUBSEP); complain("tests/house/fields.txt names " pair[1] "." pair[2] ", which there is not") }
        if (seen < 2) complain("no structs were found: this test looks in the wrong place")
        exit bad
    }'
