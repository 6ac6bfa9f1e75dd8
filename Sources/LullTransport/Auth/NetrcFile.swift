import LullCore

/// The logins of a netrc file, as ftp, curl and git read it.
///
/// Words with blanks between: `machine HOST login NAME password WORD`, and `default` for all other hosts,
/// which counts where it stands first. A word in quotation marks may have blanks, and `\"`, `\\`, `\n`, `\t`
/// and `\r` in it. `#` before a name begins a comment; `account` is passed over, and so is a macro
/// (`macdef`), up to an empty line.
struct NetrcFile: Equatable, Sendable {
  struct Login: Equatable, Sendable {
    /// nil of `default`.
    var machine: String?
    var name: String?
    var password = ""
  }

  struct Problem: Error, Equatable {
    let line: Int
    let reason: String
  }

  private(set) var logins: [Login] = []

  init(_ bytes: [UInt8]) throws(Problem) {
    var scanner = NetrcScanner(bytes)
    while let word = try scanner.keyword() {
      switch word {
      case "machine": logins.append(Login(machine: try scanner.value(of: word).lowercased()))
      case "default": logins.append(Login())
      case "macdef": scanner.skipMacro()
      case "login", "user", "password", "passwd", "account":
        let text = try scanner.value(of: word)
        guard let last = logins.indices.last else {
          throw scanner.problem("'\(word)' stands before any 'machine'")
        }
        if word == "login" || word == "user" { logins[last].name = text }
        if word.hasPrefix("passw") { logins[last].password = text }
      default: throw scanner.problem("it has a word that means nothing where 'machine' is expected")
      }
    }
  }

  /// The first that is for a host, and has that name if one is wanted.
  func login(for host: String, named name: String?) -> Login? {
    let host = host.hasSuffix(".") ? String(host.dropLast()) : host
    // An address of version 6 stands in brackets in a URL only.
    let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return logins.first { login in
      (login.machine == nil || login.machine == host || login.machine == plain)
        && (name == nil || login.name == name)
    }
  }
}

/// Reads word after word.
private struct NetrcScanner {
  private let bytes: [UInt8]
  private var index = 0
  private var line = 1

  init(_ bytes: [UInt8]) {
    // As some editors write it.
    self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  func problem(_ reason: String) -> NetrcFile.Problem {
    NetrcFile.Problem(line: line, reason: reason)
  }

  /// The next word where one of the language is expected; nil at the end.
  mutating func keyword() throws(NetrcFile.Problem) -> String? {
    while true {
      skipBlanks()
      guard index < bytes.count else { return nil }
      guard bytes[index] == UInt8(ascii: "#") else { return try word() }
      while index < bytes.count, bytes[index] != 10 { index += 1 }
    }
  }

  mutating func value(of name: String) throws(NetrcFile.Problem) -> String {
    skipBlanks()
    guard index < bytes.count else { throw problem("'\(name)' has nothing behind it") }
    return try word()
  }

  private mutating func word() throws(NetrcFile.Problem) -> String {
    var word: [UInt8] = []
    if bytes[index] == UInt8(ascii: "\"") {
      index += 1
      while true {
        guard index < bytes.count, bytes[index] != 10 else {
          throw problem("a quotation mark is missing")
        }
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\"") { break }
        guard byte == UInt8(ascii: "\\"), index < bytes.count else {
          word.append(byte)
          continue
        }
        word.append(NetrcScanner.escaped(bytes[index]))
        index += 1
      }
    } else {
      while index < bytes.count, !isBlank(bytes[index]) {
        word.append(bytes[index])
        index += 1
      }
    }
    guard let text = String(validating: word, as: UTF8.self) else {
      throw problem("it is not text in UTF-8")
    }
    return text
  }

  private static func escaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: byte
    }
  }

  /// Up to an empty line, or the end.
  mutating func skipMacro() {
    var isEmpty = false
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte == 10 {
        line += 1
        if isEmpty { return }
        isEmpty = true
      } else if byte != 13 {
        isEmpty = false
      }
    }
  }

  private mutating func skipBlanks() {
    while index < bytes.count, isBlank(bytes[index]) {
      if bytes[index] == 10 { line += 1 }
      index += 1
    }
  }

  private func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }
}
