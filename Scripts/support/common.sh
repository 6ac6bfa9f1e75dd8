# Shared by the scripts of this folder: paths, Debian packages, the release build. Sourced by bash
# from any working directory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release="$root/.build/release"

# Needed to build and run.
build_packages=(libcurl4-openssl-dev libssl-dev libuv1-dev libsimdjson-dev liblua5.4-dev libedit-dev
  libsqlite3-dev libhiredis-dev libpcre2-dev libyaml-dev zlib1g-dev libbrotli-dev libzstd-dev
  libmicrohttpd-dev)
# Also needed by the tests.
test_packages=(sqlite3 lua5.4 lua-cjson lua-lpeg nginx-light openssl python3 python3-hpack python3-brotli
  python3-zstandard python3-junitparser curl zsh fish tmux redis-server node-har-validator
  lua-check git bash-completion)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# Installs missing packages. Without permission to do so, prints the command and exits.
need_packages() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null)" = 'ii ' ] \
      || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local become=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      become=(sudo)
    else
      die "Some Debian packages are missing. Install them, then run this again:

  sudo apt-get update && sudo apt-get install -y ${missing[*]}
"
    fi
  fi
  say "Installing Debian packages: ${missing[*]}"
  "${become[@]}" apt-get update -qq >/dev/null || die "apt-get update failed"
  "${become[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null \
    || die "apt-get install ${missing[*]} failed"
}

need_swift() {
  command -v swift >/dev/null || die "Swift 6.3 is needed and 'swift' is not on the PATH: see https://swift.org/install"
}

# The same flags for the command and lull.so, so that they share one build. The Swift runtime is
# statically linked. lull.so exports only luaopen_lull and is never unloaded.
release_flags=(
  --configuration release
  # Modules are written before they are compiled, so that those that depend on them compile at the same
  # time. This needs jobs that the build system sees, and no optimization across modules, which saves
  # 2 % of the instructions of a request.
  --use-integrated-swift-driver
  -Xswiftc -emit-module-separately-wmo -Xswiftc -disable-cmo
  -Xswiftc -static-stdlib
  # Exclusivity violations are found by the tests, which run with the checks enabled.
  -Xswiftc -enforce-exclusivity=unchecked
  # Create types such as Dictionary<UInt64, …> by direct calls. If they are looked up by mangled
  # name, the first use of each searches every protocol conformance of the program: 0.4 ms at every
  # start.
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
  # Place the functions that run at the start next to each other: see
  # Scripts/support/generate-order.
  -Xswiftc -Xfrontend -Xswiftc -function-sections
  -Xcc -ffunction-sections
  -Xswiftc -use-ld=lld
  -Xlinker "--symbol-ordering-file=$root/Scripts/support/function-order.txt"
  -Xlinker --no-warn-symbol-ordering
  -Xlinker -z -Xlinker nodelete
  # Relocations at every start take 30 KB instead of 900 KB. (Needs glibc 2.36)
  -Xlinker -z -Xlinker pack-relative-relocs
  # Also for the programs, which lack the symbols of lull.so.
  -Xlinker "--version-script=$root/Scripts/support/exports.map" -Xlinker --undefined-version
)

# Whether the release build is older than its sources.
is_stale() {
  local product
  for product in lull lull-mock libLullModule.so; do
    [ -e "$release/$product" ] || return 0
  done
  [ ! -e "$release/.built" ] || [ -n "$(find "$root/Sources" "$root/Package.swift" \
    "$root/Scripts/support/exports.map" "$root/Scripts/support/common.sh" \
    -newer "$release/.built" -print -quit)" ]
}

# build_logged LOG ARGUMENT…: runs swift build with these arguments, and shows errors and warnings.
build_logged() {
  local log="$root/.build/$1"
  mkdir -p "$root/.build"
  (cd "$root" && swift build "${@:2}" >"$log" 2>&1) && return
  grep -E 'error|warning' "$log" >&2 || tail -n 20 "$log" >&2
  die "The build failed; all of its output is in $log"
}

# The stamp has the time when the build started, so that files edited meanwhile are built next time.
build_release() {
  local started
  if is_stale; then
    need_swift
    need_packages "${build_packages[@]}"
    say "Building lull (release). The first time this takes a few minutes."
    started=$(mktemp)
    build_logged release.log "${release_flags[@]}"
    touch -r "$started" "$release/.built"
    rm -f "$started"
  fi
  # For a standard interpreter started from the checkout.
  ln -sf libLullModule.so "$release/lull.so"
}
