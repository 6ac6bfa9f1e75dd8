import LullCore

/// One word that says something about a request, in the notation of HTTPie: `name=text`,
/// `name:=json`, `name==query`, `Header:value`, `name=@file`, `name:=@file`,
/// `name@file`, `name@file;type=x/y`.
enum RequestItem: Equatable {
  case text(name: String, value: String)
  case json(name: String, value: String)
  case query(name: String, value: String)
  /// Without a value it is taken away.
  case header(name: String, value: String?)
  /// The text of a file.
  case textFile(name: String, path: String)
  /// The JSON of a file.
  case jsonFile(name: String, path: String)
  /// A file that is sent as it is, by which the body becomes a multipart form.
  case upload(name: String, path: String, type: String?)

  struct Problem: Error, Equatable {
    let message: String
  }

  /// Longer ones first: of two that begin at one place the longer counts.
  private static let separators = [":=@", "=@", "==", ":=", "=", ":", "@"]
  /// What a backslash makes plain; before anything else, another backslash too, it stands for itself.
  private static let special: Set<Character> = [":", "=", "@", ";"]

  init(_ word: String) throws(Problem) {
    let characters = RequestItem.unescaped(word)
    guard let (name, separator, rest) = RequestItem.split(characters) else {
      throw Problem(
        message: "'\(word)' is none of name=text, name:=json, name==query, Header:value, name@file")
    }
    let value = String(rest.map(\.character))
    guard !name.isEmpty else { throw Problem(message: "'\(word)' has no name") }
    switch separator {
    case ":=@": self = .jsonFile(name: name, path: value)
    case "=@": self = .textFile(name: name, path: value)
    case "==": self = .query(name: name, value: value)
    case ":=": self = .json(name: name, value: value)
    case "=": self = .text(name: name, value: value)
    case ":":
      let value = RequestItem.trimmed(value)
      if let problem = Headers.problem(name, value.utf8) { throw Problem(message: problem) }
      self = .header(name: name, value: value.isEmpty ? nil : value)
    default:
      let (path, type) = try RequestItem.upload(rest)
      guard !path.isEmpty else { throw Problem(message: "'\(word)' names no file") }
      self = .upload(name: name, path: path, type: type)
    }
  }

  /// Whether it belongs to a body.
  var isBody: Bool {
    switch self {
    case .text, .json, .textFile, .jsonFile, .upload: true
    case .query, .header: false
    }
  }

  private static func unescaped(_ word: String) -> [(character: Character, isPlain: Bool)] {
    var result: [(character: Character, isPlain: Bool)] = []
    var isEscaped = false
    for character in word {
      if isEscaped {
        isEscaped = false
        if !special.contains(character) { result.append(("\\", true)) }
        result.append((character, true))
      } else if character == "\\" {
        isEscaped = true
      } else {
        result.append((character, false))
      }
    }
    if isEscaped { result.append(("\\", true)) }
    return result
  }

  private static func split(_ characters: [(character: Character, isPlain: Bool)])
    -> (name: String, separator: String, rest: ArraySlice<(character: Character, isPlain: Bool)>)?
  {
    for start in characters.indices {
      for separator in separators {
        let end = start + separator.count
        guard end <= characters.count,
          zip(characters[start..<end], separator).allSatisfy({ !$0.isPlain && $0.character == $1 })
        else { continue }
        return (String(characters[..<start].map(\.character)), separator, characters[end...])
      }
    }
    return nil
  }

  /// `file` or `file;type=x/y`
  private static func upload(
    _ rest: ArraySlice<(character: Character, isPlain: Bool)>
  ) throws(Problem) -> (path: String, type: String?) {
    let mark = ";type="
    for start in rest.indices where start + mark.count <= rest.endIndex {
      let end = start + mark.count
      guard !rest[start].isPlain, zip(rest[start..<end], mark).allSatisfy({ $0.character == $1 })
      else { continue }
      let type = String(rest[end...].map(\.character))
      if type.isEmpty { throw Problem(message: "a content type is missing behind ';type='") }
      if let problem = Headers.valueProblem(type.utf8) {
        throw Problem(message: "the content type '\(type)' \(problem)")
      }
      return (String(rest[..<start].map(\.character)), type)
    }
    return (String(rest.map(\.character)), nil)
  }

  static func trimmed(_ text: String) -> String {
    var rest = text[...]
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return String(rest)
  }
}
