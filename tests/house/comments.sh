#!/bin/sh
# A function says in a line above its definition what it does, so that a reader who meets it knows what part of
# the program it belongs to: one that is not static may say so in the header that declares it instead. As
# clang-format leaves the sources, a definition begins in the first column and its head ends with "{".
# usage: comments.sh ROOT
set -u
cd "$1" || exit 2
{
    find core sim export tools -name '*.h' | sort | sed 's/$/ header/'
    find core sim export tools -name '*.[ch]' | sort
} | awk '
    function complain(text) { print text; bad = 1 }
    function name_of(head) { sub(/\(.*/, "", head); sub(/.*[ *]/, "", head); return head }
    # First pass: what headers declare below a comment, with no empty line between.
    function read_header(file,   line, under, head) {
        while ((getline line < file) > 0) {
            if (line == "" || line ~ /^#/) under = 0
            else if (line ~ /^\/\//) under = 1
            else if (line ~ /^[A-Za-z]/ && line ~ /\(/ && under) declared[name_of(line)] = 1
        }
        close(file)
    }
    # Second pass: definitions.
    function read_source(file,   line, before, head, above, told, name, number, at) {
        while ((getline line < file) > 0) {
            number += 1
            if (line ~ /^[A-Za-z]/ && line !~ /^(typedef|struct [a-z_]+ \{|union|enum|extern|else)/ &&
                head == "") {
                head = line
                above = before
                at = number
            } else if (head != "") head = head " " line
            if (head != "" && line ~ /[;{}]$|[;{}] *\/\/.*$/) {
                name = name_of(head)
                told = above ~ /^\/\/|\*\/$/
                if (head ~ /\(.*;/ && told) here[file, name] = 1 # declared first
                if (line ~ /\{$|\{ *\/\/.*$/ && head ~ /\(/ && head !~ /=/ && name ~ /[a-z]/) {
                    found += 1
                    if (!told && !((file, name) in here) && (head ~ /^static/ || !(name in declared)))
                        complain(file ":" at ": " name " has no line above that says what it does")
                }
                head = ""
            }
            before = line
        }
        close(file)
    }
    $2 == "header" { read_header($1); next }
    { read_source($1) }
    END {
        if (found < 1) complain("no functions were found: this test looks in the wrong place")
        exit bad
    }'
