# Sourced by the other scripts: what they share.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

say() { printf '==> %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

required_swift=6.2

# Fails with one sentence unless a new enough Swift toolchain is on the PATH.
require_toolchain() {
  command -v swift >/dev/null 2>&1 ||
    fail "no Swift toolchain found; install Swift $required_swift or newer from https://www.swift.org/install"
  local version
  version=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
  [ -n "$version" ] || fail "could not read the version of $(command -v swift)"
  if [ "$(printf '%s\n%s\n' "$required_swift" "$version" | sort -V | head -n 1)" != "$required_swift" ]; then
    fail "Swift $version is too old; this project needs $required_swift or newer"
  fi
}

# Installs the system libraries the build needs, if any is missing.
require_libraries() {
  if [ "$(uname)" = Darwin ]; then
    local missing=()
    for formula in openssl@3 pkg-config; do
      brew list "$formula" >/dev/null 2>&1 || missing+=("$formula")
    done
    [ ${#missing[@]} -eq 0 ] || fail "run 'brew install ${missing[*]}' first"
    return
  fi
  local packages=()
  pkg-config --version >/dev/null 2>&1 || packages+=(pkg-config)
  for library in libcrypto:libssl-dev libcurl:libcurl4-openssl-dev libxml-2.0:libxml2-dev zlib:zlib1g-dev sqlite3:libsqlite3-dev; do
    pkg-config --exists "${library%:*}" 2>/dev/null || packages+=("${library#*:}")
  done
  [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
}

install_packages() {
  command -v apt-get >/dev/null 2>&1 || fail "install these packages first: $*"
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || fail "run 'apt-get install $*' as root first"
    sudo=(sudo)
  fi
  say "installing $*"
  local install=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@")
  # A machine may have no lists of packages, or old ones.
  "${install[@]}" >/dev/null 2>&1 || { "${sudo[@]}" apt-get update -qq && "${install[@]}" >/dev/null; }
}

# Installs the packages of the commands that are missing: COMMAND, or COMMAND:PACKAGE where the names differ.
require_commands() {
  local name packages=()
  for name in "$@"; do
    PATH=$PATH:/usr/sbin command -v "${name%:*}" >/dev/null || packages+=("${name#*:}")
  done
  [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
}

# Installs packages from PyPI into a folder that git ignores. Ends the script with 75 where they cannot be installed.
require_python() {
  if [ ! -x .venv/bin/python ]; then
    require_commands python3
    python3 -m venv .venv 2>/dev/null || { install_packages python3-venv && python3 -m venv .venv; }
  fi
  .venv/bin/python -m pip install --quiet "$@" || { say "$* cannot be installed"; exit 75; }
}

# How the tests are built. A runner builds once, and no one debugs there: a module is compiled in one piece, as for a
# release, but without optimizing, and without debug information.
# shellcheck disable=SC2034 # test and fuzz read it
if [ -z "${CI:-}" ]; then
  test_build=(-c debug)
else
  test_build=(-c release -debug-info-format none -Xswiftc -Onone -Xcc -O0 -Xswiftc -enable-testing)
  # Package.swift has the modules optimized in which the tests spend most of their time.
  export CELESTRA_ADMIN_TEST_BUILD=1
fi

# Exports what 'version' prints about the sources: the commit, and the tag of a release.
record_origin() {
  unset CELESTRA_ADMIN_BUILD_COMMIT CELESTRA_ADMIN_BUILD_TAG
  CELESTRA_ADMIN_BUILD_COMMIT=$(git rev-parse HEAD 2>/dev/null) || return 0
  if [ -z "$(git status --porcelain --untracked-files=no)" ]; then
    CELESTRA_ADMIN_BUILD_TAG=$(git describe --exact-match --tags --match 'v[0-9]*' 2>/dev/null || true)
  else
    CELESTRA_ADMIN_BUILD_COMMIT+=-modified
  fi
  export CELESTRA_ADMIN_BUILD_COMMIT CELESTRA_ADMIN_BUILD_TAG
}

# Builds the release binary with the Swift library linked in, and prints its path.
build_release() {
  record_origin
  say "building the release binary (some minutes the first time)"
  # Without a run path of its own, the loader does not search the binary's folder for every system library.
  local flags=(-Xlinker -s --disable-local-rpath)
  # Nothing looks up the binary's symbols; without their table it starts a tenth sooner.
  [ "$(uname)" = Darwin ] || flags+=(-Xlinker --no-export-dynamic)
  swift build -c release --static-swift-stdlib --product celestra-admin "${flags[@]}" >&2
  printf '%s/celestra-admin\n' "$(swift build -c release --static-swift-stdlib --show-bin-path)"
}

# Builds what Scripts/bench measures within one process, and prints its path.
build_yardsticks() {
  say "building the in-process yardsticks"
  swift build -c release --product celestra-yardsticks >&2
  printf '%s/celestra-yardsticks\n' "$(swift build -c release --show-bin-path)"
}
