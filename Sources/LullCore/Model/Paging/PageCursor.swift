/// A value on each page that is the value of a parameter for the next page.
package struct PageCursor {
  package let parameter: String
  /// Its path in the content, or in the last element of `items`.
  package let field: FieldPath
  /// The list whose last element has the field; nil: the page itself has it.
  package let items: FieldPath?
  /// The flag for another page; nil: a value, or an element, shows that there is one.
  package let more: FieldPath?
  /// Whether the field may belong to the last row if the page itself does not have it.
  package let mayBeOfRow: Bool

  package init(
    parameter: String, field: FieldPath, items: FieldPath? = nil, more: FieldPath? = nil,
    mayBeOfRow: Bool = false
  ) {
    self.parameter = parameter
    self.field = field
    self.items = items
    self.more = more
    self.mayBeOfRow = mayBeOfRow
  }

  /// Returns the value for the next page, or its URL; nil at the end.
  ///
  /// - Parameter hasMore: A well-known flag of the page, which is used unless `more` names one.
  func next(
    in content: Content, _ fields: some ContentFieldReader, of resource: Resource, hasMore: Bool?
  ) throws(PagingProblem) -> String? {
    if let more {
      if try !isTrue(more, in: content, fields) { return nil }
    } else if hasMore == false {
      return nil
    }
    let value: FieldValue
    let items = list(in: content, fields)
    if let items {
      guard try count(of: items, in: content, fields) > 0 else {
        guard let more else { return nil }
        throw PagingProblem(
          "'\(more.text)' is true, but \(name(of: items)) is empty")
      }
      value = fields.value(field, ofLastElementOf: items, in: content)
    } else {
      value = fields.value(field, in: content)
    }
    switch value {
    // An element may have the ID 0.
    case .text(let cursor) where items != nil || !PageNames.isEnd(cursor):
      guard items == nil || !NextPage.isURL(cursor, for: resource) else {
        throw PagingProblem(
          "The cursor '\(field.text)' of the last element is a URL, not a value for a parameter")
      }
      return cursor
    case .inexact:
      throw PagingProblem("The cursor '\(field.text)' is a number too large to be sent exactly")
    // If there is another page, the page has to have a cursor.
    case .nothing where mayBeOfRow && items != nil && more == nil && hasMore != true: return nil
    case .nothing where items != nil || more != nil || hasMore == true,
      .text where more != nil || hasMore == true:
      let place = items.map { " of the last element of \(name(of: $0))" } ?? ""
      throw PagingProblem("There is no cursor '\(field.text)'\(place) for the next page")
    case .nothing, .text: return nil
    default: throw PagingProblem("The cursor '\(field.text)' is neither a string nor a number")
    }
  }

  /// The list whose last element has the field.
  private func list(in content: Content, _ fields: some ContentFieldReader) -> FieldPath? {
    guard mayBeOfRow else { return items }
    return fields.isMissing(field, in: content) ? items ?? fields.rows(in: content) : nil
  }

  /// Whether neither a page nor its last row has the field.
  package func isMissing(in content: Content, _ fields: some ContentFieldReader) -> Bool {
    guard fields.isMissing(field, in: content) else { return false }
    guard let items = list(in: content, fields), fields.rowCount(in: content) != 0 else {
      return true
    }
    return fields.value(field, ofLastElementOf: items, in: content) == .nothing
  }

  /// Whether a page is after the last one, which is known only when it has been loaded.
  func isBehindEnd(_ content: Content, _ fields: some ContentFieldReader) throws(PagingProblem)
    -> Bool
  {
    guard more == nil, let items = list(in: content, fields) else { return false }
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
    default:
      throw PagingProblem("\(name(of: path)), which 'items' of 'cursor' names, is not a list")
    }
  }

  private func name(of path: FieldPath) -> String {
    path.text.isEmpty ? "the content" : "'\(path.text)'"
  }
}
