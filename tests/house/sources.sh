#!/bin/sh
# Rules that can be read off the sources, one message per breach:
#  - OpenMP pragmas only in core/parallel/team.c;
#  - every test_*.c below tests/ is listed in tests/CMakeLists.txt, and every listed one exists;
#  - a .c of a floor is in that floor's CMakeLists.txt, so that no file is left out of the build;
#  - no type of our own (qd_, qdi_) is defined twice, and no two files of the floors have one name, but for os.c, os.h and main.c,
#    which several floors may have, and a private header beside the public one;
#  - the stepper names no feature: what sim/step/features.c lists hangs in hooks;
#  - what asks for a peer of the bench includes where it is declared: most builds have none, and would not miss it;
#  - no notes to oneself, and no path of somebody's machine.
# usage: sources.sh ROOT
set -u
cd "$1" || exit 2
bad=0
breach() {
    printf '%s\n' "$1"
    bad=1
}
each_line() { # MESSAGE: one breach per line of standard input
    while IFS= read -r line; do [ -z "$line" ] || breach "$line: $1"; done
}

each_line "OpenMP pragmas belong in core/parallel/team.c" <<END
$(find core sim export tools -name '*.[ch]' ! -path core/parallel/team.c -exec grep -Hn '# *pragma  *omp\|_Pragma *("omp' {} +)
END

listed=$(sed -n '/^set(qd_[a-z_]*tests$/,/)/p; /^set(qd_[a-z_]*tests .*)/p' tests/CMakeLists.txt |
    sed 's/#.*//; s/set(qd_[a-z_]*tests//; s/[$]{qd_core_tests}//; s/)//')
for file in $(find tests -name 'test_*.c' | sort); do
    name=${file##*/test_}
    name=${name%.c}
    printf '%s\n' "$listed" | grep -qw "$name" || breach "$file is not listed in tests/CMakeLists.txt"
done
for name in $listed; do
    [ -n "$(find tests -name "test_$name.c")" ] || breach "tests/CMakeLists.txt lists $name, but there is no test_$name.c"
done

for floor in core sim export tools; do
    for file in $(find "$floor" -name '*.c' | sort); do
        grep -q "[ (]${file#"$floor"/}\([ )]\|\$\)" "$floor/CMakeLists.txt" ||
            breach "$file is not in $floor/CMakeLists.txt"
    done
done

each_line "this type is defined twice" <<END
$(find core sim export tools tests -name '*.[ch]' -exec grep -hoE '^\} qdi?_[a-z0-9_]+;' {} + | sort | uniq -d)
END
each_line "two files have this name" <<END
$(find core sim export tools \( -name '*.[ch]' \) ! -path '*/include/*' | sed 's,.*/,,' | sort | uniq -d | grep -v '^\(os\.[ch]\|main\.c\)$')
END

# qdi_springs_feature is "spring".
features=$(grep -o '&qdi_[a-z_]*_feature' sim/step/features.c | sed 's/&qdi_//; s/s\{0,1\}_feature$//')
[ -n "$features" ] || breach "sim/step/features.c lists no feature: this test looks in the wrong place"
[ -s sim/step/stepper.c ] || breach "there is no sim/step/stepper.c: this test looks in the wrong place"
for name in $features; do
    each_line "the stepper must not know the feature $name" <<END
$(grep -Hni "$name" sim/step/stepper.c)
END
done

each_line "a peer is asked for, but tools/bench/peers.h is not included" <<END
$(find tools tests -name '*.[ch]' -exec grep -qE '^ *# *(el)?if.*QD_HAVE_(BOX2D3?|CHIPMUNK|CGAL)' {} \; -exec grep -L '"tools/bench/peers.h"' {} +)
END

notes='TO''DO\|FIX''ME\|XX''X\|HA''CK'
each_line "finish it or leave it out" <<END
$(find core sim export tools tests docs -type f \( -name '*.[ch]' -o -name '*.md' -o -name '*.yaml' -o -name '*.txt' \) \
    -exec grep -Hnw "$notes" {} +)
END
each_line "a path of somebody's machine" <<END
$(find core sim export tools tests docs ./*.md -type f ! -name '*.png' \
    -exec grep -Hn '\(^\|[^A-Za-z0-9_.]\)/\(home\|Users\|work\|mnt\)/' {} + | grep -v '^tests/house/')
END
exit $bad
