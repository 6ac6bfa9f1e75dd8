# What lies where. Sourced by Scripts/check.

check_layout() {
  verify "top level" "it holds Package.swift README.md LICENSE Sources Tests Scripts Examples, no more" \
    top_level
  verify "no paths of one machine" "say where things are relative to the checkout, or ask the environment" \
    machine_paths
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
  # In two parts, so that this line is not one of them.
  local paths='(^|[^A-Za-z0-9_.-])/(wo''rk/|opt/sw''ift|ho''me/[a-z]|ro''ot/)'
  repository_files | tr '\n' '\0' | xargs -0 grep -InE "$paths"
  return 0
}
