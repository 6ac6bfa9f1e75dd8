# How a check reports. Sourced by Scripts/check.

failed=0

# verify WHAT ADVICE COMMAND…: prints one line that says ok or failed. A check fails if its command
# prints anything or does not exit with 0. The output is shown below the line.
verify() {
  local what=$1 advice=$2 output status
  shift 2
  output=$("$@" 2>&1)
  status=$?
  if [ $status -eq 0 ] && [ -z "$output" ]; then
    say "ok      $what"
    return
  fi
  failed=$((failed + 1))
  say "failed  $what: $advice"
  [ -n "$output" ] || return
  printf '%s\n' "$output" | head -n 60 | sed 's/^/          /' >&2
  local count
  count=$(wc -l <<<"$output")
  [ "$count" -le 60 ] || say "          … and $((count - 60)) lines more"
}

# For a command that shows its progress: only its exit code counts.
exec 3>&2
loudly() { "$@" >&3 2>&3; }

# Lists the files of the repository relative to the root, including new ones, without files ignored
# by .gitignore.
repository_files() {
  if git -C "$root" rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git -C "$root" ls-files --cached --others --exclude-standard --deduplicate
  else
    find . -path './.build*' -prune -o -type f ! -name Package.resolved -printf '%P\n'
  fi | while IFS= read -r file; do [ -e "$file" ] && printf '%s\n' "$file"; done
}
