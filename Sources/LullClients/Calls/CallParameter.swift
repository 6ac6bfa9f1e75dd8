import LullArguments
import LullCore
import LullHost

/// One parameter of a call as an API file declares it.
package struct CallParameter {
  package enum Kind: Equatable {
    case string
    case number
    case integer
    case boolean
    /// One of these words.
    case choice([String])
    /// Any value, as JSON text.
    case json
    /// Names and single values.
    case object
    /// What is in a file.
    case file

    /// As messages and help name it.
    package var name: String {
      switch self {
      case .string: "string"
      case .number: "number"
      case .integer: "integer"
      case .boolean: "boolean"
      case .choice(let words): WordList.text(words)
      case .json: "JSON"
      case .object: "object"
      case .file: "file"
      }
    }
  }

  package enum Place: String, CaseIterable {
    case path
    case query
    case header
    case cookie
    case body

    /// As messages name it, behind "in".
    var described: String {
      switch self {
      case .path: "a path"
      case .query: "a query"
      case .header: "a header"
      case .cookie: "a cookie"
      case .body: "a body"
      }
    }
  }

  package var name: String
  package var kind = Kind.string
  /// Of an integer: those that it may be; empty: any.
  package var integers: [Int] = []
  /// Whether it is a list of values of that kind.
  package var isList = false
  package var isRequired = false
  package var standard: CallValue?
  package var description: String?
  /// What it is called on the command line, if not by its name.
  var optionName: String?
  package var place = Place.query
  /// What it is called on the wire.
  package var wireName: String
  /// What stands in braces for it, in the path.
  package var placeholder: String
  package var style = ParameterStyle.form
  /// Whether each element and member is written for itself.
  package var explodes = true
  /// Whether what RFC 3986 reserves stands for itself.
  package var keepsReserved = false
  /// Whether it is the body, rather than a part of it.
  package var isWhole = false

  package init(name: String) {
    self.name = name
    wireName = name
    placeholder = name
  }

  /// As messages, help and scripts name its type.
  package var typeName: String {
    if !integers.isEmpty { return (isList ? "list of " : "") + integerList }
    guard isList else { return kind.name }
    if case .choice = kind { return "list of \(kind.name)" }
    return kind.name + "[]"
  }

  /// Whether it may be given by several words of a command line.
  package var isRepeated: Bool { isList || kind == .object }
}

extension CallParameter {
  /// The value a text of the command line stands for, of a list that of one element; nil if it does not fit.
  package func value(ofText text: String) -> CallValue? {
    switch kind {
    case .string: return .string(text)
    case .integer: return CallParameter.whole(text).flatMap { allows($0) ? $0 : nil }
    case .number:
      if let whole = CallParameter.whole(text) { return whole }
      return ArgumentText.number(text).map { .number($0) }
    case .boolean: return ArgumentText.boolean(text).map { .boolean($0) }
    case .choice(let words): return words.contains(text) ? .string(text) : nil
    case .json:
      let bytes = Array(text.utf8)
      return (try? JSONDocument(parsing: bytes)) == nil ? nil : .json(bytes)
    case .object: return nil
    case .file: return text.isEmpty ? nil : .file(UploadFile(ByteString(text)))
    }
  }

  /// Whether an integer is one of those that it may be.
  package func allows(_ value: CallValue) -> Bool {
    guard !integers.isEmpty else { return true }
    if case .integer(let number) = value { return integers.contains(number) }
    return false
  }

  private var integerList: String { WordList.text(integers.map { String($0) }) }

  /// An integer of any size.
  private static func whole(_ text: String) -> CallValue? {
    if let whole = Int(text) { return .integer(whole) }
    return ArgumentText.largeInteger(text).map { .digits($0) }
  }

  /// The value of all texts that are given for it.
  ///
  /// - Parameter option: what it is called there.
  package func value(
    ofTexts texts: [String], option: String
  ) throws(APICall.Misfit) -> CallValue {
    if kind == .object { return try object(ofTexts: texts, option: option) }
    var values: [CallValue] = []
    for text in texts {
      guard let value = value(ofText: text) else {
        throw APICall.Misfit(message: "'\(option)' must be \(expectationOfOne), got '\(text)'")
      }
      values.append(value)
    }
    if isList { return .list(values) }
    guard let value = values.last else {
      throw APICall.Misfit(message: "'\(option)' needs a value")
    }
    return value
  }

  /// `name=value` each.
  private func object(
    ofTexts texts: [String], option: String
  ) throws(APICall.Misfit) -> CallValue {
    var members: [CallValue.Member] = []
    for text in texts {
      guard let mark = text.firstIndex(of: "="), mark > text.startIndex else {
        throw APICall.Misfit(message: "'\(option)' must be NAME=VALUE, got '\(text)'")
      }
      let name = String(text[..<mark])
      guard !members.contains(where: { $0.name == name }) else {
        throw APICall.Misfit(message: "'\(option)' has the field '\(name)' twice")
      }
      members.append(.init(name, .string(String(text[text.index(after: mark)...]))))
    }
    return .object(sorting: members)
  }

  /// What a value must be, in words.
  package var expectation: String {
    guard isList else { return expectationOfOne }
    switch kind {
    case .string: return "a list of strings"
    case .number: return "a list of numbers"
    case .integer:
      return "a list of whole numbers" + (integers.isEmpty ? "" : ", each \(integerList)")
    case .boolean: return "a list of true and false"
    case .choice(let words): return "a list of words, each \(WordList.text(words))"
    case .json: return "a list"
    case .object: return "a list of tables"
    case .file: return "a list of files"
    }
  }

  /// The same of one element of a list.
  package var expectationOfOne: String {
    switch kind {
    case .string: "a string"
    case .number: "a number"
    case .integer: integers.isEmpty ? "a whole number" : integerList
    case .boolean: "true or false"
    case .choice(let words): WordList.text(words)
    case .json: "JSON"
    case .object: "a table of names and strings, numbers or booleans"
    case .file: "the path of a file"
    }
  }

  /// As the option of the command line, if nothing else is called so: `--per-page` for `per_page`, and
  /// `--_size` for `_size`, since three dashes begin nothing.
  package var option: String { "--" + (optionName ?? CallParameter.dashed(name)) }

  /// With `-` for `_`, but at the beginning.
  package static func dashed(_ name: String) -> String {
    let start = name.prefix { $0 == "_" }
    return String(start) + name.dropFirst(start.count).replacing("_", with: "-")
  }
}
