# Checks the layout of the repository. Sourced by Scripts/check.

check_layout() {
  verify "top level" "it holds Package.swift README.md LICENSE Sources Tests Scripts Examples, no more" \
    top_level
  verify "no paths of one machine" "say where things are relative to the checkout, or ask the environment" \
    machine_paths
  verify "the core knows no scripts" "call it what it is to the core; only an error may be of kind script" \
    script_names
  verify "one version everywhere" "Lull.swift, the first heading of Changelog.md and Swift.md name the same" \
    versions
  verify "links of the documentation lead somewhere" "correct the link, or write what it leads to" \
    "$root/Scripts/support/check-links"
}

top_level() {
  repository_files | cut -d/ -f1 | sort -u \
    | grep -vxE 'Package\.swift|README\.md|LICENSE|Sources|Tests|Scripts|Examples|\..*'
  for needed in README.md LICENSE; do
    [ -e "$needed" ] || printf '%s is missing\n' "$needed"
  done
}

machine_paths() {
  # Split, so that this line does not match itself.
  local paths='(^|[^A-Za-z0-9_.-])/(wo''rk/|opt/sw''ift|ho''me/[a-z]|ro''ot/)'
  repository_files | tr '\n' '\0' | xargs -0 grep -InE -d skip "$paths"
  return 0
}

# A test compares the first one with `lull --version`.
versions() {
  local version changes swift=Sources/LullCore/LullCore.docc/Swift.md
  version=$(sed -n 's/.*versionText: StaticString = "\(.*\)".*/\1/p' Sources/LullCore/Model/Service/Lull.swift)
  changes=$(grep -m 1 '^## ' Sources/LullHost/LullHost.docc/Changelog.md)
  [[ "$changes" == "## $version" || "$changes" == "## $version "* ]] \
    || printf 'Changelog.md begins with %s\n' "$changes"
  grep -qF "This is version $version" "$swift" || printf '%s does not say: This is version %s\n' "$swift" "$version"
  # An unreleased version has no tag to depend on.
  if [[ "$changes" == *unreleased* ]]; then grep -nF 'from: "' "$swift"; fi
  return 0
}

# Names in the core that begin with script. Only a kind of error may.
script_names() {
  code_lines Sources/LullCore | grep -E '\b_?[sS]cript[A-Z][A-Za-z0-9]*' \
    | grep -vE '\b(ScriptErrorCause|scriptError)\b'
  return 0
}
