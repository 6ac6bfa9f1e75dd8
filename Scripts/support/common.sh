# What the scripts of this folder share: where things are, Debian packages, the release build.
# Sourced by bash, from any working directory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
release="$root/.build/release"

# Needed to build and run.
build_packages=(libcurl4-openssl-dev libssl-dev libuv1-dev libsimdjson-dev liblua5.4-dev libedit-dev
  libsqlite3-dev libhiredis-dev libpcre2-dev libyaml-dev zlib1g-dev libbrotli-dev libzstd-dev
  libmicrohttpd-dev)
# Needed by the tests besides.
test_packages=(sqlite3 lua5.4 lua-cjson lua-lpeg nginx-light openssl python3 python3-hpack python3-brotli
  python3-zstandard python3-junitparser curl zsh fish tmux redis-server node-har-validator
  lua-check git)

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# Installs what is missing of the packages named; without the right to, prints the command and stops.
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

# One set of flags for the command and lull.so, so that they share one build:
# the Swift runtime is linked in; lull.so exports nothing but luaopen_lull and is never unloaded.
release_flags=(
  --configuration release
  # Modules are written before they are compiled, so that those that depend on them compile at the same
  # time. This needs jobs that the build system sees, and no optimization across modules, which saves
  # 2 % of the instructions of a request.
  --use-integrated-swift-driver
  -Xswiftc -emit-module-separately-wmo -Xswiftc -disable-cmo
  -Xswiftc -static-stdlib
  # Conflicts of access are found by the tests, which run with the checks on.
  -Xswiftc -enforce-exclusivity=unchecked
  # Types such as Dictionary<UInt64, …> are made by direct calls. Found by their mangled names, each
  # one's first use goes through every protocol conformance of the program: 0.4 ms at every start.
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
  # What a start runs lies side by side: see Scripts/support/generate-order.
  -Xswiftc -Xfrontend -Xswiftc -function-sections
  -Xcc -ffunction-sections
  -Xswiftc -use-ld=lld
  -Xlinker "--symbol-ordering-file=$root/Scripts/support/function-order.txt"
  -Xlinker --no-warn-symbol-ordering
  -Xlinker -z -Xlinker nodelete
  # Addresses that are put right at every start take 30 KB in place of 900 KB. (Needs glibc 2.36)
  -Xlinker -z -Xlinker pack-relative-relocs
  # Also for the programs, which lack what only lull.so has.
  -Xlinker "--version-script=$root/Scripts/support/exports.map" -Xlinker --undefined-version
)

# Whether the release build is older than what it is made of.
is_stale() {
  local product
  for product in lull lull-mock libLullModule.so; do
    [ -e "$release/$product" ] || return 0
  done
  [ ! -e "$release/.built" ] || [ -n "$(find "$root/Sources" "$root/Package.swift" \
    "$root/Scripts/support/exports.map" "$root/Scripts/support/common.sh" \
    -newer "$release/.built" -print -quit)" ]
}

# build_logged LOG ARGUMENT…: swift build with these arguments, of which is shown what has failed.
build_logged() {
  local log="$root/.build/$1"
  mkdir -p "$root/.build"
  (cd "$root" && swift build "${@:2}" >"$log" 2>&1) && return
  grep -E 'error|warning' "$log" >&2 || tail -n 20 "$log" >&2
  die "The build failed; all of its output is in $log"
}

# Stamps are of the time a build began: what was edited meanwhile is built next time.
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
  # For a stock interpreter started from the checkout.
  ln -sf libLullModule.so "$release/lull.so"
}
