import LullCore

/// A value in one of the documents.
struct ImportNode {
  let element: JSONElement
  let document: ImportDocument

  init(_ element: JSONElement, _ document: ImportDocument) {
    self.element = element
    self.document = document
  }

  subscript(key: String) -> ImportNode? {
    element[key].map { ImportNode($0, document) }
  }

  var pairs: [(key: String, value: ImportNode)] {
    element.pairs.map { ($0.key, ImportNode($0.value, document)) }
  }

  var elements: [ImportNode] { element.elements.map { ImportNode($0, document) } }

  func string(_ key: String) -> String? { element[key]?.string }
  func bool(_ key: String) -> Bool? { element[key]?.bool }

  var isObject: Bool { element.kind == .object }

  /// The same value has the same, by whatever way one has come to it.
  var identity: Identity { Identity(document: ObjectIdentifier(document), index: element.index) }

  struct Identity: Hashable {
    let document: ObjectIdentifier
    let index: Int
  }
}
