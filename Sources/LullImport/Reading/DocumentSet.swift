package import LullCore
import LullHost
import LullSystem

/// The imported document and all documents that it refers to. Each document is read once.
///
/// A file may refer to files in its folder and in folders below it. A document from a URL may refer
/// to URLs of the same origin.
package final class DocumentSet {
  /// Fetches the document at a URL. Returns its content and its final URL.
  package typealias Fetch = (ResourceURL) throws(DocumentProblem) -> (
    bytes: [UInt8], url: ResourceURL
  )

  /// The maximum size of all documents together, in bytes.
  package static let largest = 64 << 20
  private static let mostDocuments = 500

  let root: ImportDocument
  private var others: [String: ImportDocument] = [:]
  private var failures: [String: DocumentProblem] = [:]
  /// The folder of the imported file, which must contain all files that it refers to.
  private let folder: [UInt8]
  private let fetch: Fetch
  private var size = 0

  package init(file path: [UInt8], fetch: @escaping Fetch) throws(DocumentProblem) {
    self.fetch = fetch
    let bytes = try DocumentSet.read(path, name: String(escaping: path))
    let resolved = FileName.resolved(path) ?? path
    folder = FileName.folder(of: resolved)
    root = try ImportDocument(bytes, name: String(escaping: path), url: nil, path: resolved)
    size = bytes.count
  }

  package init(url: ResourceURL, fetch: @escaping Fetch) throws(DocumentProblem) {
    self.fetch = fetch
    let (bytes, final) = try fetch(url)
    folder = []
    root = try ImportDocument(bytes, name: final.text, url: final, path: nil)
    size = bytes.count
  }

  /// - Parameter name: The name of the document in messages. The document has no folder, so it can
  ///   refer only to itself.
  package init(bytes: [UInt8], name: String) throws(DocumentProblem) {
    fetch = { (_) throws(DocumentProblem) in throw DocumentProblem("there is no network") }
    folder = []
    root = try ImportDocument(bytes, name: name, url: nil, path: nil)
    size = bytes.count
  }

  private static func read(_ path: [UInt8], name: String) throws(DocumentProblem) -> [UInt8] {
    switch TextFile.read(path, limit: largest) {
    case .success(let bytes): return bytes
    case .failure(let problem): throw DocumentProblem(String(escaping: problem.message))
    }
  }

  /// Returns the node that a `$ref` in a document refers to.
  func node(_ reference: String, from document: ImportDocument) throws(DocumentProblem)
    -> ImportNode
  {
    let document = document.source ?? document
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let target = parts[0].isEmpty ? document : try other(String(parts[0]), from: document)
    guard parts.count > 1, !parts[1].isEmpty else { return ImportNode(target.root, target) }
    let pointer = try DocumentSet.decoded(String(parts[1]), in: reference)
    guard pointer.hasPrefix("/") else {
      throw DocumentProblem("the $ref '\(shown(reference))' is not a JSON Pointer")
    }
    guard let element = target.root[pointer: pointer] else {
      throw DocumentProblem("the $ref '\(shown(reference))' has no target")
    }
    return ImportNode(element, target)
  }

  /// Follows a chain of `$ref`s to its end.
  func resolved(_ node: ImportNode) throws(DocumentProblem) -> ImportNode {
    var node = node
    var seen: Set<ImportNode.Identity> = []
    while let reference = node.string("$ref") {
      guard seen.insert(node.identity).inserted else {
        throw DocumentProblem("the $ref '\(ShortText.comment(reference))' leads to itself")
      }
      guard seen.count <= 100 else {
        throw DocumentProblem(
          "the $ref '\(ShortText.comment(reference))' leads through more than 100 other $refs")
      }
      node = try self.node(reference, from: node.document)
    }
    return node
  }

  /// Returns a reference that has the same target in the imported document as the given one has in
  /// another document. A reference without a target is returned unchanged.
  func reference(_ reference: String, from document: ImportDocument) -> String {
    let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let fragment = parts.count > 1 ? "#" + parts[1] : ""
    guard let target = parts[0].isEmpty ? document : try? other(String(parts[0]), from: document)
    else { return reference }
    if target === root { return fragment.isEmpty ? "#" : fragment }
    if let url = target.url { return url.text + fragment }
    guard let path = target.path else { return reference }
    let slash = UInt8(ascii: "/")
    let names = path.dropFirst(folder.count).split(separator: slash).map {
      String(decoding: PercentEncoding.encode($0), as: UTF8.self)
    }
    return names.joined(separator: "/") + fragment
  }

  private func shown(_ reference: String) -> String {
    ShortText.comment(String(reference.prefix(200)))
  }

  private static func decoded(_ text: String, in reference: String) throws(DocumentProblem)
    -> String
  {
    guard text.contains("%") else { return text }
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var place = 0
    while place < source.count {
      if source[place] == UInt8(ascii: "%"), place + 2 < source.count,
        let high = Hexadecimal.value(source[place + 1]),
        let low = Hexadecimal.value(source[place + 2])
      {
        bytes.append(high << 4 | low)
        place += 3
      } else {
        bytes.append(source[place])
        place += 1
      }
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw DocumentProblem("the $ref '\(reference)' is not UTF-8")
    }
    return decoded
  }

  // MARK: Other documents

  private func other(_ place: String, from document: ImportDocument) throws(DocumentProblem)
    -> ImportDocument
  {
    let key = (document.name + "\u{0}" + place)
    if let known = others[key] { return known }
    if let failure = failures[key] { throw failure }
    do throws(DocumentProblem) {
      guard others.count < DocumentSet.mostDocuments, size < DocumentSet.largest else {
        throw DocumentProblem("the document refers to too many other documents")
      }
      let found: ImportDocument
      if let named = named(place, from: document) {
        found = named
      } else if document.url != nil {
        found = try fetched(place, from: document)
      } else {
        found = try file(place, from: document)
      }
      others[key] = found
      return found
    } catch {
      failures[key] = error
      throw error
    }
  }

  /// Returns the document that a reference names by its `$self`. `nil` if no known document has that
  /// `$self`.
  private func named(_ place: String, from document: ImportDocument) -> ImportDocument? {
    let documents = [root] + others.values
    // A URI that is not a URL, such as a URN, is compared as text.
    if let exact = documents.first(where: { $0.own == place && place.contains(":") }) {
      return exact
    }
    if let url = (document.ownURL ?? document.url)?.relative(place) {
      return documents.first { $0.ownURL == url }
    }
    guard
      let path = (document.ownPath ?? document.path).flatMap({
        FilePath.relative(place, to: $0)
      })
    else { return nil }
    return documents.first { $0.ownPath == path }
  }

  private func fetched(_ place: String, from document: ImportDocument) throws(DocumentProblem)
    -> ImportDocument
  {
    guard let url = (document.ownURL ?? document.url)?.relative(place), let home = root.url else {
      throw DocumentProblem("the $ref '\(shown(place))' is not a URL")
    }
    guard url.origin == home.origin else {
      throw DocumentProblem(
        "the $ref '\(shown(place))' leads to another origin than \(home.origin)")
    }
    if url == home { return root }
    let known = others.values.first { $0.url == url }
    if let known { return known }
    let (bytes, final) = try fetch(url)
    guard final.origin == home.origin else {
      throw DocumentProblem(
        "the $ref '\(shown(place))' was redirected to another origin than \(home.origin)")
    }
    size += bytes.count
    return try ImportDocument(bytes, name: url.text, url: url, path: nil)
  }

  private func file(_ place: String, from document: ImportDocument) throws(DocumentProblem)
    -> ImportDocument
  {
    // The files below the document's own URL are expected in the document's folder.
    if let own = document.ownURL, let url = own.relative(place) {
      let home = own.text.prefix { !"?#".contains($0) }
      let start = home[...(home.lastIndex(of: "/") ?? home.startIndex)]
      guard url.text.hasPrefix(start), url.text.utf8.count > start.utf8.count else {
        throw DocumentProblem(
          "the $ref '\(shown(place))' leads to \(shown(url.text)), which is not below the document's "
            + "$self: import the document from its URL")
      }
      return try file(String(url.text.dropFirst(start.count)), in: document, at: document.path)
    }
    return try file(place, in: document, at: document.ownPath ?? document.path)
  }

  private func file(
    _ place: String, in document: ImportDocument, at path: [UInt8]?
  ) throws(DocumentProblem) -> ImportDocument {
    let scheme = place.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    guard scheme.isEmpty || place.dropFirst(scheme.count).first != ":" else {
      throw DocumentProblem("the $ref '\(shown(place))' in a file leads outside its folder")
    }
    let name = try DocumentSet.decoded(String(place.prefix { $0 != "?" }), in: place)
    guard let base = path else {
      throw DocumentProblem(
        "the $ref '\(shown(place))' leads to another file, but \(document.name) has no folder: "
          + "save it as a file")
    }
    guard !name.utf8.contains(0) else {
      throw DocumentProblem("the $ref '\(shown(place))' is not a file name")
    }
    let path =
      name.hasPrefix("/")
      ? Array(name.utf8) : FileName.path(of: name, in: FileName.folder(of: base))
    guard let resolved = FileName.resolved(path) else {
      throw DocumentProblem("the $ref '\(shown(place))' leads to a missing file")
    }
    let prefix = folder.last == UInt8(ascii: "/") ? folder : folder + [UInt8(ascii: "/")]
    guard resolved.starts(with: prefix) else {
      throw DocumentProblem("the $ref '\(shown(place))' leads outside the document's folder")
    }
    if resolved == root.path { return root }
    if let known = others.values.first(where: { $0.path == resolved }) { return known }
    let shownName = String(escaping: Array(resolved.dropFirst(prefix.count)))
    let bytes = try DocumentSet.read(resolved, name: shownName)
    size += bytes.count
    return try ImportDocument(bytes, name: shownName, url: nil, path: resolved)
  }
}
