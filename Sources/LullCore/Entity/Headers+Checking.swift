extension Headers {
  /// Whether HTTP allows headers of that name: whether it is a token. (RFC 9110, 5.1)
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy(isNameByte)
  }

  /// The characters of a token. (RFC 9110, 5.6.2)
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// Why bytes cannot be the value of a header, in words to put behind what they are called; nil if
  /// they can. (RFC 9110, 5.5)
  ///
  /// A line break would make a header of its own on the wire; other control characters may be dropped
  /// or refused by whoever passes them on, and space around a value never arrives.
  package static func valueProblem(_ bytes: some Sequence<UInt8>) -> String? {
    var first: UInt8?
    var last: UInt8 = 0
    var hasControls = false
    for byte in bytes {
      if isBreak(byte) { return breakProblem }
      if byte < 32 && byte != 9 || byte == 127 { hasControls = true }
      if first == nil { first = byte }
      last = byte
    }
    if hasControls { return "must not contain control characters" }
    guard let first, isBlank(first) || isBlank(last) else { return nil }
    return "must not begin or end with a space or tab"
  }

  /// The same of an answer that a script makes: a server may send everything else.
  package static func answerProblem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name), value.contains(where: isBreak) else {
      return problem(name, EmptyCollection())
    }
    return "header '\(name)' \(breakProblem)"
  }

  private static let breakProblem = "must not contain line breaks or zero bytes"

  private static func isBreak(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 || byte == 0 }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// What is wrong with a header of a request, in words; nil if nothing is.
  package static func problem(_ name: String, _ value: some Sequence<UInt8>) -> String? {
    guard isName(name) else {
      return "'\(LogText.part(name, limit: 80))' is not a valid header name"
    }
    return valueProblem(value).map { "header '\(name)' \($0)" }
  }

  /// Whether a condition can be made of them. (RFC 9110, 8.8)
  package var hasValidator: Bool {
    lines.withUnsafeBufferPointer { all in
      var start = 0
      while start < all.count {
        let line = UnsafeBufferPointer(rebasing: all[start...])
        if line[0] == UInt8(ascii: "e"), line.starts(with: "etag:".utf8) { return true }
        if line[0] == UInt8(ascii: "l"), line.starts(with: "last-modified:".utf8) { return true }
        start += Headers.lineLength(line) + 1
      }
      return false
    }
  }
}

extension Headers {
  /// What a program has added and cannot be a header.
  struct Refusal: Sendable, Equatable {
    /// In lower case.
    let name: String
    let problem: String
  }

  /// Why a request cannot be sent with them: something was added that cannot be a header; nil if it can. (SWF-57)
  package var problem: String? { refusals?.first?.problem }

  mutating func refuse(_ name: String, _ value: some Sequence<UInt8>) {
    guard let problem = Headers.problem(name, value) else { return }
    refusals = (refusals ?? []) + [Refusal(name: name.lowercased(), problem: problem)]
  }

  mutating func forgetRefusals(of name: String) {
    let name = name.lowercased()
    let others = (refusals ?? []).filter { $0.name != name }
    refusals = others.isEmpty ? nil : others
  }
}

/// Cookies that requests have, in the one header that they share. (RFC 6265, section 5.4)
extension Headers {
  /// Adds cookies to those there are.
  package mutating func add(cookies: [(name: String, value: SecretText)]) {
    join(cookies.map { SecretText($0.name + "=") + $0.value })
  }

  /// Adds what another header of cookies has, but for those of names that are there. Where a name is not seen, all of
  /// them count as there.
  mutating func add(cookieHeader value: SecretText) {
    let known = texts.filter { $0.name == "cookie" }.map(\.text)
    guard !known.isEmpty else { return add("cookie", value) }
    let names = known.flatMap(\.cookies).map(\.name)
    let added = value.cookies
    guard !names.isEmpty, !names.contains(nil), !added.contains(where: { $0.name == nil }) else {
      return
    }
    let missing = added.filter { !names.contains($0.name) }
    if !missing.isEmpty { join(missing.map(\.text)) }
  }

  private mutating func join(_ added: [SecretText]) {
    let all = texts.filter { $0.name == "cookie" }.map(\.text) + added
    remove("cookie")
    var line = SecretText([])
    for (position, text) in all.enumerated() {
      line = position == 0 ? text : line + SecretText("; ") + text
    }
    if line.secrets.isEmpty { add("cookie", line.masked) } else { add("cookie", line) }
  }
}

/// Which names may be among many headers, so that setting one that is not does not look at all of them.
///
/// It never misses a name; of those that are not there one in sixteen passes among two thousand.
struct HeaderNameFilter: Sendable {
  private static let bitCount: UInt64 = 1 << 15
  /// None of few headers: then any name may be there.
  private var words: [UInt64] = []

  var isOn: Bool { !words.isEmpty }

  /// Begins without any name.
  mutating func turnOn() {
    words = [UInt64](repeating: 0, count: Int(HeaderNameFilter.bitCount / 64))
  }

  mutating func turnOff() { words = [] }

  mutating func insert(_ name: some Sequence<UInt8>) {
    guard isOn else { return }
    let bit = HeaderNameFilter.bit(of: name)
    words[bit / 64] |= 1 << UInt64(bit % 64)
  }

  func mayHold(_ name: some Sequence<UInt8>) -> Bool {
    guard isOn else { return true }
    let bit = HeaderNameFilter.bit(of: name)
    return words[bit / 64] & 1 << UInt64(bit % 64) != 0
  }

  /// FNV-1a, whatever the case of letters.
  private static func bit(of name: some Sequence<UInt8>) -> Int {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name {
      hash = (hash ^ UInt64(byte >= 65 && byte <= 90 ? byte | 0x20 : byte)) &* 0x100_0000_01b3
    }
    return Int((hash ^ hash >> 32) % bitCount)
  }
}

extension HeaderNameFilter: Equatable {
  /// It says nothing that the headers do not.
  static func == (one: HeaderNameFilter, other: HeaderNameFilter) -> Bool { true }
}
