#!/usr/bin/env bash
# Usage: install-debian-packages.sh GROUP
# Installs the packages of that group in debian-packages.txt that are missing. Everything it says goes to stderr.
# Exits with 1 if some are missing and cannot be installed, with 2 if there is no such group.
set -euo pipefail
exec >&2

group=$1
list=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/debian-packages.txt
mapfile -t packages < <(awk -v group="$group" '$1 == group { print $2 }' "$list")
if [[ ${#packages[@]} -eq 0 ]]; then
  echo "starling: debian-packages.txt has no group \"$group\""
  exit 2
fi

if ! command -v dpkg-query >/dev/null; then
  echo "starling: this is not Debian, so please see to it that these are installed: ${packages[*]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  # shellcheck disable=SC2016  # the format is dpkg-query's own
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "starling: apt-get is missing, so please install by hand: ${missing[*]}"
  exit 1
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "starling: please run as root: apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi

apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
install_missing() {
  apt_get install -y --no-install-recommends "${missing[@]}"
}

echo "starling: installing ${missing[*]}"
if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
  apt_get update
fi
# Outdated package lists name files that no longer exist.
install_missing || { apt_get update && install_missing; }
