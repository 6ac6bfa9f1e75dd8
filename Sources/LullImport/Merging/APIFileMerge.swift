import LullCore
import LullHost
import LullLuaSource
import LullTransport

/// Merges a new import into a file that the user has edited since the last import.
///
/// Calls and their settings are merged by key. Changes in the document are applied, and changes in
/// the file are kept. Text outside the calls is merged line by line.
package struct APIFileMerge {
  /// A part that was changed both in the document and in the file, in different ways.
  package struct Conflict: Equatable, Sendable {
    package let line: Int
    package let text: String
  }

  package enum Outcome: Sendable {
    case merged([UInt8])
    case conflicts([Conflict])
  }

  private let base: DeclaredFile
  private let user: DeclaredFile
  private let new: DeclaredFile
  private var edits: [(range: Range<Int>, text: String)] = []
  /// The positions where a comma must be added before inserted text.
  private var commas: Set<Int> = []
  private var conflicts: [Conflict] = []

  /// - Parameters:
  ///   - base: The file as last imported.
  ///   - user: The current file.
  ///   - new: The file as imported now.
  package static func merge(base: [UInt8], user: [UInt8], new: [UInt8]) -> Outcome {
    if user == base { return .merged(new) }
    if new == base { return .merged(user) }
    guard let baseFile = DeclaredFile(base), let newFile = DeclaredFile(new) else {
      return .conflicts([
        Conflict(
          line: 1,
          text: "the result of the last import (the file .imported) is no longer an API file")
      ])
    }
    guard let userFile = DeclaredFile(user) else {
      return .conflicts([
        Conflict(
          line: 1,
          text:
            "the file does not end with 'return { …, calls = { … } }', so nothing can be merged into it"
        )
      ])
    }
    var merge = APIFileMerge(base: baseFile, user: userFile, new: newFile)
    return merge.run()
  }

  /// Inserts calls into a file, as a user would do by hand.
  ///
  /// - Parameters:
  ///   - new: The imported file with the new calls. It was created from the current file.
  ///   - user: The current file.
  package static func add(_ new: [UInt8], to user: [UInt8]) -> Outcome {
    guard let userFile = DeclaredFile(user), let newFile = DeclaredFile(new) else {
      return .conflicts([
        Conflict(
          line: 1,
          text:
            "the file does not end with 'return { …, calls = { … } }', so calls cannot be added to it"
        )
      ])
    }
    var merge = APIFileMerge(base: userFile, user: userFile, new: newFile)
    return merge.run()
  }

  private init(base: DeclaredFile, user: DeclaredFile, new: DeclaredFile) {
    self.base = base
    self.user = user
    self.new = new
  }

  private mutating func run() -> Outcome {
    let head = LineMerge(base: base.head, user: user.head, new: new.head)
    let tail = LineMerge(base: base.tail, user: user.tail, new: new.tail)
    note(head, behind: 0)
    merge(base.calls, user.calls, new.calls, [])
    note(tail, behind: user.line(user.calls.tokens.upperBound - 1) - 1)
    guard conflicts.isEmpty else { return .conflicts(conflicts.sorted { $0.line < $1.line }) }
    let calls = user.range(user.calls.tokens)
    var middle = Array(user.bytes[calls])
    for edit in orderedEdits {
      let range =
        edit.range.lowerBound - calls.lowerBound..<edit.range.upperBound - calls.lowerBound
      middle.replaceSubrange(range, with: Array(edit.text.utf8))
    }
    let text = Array(head.lines.joined(separator: [10])) + middle
    return .merged(text + Array(tail.lines.joined(separator: [10])))
  }

  /// The edits, from the end of the file to its beginning. At the same position, deletions come
  /// first and commas last.
  private var orderedEdits: [(range: Range<Int>, text: String)] {
    let all = edits + commas.map { ($0..<$0, ",") }
    return all.enumerated().sorted { one, other in
      let (left, right) = (one.element.range, other.element.range)
      if left.lowerBound != right.lowerBound { return left.lowerBound > right.lowerBound }
      return left.count == right.count ? one.offset < other.offset : left.count > right.count
    }.map(\.element)
  }

  private mutating func note(_ merge: LineMerge, behind lines: Int) {
    for conflict in merge.conflicts {
      let there =
        conflict.there.first { !$0.isEmpty }.map { String(escaping: $0).prefix(100) } ?? "nothing"
      conflicts.append(
        Conflict(
          line: lines + conflict.line,
          text: "changed both here and in the document, which has: \(there)"))
    }
  }

  // MARK: Tables

  private mutating func merge(
    _ base: DeclaredTable, _ user: DeclaredTable, _ new: DeclaredTable, _ path: [String]
  ) {
    let baseFields = Dictionary(base.fields.map { ($0.key ?? "", $0) }) { first, _ in first }
    let userFields = Dictionary(user.fields.map { ($0.key ?? "", $0) }) { first, _ in first }
    let newKeys = Set(new.fields.compactMap(\.key))
    var anchor: DeclaredTable.Field?
    var inserted: [(after: DeclaredTable.Field?, field: DeclaredTable.Field)] = []
    for field in new.fields {
      let key = field.key ?? ""
      let before = baseFields[key]
      let present = userFields[key]
      switch (before, present) {
      case (let before?, let present?): settle(before, present, field, path + [key])
      // The user has removed the field from the file, so do not add it.
      case (_?, nil): break
      case (nil, let present?):
        if self.user.meaning(present.value) != self.new.meaning(field.value) {
          conflict(present, path + [key], "is new both here and in the document, which has", field)
        }
      case (nil, nil): inserted.append((anchor, field))
      }
      if let present { anchor = present }
    }
    for (key, field) in baseFields where !newKeys.contains(key) {
      guard let present = userFields[key] else { continue }
      if self.user.meaning(present.value) == self.base.meaning(field.value) {
        edits.append((deletion(of: present), ""))
      } else {
        conflict(present, path + [key], "is changed here, but removed from the document", nil)
      }
    }
    // Insert from last to first: edits at the same position are applied in this order.
    var isLast = true
    for (anchor, field) in inserted.reversed() {
      insert(field, after: anchor, in: user, isLast: isLast)
      isLast = false
    }
  }

  private mutating func settle(
    _ base: DeclaredTable.Field, _ user: DeclaredTable.Field, _ new: DeclaredTable.Field,
    _ path: [String]
  ) {
    let before = self.base.meaning(base.value)
    let now = self.new.meaning(new.value)
    guard before != now else { return }
    let here = self.user.meaning(user.value)
    if here == now { return }
    let isUntouched =
      self.user.bytes[self.user.range(user.value)].elementsEqual(
        self.base.bytes[self.base.range(base.value)])
    // The user may have changed comments and layout, so replace only those parts of a table that
    // have changed.
    if !isUntouched, let base = self.base.table(base), let user = self.user.table(user),
      let new = self.new.table(new),
      base.isRecord, user.isRecord, new.isRecord
    {
      return merge(base, user, new, path)
    }
    if here == before {
      edits.append((self.user.range(user.value), text(new.value)))
      return
    }
    conflict(user, path, "is changed both here and in the document, which has", new)
  }

  private func text(_ tokens: Range<Int>) -> String {
    String(decoding: new.bytes[new.range(tokens)], as: UTF8.self)
  }

  private mutating func conflict(
    _ field: DeclaredTable.Field, _ path: [String], _ text: String, _ new: DeclaredTable.Field?
  ) {
    let there = new.map { field in
      let words = self.text(field.value).split(whereSeparator: \.isWhitespace).joined(
        separator: " ")
      return " " + (words.count > 120 ? String(words.prefix(120)) + "…" : words)
    }
    let name = path.map { $0 }.joined(separator: ".")
    conflicts.append(
      Conflict(line: user.line(field.tokens.lowerBound), text: "'\(name)' \(text)\(there ?? "")"))
  }

  // MARK: Edits

  private mutating func insert(
    _ field: DeclaredTable.Field, after anchor: DeclaredTable.Field?, in table: DeclaredTable,
    isLast: Bool
  ) {
    let bytes = user.bytes
    let range = user.range(table.tokens)
    let isOnOneLine = !bytes[range].contains(10)
    var place: Int
    var text = self.text(field.tokens)
    if let anchor {
      let hasSeparator = anchor.separator != nil
      place =
        anchor.separator.map { user.tokens[$0].range.upperBound }
        ?? user.range(anchor.tokens).upperBound
      if !hasSeparator { commas.insert(place) }
      if isOnOneLine {
        text = " " + text + ","
        // The last field needs no comma before the closing brace.
        if !hasSeparator, isLast { text = String(text.dropLast()) }
      } else {
        let indent = indentation(at: user.range(anchor.tokens).lowerBound)
        text = "\n" + indent + text + ","
        place = endOfComment(behind: place)
      }
    } else {
      place = range.lowerBound + 1
      if isOnOneLine {
        text = " " + text + (table.fields.isEmpty ? " " : ",")
      } else {
        let first = table.fields.first.map { indentation(at: user.range($0.tokens).lowerBound) }
        text = "\n" + (first ?? indentation(at: range.lowerBound) + "  ") + text + ","
      }
    }
    edits.append((place..<place, text))
  }

  /// Returns the leading spaces of the line that contains a position.
  private func indentation(at place: Int) -> String {
    let start = user.bytes[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
    let spaces = user.bytes[start...].prefix { $0 == 32 || $0 == 9 }
    return String(decoding: spaces, as: UTF8.self)
  }

  /// Returns the end of a comment that follows a position on the same line.
  private func endOfComment(behind place: Int) -> Int {
    let line = user.bytes[place...].prefix { $0 != 10 }
    let rest = line.drop { $0 == 32 || $0 == 9 }
    return rest.starts(with: "--".utf8) && !rest.starts(with: "--[".utf8) ? line.endIndex : place
  }

  /// Returns the range to delete for a field. A line that contains nothing else is deleted
  /// completely.
  private func deletion(of field: DeclaredTable.Field) -> Range<Int> {
    let bytes = user.bytes
    var range = user.range(field.tokens)
    if let separator = field.separator {
      range = range.lowerBound..<user.tokens[separator].range.upperBound
    }
    let start = bytes[..<range.lowerBound].lastIndex { $0 != 32 && $0 != 9 }.map { $0 + 1 } ?? 0
    let end = bytes[range.upperBound...].firstIndex { $0 != 32 && $0 != 9 } ?? bytes.count
    if start == 0 || bytes[start - 1] == 10, end < bytes.count, bytes[end] == 10 {
      return start..<end + 1
    }
    return start..<range.upperBound
  }
}

extension DeclaredFile {
  /// The lines before the calls.
  var head: [LineMerge.Line] { DeclaredFile.lines(bytes[..<range(calls.tokens).lowerBound]) }
  var tail: [LineMerge.Line] { DeclaredFile.lines(bytes[range(calls.tokens).upperBound...]) }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [LineMerge.Line] {
    bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
  }
}

/// The digest that the schema file had at the time of the import. It is stored in the last line of
/// the `.imported` file.
struct SchemasMark {
  private static let start = Array("-- Schemas as they were imported: ".utf8)

  fileprivate let digest: [UInt8]

  /// - Parameter schemas: The content of the schema file. Windows line ends make no difference.
  init(of schemas: [UInt8]) {
    let digest = Digest.sha256.of(schemas.filter { $0 != UInt8(ascii: "\r") })
    self.digest = Array((digest.map { Hexadecimal.text($0) } ?? "").utf8)
  }

  fileprivate init(digest: [UInt8]) {
    self.digest = digest
  }

  var line: [UInt8] { SchemasMark.start + digest + [10] }

  /// Returns whether a schema file has this digest. Also true if no implementation of the digest is
  /// available.
  func fits(_ schemas: [UInt8]) -> Bool {
    let other = SchemasMark(of: schemas).digest
    return digest == other || digest.isEmpty || other.isEmpty
  }

  /// Splits the content of the `.imported` file into the API file and the mark that follows it.
  static func split(_ kept: [UInt8]) -> (text: [UInt8], mark: SchemasMark?) {
    let lines = kept.split(separator: 10, omittingEmptySubsequences: false)
    guard lines.count > 1, lines[lines.count - 1].isEmpty,
      lines[lines.count - 2].starts(with: start)
    else { return (kept, nil) }
    let line = lines[lines.count - 2]
    let digest = line.dropFirst(start.count).filter { $0 != UInt8(ascii: "\r") }
    return (Array(kept[..<line.startIndex]), SchemasMark(digest: digest))
  }
}

/// The digests that other files beside an API file had at the time of the import. They are stored
/// in lines of the `.imported` file, before the digest of the schema file.
struct FileMarks {
  private static let start = "-- File as it was imported: "

  private var marks: [(name: String, mark: SchemasMark)] = []
  private var places: [String: Int] = [:]

  init() {}

  init(of files: [ImportedFile]) {
    for file in files { add(file.name, SchemasMark(of: file.bytes)) }
  }

  private mutating func add(_ name: String, _ mark: SchemasMark) {
    places[name] = marks.count
    marks.append((name, mark))
  }

  subscript(name: String) -> SchemasMark? { places[name].map { marks[$0].mark } }

  var names: [String] { marks.map(\.name) }

  var lines: [UInt8] {
    marks.flatMap { name, mark in
      Array(FileMarks.start.utf8) + mark.digest + Array(" \(name)\n".utf8)
    }
  }

  /// Splits a text into the API file and the marks that follow it.
  static func split(_ text: [UInt8]) -> (text: [UInt8], marks: FileMarks) {
    var lines = text.split(separator: 10, omittingEmptySubsequences: false)
    guard lines.last?.isEmpty == true else { return (text, FileMarks()) }
    lines.removeLast()
    var found: [(name: String, mark: SchemasMark)] = []
    while let line = lines.last, line.starts(with: start.utf8) {
      let rest = line.dropFirst(start.utf8.count).filter { $0 != UInt8(ascii: "\r") }
      let digest = rest.prefix { $0 != 32 }
      let name = String(decoding: rest.dropFirst(digest.count + 1), as: UTF8.self)
      // The file may have been edited. Only files below its folder belong to the import.
      if !name.isEmpty, !name.hasPrefix("/"), !name.split(separator: "/").contains("..") {
        found.append((name, SchemasMark(digest: Array(digest))))
      }
      lines.removeLast()
    }
    var marks = FileMarks()
    for (name, mark) in found.reversed() { marks.add(name, mark) }
    return (lines.isEmpty ? [] : Array(lines.joined(separator: [10])) + [10], marks)
  }
}
