#!/bin/sh
# What the compiled libraries may refer to and hold:
#  - no function of libm beyond sqrt, fabs, floor and ceil: libm picks its code by processor, so its results differ
#    between machines; core/ has functions of its own;
#  - no variable at file scope that can change: state hangs off the object that it belongs to.
# usage: symbols.sh LIBM LIBRARY...
set -u
libm=$1
shift
bad=0
names=$(nm -D --defined-only "$libm" | awk '{ sub(/@.*/, "", $3); print $3 }' | sort -u)
if ! printf '%s\n' "$names" | grep -qx sin; then
    echo "$libm defines no sin: it is not the mathematics library"
    exit 1
fi
for library in "$@"; do
    [ -n "$(nm --defined-only "$library" 2>/dev/null | awk '$2 == "T"' | head -n 1)" ] || {
        echo "$library defines no function"
        bad=1
    }
    for name in $(nm -u "$library" | awk '$1 == "U" { print $2 }' | sort -u); do
        case $name in
        sqrt | fabs | floor | ceil | sqrtf | fabsf | floorf | ceilf) continue ;;
        _ZGV*) ;;
        *) printf '%s\n' "$names" | grep -qx "$name" || continue ;;
        esac
        echo "$(basename "$library") calls $name of the mathematics library"
        bad=1
    done
    variables=$(nm -f sysv "$library" | awk -F'|' '{ gsub(/ /, "", $1); gsub(/ /, "", $4); gsub(/ /, "", $7) }
        ($4 == "OBJECT" || $4 == "TLS") && $7 ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $7 !~ /^\.data\.rel\.ro/ { print $1 }')
    for name in $variables; do
        echo "$(basename "$library") has the changeable variable $name"
        bad=1
    done
done
exit $bad
