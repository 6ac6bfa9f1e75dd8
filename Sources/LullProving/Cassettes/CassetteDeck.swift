import LullCassettes
import LullCore
import LullHost
import LullSystem

/// The recordings that answer the requests of one test, in the order in which it has named them.
///
/// Any of them answers any request, of whichever service: the first that has an answer counts. So the requests
/// for tokens are answered, too, which go elsewhere. (CAS-30, CAS-38)
struct CassetteDeck {
  struct Problem: Error {
    let text: String
    /// Whether the file is missing or broken; else it was asked for wrongly.
    var isOfFile = false
  }

  private(set) var cassettes: [TestCassette] = []
  private let shelf: CassetteShelf

  init(_ shelf: CassetteShelf = CassetteShelf()) { self.shelf = shelf }

  var isEmpty: Bool { cassettes.isEmpty }

  /// Puts one in, unless it is there.
  ///
  /// - Parameters:
  ///   - folder: of the file of tests.
  ///   - headers: names of those that count too, in lower case; none: those it is compared by already.
  /// - Returns: when what it has was recorded, in seconds since 1970, if it says so and is new.
  mutating func insert(
    _ name: String, folder: [UInt8], comparing headers: [String]
  ) throws(Problem) -> Double? {
    guard CassetteDeck.isPlain(name) else {
      throw Problem(
        text:
          "a cassette has a plain name, such as 'repos' for cassettes/repos.har beside the file of tests, "
          + "got '\(ControlCharacters.shown(in: name))'")
    }
    let headers = Set(headers).sorted()
    if let known = cassettes.first(where: { $0.name == name }) {
      guard headers.isEmpty || headers == known.headers else {
        let names = known.headers.isEmpty ? "none" : known.headers.joined(separator: ", ")
        throw Problem(
          text:
            "the cassette '\(name)' is in use in this test already, by other headers (\(names)): give "
            + "'match' where it is named first")
      }
      return nil
    }
    let path = FileName.path(of: "cassettes/\(name).har", in: folder)
    let cassette = try TestCassette.open(name, path, comparing: headers, shelf)
    cassettes.append(cassette)
    return cassette.started
  }

  /// What was recorded, of the first one that has it; nil without any recording.
  ///
  /// - Throws: the miss of that which is nearest, and the name of its recording.
  mutating func answer(to request: HARRequest) throws(Miss) -> HAREntry? {
    var nearest: Miss?
    for place in cassettes.indices {
      do throws(CassetteMiss) {
        return try cassettes[place].answer(to: request)
      } catch {
        if nearest.map({ error.distance < $0.miss.distance }) ?? true {
          nearest = Miss(cassette: cassettes[place].name, miss: error)
        }
      }
    }
    if let nearest { throw nearest }
    return nil
  }

  struct Miss: Error, CustomStringConvertible {
    let cassette: String
    let miss: CassetteMiss

    var description: String { "cassette '\(cassette)': \(miss)" }

    /// Its first line.
    var summary: String {
      let line = description.prefix { $0 != "\n" }
      return String(line.hasSuffix(":") ? line.dropLast() : line)
    }
  }

  /// One that stays in its folder, is shown, and may be committed anywhere.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
      && !name.unicodeScalars.contains {
        "/\\".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
      }
  }
}
