#!/bin/sh
# Every public header's functions and types are documented, and docs/api.md has what `api.sh ROOT --write` would write.
# usage: api.sh ROOT [--write]
set -u
cd "$1" || exit 2
bad=0

# A line for each declaration: header, kind, name, first sentence of its comment ("" where there is none).
declarations() {
    for header in */include/quadrille/*.h; do
        awk -v header="${header##*/}" '
            function flush_sentence(text) {
                gsub(/\*\*/, "", text)
                gsub(/\|/, "\\|", text)
                if (match(text, /[.:] /)) text = substr(text, 1, RSTART)
                sub(/[.:]$/, "", text)
                return text
            }
            /^\/\/\/ ?/ { line = $0; sub(/^\/\/\/ ?/, "", line); comment = comment (comment == "" ? "" : " ") line; next }
            /^QD_API/ {
                text = $0
                while (text !~ /\(/ && (getline more) > 0) text = text " " more
                sub(/\(.*/, "", text)
                sub(/.*[ *]/, "", text)
                if (!(text in seen)) printf "%s\tfunction\t%s\t%s\n", header, text, flush_sentence(comment)
                seen[text] = 1
                while ($0 !~ /;/ && (getline) > 0) {}
                group = comment
                last = "function"
                comment = ""
                next
            }
            /^typedef / {
                text = $0
                comment_of = comment
                if (text ~ /\(\*/) { sub(/.*\(\*/, "", text); sub(/\).*/, "", text) }
                else if (text ~ /;/) { sub(/;.*/, "", text); sub(/.*[ *]/, "", text) }
                else { sub(/ *\{.*/, "", text); sub(/.* /, "", text) }
                printf "%s\ttype\t%s\t%s\n", header, text, flush_sentence(comment_of)
                comment = ""
                next
            }
            /^$/ || /^[^\/]/ { comment = "" }
        ' "$header"
    done
}

table() {
    declarations | awk -F '\t' '
        $1 != header { header = $1; printf "\n### <quadrille/%s>\n\n| name | is |\n|---|---|\n", header }
        { printf "| `%s` | %s |\n", $3, $4 == "" ? "see the one above it" : $4 }'
}

page=docs/api.md
marked='<!-- what follows is written by api.sh -->'
if [ "${2-}" = --write ]; then
    { sed "/^$marked\$/q" "$page" && table; } >"$page.part" && mv "$page.part" "$page"
    exit 0
fi

# Functions that follow each other without an empty line share the comment above the first.
for header in */include/quadrille/*.h; do
    awk -v header="$header" '
        /^\/\/\// { documented = 1; next }
        /^QD_API|^typedef/ {
            if (!documented) { printf "%s:%d: no comment\n", header, NR; bad = 1 }
            depth = 0
            do { depth += gsub(/\{/, "{") - gsub(/\}/, "}"); ended = /;/ && depth == 0 } while (!ended && (getline) > 0)
            next
        }
        /^$/ { documented = 0 }
        END { exit bad }
    ' "$header" || bad=1
done

written=$(sed "1,/^$marked\$/d" "$page")
if [ "$written" != "$(table)" ]; then
    echo "docs/api.md is not what the headers say: sh tests/house/api.sh . --write"
    bad=1
fi
exit $bad
