import LullSystem
import Testing

@testable import LullHost

/// The page in the repository, and Swift's names, against the description.
@Suite(.timeLimit(.minutes(20)))
struct APIDescriptionReferenceTests {
  private static let page = GeneratedFile("Sources/LullHost/LullHost.docc/LuaReference.md")

  @Test func `the reference page is that of the description`() throws {
    try Self.page.check(APIReference(.whole).markdown)
  }

  @Test func `every row of a table has as many cells as its head`() {
    var width = 0
    for line in APIReference(.whole).markdown.split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      guard line.hasPrefix("|") else {
        width = 0
        continue
      }
      let cells = line.replacing("\\|", with: "").count { $0 == "|" }
      if width == 0 { width = cells }
      #expect(cells == width, "\(line)")
    }
  }

  @Test func `every name in Swift is declared`() throws {
    let declared = try declarations()
    var used: Set<String> = []
    for owner in APIDescription.whole.owners {
      for name in [owner.swift].compactMap({ $0 }) + owner.entries.compactMap(\.swift) {
        used.insert(name)
        // Of subscripts and operators the type: their names are compared with the symbol graphs.
        let parts = name.split(separator: ".").map { String($0.prefix { $0 != "(" }) }
          .filter { $0 != "subscript" && $0 != "==" }
        let isDeclared = declared[parts[0]]?.isSuperset(of: parts) == true
        if APIDescriptionGaps.notYetInSwift.contains(name) {
          #expect(
            !isDeclared, "\(name) exists: take it off the list APIDescriptionGaps.notYetInSwift")
        } else {
          #expect(isDeclared, "\(owner.name): \(name) is declared nowhere")
        }
      }
    }
    #expect(
      APIDescriptionGaps.notYetInSwift.isSubset(of: used),
      "the list APIDescriptionGaps.notYetInSwift names what nobody does")
  }

  /// What the libraries' public declarations name, by the types that are declared or extended in the
  /// same file.
  private func declarations() throws -> [String: Set<String>] {
    var declared: [String: Set<String>] = [:]
    let type = /\b(?:class|struct|enum|protocol|extension|actor|typealias)\s+(\w+)/
    let member = /\b(?:public|open|case)\b.*?\b(?:func|var|let|case|init|typealias)\b\s*`?(\w*)/
    let word = /\bcase\s+`?(\w+)/
    let requirement = /^  (?:func|var)\s+(\w+)/
    for folder in ["LullCore", "LullTransport"] {
      for path in swiftFiles(below: "\(GeneratedFile.root)/Sources/\(folder)") {
        let text = try #require(GeneratedFile.read(path))
        var types: Set<String> = []
        var names: Set<String> = []
        for line in text.split(separator: "\n") {
          if let match = line.firstMatch(of: type) { types.insert(String(match.1)) }
          if let match = line.firstMatch(of: member) {
            names.insert(match.1.isEmpty ? "init" : String(match.1))
          }
          if let match = line.firstMatch(of: word) { names.insert(String(match.1)) }
          if let match = line.firstMatch(of: requirement), text.contains("public protocol") {
            names.insert(String(match.1))
          }
        }
        for type in types { declared[type, default: []].formUnion(names.union(types)) }
      }
    }
    return declared
  }

  /// ERR-09
  @Test func `kinds of causes that are not yet built are in no switch`() throws {
    let path = "\(GeneratedFile.root)/Sources/LullCore/Exchange/RequestError.swift"
    let source = try #require(GeneratedFile.read(path))
    #expect(source.contains(": \"malformed_json\""))
    for name in APIDescriptionGaps.notYetBuilt where name.hasPrefix("CauseKind.") {
      let kind = name.dropFirst("CauseKind.".count)
      #expect(
        !source.contains(": \"\(kind)\""),
        "\(name) exists: take it off the list APIDescriptionGaps.notYetBuilt")
    }
  }

  private func swiftFiles(below folder: String) -> [String] {
    let names: [String] = (try? FolderListing.names(in: folder)) ?? []
    var files: [String] = []
    for name in names where !name.hasPrefix(".") {
      let path = "\(folder)/\(name)"
      if name.hasSuffix(".swift") { files.append(path) } else { files += swiftFiles(below: path) }
    }
    return files
  }
}
