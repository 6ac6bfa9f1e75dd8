import LullCore
import LullHost
import LullREPL
import LullSystem

/// An item of a request in the notation of HTTPie 3.2.4: `name=text`, `name:=json`, `name==query`,
/// `Header:value`, `Header;`. All but the last can also read a file (`name=@file`). Uploads are
/// `name@file` and `name@file;type=x/y`.
struct RequestItem: Equatable {
  enum Kind: Equatable {
    /// A string in the body.
    case text
    /// JSON in the body.
    case json
    case query
    /// A header. An item without a value removes the header.
    case header
    /// A header that is sent with an empty value.
    case emptyHeader
    /// A file that is sent unchanged. The value is its path.
    case upload(type: String?)
  }

  let kind: Kind
  let name: String
  let value: String
  /// Whether the value is the path of a file that contains the actual value.
  let isFile: Bool
  /// The item as typed.
  let word: String

  struct Problem: Error, Equatable {
    let message: String
  }

  private typealias Letter = (scalar: Unicode.Scalar, isPlain: Bool)

  /// Longer separators come first, because the longest one that matches at a position applies.
  private static let separators: [(text: [Unicode.Scalar], kind: Kind, isFile: Bool)] = [
    (Array(":=@".unicodeScalars), .json, true), (Array("==@".unicodeScalars), .query, true),
    (Array("=@".unicodeScalars), .text, true), (Array(":@".unicodeScalars), .header, true),
    (Array("==".unicodeScalars), .query, false), (Array(":=".unicodeScalars), .json, false),
    (Array("=".unicodeScalars), .text, false), (Array(":".unicodeScalars), .header, false),
    (Array(";".unicodeScalars), .emptyHeader, false),
    (Array("@".unicodeScalars), .upload(type: nil), true),
  ]
  /// The characters that a backslash makes literal. Before any other character, including another
  /// backslash, a backslash is literal itself.
  private static let special: Set<Unicode.Scalar> = [":", "=", "@", ";"]

  init(_ word: String) throws(Problem) {
    let letters = RequestItem.unescaped(word)
    guard let (name, separator, rest) = RequestItem.split(letters) else {
      throw Problem(
        message:
          "'\(word)' is not an item: name=text, name:=json, name==query, Header:value, name@file")
    }
    self.name = name
    self.word = word
    isFile = separator.isFile
    switch separator.kind {
    case .upload:
      let (path, type) = try RequestItem.upload(rest)
      kind = .upload(type: type)
      value = path
    case .emptyHeader:
      guard rest.isEmpty else {
        throw Problem(
          message: "'\(word)': an empty header ends with ';'; write \(name):value for a value, "
            + "and \\; for a literal ';'")
      }
      kind = .emptyHeader
      value = ""
    case .header where !separator.isFile && !rest.isEmpty:
      let text = RequestItem.trimmed(RequestItem.text(rest))
      kind = text.isEmpty ? .emptyHeader : .header
      value = text
    default:
      kind = separator.kind
      value = RequestItem.text(rest)
    }
    if isFile, value.isEmpty { throw Problem(message: "'\(word)': the file name is missing") }
    if isHeader, let problem = Headers.problem(name, isFile ? "".utf8 : value.utf8) {
      throw Problem(message: problem)
    }
  }

  /// Creates a header item from an option. An item without a value removes the header.
  init(header name: String, value: String?) {
    kind = .header
    self.name = name
    self.value = value ?? ""
    isFile = false
    word = "\(name):\(self.value)"
  }

  /// Whether the item is part of a body, which makes POST the default method.
  var isBody: Bool {
    switch kind {
    case .text, .json, .upload: true
    case .query, .header, .emptyHeader: false
    }
  }

  var isHeader: Bool { kind == .header || kind == .emptyHeader }

  var isUpload: Bool { if case .upload = kind { true } else { false } }

  /// Whether the item is a file that is the whole body: `@file`.
  var isWholeBody: Bool { isUpload && name.isEmpty }

  private static func text(_ letters: some Sequence<Letter>) -> String {
    String(String.UnicodeScalarView(letters.map(\.scalar)))
  }

  private static func unescaped(_ word: String) -> [Letter] {
    var result: [Letter] = []
    var isEscaped = false
    for scalar in word.unicodeScalars {
      if isEscaped {
        isEscaped = false
        if !special.contains(scalar) { result.append(("\\", true)) }
        result.append((scalar, true))
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.append((scalar, false))
      }
    }
    if isEscaped { result.append(("\\", true)) }
    return result
  }

  private static func split(_ letters: [Letter])
    -> (name: String, separator: (kind: Kind, isFile: Bool), rest: ArraySlice<Letter>)?
  {
    for start in letters.indices where special.contains(letters[start].scalar) {
      for (text, kind, isFile) in separators {
        let end = start + text.count
        guard end <= letters.count,
          zip(letters[start..<end], text).allSatisfy({ !$0.isPlain && $0.scalar == $1 })
        else { continue }
        return (RequestItem.text(letters[..<start]), (kind, isFile), letters[end...])
      }
    }
    return nil
  }

  /// Parses `file` or `file;type=x/y`. Returns the path and the type.
  private static func upload(_ rest: ArraySlice<Letter>) throws(Problem) -> (String, String?) {
    let mark = Array(";type=".unicodeScalars)
    for start in rest.indices where start + mark.count <= rest.endIndex {
      let end = start + mark.count
      guard !rest[start].isPlain, zip(rest[start..<end], mark).allSatisfy({ $0.scalar == $1 })
      else { continue }
      let type = text(rest[end...])
      if type.isEmpty { throw Problem(message: "the content type is missing after ';type='") }
      if let problem = Headers.valueProblem(type.utf8) {
        throw Problem(message: "the content type '\(type)' \(problem)")
      }
      return (text(rest[..<start]), type)
    }
    return (text(rest), nil)
  }

  static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return String(rest)
  }
}

/// The file that an item names in place of a value.
enum ItemFile {
  /// Returns the path of the item's file. Throws if the file can't be read.
  static func path(of item: RequestItem) throws(RequestItem.Problem) -> String {
    let path = HomeFolder.expanded(item.value)
    if let reason = ReadableFile.problem(Array(path.utf8)) { throw unreadable(item, reason) }
    return path
  }

  static func bytes(of item: RequestItem) throws(RequestItem.Problem) -> [UInt8] {
    do throws(SourceFile.Unreadable) {
      return try SourceFile.read(
        Array(HomeFolder.expanded(item.value).utf8), limit: StreamedBody.largestInMemory)
    } catch {
      throw unreadable(item, error.reason)
    }
  }

  /// Returns the value of an item where only text is possible: as typed, or the content of its
  /// file.
  static func text(of item: RequestItem) throws(RequestItem.Problem) -> String {
    guard item.isFile else { return item.value }
    guard let text = ByteString(try bytes(of: item)).text else {
      throw RequestItem.Problem(
        message: "'\(item.word)': '\(item.value)' is not text in UTF-8; @\(item.value) sends it "
          + "unchanged")
    }
    return text
  }

  /// Returns the value without trailing line breaks.
  static func line(of item: RequestItem) throws(RequestItem.Problem) -> String {
    let text = try text(of: item)
    guard item.isFile else { return text }
    var scalars = text.unicodeScalars[...]
    while scalars.last == "\n" { scalars.removeLast() }
    return String(scalars)
  }

  private static func unreadable(_ item: RequestItem, _ reason: String) -> RequestItem.Problem {
    RequestItem.Problem(message: "'\(item.word)': cannot read '\(item.value)': \(reason)")
  }
}
