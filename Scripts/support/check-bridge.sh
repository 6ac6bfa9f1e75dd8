# What holds within the C half of the bridge. Sourced by Scripts/check.

bridge=Sources/CLullBridge

# The floors, as the comment of base/lull_base.h lists them: a room uses rooms listed before it, and on
# the floor `ending` any other.
bridge_floors() {
  find "$bridge" -name '*.[ch]' | sort | xargs awk -v bridge="$bridge/" '
    # Takes comments and texts out of a line, and remembers a comment that goes on.
    function code_of(line,  result, rest) {
      result = ""
      while (line != "") {
        if (in_comment) {
          if (!(rest = index(line, "*/"))) return result
          line = substr(line, rest + 2); in_comment = 0
        } else if (match(line, /\/\/|\/\*|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
          result = result substr(line, 1, RSTART - 1) " "
          rest = substr(line, RSTART, 2)
          if (rest == "//") return result
          line = substr(line, RSTART + (rest == "/*" ? 2 : RLENGTH))
          if (rest == "/*") in_comment = 1
        } else {
          return result line
        }
      }
      return result
    }
    function room_of(path,  name) { name = path; sub(/^.*\//, "", name); sub(/\.[ch]$/, "", name); return name }
    function floor_of(path,  name) { name = substr(path, length(bridge) + 1); sub(/\/.*/, "", name); return name }
    # Whether a file may use what is in another room.
    function may_use(path, room) {
      if (room == room_of(path) || place[room] < place[room_of(path)]) return 1
      return floor_of(path) == "ending" && floor[room] == "ending"
    }
    FNR == 1 { in_comment = 0; depth = 0; head = "" }
    FILENAME == bridge "base/lull_base.h" && /^\/\/   [a-z]+ +lull_/ {
      for (i = 3; i <= NF; i++) { place[$i] = ++rooms; floor[$i] = $2 }
    }
    /^# *include *"/ {
      included = $0; sub(/^[^"]*"/, "", included); sub(/".*/, "", included)
      includes[FILENAME ":" FNR] = included
      next
    }
    {
      files[FILENAME] = 1
      line = code_of($0)
      # What stands outside of all braces and begins in the first column is a head.
      if (depth == 0) {
        if (line ~ /^[A-Za-z_]/) head = line; else head = head " " line
        if (line ~ /[{;]/) {
          is_own = head ~ /^static / && head !~ /^static inline /
          if (head ~ /\(.*\{/ && head !~ /^(typedef|struct|enum|union)/ && !is_own) {
            name = head; sub(/\(.*/, "", name); gsub(/\*/, " ", name)
            sub(/ +$/, "", name); sub(/^.* /, "", name)
            home[name] = room_of(FILENAME)
          }
          is_body = head ~ /\(.*\{/
          if (is_body || line ~ /=/) body = FILENAME
        }
      }
      opened = gsub(/\{/, "{", line); closed = gsub(/\}/, "}", line)
      # A declaration names a function, but does not use it.
      if (depth > 0 || (opened > 0 && head ~ /[=)] *\{/)) {
        text = line
        while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
          name = substr(text, RSTART, RLENGTH)
          if (name ~ /^lull/) uses[name] = uses[name] FILENAME ":" FNR "\n"
          text = substr(text, RSTART + RLENGTH)
        }
      }
      depth += opened - closed
      if (depth == 0 && line ~ /[;}]/) head = ""
    }
    END {
      for (path in files) {
        # What Swift sees belongs to the ground.
        if (floor_of(path) == "include") continue
        if (!(room_of(path) in place)) print path ": is not in the list of base/lull_base.h"
        else if (floor[room_of(path)] != floor_of(path)) print path ": is on the floor " floor[room_of(path)] " in the list of base/lull_base.h"
        present[room_of(path)] = 1
      }
      for (room in place) if (!(room in present)) print bridge "base/lull_base.h: lists " room ", which is not there"
      for (where in includes) {
        path = where; sub(/:[0-9]*$/, "", path)
        included = includes[where]
        if (floor_of(path) == "include" || included !~ /\//) continue
        if (!((bridge included) in files)) print where ": includes " included ", which is not there"
        else if (!may_use(path, room_of(included))) print where ": includes " included " from above"
      }
      for (name in home) {
        count = split(uses[name], places, "\n")
        for (i = 1; i < count; i++) {
          path = places[i]; sub(/:[0-9]*$/, "", path)
          if (floor_of(path) != "include" && !may_use(path, home[name])) print places[i] ": uses " name " of " home[name] ", which is above"
        }
      }
    }' | sort
}

# Functions of the bridge that take a lua_State need a comment with their effect on its stack, above
# the definition or above the declaration in a header.
stack_effects() {
  # shellcheck disable=SC2046 # headers before sources; names of ours have no blanks
  awk '
    function finish() { comment = ""; inside = 0 }
    FNR == 1 { finish() }
    /^\/\// { comment = comment $0; next }
    /^(typedef|struct|enum|union|#|extern "C")/ { finish(); next }
    # A definition or declaration begins in the first column and may go on over several lines.
    /^[A-Za-z_].*\(/ && !inside { head = $0; inside = 1; start = FNR }
    inside && FNR > start { head = head " " $0 }
    inside && /[{;]/ {
      name = head
      sub(/\(.*/, "", name); gsub(/\*/, " ", name); sub(/ +$/, "", name); sub(/^.* /, "", name)
      parameters = head
      sub(/^[^(]*\(/, "", parameters)
      if (comment ~ /\[-/) has[name] = 1
      if (head ~ /\{/ && parameters ~ /lua_State *\*/ && FILENAME ~ /\.c$/) place[name] = FILENAME ":" start
      finish()
      next
    }
    !inside { comment = "" }
    END { for (name in place) if (!has[name]) print place[name] ": " name }
  ' $(find "$bridge" -name '*.h') $(find "$bridge" -name '*.c') | sort
}
