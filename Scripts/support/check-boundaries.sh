# Checks which part may use which. Sourced by Scripts/check.

check_boundaries() {
  verify "lua.h only in the bridge" "Swift and other C code reach Lua through lull_bridge.h" lua_includes
  verify "unsafe Swift is justified" "say on the line above why it is safe" unsafe_lines
  verify "stack effects of the bridge" "as base/lull_stack.h describes" \
    stack_effects
  verify "floors of the bridge" "move the code to a floor that may, see base/lull_base.h" bridge_floors
  verify "floors of the core" "move the code to a floor that may, see check-floors" \
    Scripts/support/check-floors
  verify "the package depends on no other" "what is for programs of this repository alone is a package of its own" \
    dependencies
  verify "imports point downwards" "move the code to the target that may, see check-boundaries.sh" \
    imports
  verify "nobody has the whole host" "take the owners it uses, see check-boundaries.sh" host_holders
}

# The files that store the whole host instead of owners, and why.
host_held_by='
Sources/LullHost/Call.swift: one reference for all owners of a call, which are for methods to name
Sources/LullHost/ScriptProgram.swift: makes it, and ends it
Sources/LullHost/Embedding/RuntimeCore.swift: the same inside a Swift program
Sources/LullHost/Embedding/EmptyState.swift: the same of a state with nothing in it
Sources/lull/Calls/CallExchange.swift: is the program; hands it to what it makes
'

# Code of the model for scripts, of arguments and of results takes the owners that it uses and does
# not name the host. Other files may store it only if they are listed above.
host_holders() {
  local file folder
  for folder in Adapters Arguments API; do
    code_lines "Sources/LullHost/$folder" | { grep -w LuaHost || true; }
  done
  code_lines Sources \
    | grep -E '^[^:]+:[0-9]+: *((private|fileprivate|package|unowned|weak)(\([a-z]+\))? +)*(let|var) +[a-zA-Z]+ *: *LuaHost\b' \
    | { grep -vFf <(sed -n 's/^\(Sources[^:]*:\).*/\1/p' <<<"$host_held_by") || true; }
  while read -r file; do
    grep -qE '(let|var) [a-zA-Z]+: LuaHost' "$file" || printf '%s stores no host any more\n' "$file"
  done < <(sed -n 's/^\(Sources[^:]*\):.*/\1/p' <<<"$host_held_by")
}

dependencies() {
  swift package show-dependencies --format flatlist
}

lua_includes() {
  grep -rnE '# *include *[<"][^>"]*\b(lua|lauxlib|lualib|luaconf)\.h[>"]' Sources \
    | grep -vE '^Sources/(CLullBridge/base/lull_base\.h|System/CLua/)'
  return 0
}

unsafe_lines() {
  find Sources -name '*.swift' -print0 | xargs -0 awk '
    FNR == 1 { justified = 0 }
    /^[ \t]*\/\// { justified = 1; next }
    /@unchecked Sendable|nonisolated\(unsafe\)|unsafeBitCast|unsafeDowncast|unsafelyUnwrapped/ {
      # One comment may apply to several such lines in a row.
      if (!justified) { text = $0; sub(/^ */, "", text); print FILENAME ":" FNR ": " text }
      next
    }
    { justified = 0 }'
}

# TARGET: the imports it may use in addition to LullLibC (except in the core), Synchronization and
# Testing. Each target in the chain LullArguments, LullLuaSource, CSimdjson, LullSystem, LullCore,
# LullTransport, LullHost, LullREPL is above all targets to its left.
allowed_imports='
LullArguments:
LullLuaSource:
LullGraphQL: LullArguments
LullLibC: Glibc Musl Darwin
LullSystem:
LullCore: CSimdjson CIDN CLullLedger LullSystem
LullTransport: CSimdjson LullSystem LullCore CUV CCurl CSQLite CHiredis CCrypto CCompression
LullHost: CSimdjson LullArguments LullLuaSource LullSystem LullCore LullTransport CLullBridge CPCRE2
LullSchemas: CSimdjson LullSystem LullCore CPCRE2
LullClients: LullArguments LullGraphQL LullLuaSource LullSystem LullCore LullHost LullSchemas CLullBridge
LullCassettes: LullSystem LullCore LullTransport LullHost LullClients
LullImport: LullGraphQL LullLuaSource LullSystem LullCore LullTransport LullHost LullSchemas LullClients LullCassettes CYAML
LullREPL: LullArguments LullLuaSource LullSystem LullCore LullTransport LullHost LullCassettes CEditline
LullTestRunner: LullSystem LullCore LullTransport LullHost LullClients LullCassettes CLullBridge
LullModule: LullSystem LullCore LullTransport LullHost LullClients LullREPL
lull: LullArguments LullGraphQL LullLuaSource LullSystem LullCore LullTransport LullHost LullSchemas LullClients LullCassettes LullREPL LullTestRunner LullImport
lull-mock: LullArguments LullSystem LullCore LullTransport LullHost LullClients LullCassettes CMicrohttpd CLullMock
LullTesting: LullSystem LullCore
'

# The core accesses the system through LullSystem. Only these files use the C library directly:
# memcmp and memchr, exp2, and the ID of the current thread.
core_with_libc='
Sources/LullCore/Exchange/Pump.swift
Sources/LullCore/Exchange/ServiceHome.swift
Sources/LullCore/Text/ByteString.swift
Sources/LullCore/Model/Request/RequestProgress.swift
'

imports() {
  local target allowed names excepted
  excepted=$(xargs <<<"$core_with_libc" | tr ' ' '|')
  for target in Sources/*/; do
    target=$(basename "$target")
    [ -n "$(find "Sources/$target" -name '*.swift' -print -quit)" ] || continue
    if ! names=$(grep "^$target:" <<<"$allowed_imports"); then
      printf 'Sources/%s: is not in the table of check-boundaries.sh\n' "$target"
      continue
    fi
    names=$(cut -d: -f2- <<<"$names" | xargs | tr ' ' '|')
    allowed="Synchronization|Testing${names:+|$names}"
    [ "$target" = LullCore ] || allowed="LullLibC|$allowed"
    code_lines "Sources/$target" \
      | grep -E '^[^:]+:[0-9]+: *(@[a-zA-Z_()]+ +)*((public|package|internal|private|fileprivate) +)?import ' \
      | grep -vE "import +((struct|class|enum|protocol|typealias|func|let|var) +)?($allowed)\b *(\..*)?$" \
      | grep -vE "^($excepted):[0-9]+: *internal import LullLibC$"
  done
  return 0
}
