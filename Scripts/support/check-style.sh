# Format and lint. Sourced by Scripts/check.

check_style() {
  need_swift
  need_packages lua-check lua5.4
  local format=(--configuration Scripts/support/swift-format.json)
  local fix="swift format ${format[*]} -i -r Sources Tests Examples Package.swift"
  verify "Swift format" "most of it is put right by: $fix" \
    swift format lint --strict "${format[@]}" -r Sources Tests Examples Package.swift
  verify "Lua lint" "see https://luacheck.readthedocs.io/en/stable/warnings.html for the codes" \
    lua_lint
  verify "shell syntax" "correct the lines named" shell_syntax
  if command -v shellcheck >/dev/null; then
    # 1091: sourced files are checked separately; 2034, 2154: and their names are used elsewhere.
    verify "shellcheck" "correct the lines named" \
      list_shell_scripts shellcheck --shell=bash --severity=warning --exclude=1091,2034,2154 --format=gcc
  fi
  verify "no as!, try! or fatalError in Sources" "say what happens instead: guard, throw, precondition" \
    forbidden_words
  verify "the C library by no name of its own" "import LullLibC; in a package of its own, within #if canImport" \
    named_c_libraries
  verify "what C libraries spell differently" "say it by CLibrary, in Sources/LullLibC" different_spellings
  verify "tests are called by a sentence" 'write @Test func `what happens when`(), and no second name' \
    test_names
  verify "words" "write it plainly, or fewer of it elsewhere: Scripts/support/check-words --list PART PATTERN" \
    Scripts/support/check-words
  verify "suites have a limit of time" 'write @Suite(.timeLimit(.minutes(20))) over them' \
    suites_without_limit
}

# Lists tests whose function name is not a sentence in backticks, or that have a separate display
# name.
test_names() {
  find Tests -name '*.swift' -exec awk '
    function found() { print FILENAME ":" FNR ":" $0 }
    FNR == 1 { waits = opened = 0 }
    opened && /^ *"[^"]*",?$/ { found() }
    /^ *@Test/ { waits = 1 }
    /^ *@Test\( *"/ { found() }
    { opened = /@Test\($/ }
    waits && /(^|[ )])func / {
      if (!/func `[^`]+ [^`]+`/) found()
      waits = 0
    }' {} +
}

# Lists imports of a C library that other systems do not have.
named_c_libraries() {
  find Sources Tests Examples -name '*.swift' -not -path '*/.build/*' -exec awk '
    /^ *([@a-z_]+ +)*import +(Glibc|Musl|Darwin)( |$)/ && before !~ /#(else)?if canImport/ {
      print FILENAME ":" FNR ": " $0
    }
    { before = $0 }' {} +
}

# Lists types and constants of one C library in libraries that may be built with another.
different_spellings() {
  local types='__(rlimit_resource|socket_type)|\b(pthread_t|pthread_attr_t)\(\)'
  local names='\b(RLIMIT|SOCK)_[A-Z]+|\b(MSG_NOSIGNAL|sigtimedwait|CLOCK_BOOTTIME)\b'
  grep -rnE --include='*.swift' "$types|$names" \
    Sources/LullSystem Sources/LullCore Sources/LullTransport Sources/LullHost Sources/LullTesting || true
}

# Lists test suites without a time limit, unless they are in TransportSuite, which has one.
suites_without_limit() {
  find Tests -name '*.swift' -exec awk '
    FNR == 1 || /^}/ || /^$/ { attributes = "" }
    { attributes = attributes $0 }
    /^([@a-z].*)?(class|struct|actor|enum|extension) / {
      is_limited = attributes ~ /\.timeLimit/ || /^extension [A-Za-z]*(Suite|Tests) /
    }
    /^ *@Test/ && !is_limited { print FILENAME ":" FNR ":" $0 }' {} +
  grep -L 'timeLimit' Tests/LullTransportTests/TransportSuite.swift
  return 0
}

# Reports every finding except unused variables declared with <close>, whose end is their use.
lua_lint() {
  local finding file line
  luacheck --formatter plain --codes --config Scripts/support/luacheckrc Tests/LuaSpecs Tests/Attacks Examples \
    Sources/CLullMock Sources/CLullBridge/scripts \
    Scripts/support/counterparts Scripts/support/cache-tests \
    | while IFS= read -r finding; do
      IFS=: read -r file line _ <<<"$finding"
      case "$finding" in
        *"(W211)"*) sed -n "${line}p" "$file" | grep -qF '<close>' && continue ;;
      esac
      printf '%s\n' "$finding"
    done
  # Up to 2, it has only findings. A higher code means that it could not run.
  [ "${PIPESTATUS[0]}" -le 2 ]
}

# Runs a command with all shell scripts as arguments.
list_shell_scripts() {
  local scripts
  mapfile -t scripts < <(repository_files | while IFS= read -r file; do
    case "$file" in
      *.sh) printf '%s\n' "$file" ;;
      Scripts/* | .ci/*) head -n 1 "$file" | grep -q '^#!.*\bsh$\|^#!.*\bbash$' && printf '%s\n' "$file" ;;
    esac
  done)
  "$@" "${scripts[@]}"
}

shell_syntax() {
  # bash -n checks only one file.
  list_shell_scripts printf '%s\n' | while IFS= read -r script; do bash -n "$script"; done
}

forbidden_words() {
  code_lines Sources | grep -E '\bas!|\btry!|\bfatalError\('
  return 0
}

# Prints every line of Swift code below a folder as FILE:LINE:CODE, without comments.
code_lines() {
  find "$1" -name '*.swift' -exec grep -nHE '.' {} + | grep -vE '^[^:]+:[0-9]+: *//' \
    | sed -E 's@ // .*$@@'
}
