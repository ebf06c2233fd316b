#!/bin/sh
# core_only.sh CMAKE SOURCES FOLDER COMPILER GENERATOR: the tree alone, where pkg-config finds no library but xxHash: it is
# configured, built, tested and installed, and the README's program is built on what was installed.
set -eu
cmake=$1 sources=$2 folder=$3 compiler=$4 generator=$5
rm -rf "$folder"
mkdir -p "$folder/pc"
real=$(pkg-config --variable=pcfiledir libxxhash)
cp "$real/libxxhash.pc" "$folder/pc"
PKG_CONFIG_LIBDIR=$folder/pc
PKG_CONFIG_PATH=
export PKG_CONFIG_LIBDIR PKG_CONFIG_PATH

fail() {
    echo "core_only: $1" >&2
    exit 1
}

"$cmake" -S "$sources" -B "$folder/build" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
    -DQD_CORE_ONLY=ON -DCMAKE_INSTALL_PREFIX="$folder/tree" -DCMAKE_INSTALL_LIBDIR=lib >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; fail "it cannot be configured"; }
"$cmake" --build "$folder/build" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "it cannot be built"; }
(cd "$folder/build" && ctest --no-tests=error >"$folder/log" 2>&1) || { cat "$folder/log" >&2; fail "its tests fail"; }
"$cmake" --install "$folder/build" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "it cannot be installed"; }
[ -e "$folder/tree/include/quadrille/tree.h" ] || fail "there is no tree.h"
[ ! -e "$folder/tree/include/quadrille/world.h" ] || fail "there is a world.h"

PKG_CONFIG_LIBDIR=$folder/pc:$folder/tree/lib/pkgconfig
# shellcheck disable=SC2046
"$compiler" -std=c17 -o "$folder/example" "$sources/docs/example_tree.c" $(pkg-config --cflags --libs quadrille) -lm ||
    fail "the example cannot be built on it"
LD_LIBRARY_PATH=$folder/tree/lib "$folder/example" >"$folder/said" || fail "the example fails"
grep -q "pairs overlap" "$folder/said" || fail "the example says nothing"
needed=$(ldd "$folder/tree/lib/libquadrille.so" | sed 's/ .*//; s/^[[:space:]]*//')
for library in png sqlite yaml freetype isal; do
    case $needed in *lib$library*) fail "it needs lib$library" ;; esac
done
