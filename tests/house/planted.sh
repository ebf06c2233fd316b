#!/bin/sh
# The house's tests must be able to fail: each rule is broken once in a small made-up tree, and the test that watches
# over it must say so, while the same tree without the breach passes.
# usage: planted.sh HOUSE-TESTS CC LIBM SCRATCH
set -u
here=$1
cc=$2
libm=$3
scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
bad=0

plant() { # a tree that keeps every rule
    rm -rf "$scratch/tree"
    for floor in core sim export tools; do
        mkdir -p "$scratch/tree/$floor/include/quadrille"
        echo "int $floor(void);" >"$scratch/tree/$floor/include/quadrille/$floor.h"
        printf '#include <quadrille/%s.h>\n#include <stdio.h>\n' "$floor" >"$scratch/tree/$floor/$floor.c"
        echo "add_library($floor $floor.c)" >"$scratch/tree/$floor/CMakeLists.txt"
    done
    echo '#include "core/own.h"' >>"$scratch/tree/sim/sim.c"
    : >"$scratch/tree/core/own.h"
    mkdir -p "$scratch/tree/tests" "$scratch/tree/docs"
    printf 'set(qd_tests\n    # core\n    one\n    two)\n' >"$scratch/tree/tests/CMakeLists.txt"
    : >"$scratch/tree/tests/test_one.c"
    : >"$scratch/tree/tests/test_two.c"
    echo "A tree." >"$scratch/tree/README.md"
}

expect() { # pass|fail WHAT TEXT COMMAND...
    want=$1
    what=$2
    text=$3
    shift 3
    if output=$("$@" 2>&1); then got=pass; else got=fail; fi
    if [ "$got" != "$want" ] || ! printf '%s\n' "$output" | grep -q -- "$text"; then
        echo "$what: expected $want with '$text', got $got with: $output"
        bad=1
    fi
}

plant
expect pass "clean tree, floors" "" "$here/floors.sh" "$scratch/tree"
expect pass "clean tree, sources" "" "$here/sources.sh" "$scratch/tree"

breach() { # TEST TEXT FILE LINE: one line is added to one file
    plant
    printf '%s\n' "$4" >>"$scratch/tree/$3"
    expect fail "'$4' in $3" "$2" "$here/$1.sh" "$scratch/tree"
}
breach floors "core/ must not know sim/" core/core.c '#include <quadrille/sim.h>'
breach floors "sim/ must not know export/" sim/sim.c '#  include "export/export.c"'
breach floors "export/ must not know tools/" export/include/quadrille/export.h '#include "tools/tools.c"'
breach floors "no such header of ours" sim/sim.c '#include "own.h"'
breach floors "no such header of ours" sim/sim.c '#include <quadrille/gone.h>'
breach sources "core/parallel/team.c" sim/sim.c '    #pragma omp parallel for'
breach sources "core/parallel/team.c" export/export.c '_Pragma("omp critical")'
breach sources "not listed" tests/test_three.c 'int three;'
breach sources "there is no tests/test_four.c" tests/CMakeLists.txt 'set(qd_tests four)'
breach sources "is not in core/CMakeLists.txt" core/left_out.c 'int left_out;'
breach sources "finish it" docs/page.md 'TO''DO: the rest'
breach sources "somebody's machine" README.md 'It lies in /ho''me/me/quadrille.'

compiled() { # pass|fail TEXT C-CODE
    printf '%s\n' "$3" >"$scratch/unit.c"
    rm -f "$scratch/libunit.a"
    "$cc" -O0 -fno-builtin -fPIC -c "$scratch/unit.c" -o "$scratch/unit.o" &&
        ar rcs "$scratch/libunit.a" "$scratch/unit.o" || bad=1
    expect "$1" "$3" "$2" "$here/symbols.sh" "$libm" "$scratch/libunit.a"
}
compiled pass "" 'double sqrt(double); double f(double x) { return sqrt(x); }'
compiled pass "" 'static const char *const names[] = {"a", "b"}; const char *f(int i) { return names[i]; }'
compiled fail "calls sin " 'double sin(double); double f(double x) { return sin(x); }'
compiled fail "calls powf " 'float powf(float, float); float f(float x) { return powf(x, x); }'
compiled fail "changeable variable count" 'int f(void) { static int count; return ++count; }'
compiled fail "changeable variable table" 'const char *table[] = {"a"}; const char *f(void) { return table[0]; }'
compiled fail "changeable variable here" '_Thread_local int here; int f(void) { return here; }'
exit $bad
