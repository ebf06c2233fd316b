#!/bin/sh
# Installs a build into a folder, moves that folder, and builds a project of somebody else's on it: with CMake and with
# pkg-config, shared and static, and as C++ where there is a compiler for it. All must give the same state. The shared library
# must export nothing but what the headers declare.
# usage: consumer.sh CMAKE BUILD SOURCES SCRATCH CC GENERATOR
set -eu
cmake=$1
build=$2
sources=$3
scratch=$4
cc=$5
generator=$6

rm -rf "$scratch"
mkdir -p "$scratch"
"$cmake" --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
mv "$scratch/first" "$scratch/moved" # nothing in it may know where it was
prefix=$scratch/moved
libdir=$(dirname "$(find "$prefix" -name quadrille.pc)")/..
libdir=$(cd "$libdir" && pwd)
version=$(sed -n 's/^#define QD_VERSION "\(.*\)"$/\1/p' "$prefix/include/quadrille/api.h")
export LD_LIBRARY_PATH="$libdir" PKG_CONFIG_PATH="$libdir/pkgconfig"
bad=0
said=

run() { # NAME PROGRAM
    if ! word=$("$2" 2>&1); then
        echo "$1: $word"
        bad=1
    elif [ -z "$said" ]; then
        said=$word
    elif [ "$word" != "$said" ]; then
        echo "$1 says '$word', others '$said'"
        bad=1
    fi
}

"$cmake" -G "$generator" -S "$sources" -B "$scratch/cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED="$version" >"$scratch/cmake.log"
"$cmake" --build "$scratch/cmake" >>"$scratch/cmake.log"
run "CMake, shared" "$scratch/cmake/with_shared"
run "CMake, static" "$scratch/cmake/with_static"
if "$cmake" -G "$generator" -S "$sources" -B "$scratch/newer" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=99.0 >"$scratch/newer.log" 2>&1; then
    echo "CMake takes $version for 99.0"
    bad=1
fi

[ "$(pkg-config --modversion quadrille)" = "$version" ] || { echo "pkg-config has another version than $version" && bad=1; }
# shellcheck disable=SC2046 # words, as a shell splits them
"$cc" "$sources/main.c" -o "$scratch/shared" $(pkg-config --cflags --libs quadrille)
run "pkg-config, shared" "$scratch/shared"
# What the system has only as shared libraries stays so: ours alone is taken from the archive.
# shellcheck disable=SC2046
"$cc" "$sources/main.c" -o "$scratch/static" $(pkg-config --cflags quadrille) "$libdir/libquadrille.a" \
    $(pkg-config --static --libs quadrille | sed 's/-lquadrille//')
run "pkg-config, static" "$scratch/static"
if readelf -d "$scratch/static" | grep -q libquadrille; then
    echo "the static program needs the shared library"
    bad=1
fi
readelf -d "$scratch/shared" | grep -q "libquadrille\.so\.[0-9.]*[0-9]" || { echo "the shared library has no version in its name" && bad=1; }

cxx=
for name in c++ g++ clang++; do command -v "$name" >/dev/null && cxx=$name && break; done
if [ -n "$cxx" ]; then
    printf '#include <quadrille/quadrille.h>\nint main() { return qd_status_text(QD_OK) == nullptr; }\n' >"$scratch/main.cpp"
    # shellcheck disable=SC2046
    "$cxx" -Wall -Wextra -Werror -pedantic "$scratch/main.cpp" -o "$scratch/cplus" $(pkg-config --cflags --libs quadrille)
    "$scratch/cplus" || { echo "the C++ program failed" && bad=1; }
fi

# Exported and declared must be the same.
nm -D --defined-only "$libdir/libquadrille.so" | awk '{ print $3 }' | sort >"$scratch/exported"
cat "$prefix"/include/quadrille/*.h | grep -v '^#' | tr '\n' ' ' | grep -o 'QD_API [^;{]*(' | sed 's/($//; s/.*[ *]\(qd_[a-z0-9_]*\).*/\1/' | sort -u >"$scratch/declared"
if ! diff "$scratch/declared" "$scratch/exported" >"$scratch/symbols"; then
    echo "declared (<) and exported (>) differ:"
    cat "$scratch/symbols"
    bad=1
fi
[ -n "$said" ] && echo "$said"
exit $bad
