#!/usr/bin/env bash
# Usage: debian_package_test.sh BUILD VERSION
# Packs a build, unpacks the package into an empty root and runs the quickstart from there. Exits with 77
# where there are no tools of Debian.
set -euo pipefail

build=$1 version=$2
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "skipped: $tool is missing (Debian packages dpkg-dev and file)"; exit 77; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
fail() { echo "failed: $*"; failures=$((failures + 1)); }

cpack --config "$build/CPackConfig.cmake" -G DEB -B "$folder" >/dev/null
package=$folder/starling_${version}_$(dpkg --print-architecture).deb
dpkg-deb -x "$package" "$folder/root"

field() { dpkg-deb --field "$package" "$1"; }
[[ $(field Depends) == *libsimgrid* ]] || fail "it depends on $(field Depends)"
[[ $(field Recommends) == *libboost-context-dev* ]] || fail "it recommends $(field Recommends)"
known=$(grep -rlF -- "$build" "$folder"/root/usr/{include,share,lib/cmake} || true)
[[ -z $known ]] || fail "the build's path is known to $known"
folders=$(cd "$folder/root" && echo * usr/*)
[[ $folders == "usr usr/bin usr/include usr/lib usr/share" ]] || fail "it has the folders $folders"

cd /
usr=$folder/root/usr
env -i "$usr/bin/starling" run "$usr/share/starling/scenarios/quickstart.json" --set /iterations=3 --quiet |
  grep -q '^dear ' || fail "the program of the package does not run the quickstart"
env -i "$usr/bin/starling" run "$usr/share/starling/scenarios/quickstart.json" --set /iterations=3 --engine simgrid --quiet |
  grep -q '^dear ' || fail "the program of the package does not load SimGrid"

exit $((failures > 0))
