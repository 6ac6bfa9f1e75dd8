import LullCassettes
import LullCore
import LullSystem

/// Finds recorded exchanges that no test requests. If several tests share a recording, an exchange
/// is unused only if none of them requests it.
struct CassetteIndex {
  /// The unused exchanges of each recording. The key is the path with links resolved.
  private var uses: [String: CassetteUse] = [:]
  private var order: [String] = []
  /// The test files that use each recording.
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

  /// Returns recordings and a sentence about each: first the recordings with unused exchanges, then
  /// the recordings that no test uses.
  ///
  /// - Parameters:
  ///   - files: The test files whose tests have all been run.
  ///   - skipping: The test files with skipped tests, which may request the remaining exchanges.
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
        "no test uses \(use.left.count) of \(use.count) recordings in \(use.path): "
          + shown.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : "")
      )
    } + unnamed(files, besides: skipping)
  }

  /// Returns lines about the first unused exchanges of a recording, with method and URL.
  private static func shown(_ use: CassetteUse) -> [String] {
    let entries = (try? TestCassette.read(Array(use.path.utf8)))?.entries ?? []
    return use.left.prefix(most).map { number in
      guard entries.indices.contains(number - 1) else { return "exchange \(number)" }
      let request = entries[number - 1].request
      return "exchange \(number), \(request.method) \(request.url)"
    }
  }

  /// The maximum number of unused exchanges that are shown.
  private static let most = 5

  // MARK: Unused files

  /// Returns the unused files in the folders `cassettes` next to test files. Folders are ignored if
  /// they contain test files that have not been run completely.
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
        .map { ($0, "no test uses the recording \($0)") }
    }
  }

  /// Returns the names of the files in a folder that satisfy `fits`, sorted and without hidden
  /// files. Empty if the path is not a folder.
  private static func names(in folder: String, _ fits: (String) -> Bool) -> [String] {
    let names = (try? FolderListing.names(in: folder)) ?? []
    return names.filter { !$0.hasPrefix(".") && fits($0) }.sorted()
  }
}

/// The exchanges of a recording that a test did not request, although it uses the recording.
struct CassetteUse: Codable {
  var path: String
  /// The number of exchanges in the recording.
  var count: Int
  /// The numbers of the unused exchanges, starting at 1.
  var left: [Int]
}
