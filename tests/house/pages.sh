#!/bin/sh
# The manual pages name every command and flag that the program's help names, and read without complaint where there is a
# program that checks them. There is one of quadrille-mpi, and the others refer to it, just where that program was built. The completions are sound for their shells, where those are there, and bash's offers what it should.
# usage: pages.sh MANUAL PROGRAM WITH-MPI
set -u
manual=$(cd "$1" && pwd)
program=$2
case $3 in ON | 1 | YES | TRUE) mpi=1 ;; *) mpi=0 ;; esac
bad=0
breach() {
    echo "$1"
    bad=1
}

for command in $("$program" help | sed -n '/^Commands/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do
    page=$manual/man1/quadrille-$command.1
    [ -s "$page" ] || { breach "there is no page of $command" && continue; }
    for flag in $("$program" help "$command" | sed -n '/^Flags/,$s/^  \(.*\)/\1/p' | sed 's/  .*//' | tr -s ', ' '\n' | grep '^-'); do
        quoted=$(printf '%s' "$flag" | sed 's/-/\\\\-/g')
        grep -q "\\\\fB$quoted\\\\fR" "$page" || breach "$page lacks $flag"
    done
done
[ -s "$manual/man1/quadrille-mpi.1" ] && there=1 || there=0
[ "$there" = "$mpi" ] || breach "pages of quadrille-mpi: $there, wanted: $mpi"
for page in "$manual"/man1/*.1; do
    grep -q '^.BR quadrille.-mpi (1)' "$page" && seen=1 || seen=0
    [ "${page##*/}" = quadrille-mpi.1 ] || [ "$seen" = "$mpi" ] || breach "$page names quadrille-mpi: $seen, wanted: $mpi"
done
grep -q '^.fBcontact.friction.fR' "$manual/man5/quadrille-scene.5" || breach "quadrille-scene.5 lacks contact.friction"
if command -v mandoc >/dev/null; then
    # A date would make the pages of two builds differ.
    said=$(mandoc -T lint -W warning "$manual"/man1/*.1 "$manual"/man5/*.5 2>&1 | grep -v 'missing date')
    [ -z "$said" ] || breach "$said"
elif command -v groff >/dev/null; then
    said=$(groff -man -ww -z "$manual"/man1/*.1 "$manual"/man5/*.5 2>&1)
    [ -z "$said" ] || breach "groff: $said"
fi

command -v zsh >/dev/null && { zsh -n "$manual/_quadrille" || breach "zsh cannot read its completion"; }
command -v fish >/dev/null && { fish -n "$manual/quadrille.fish" || breach "fish cannot read its completion"; }

offer() { # WORDS...: what bash offers for the last one
    bash -c '. "$0"; COMP_WORDS=(quadrille "$@"); COMP_CWORD=$#; _quadrille; printf "%s\n" "${COMPREPLY[@]}"' "$manual/quadrille.bash" "$@"
}
expect() { # WANTED WORDS...
    wanted=$1
    shift
    offer "$@" | grep -qx -e "$wanted" || breach "bash does not offer $wanted after: quadrille $*"
}
if command -v bash >/dev/null; then
    expect verify ve
    expect tumbler run tu
    expect --steps run --st
    expect --threads resume --th
    expect contact.friction= run --set contact.fr
    expect bodies.0.disks.radius= run --set bodies.0.disks.rad
    expect view.colour= render --set view.col
    [ -z "$(offer render --set contact.fr)" ] || breach "bash offers keys to render that it does not take"
    expect extxyz export --format e
    expect veryslow video --preset very
    expect billiard scenes bil
    [ -z "$(offer run --steps 1)" ] || breach "bash offers something for a number"
    dir=$(basename "$manual")
    (cd "$manual/.." && offer resume "${dir%?}" | grep -qx "$dir") || breach "bash does not offer directories to resume"
fi
exit $bad
