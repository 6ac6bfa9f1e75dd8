import LullCore

/// Which of several types of body the calls of an operation send.
extension BodyReader {
  struct Choice {
    /// What the call sends; nil: nothing.
    var first: Content?
    /// A form with files, which a call of its own sends.
    var form: Content?
    /// Types that no call sends.
    var left: [String] = []
  }

  func choice(of written: ImportNode) throws(DocumentProblem) -> Choice {
    let body = try document.resolved(written)
    let contents = body["content"]?.pairs ?? []
    func content(_ chosen: (type: String, body: ImportedCall.Body)) -> Content? {
      // What stands for a range has another name.
      let node = contents.first { $0.key == chosen.type } ?? contents.first
      return node.map {
        Content(type: chosen.type, body: chosen.body, holder: body, node: $0.value)
      }
    }
    guard let chosen = BodyReader.chosen(contents.map(\.key)), let first = content(chosen) else {
      guard contents.isEmpty else {
        throw DocumentProblem("its body is of none of the types that can be sent")
      }
      return Choice()
    }
    var choice = Choice(first: first)
    let multipart = contents.first { MediaType.essence($0.key) == "multipart/form-data" }
    if first.body == .json || first.body == .form, let multipart, hasFiles(multipart.value) {
      let form = content((multipart.key, .multipart))
      // Of the same fields only the form can carry the files.
      if isSame(first.node, multipart.value) { choice.first = form } else { choice.form = form }
    }
    let sent = [choice.first, choice.form].compactMap(\.self)
    choice.left = contents.filter { type, node in
      !type.contains("*") && !sent.contains { $0.type == type || isOther($0, as: type, node) }
    }.map(\.key)
    return choice
  }

  /// Whether a type means the same as one that is sent: another name of it, or JSON of the same
  /// schema.
  private func isOther(_ sent: Content, as type: String, _ node: ImportNode) -> Bool {
    let (own, other) = (MediaType.essence(sent.type), MediaType.essence(type))
    if own == other { return true }
    guard MediaType.isJSON(own), MediaType.isJSON(other) else { return false }
    // Patches mean something else, whatever their schema is.
    return other == "text/json" || isSame(sent.node, node) && !other.contains("patch")
  }

  private func isSame(_ one: ImportNode, _ other: ImportNode) -> Bool {
    guard let one = document.target(of: one["schema"]),
      let other = document.target(of: other["schema"])
    else { return false }
    return one.identity == other.identity
  }

  private func hasFiles(_ content: ImportNode) -> Bool {
    guard let schema = content["schema"] else { return false }
    return ObjectShape(schema, in: document).properties.contains { property in
      let shape = SchemaShape.of(property.schema, in: document)
      return shape.isBinary
        || shape.kind == .array && SchemaShape.of(shape.items, in: document).isBinary
    }
  }
}
