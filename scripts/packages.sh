# Sourced by run.sh and test.sh: installs the Debian or Ubuntu packages that are missing.
#
#   ensure_packages NAME…    does nothing if all are installed; needs root (or sudo) otherwise. A NAME may be several,
#                            best first, with | between them: one of them is enough, and the first that apt has is installed

# Debian 12 has LLVM 22 (bookworm-security), Ubuntu 24.04 has LLVM 20 (noble-updates, universe).
BUILD_PACKAGES="g++ cmake ninja-build libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev python3 llvm-22-dev|llvm-21-dev|llvm-20-dev libzstd-dev zlib1g-dev libxml2-dev"
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev binutils"

is_installed() {
  [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *"ok installed" ]]
}

# first_that CHECK A|B|C    prints the first of the names that the command CHECK takes; fails if there is none
first_that() {
  local name
  for name in ${2//|/ }; do
    "$1" "$name" && echo "$name" && return 0
  done
  return 1
}

apt_has() {
  [[ $(apt-cache policy "$1" 2>/dev/null) == *"Candidate: "[!\(]* ]]
}

ensure_packages() {
  local missing=() chosen=() names
  for names in "$@"; do
    first_that is_installed "$names" >/dev/null || missing+=("$names")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install: ${missing[*]}" >&2; return 3; }
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  for names in "${missing[@]}"; do
    chosen+=("$(first_that apt_has "$names")") || {
      echo "apt has no package $names; are the -updates and -security suites (on Ubuntu also universe) among its sources?" >&2
      return 3
    }
  done
  echo "installing: ${chosen[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${chosen[@]}" >/dev/null
}
