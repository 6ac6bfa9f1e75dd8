// The rules for the names and spreads of fragments.

extension DocumentValidator {
  mutating func checkFragmentNames() {
    var first: [String: Int] = [:]
    for fragment in document.fragmentNodes {
      let name = fragment.name
      guard let start = first[name.text] else {
        first[name.text] = name.start
        continue
      }
      let line = document.source.line(of: name.start)
      report("two fragments are called '\(name.text)', the other on line \(line)", at: start)
    }
  }

  /// Reports spreads of a fragment within itself, by a depth-first search without recursion.
  mutating func checkFragmentCycles() {
    var visited: Set<String> = []
    for fragment in document.fragmentNodes where !visited.contains(fragment.name.text) {
      var path: [(name: String, spreads: ArraySlice<SpreadNode>, through: SpreadNode?)] = []
      var depths: [String: Int] = [:]
      func enter(_ name: String, through spread: SpreadNode?) {
        visited.insert(name)
        depths[name] = path.count
        path.append((name, fragmentUses[name]?.spreads[...] ?? [], spread))
      }
      enter(fragment.name.text, through: nil)
      while let last = path.last {
        guard let spread = last.spreads.first else {
          depths[last.name] = nil
          path.removeLast()
          continue
        }
        path[path.count - 1].spreads.removeFirst()
        let name = spread.name.text
        if let depth = depths[name] {
          // The spreads from the fragment to itself.
          let cycle = path[(depth + 1)...].compactMap(\.through) + [spread]
          let via = cycle.dropLast().prefix(10).map { "'\($0.name.text)'" }
          report(
            "the fragment '\(name)' spreads itself"
              + (via.isEmpty ? "" : " through \(via.joined(separator: ", "))"),
            at: cycle[0].start)
        } else if !visited.contains(name), fragments[name] != nil {
          enter(name, through: spread)
        }
      }
    }
  }
}
