import LullArguments
import LullCore
import LullHost

/// A parameter of a call declared in an API file.
package struct CallParameter {
  package enum Kind: Equatable {
    case string
    case number
    case integer
    case boolean
    /// A text that is one of these words.
    case choice([String])
    /// Any value, as JSON text.
    case json
    /// An object with names and single values.
    case object
    /// The contents of a file.
    case file

    /// The name of the type in messages and help.
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

    /// The location as named in messages, after the word "in".
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
  /// The allowed values of an integer. Empty if all values are allowed.
  package var integers: [Int] = []
  /// Whether the value is a list of values of the type `kind`.
  package var isList = false
  package var isRequired = false
  package var standard: CallValue?
  package var description: String?
  /// The name of the option on the command line, if it differs from the parameter's name.
  var optionName: String?
  package var place = Place.query
  /// The name of the parameter in the request.
  package var wireName: String
  /// The name of the parameter in braces in the path.
  package var placeholder: String
  package var style = ParameterStyle.form
  /// Whether each element of a list or member of an object is written as a separate pair.
  package var explodes = true
  /// Whether the reserved characters of RFC 3986 are left unescaped.
  package var keepsReserved = false
  /// Whether the parameter is the whole body rather than a part of it.
  package var isWhole = false

  package init(name: String) {
    self.name = name
    wireName = name
    placeholder = name
  }

  /// The name of the parameter's type in messages, help and scripts.
  package var typeName: String {
    if !integers.isEmpty { return (isList ? "list of " : "") + integerList }
    guard isList else { return kind.name }
    if case .choice = kind { return "list of \(kind.name)" }
    return kind.name + "[]"
  }

  /// Whether the option may be given several times on the command line.
  package var isRepeated: Bool { isList || kind == .object }
}

extension CallParameter {
  /// Returns the value for a text from the command line. For a list, the text is one element. nil
  /// if the text is not valid for the parameter.
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

  /// Returns whether an integer value is allowed. Any value is allowed unless the parameter lists
  /// its integers.
  package func allows(_ value: CallValue) -> Bool {
    guard !integers.isEmpty else { return true }
    if case .integer(let number) = value { return integers.contains(number) }
    return false
  }

  private var integerList: String { WordList.text(integers.map { String($0) }) }

  /// Returns an integer of any size.
  private static func whole(_ text: String) -> CallValue? {
    if let whole = Int(text) { return .integer(whole) }
    return ArgumentText.largeInteger(text).map { .digits($0) }
  }

  /// Returns the value for all texts that the command line gives for the parameter.
  ///
  /// - Parameter option: The name of the option in messages.
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

  /// Reads an object from texts of the form `name=value`.
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

  /// A description of the valid values, for messages.
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

  /// A description of a valid single value or list element, for messages.
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

  /// The option on the command line, if its name is not already used: `--per-page` for `per_page`,
  /// and `--_size` for `_size`, since an option can't begin with three dashes.
  package var option: String { "--" + (optionName ?? CallParameter.dashed(name)) }

  /// Replaces `_` with `-`, except at the beginning.
  package static func dashed(_ name: String) -> String {
    let start = name.prefix { $0 == "_" }
    return String(start) + name.dropFirst(start.count).replacing("_", with: "-")
  }
}
