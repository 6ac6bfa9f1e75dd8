# The parts of the tests. Sourced by Scripts/test.

debug="$root/.build/debug"
swift_flags=(--explicit-target-dependency-import-check error)

# These topics are slow because of their volume or waiting time.
slow_topics=(documents file_cache files holding limits progress retry transport)
# The same, and suites that start a program for each of hundreds of cases.
slow_suites=(LullHostTests.AllocationFailureTests LullHostTests.MemoryTests LullHostTests.RandomCallTests
  LullTransportTests.TransportSuite/HostileServerTests LullTransportTests.TransportSuite/ManyInFlightTests
  LullTransportTests.TransportSuite/SlowServerTests LullTransportTests.TransportSuite/StandstillTests
  LullTransportTests.TransportSuite/StallTests LullTransportTests.TransportSuite/StuckCallGuardTests)
fast_command_suites=(CommandTests OutputTests ReportTests ScriptErrorTests UsageTests VerbTests)

# Lua specs ---------------------------------------------------------------------------------------

has_topic() { [[ "$1" =~ ^[a-z0-9_]+$ ]] && [ -e "$root/Tests/LuaSpecs/${1}_spec.lua" ]; }

list_topics() {
  local file
  for file in "$root"/Tests/LuaSpecs/*_spec.lua; do basename "$file" _spec.lua; done | paste -sd ' '
}

fast_topics() {
  list_topics | tr ' ' '\n' | grep -vxF "$(printf '%s\n' "${slow_topics[@]}")"
}

lull_specs() { bounded "$1/lull" Tests/LuaSpecs/run.lua "${@:2}"; }

stock_specs() { bounded env LUA_CPATH="$1/?.so;;" lua5.4 Tests/LuaSpecs/run.lua "${@:2}"; }

# Parts -------------------------------------------------------------------------------------------

failed=0
times=()
# The last lines of failed parts. finish repeats them, because a log may show only its end.
endings=()

# run WHAT COMMAND…: runs a part, reports a failure and records the time.
run() {
  local what=$1 started=$SECONDS log="$root/.build/part.log"
  shift
  say "── $what"
  if ! "$@" 2>&1 | tee "$log" >&2; then
    failed=$((failed + 1))
    say "── failed: $what"
    endings+=("── failed: $what"$'\n'"$(tail -n 60 "$log")")
    what+=" (failed)"
  fi
  times+=("$(printf '%6d s  %s' $((SECONDS - started)) "$what")")
}

finish() {
  [ "$failed" -eq 0 ] || printf '%s\n' "${endings[@]}" >&2
  printf '%s\n' "${times[@]}" "$(printf '%6d s  together' $SECONDS)" >&2
  [ "$failed" -eq 0 ] || die "$failed of the parts above failed"
  say "$1"
}

# A part that takes more than 25 minutes will never end. It is interrupted, because swift test then
# stops its child processes.
bounded() { timeout --foreground --signal=INT --kill-after=20 1500 "$@"; }

build_debug() {
  say "Building the tests (debug)"
  build_logged debug.log "${swift_flags[@]}" --build-tests
  # For a standard interpreter started from the checkout.
  ln -sf libLullModule.so "$debug/lull.so"
}

# Failures may be thousands of lines above the end, so repeat them.
repeat_issues() {
  say "── what failed:"
  grep -E -A 20 '^✘ Test .* recorded an issue|Fatal error|Program crashed' "$1" | grep -v '^[◇✔]' | head -100 >&2 || true
}

# swift_tests OPTION…: an expression without a matching test is an error.
swift_tests() {
  local log="$root/.build/tests.log"
  bounded swift test "${swift_flags[@]}" "$@" 2>&1 | tee "$log" || { repeat_issues "$log"; return 1; }
  ! grep -q 'Test run with 0 tests' "$log" || { say "No Swift test has such a name"; return 1; }
}

# Measurements need the release build, but not one that is older than its sources.
without_stale_release() {
  is_stale || return 0
  export LULL_TEST_RELEASE="$release/none"
  say "Tests that measure are left out: Scripts/lull or Scripts/test makes the release build they need"
}

# Modes -------------------------------------------------------------------------------------------

run_all() {
  build_release
  build_debug
  run "Behaviours named by tests" Scripts/support/check-ids
  run "Siesta's members, as others use them" Scripts/support/check-siesta-members
  run "Lua specs, under lull" lull_specs "$release"
  run "Lua specs, under lua5.4" stock_specs "$release"
  run "Lua specs, under lull's debug build" lull_specs "$debug"
  run "Examples, under lull" Scripts/support/run-examples "$release/lull"
  run "Examples, under lua5.4" env LUA_CPATH="$release/?.so;;" Scripts/support/run-examples lua5.4
  run "Snippets of the documentation" bounded Scripts/support/run-snippets "$release/lull"
  run "Attacks" bounded Scripts/support/attack
  run "Swift program" bounded Scripts/support/run-swift-example
  run "Swift tests" swift_tests
  finish "All tests passed"
}

run_fast() {
  local topics slow commands
  mapfile -t topics < <(fast_topics)
  slow=$(IFS='|'; printf '%s' "${slow_suites[*]}")
  commands=$(IFS='|'; printf '%s' "${fast_command_suites[*]}")
  build_debug
  SECONDS=0
  run "Behaviours named by tests" Scripts/support/check-ids
  run "Siesta's members, as others use them" Scripts/support/check-siesta-members
  run "Lua specs, under lull" lull_specs "$debug" "${topics[@]}"
  run "Lua specs, under lua5.4" stock_specs "$debug" "${topics[@]}"
  run "Examples' tests" bounded Scripts/support/run-example-tests "$debug/lull"
  run "Swift tests" swift_tests --skip-build --filter '^Lull(Arguments|REPL|Core|Schemas|Host|Transport|Testing)Tests' \
    --filter "^LullCommandTests\.($commands)/" --skip "^($slow)/"
  say "Left out:
  Lua specs ${slow_topics[*]}
  Swift suites ${slow_suites[*]#*.}
  Swift suites of the command but ${fast_command_suites[*]}
  the release build, the examples but their tests, the snippets of the documentation, the attacks, the Swift program"
  finish "All of these tests passed"
}

run_specs() {
  build_debug
  SECONDS=0
  run "Lua specs, under lull" lull_specs "$debug" "$@"
  run "Lua specs, under lua5.4" stock_specs "$debug" "$@"
  finish "All of these specs passed"
}

run_named() {
  local filters=() name
  for name in "$@"; do filters+=(--filter "$name"); done
  without_stale_release
  build_debug
  swift_tests --skip-build "${filters[@]}"
}

update_reports() {
  LULL_WRITE_REPORTS=1 run_named '^LullCommandTests\.ReportTests/`are as expected`'
  git --no-pager diff --stat -- Tests/Reports
  git ls-files --others --exclude-standard -- Tests/Reports
}
