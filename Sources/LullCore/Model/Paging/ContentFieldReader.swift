/// Reads single fields of content, whatever it is made of.
package protocol ContentFieldReader {
  /// What a path leads to.
  func value(_ path: FieldPath, in content: Content) -> FieldValue
  /// What a path leads to from the last element of a list; nothing where there is none.
  func value(
    _ path: FieldPath, ofLastElementOf list: FieldPath, in content: Content
  ) -> FieldValue
  /// Whether a path leads to nothing at all, not to null or false either.
  func isMissing(_ path: FieldPath, in content: Content) -> Bool
  /// Whether a path leads to false, as opposed to null or an empty string.
  func isFalse(_ path: FieldPath, in content: Content) -> Bool
}

extension ContentFieldReader {
  /// Whether parsed JSON has a member of that name, whatever it is; of other content it is not known, and
  /// said to be so.
  func has(_ path: FieldPath, in content: Content) -> Bool {
    guard case .json(let document) = content else { return true }
    return path.ways.contains { way in
      var element: JSONElement? = document.root
      for name in way { element = element?[name] }
      return element != nil
    }
  }
}

/// Those of parsed JSON; content of any other kind has none.
package struct JSONFields: ContentFieldReader {
  package init() {}

  package func value(_ path: FieldPath, in content: Content) -> FieldValue {
    guard case .json(let document) = content else { return .nothing }
    for way in path.ways {
      let value = JSONFields.field(way, in: document.root)
      if value != .nothing { return value }
    }
    return .nothing
  }

  package func value(
    _ path: FieldPath, ofLastElementOf list: FieldPath, in content: Content
  ) -> FieldValue {
    guard case .json(let document) = content else { return .nothing }
    for start in list.ways {
      guard let found = JSONFields.element(start, in: document.root), found.kind == .array,
        found.count > 0, let last = found[found.count - 1]
      else { continue }
      for way in path.ways {
        let value = JSONFields.field(way, in: last)
        if value != .nothing { return value }
      }
    }
    return .nothing
  }

  package func isMissing(_ path: FieldPath, in content: Content) -> Bool {
    guard case .json = content else { return true }
    return !has(path, in: content)
  }

  package func isFalse(_ path: FieldPath, in content: Content) -> Bool {
    guard case .json(let document) = content else { return false }
    return path.ways.contains { JSONFields.element($0, in: document.root)?.bool == false }
  }

  /// The list that a path leads to; nil of content other than JSON.
  static func rows(_ list: FieldPath, in content: Content) -> JSONElement? {
    guard case .json(let document) = content else { return nil }
    return list.ways.lazy.compactMap { element($0, in: document.root) }.first { $0.kind == .array }
  }

  static func element(_ way: [String], in root: JSONElement) -> JSONElement? {
    var element: JSONElement? = root
    for name in way { element = element?[name] }
    return element
  }

  package static func field(_ way: [String], in root: JSONElement) -> FieldValue {
    guard let element = element(way, in: root) else { return .nothing }
    switch element.kind {
    case .null: return .nothing
    case .bool: return element.bool == true ? .other("true") : .nothing
    case .int: return element.int.map { .text(String($0)) } ?? .nothing
    case .double:
      if let digits = element.digits { return .text(digits) }
      // From 2^53 on a double stands for more than one whole number.
      return element.double.map { abs($0) < 0x1p53 ? .text(String($0)) : .inexact } ?? .nothing
    case .string: return element.string.flatMap { $0.isEmpty ? nil : .text($0) } ?? .nothing
    case .array: return .list(count: element.count)
    case .object: return .object
    }
  }
}

/// The way to a field of content: its name, names with dots between them, or a JSON Pointer.
package struct FieldPath {
  package let text: String
  /// Names of members, from the outside; the first way that leads somewhere counts.
  package let ways: [[String]]

  package init(_ text: String) {
    self.text = text
    if text.hasPrefix("/") {
      let names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      ways = [names.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }]
    } else {
      let names = text.split(separator: ".").map(String.init)
      ways = names.count > 1 ? [[text], names] : [[text]]
    }
  }

  /// By names of members, from the outside, whatever characters they have.
  init(names: [String]) {
    self.init(text: names.joined(separator: "."), ways: [names])
  }

  /// The content itself.
  private init() {
    text = ""
    ways = [[]]
  }

  package static let root = FieldPath()

  /// The same way, one step further.
  package func appending(_ name: String) -> FieldPath {
    FieldPath(text: text + "." + name, ways: ways.map { $0 + [name] })
  }

  private init(text: String, ways: [[String]]) {
    self.text = text
    self.ways = ways
  }
}

/// What a path leads to, as far as paging is concerned.
package enum FieldValue: Equatable {
  /// Not there, null, false or an empty string.
  case nothing
  /// A string, or a number written as one.
  case text(String)
  /// A number whose digits are not known to be those of the server.
  case inexact
  case list(count: Int)
  /// A table that is no list.
  case object
  /// Anything else, by the name of its type.
  case other(String)
}
