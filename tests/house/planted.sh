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
    mkdir -p "$scratch/tree/tests/house" "$scratch/tree/docs"
    for floor in core sim export tools; do
        mkdir -p "$scratch/tree/$floor/include/quadrille" "$scratch/tree/$floor/low" "$scratch/tree/$floor/high"
        echo "int $floor(void);" >"$scratch/tree/$floor/include/quadrille/$floor.h"
        printf '#include <quadrille/%s.h>\n#include <stdio.h>\n' "$floor" >"$scratch/tree/$floor/low/$floor.c"
        echo "add_library($floor low/$floor.c)" >"$scratch/tree/$floor/CMakeLists.txt"
        printf '%s/low\n%s/high\n' "$floor" "$floor" >>"$scratch/tree/tests/house/rooms.txt"
        : >"$scratch/tree/$floor/high/above_$floor.h"
    done
    printf '// One.\nint one(void) {\n    return 1;\n}\n' >>"$scratch/tree/core/low/core.c"
    mkdir -p "$scratch/tree/sim/step"
    echo sim/step >>"$scratch/tree/tests/house/rooms.txt"
    echo 'const void *features[] = {&qdi_no_glue_feature, &qdi_magnets_feature};' >"$scratch/tree/sim/step/features.c"
    echo 'int step;' >"$scratch/tree/sim/step/stepper.c"
    echo 'target_sources(sim PRIVATE step/features.c step/stepper.c)' >>"$scratch/tree/sim/CMakeLists.txt"
    mkdir -p "$scratch/tree/sim/world"
    echo sim/world >>"$scratch/tree/tests/house/rooms.txt"
    printf '{FIELD(qd_world, step)}, {PART(qd_world, size, vec)}\n' >"$scratch/tree/sim/world/fields.c"
    printf 'struct qd_world {\n    double step, size[2];\n    int *room; ///< of it\n};\n' >"$scratch/tree/sim/world/world.h"
    echo 'qd_world room: memory' >"$scratch/tree/tests/house/fields.txt"
    echo 'target_sources(sim PRIVATE world/fields.c)' >>"$scratch/tree/sim/CMakeLists.txt"
    echo '#include "core/high/above_core.h"' >>"$scratch/tree/sim/low/sim.c"
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
expect pass "clean tree, fields" "" "$here/fields.sh" "$scratch/tree"
expect pass "clean tree, sources" "" "$here/sources.sh" "$scratch/tree"
expect pass "clean tree, comments" "" "$here/comments.sh" "$scratch/tree"

breach() { # TEST TEXT FILE LINE: one line is added to one file
    plant
    mkdir -p "$(dirname "$scratch/tree/$3")"
    printf '%s\n' "$4" >>"$scratch/tree/$3"
    expect fail "'$4' in $3" "$2" "$here/$1.sh" "$scratch/tree"
}
breach floors "core/ must not know sim/" core/low/core.c '#include <quadrille/sim.h>'
breach floors "sim/ must not know export/" sim/low/sim.c '#  include "export/high/above_export.h"'
breach floors "sim/low must not know sim/high" sim/low/sim.c '#include "sim/high/above_sim.h"'
breach floors "must not know a private one" export/include/quadrille/export.h '#include "export/high/above_export.h"'
breach floors "no such header of ours" sim/low/sim.c '#include "own.h"'
breach floors "no such header of ours" sim/low/sim.c '#include <quadrille/gone.h>'
breach floors "lies in no room" sim/attic/attic.h '#include <quadrille/sim.h>'
breach comments "two has no line above" sim/low/sim.c 'int two(void) {
    return 2;
}'
breach sources "core/parallel/team.c" sim/low/sim.c '    #pragma omp parallel for'
breach sources "core/parallel/team.c" export/low/export.c '_Pragma("omp critical")'
breach sources "peers.h is not included" tools/low/tools.c '#ifdef QD_HAVE_CGAL'
breach sources "defined twice" sim/low/sim.c 'typedef struct qdi_x {
} qdi_x;
} qdi_x;'
breach sources "two files have this name" sim/high/core.c 'int core;'
breach sources "not listed" tests/test_three.c 'int three;'
breach sources "there is no test_four.c" tests/CMakeLists.txt 'set(qd_tests four)'
breach sources "is not in core/CMakeLists.txt" core/low/left_out.c 'int left_out;'
breach sources "must not know the feature magnet" sim/step/stepper.c 'static void pull_Magnet(void);'
breach sources "must not know the feature no_glue" sim/step/stepper.c 'if (qdi_no_glue(world)) return;'
breach fields "qd_world.age has no line" sim/world/state.h 'struct qd_world {
    unsigned age;
};'
breach fields "names qd_world.past, which there is not" tests/house/fields.txt 'qd_world past: long ago'
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

# Objects as a build has them: two units of sim/, one room above the other.
calling() { # pass|fail TEXT CODE-OF-LOW CODE-OF-HIGH
    plant
    for room in low high; do
        objects=$scratch/build/sim/CMakeFiles/quadrille_sim.dir/$room
        mkdir -p "$objects"
        code=$3
        [ "$room" = low ] || code=$4
        printf '%s\n' "$code" >"$scratch/unit.c"
        : >"$scratch/tree/sim/$room/unit.c"
        "$cc" -O0 -c "$scratch/unit.c" -o "$objects/unit.c.o" || bad=1
    done
    mkdir -p "$scratch/build/core" "$scratch/build/export" "$scratch/build/tools"
    expect "$1" "calls" "$2" "$here/calls.sh" "$scratch/tree" "$scratch/build"
}
calling pass "" 'int low(void) { return 1; }' 'int low(void); int high(void) { return low(); }'
calling fail "sim/low/unit.c must not call high" 'int high(void); int low(void) { return high(); }' 'int high(void) { return 1; }'
# Five units of one room in a circle.
plant
rm -rf "$scratch/build/sim"
objects=$scratch/build/sim/CMakeFiles/quadrille_sim.dir/low
mkdir -p "$objects"
for k in 1 2 3 4 5; do
    echo "int f$((k % 5 + 1))(void); int f$k(void) { return f$((k % 5 + 1))(); }" >"$scratch/unit.c"
    : >"$scratch/tree/sim/low/unit$k.c"
    "$cc" -O0 -c "$scratch/unit.c" -o "$objects/unit$k.c.o" || bad=1
done
expect fail "a circle" "5 units call each other in a circle" "$here/calls.sh" "$scratch/tree" "$scratch/build"
exit $bad
