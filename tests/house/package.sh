#!/bin/sh
# Makes the Debian package of a build, unpacks it and runs what is in it. Exit 77 where Debian's tools are not there.
# usage: package.sh CPACK BUILD SCRATCH
set -eu
cpack=$1
build=$2
scratch=$3
for tool in dpkg-deb dpkg-shlibdeps; do
    command -v "$tool" >/dev/null || { echo "$tool is missing: no package was made" && exit 77; }
done
rm -rf "$scratch"
mkdir -p "$scratch"
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$scratch" >"$scratch/log" 2>&1 || { cat "$scratch/log" && exit 1; }
package=$(find "$scratch" -maxdepth 1 -name '*.deb')
dpkg-deb -x "$package" "$scratch/root"
bad=0
for part in usr/bin/quadrille usr/share/man/man1/quadrille-run.1 usr/include/quadrille/world.h \
    usr/share/bash-completion/completions/quadrille usr/lib/python3/dist-packages/quadrille/__init__.py usr/share/doc/quadrille/LICENSE; do
    [ -e "$scratch/root/$part" ] || [ -e "$scratch/root/$part.gz" ] || { echo "the package has no $part" && bad=1; }
done
for part in bin/quadrille-mpi share/man/man1/quadrille-mpi.1; do # one with the other, where it was built
    { [ -e "$scratch/root/usr/$part" ] || [ -e "$scratch/root/usr/$part.gz" ]; } && there=1 || there=0
    grep -q '^QD_MPI:BOOL=\(ON\|1\|TRUE\|YES\)$' "$build/CMakeCache.txt" && wanted=1 || wanted=0
    [ "$there" = "$wanted" ] || { echo "in the package usr/$part: $there, wanted: $wanted" && bad=1; }
done
find "$scratch/root" -name 'libquadrille.so.*' | grep -q . || { echo "the package has no library" && bad=1; }
dpkg-deb -f "$package" Depends | grep -q libgomp || { echo "the package does not depend on libgomp" && bad=1; }
(cd "$scratch" && ./root/usr/bin/quadrille run pool --steps 3 -q -o out && [ -s out/frames/frame_000000.png ]) || {
    echo "the packaged program failed"
    bad=1
}
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
    (cd "$scratch" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import quadrille
assert quadrille.find_program().endswith("root/usr/bin/quadrille"), quadrille.find_program()
assert len(quadrille.open("out").bodies()["x"]) == 2000') || {
        echo "the packaged Python module failed"
        bad=1
    }
fi
dpkg-deb -f "$package" Package Version Depends
exit $bad
