# Sourced by run.sh and test.sh: installs the Debian or Ubuntu packages that are missing.
#
#   ensure_packages NAME…    does nothing if all are installed; needs root (or sudo) otherwise

BUILD_PACKAGES="g++ cmake ninja-build libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev python3 llvm-22-dev libclc-22 libzstd-dev zlib1g-dev libxml2-dev"
TEST_PACKAGES="libgtest-dev libgmock-dev libbenchmark-dev binutils"

ensure_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  echo "installing: ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "need root or sudo to install: ${missing[*]}" >&2; return 3; }
    as_root=(sudo)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
