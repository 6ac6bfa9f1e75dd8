# Checks the C half of the bridge. Sourced by Scripts/check.

bridge=Sources/CLullBridge

# Checks the order of the files (rooms), as listed in the comment of base/lull_base.h. A room may
# use only rooms listed before it. On the floor `ending`, rooms may also use each other.
bridge_floors() {
  find "$bridge" -name '*.[ch]' | sort | xargs awk -v bridge="$bridge/" '
    # Removes comments and string literals from a line. Tracks comments of several lines.
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
    # Whether a file may use declarations of another room.
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
      # Text outside of all braces that begins in the first column is a declaration head.
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
      # A declaration names a function but does not use it.
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
        # The headers that Swift sees belong to the lowest floor.
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

# Every function of the bridge that takes a lua_State or calls Lua must state its stack effect in
# the comment above it, or above its declaration in a header. It must also check exactly that
# effect: base/lull_stack.h.
stack_effects() {
  # Headers first, because their declarations may state the effect.
  { find "$bridge" -name '*.h' | sort; find "$bridge" -name '*.c' | sort; } | xargs awk -v bridge="$bridge/" '
    # The effect in the comment, as arguments of the macro: "0, 1" for [-0, +1], "0, 1, 0" for [-0,
    # +1 or +0].
    function stated(comment,  effect) {
      if (!match(comment, /\[-[0-9a-z]+, \+[0-9a-z]+( or \+[0-9a-z]+)?\]/)) return ""
      effect = substr(comment, RSTART + 2, RLENGTH - 3)
      gsub(/ or \+/, ", ", effect); gsub(/\+/, "", effect)
      return effect
    }
    # The arguments of the macro, with a letter for each that is not a number. Empty if it is not
    # the macro.
    function proved(line,  words, count, word, result, i, depth, part, c) {
      if (!match(line, /LULL_(EFFECT|CALLED)(_EITHER)?\(/)) return ""
      words = substr(line, RSTART + RLENGTH); result = ""; count = 0; part = ""; depth = 0
      for (i = 1; i <= length(words); i++) {
        c = substr(words, i, 1)
        if (c == "(") depth++
        if (c == ")" && depth-- == 0) break
        if (c == "," && depth == 0) { word[++count] = part; part = ""; continue }
        part = part c
      }
      word[++count] = part
      for (i = 2; i <= count; i++) {
        part = word[i]; gsub(/^ +| +$/, "", part)
        if (part == "LULL_M") part = "m"
        else if (part !~ /^[0-9]+$/) part = "n"
        result = result (i > 2 ? ", " : "") part
      }
      return result
    }
    function report(text) { print place ": " name " " text }
    function judge(  effect, count, results, i, allowed) {
      effect = stated(comment) ? stated(comment) : declared[name]
      if (effect == "") {
        if (takes_state || calls) report("does not state its effect on the stack")
        else if (proof != "") report("proves an effect that it does not state")
        return
      }
      if (!takes_state && !calls && proof == "") { report("states an effect, but has no stack"); return }
      if (comment declaration[name] ~ /\(unproved: [^)]+\)/) {
        if (proof != "") report("proves what it calls unproved")
        return
      }
      if (proof == "") report("does not prove its effect, [-" effect "]")
      else if (proof != effect) report("states [-" effect "], but proves [-" proof "]")
      if (!is_called) return
      # Results written as a number. Others go through LULL_COUNT, or are never returned.
      count = split(effect, results, ", ")
      for (i = 1; i <= returns; i++) {
        if (returned[i] ~ /^[0-9]+$/) {
          if (results[2] == "m" ? returned[i] + 0 == 0 : returned[i] == results[2] || (count > 2 && returned[i] == results[3])) continue
          report("states [-" effect "], but returns " returned[i])
        } else if (returned[i] !~ /^(LULL_COUNT|luaL?_[a-z]*error|luaL_argerror|luaL_typeerror|lua_yieldk?|[a-z_]*_error|unknown_field|exit_by_lua)\(/) {
          report("returns " returned[i] " without LULL_COUNT")
        }
      }
    }
    function finish() { comment = ""; inside = 0; head = "" }
    FNR == 1 { finish(); body = 0 }
    body && /^\}/ { body = 0; judge(); finish(); next }
    body {
      code = $0; sub(/^ *\/\/.*/, "", code); gsub(/"([^"\\]|\\.)*"/, "\"\"", code)
      if (code ~ /(^|[^A-Za-z0-9_])luaL?_[a-z]+\(/) calls = 1
      if (code ~ /LULL_(EFFECT|CALLED)(_EITHER)?\(/) {
        proof = proved(code)
        if (code ~ /LULL_CALLED/) is_called = 1
      }
      if (match(code, /(^|[^A-Za-z0-9_])return [^;]+/)) {
        returned[++returns] = substr(code, RSTART, RLENGTH)
        sub(/^.?return /, "", returned[returns])
      }
      next
    }
    /^\/\// && !inside { comment = comment $0; next }
    /^(typedef|struct|enum|union|#|extern "C")/ && !inside { finish(); next }
    # A definition or declaration begins in the first column and may continue on further lines.
    /^[A-Za-z_].*\(/ && !inside { inside = 1; start = FNR }
    inside { head = head " " $0 }
    inside && /[{;]/ {
      name = head
      sub(/\(.*/, "", name); gsub(/\*/, " ", name); sub(/ +$/, "", name); sub(/^.* /, "", name)
      parameters = head
      sub(/^[^(]*\(/, "", parameters)
      if (head !~ /\{/) {
        if (stated(comment) != "") { declared[name] = stated(comment); declaration[name] = comment }
        finish(); next
      }
      place = FILENAME ":" start
      takes_state = parameters ~ /lua_State *\*/
      proof = ""; calls = 0; is_called = 0; returns = 0
      if (head ~ /\}/) {
        calls = head ~ /[^A-Za-z0-9_]luaL?_[a-z]+\(/
        judge(); finish()
      } else {
        body = 1
      }
      next
    }
    !inside { comment = "" }
  ' | sort
}
