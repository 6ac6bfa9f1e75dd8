/// A value of each page that goes into a parameter of the next one.
package struct PageCursor {
  package let parameter: String
  /// Where it is: of the content, or of the last element of `items`.
  package let field: FieldPath
  /// The list whose last element tells how to go on; nil: the page itself does.
  package let items: FieldPath?
  /// What says whether there is a further page; nil: that there is a value, or an element, does.
  package let more: FieldPath?

  package init(
    parameter: String, field: FieldPath, items: FieldPath? = nil, more: FieldPath? = nil
  ) {
    self.parameter = parameter
    self.field = field
    self.items = items
    self.more = more
  }

  /// The value for the page after one; nil at the end.
  func next(in content: Content, _ fields: some ContentFieldReader) throws(PagingProblem)
    -> String?
  {
    if let more, try !isTrue(more, in: content, fields) { return nil }
    let value: FieldValue
    if let items {
      guard try count(of: items, in: content, fields) > 0 else {
        guard let more else { return nil }
        throw PagingProblem(
          "'\(more.text)' says that there is more, but \(name(of: items)) is empty")
      }
      value = fields.value(field, ofLastElementOf: items, in: content)
    } else {
      value = fields.value(field, in: content)
    }
    switch value {
    case .text(let cursor): return cursor
    case .inexact:
      throw PagingProblem("The cursor '\(field.text)' is a number too large to be sent as it came")
    // What says that it goes on has to say how.
    case .nothing where items != nil || more != nil:
      let place = items.map { " of the last element of \(name(of: $0))" } ?? ""
      throw PagingProblem("There is no cursor '\(field.text)'\(place) to go on from")
    case .nothing: return nil
    default: throw PagingProblem("The cursor '\(field.text)' is neither a string nor a number")
    }
  }

  /// Whether a page is behind the last one, which can only be told once it is there.
  func isBehindEnd(_ content: Content, _ fields: some ContentFieldReader) throws(PagingProblem)
    -> Bool
  {
    guard more == nil, let items else { return false }
    return try count(of: items, in: content, fields) == 0
  }

  private func isTrue(_ path: FieldPath, in content: Content, _ fields: some ContentFieldReader)
    throws(PagingProblem) -> Bool
  {
    switch fields.value(path, in: content) {
    case .other("true"): return true
    case .nothing where fields.isMissing(path, in: content):
      throw PagingProblem("The content has no '\(path.text)'")
    case .nothing: return false
    default: throw PagingProblem("'\(path.text)' is neither true nor false")
    }
  }

  private func count(of path: FieldPath, in content: Content, _ fields: some ContentFieldReader)
    throws(PagingProblem) -> Int
  {
    switch fields.value(path, in: content) {
    case .list(let count): return count
    case .nothing where !path.text.isEmpty && !fields.isMissing(path, in: content): return 0
    default: throw PagingProblem("\(name(of: path)) is no list, as 'items' of 'cursor' says")
    }
  }

  private func name(of path: FieldPath) -> String {
    path.text.isEmpty ? "the content" : "'\(path.text)'"
  }
}
