/// Reads single fields of content. Implementations exist for JSON and for the values of scripts.
package protocol ContentFieldReader {
  /// Returns the value at a path.
  func value(_ path: FieldPath, in content: Content) -> FieldValue
  /// Returns the value at a path in the last element of a list; `nothing` if the list is empty.
  func value(
    _ path: FieldPath, ofLastElementOf list: FieldPath, in content: Content
  ) -> FieldValue
  /// Returns whether there is no value at a path, not even null or false.
  func isMissing(_ path: FieldPath, in content: Content) -> Bool
  /// Returns whether the value at a path is false. Null and an empty string don't count as false.
  func isFalse(_ path: FieldPath, in content: Content) -> Bool
}

extension ContentFieldReader {
  /// Returns whether parsed JSON has a member at that path, with any value. For other content, this
  /// is unknown, and the result is true.
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

  /// Returns the list at a path; nil if there is none, and for content other than JSON.
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
      // From 2^53 on, one double represents several whole numbers, so its digits may be wrong.
      return element.double.map { abs($0) < 0x1p53 ? .text(String($0)) : .inexact } ?? .nothing
    case .string: return element.string.flatMap { $0.isEmpty ? nil : .text($0) } ?? .nothing
    case .array: return .list(count: element.count)
    case .object: return .object
    }
  }
}

/// The path of a field in content, written as its name, as names separated by dots, or as a JSON
/// Pointer.
package struct FieldPath {
  package let text: String
  /// The possible meanings of the path. Each meaning is a list of member names, the outermost
  /// first. The first meaning that leads to a value is used. A text with dots has two meanings: one
  /// name that contains dots, and several names.
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

  /// Creates a path from member names, the outermost first. The names may contain any characters.
  init(names: [String]) {
    self.init(text: names.joined(separator: "."), ways: [names])
  }

  /// Creates the path of the content itself.
  private init() {
    text = ""
    ways = [[]]
  }

  package static let root = FieldPath()

  /// Returns this path extended by the name of a member.
  package func appending(_ name: String) -> FieldPath {
    FieldPath(text: text + "." + name, ways: ways.map { $0 + [name] })
  }

  private init(text: String, ways: [[String]]) {
    self.text = text
    self.ways = ways
  }
}

/// The value at a path, reduced to the information that paging needs.
package enum FieldValue: Equatable {
  /// There is no value, or it is null, false or an empty string.
  case nothing
  /// A string, or a number in the form of a string.
  case text(String)
  /// A number whose digits may differ from those that the server sent.
  case inexact
  case list(count: Int)
  /// An object, or a table that is not a list.
  case object
  /// Any other value, by the name of its type.
  case other(String)
}
