import LullCassettes
import LullCore
import LullSystem

/// What of the recordings no test has asked for: of one that several tests use, what none of them has.
struct CassetteIndex {
  /// By what links lead to.
  private var uses: [String: CassetteUse] = [:]
  private var order: [String] = []
  /// The files of tests that name each.
  private var files: [String: Set<String>] = [:]

  mutating func note(_ uses: [CassetteUse], of file: String) {
    for use in uses {
      let key = String(escaping: CassetteRecorders.key(of: Array(use.path.utf8)))
      files[key, default: []].insert(file)
      guard let known = self.uses[key] else {
        self.uses[key] = use
        order.append(key)
        continue
      }
      let numbers = Set(use.left)
      self.uses[key]?.left = known.left.filter(numbers.contains)
    }
  }

  /// Each recording of which something is left, and a sentence about that; then those that nobody has named.
  ///
  /// - Parameters:
  ///   - files: those of tests, all of which were run.
  ///   - skipping: those with tests that were skipped, which might ask for what is left.
  func unplayed(_ files: [String], besides skipping: Set<String>) -> [(path: String, text: String)]
  {
    order.compactMap { key in
      guard let use = uses[key], !use.left.isEmpty,
        self.files[key, default: []].isDisjoint(with: skipping)
      else { return nil }
      let shown = CassetteIndex.shown(use)
      let more = use.left.count - shown.count
      return (
        use.path,
        "no test asks for \(use.left.count) of \(use.count) recordings in \(use.path): "
          + shown.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
      )
    } + unnamed(files, besides: skipping)
  }

  /// The first of what is left, as the file has it.
  private static func shown(_ use: CassetteUse) -> [String] {
    let entries = (try? TestCassette.read(Array(use.path.utf8)))?.entries ?? []
    return use.left.prefix(most).map { number in
      guard entries.indices.contains(number - 1) else { return "number \(number)" }
      let request = entries[number - 1].request
      return "number \(number), \(request.method) \(request.url)"
    }
  }

  /// So many are named.
  private static let most = 5

  // MARK: Files that nobody names

  /// Those in `cassettes` beside files of tests, where none of these was left out.
  private func unnamed(
    _ files: [String], besides skipping: Set<String>
  ) -> [(path: String, text: String)] {
    let run = Set(files.map { FileName.resolved($0) ?? $0 })
    let folders = Set(files.map { FileName.folder(of: $0) })
    let skipped = Set(skipping.map { FileName.folder(of: $0) })
    return folders.subtracting(skipped).sorted().flatMap { folder -> [(String, String)] in
      let tests = CassetteIndex.names(in: folder) { $0.hasSuffix(TestSearch.ending) }
      guard tests.allSatisfy({ run.contains(FileName.resolved("\(folder)/\($0)") ?? $0) }) else {
        return []
      }
      return CassetteIndex.names(in: folder + "/cassettes") { $0.hasSuffix(".har") }
        .map { "\(folder)/cassettes/\($0)" }
        .filter { uses[FileName.resolved($0) ?? $0] == nil }
        .map { ($0, "no test names the recording \($0)") }
    }
  }

  /// Sorted, without hidden ones; none of what is no folder.
  private static func names(in folder: String, _ fits: (String) -> Bool) -> [String] {
    let names = (try? FolderListing.names(in: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") && fits($0) }.sorted()
  }
}

/// What a test has not asked for of a recording that it has named.
struct CassetteUse: Codable {
  var path: String
  /// How many exchanges it has.
  var count: Int
  /// The numbers of those that are left, from 1.
  var left: [Int]
}
