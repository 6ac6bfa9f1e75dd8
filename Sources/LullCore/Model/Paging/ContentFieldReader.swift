/// Reads single fields of content of any kind.
package protocol ContentFieldReader {
  /// Returns the value at a path.
  func value(_ path: FieldPath, in content: Content) -> FieldValue
  /// Returns the value at a path from the last element of a list; `nothing` if the list has none.
  func value(
    _ path: FieldPath, ofLastElementOf list: FieldPath, in content: Content
  ) -> FieldValue
  /// Whether there is nothing at a path, not even null or false.
  func isMissing(_ path: FieldPath, in content: Content) -> Bool
  /// Whether the value at a path is false, as opposed to null or an empty string.
  func isFalse(_ path: FieldPath, in content: Content) -> Bool
}

extension ContentFieldReader {
  /// Whether parsed JSON has a member at that path, whatever its value. Always true for other
  /// content, where it is unknown.
  func has(_ path: FieldPath, in content: Content) -> Bool {
    guard case .json(let document) = content else { return true }
    return path.ways.contains { way in
      var element: JSONElement? = document.root
      for name in way { element = element?[name] }
      return element != nil
    }
  }
}

/// Reads the fields of parsed JSON. Content of any other kind has no fields.
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

  /// The list at a path; nil for content other than JSON.
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
      // From 2^53 on, a double represents more than one whole number.
      return element.double.map { abs($0) < 0x1p53 ? .text(String($0)) : .inexact } ?? .nothing
    case .string: return element.string.flatMap { $0.isEmpty ? nil : .text($0) } ?? .nothing
    case .array: return .list(count: element.count)
    case .object: return .object
    }
  }
}

/// The path of a field: its name, names separated by dots, or a JSON Pointer.
package struct FieldPath {
  package let text: String
  /// The names of members, the outermost first. The first way that leads to a value is used.
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

  /// A path of member names, the outermost first, which may contain any characters.
  init(names: [String]) {
    self.init(text: names.joined(separator: "."), ways: [names])
  }

  /// The path of the content itself.
  private init() {
    text = ""
    ways = [[]]
  }

  package static let root = FieldPath()

  /// Returns the path extended by a name.
  package func appending(_ name: String) -> FieldPath {
    FieldPath(text: text + "." + name, ways: ways.map { $0 + [name] })
  }

  private init(text: String, ways: [[String]]) {
    self.text = text
    self.ways = ways
  }
}

/// The value at a path, as far as paging needs it.
package enum FieldValue: Equatable {
  /// Missing, null, false or an empty string.
  case nothing
  /// A string, or a number written as one.
  case text(String)
  /// A number whose digits may differ from those that the server sent.
  case inexact
  case list(count: Int)
  /// An object, or a table that is not a list.
  case object
  /// Any other value, by the name of its type.
  case other(String)
}
