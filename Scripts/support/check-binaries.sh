# Checks the libraries that programs are linked with, and the symbols they export. Sourced by
# Scripts/check.

check_binaries() {
  build_release || exit 1
  local module="$release/libLullModule.so" command="$release/lull"
  verify "lull.so needs neither liblua nor the Swift runtime" \
    "see release_flags in Scripts/support/common.sh and linkerSettings in Package.swift" \
    needs "$module" 'liblua|libswift|libFoundation|lib_Foundation'
  verify "lull needs no Swift runtime" "see release_flags in Scripts/support/common.sh" \
    needs "$command" 'libswift|libFoundation|lib_Foundation'
  verify "libcurl is loaded at its first use" "call it through Sources/System/CCurl" \
    needs_either "$command" "$module" 'libcurl|libssl|libcrypto'
  verify "SQLite is loaded at its first use" "call it through Sources/System/CSQLite" \
    needs_either "$command" "$module" 'libsqlite3'
  verify "hiredis is loaded at its first use" "call it through Sources/System/CHiredis" \
    needs_either "$command" "$module" 'libhiredis'
  verify "what undoes codings is loaded at its first use" "call it through Sources/System/CCompression" \
    needs_either "$command" "$module" 'libz\.|libbrotli|libzstd'
  verify "PCRE2 is loaded at its first use" "call it through Sources/System/CPCRE2" \
    needs_either "$command" "$module" 'libpcre2'
  verify "libidn2 is loaded at its first use" "call it through Sources/System/CIDN" \
    needs_either "$command" "$module" 'libidn2'
  verify "the server of lull-mock is in lull-mock alone" "nothing else may depend on CMicrohttpd" \
    needs_either "$command" "$module" 'libmicrohttpd'
  verify "lull.so exports its two modules alone" "see Scripts/support/exports.map" exports "$module"
  verify "no Foundation in lull.so" "something below LullModule imports it" \
    symbols "$module" 'Foundation'
  # FoundationEssentials and its dependencies are used by the argument parser.
  verify "no full Foundation in lull" "only FoundationEssentials may be linked, nothing else may import it" \
    symbols "$command" 'Foundation|FoundationInternationalization|FoundationNetworking|FoundationXML|_FoundationICU'
  verify "no ICU in lull" "FoundationInternationalization brings it" icu "$command"
  verify "a Swift program with types of its own, built for size and linked statically, takes 12 MB at most" \
    "something that LullCore or LullTransport uses brings Foundation, or more of the runtime" small_client
}

# Builds Examples/swift-client optimised for size: see "Lull in Swift".
small_client() {
  local most=12000000 program stripped size
  local flags=(--package-path Examples/swift-client --scratch-path "$root/.build/swift-client-static"
    --configuration release --static-swift-stdlib -Xswiftc -Osize -Xswiftc -use-ld=lld
    -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections
    -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --icf=all)
  touch Examples/swift-client/Package.swift
  swift build "${flags[@]}" >"$root/.build/swift-client-static.log" 2>&1 \
    || { tail -n 20 "$root/.build/swift-client-static.log"; return; }
  program="$(swift build "${flags[@]}" --show-bin-path)/swift-client"
  stripped=$(mktemp)
  strip -o "$stripped" "$program"
  size=$(stat -c %s "$stripped")
  [ "$size" -le "$most" ] || printf '%s bytes\n' "$size"
  # Run it, in case removed or merged code was needed.
  "$root/Scripts/support/run-swift-example" --program "$stripped" swift-client 2>&1 | sed '/^1 passed, 0 failed$/d'
  rm -f "$stripped"
}

needs() { # FILE PATTERN
  readelf -d "$1" | grep NEEDED | grep -E "$2"
  return 0
}

needs_either() { # FILE FILE PATTERN
  needs "$1" "$3"
  needs "$2" "$3"
}

exports() { # FILE
  local names
  names=$(nm -D --defined-only --extern-only "$1" | awk '{ print $NF }' | sort | xargs)
  [ "$names" = "luaopen_lull luaopen_lull_test" ] || printf '%s\n' "${names:-nothing is exported}"
}

# Symbols of Swift modules, by mangled name: $s, the length of the module name, the module name.
symbols() { # FILE MODULES, separated by |
  local module pattern=
  for module in ${2//|/ }; do pattern+="${pattern:+|}\\\$s${#module}${module}"; done
  nm "$1" | awk '{ print $NF }' | grep -E "^_?($pattern)([^a-z]|\$)" | head -n 5
  return 0
}

icu() { # FILE
  nm "$1" | awk '{ print $NF }' | grep -E '^(ucol|ucal|udat|unum|uloc|ubrk)_[a-z]+|^_ZN?K?[0-9]*icu(_[0-9]+)?[0-9]' \
    | head -n 5
  return 0
}
