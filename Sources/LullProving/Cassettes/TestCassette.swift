import LullCassettes
import LullCore
import LullHost

/// A recording as one test uses it: from its beginning, whatever other tests have asked of it.
struct TestCassette {
  let name: String
  /// As it is shown.
  let path: String
  /// Names of those that count, in lower case and in order.
  let headers: [String]
  /// When the first of it was sent, in seconds since 1970; nil if it does not say.
  let started: Double?
  private var cassette: Cassette
  private var redaction = Redaction()

  /// More in one file serves no test.
  private static let largest = 256 << 20

  /// Reads it, unless that was done.
  static func open(
    _ name: String, _ path: [UInt8], comparing headers: [String], _ shelf: CassetteShelf
  ) throws(CassetteDeck.Problem) -> TestCassette {
    let bytes: [UInt8]
    switch TextFile.read(path, limit: largest) {
    case .success(let read): bytes = read
    case .failure(let problem):
      throw CassetteDeck.Problem(
        text: "there is no recording to answer from: \(String(escaping: problem.message))",
        isOfFile: true)
    }
    if let known = shelf.cassette(of: path, headers, bytes) { return known }
    let shown = String(escaping: path)
    let cassette = TestCassette(name, shown, try parse(bytes, shown), comparing: headers)
    shelf.keep(cassette, of: path, headers, bytes)
    return cassette
  }

  private init(_ name: String, _ path: String, _ file: HARFile, comparing headers: [String]) {
    self.name = name
    self.path = path
    self.headers = headers
    started = file.entries.first { $0.started > 0 }?.started
    // Requests are compared without what lets somebody in. Answers stay as they are, byte for byte.
    let redacted = redaction.redacted(file.entries)
    let entries = zip(file.entries, redacted).map { entry, redacted in
      var entry = entry
      entry.request = redacted.request
      return entry
    }
    cassette = Cassette(entries, comparing: headers)
  }

  private static func parse(
    _ bytes: [UInt8], _ shown: String
  ) throws(CassetteDeck.Problem) -> HARFile {
    let file: HARFile
    do throws(HARError) {
      file = try HARFile(reading: bytes)
    } catch {
      throw CassetteDeck.Problem(text: "\(shown): \(error)", isOfFile: true)
    }
    for (number, entry) in file.entries.enumerated() {
      guard let kind = entry.failure?.kind, TransportError.Kind(rawValue: kind) == nil else {
        continue
      }
      let known = TransportError.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CassetteDeck.Problem(
        text: "\(shown): at /log/entries/\(number)/_failure/kind: '\(kind)' is none of \(known)",
        isOfFile: true)
    }
    return file
  }

  mutating func answer(to request: HARRequest) throws(CassetteMiss) -> HAREntry {
    try cassette.answer(to: redaction.redacted(request))
  }

  /// What the test has asked for of it.
  var use: CassetteUse {
    CassetteUse(
      path: path, count: cassette.entries.count,
      left: cassette.unplayedNumbers.map { number in
        let request = cassette.entries[number - 1].request
        return CassetteUse.Left(number: number, request: "\(request.method) \(request.url)")
      })
  }
}
