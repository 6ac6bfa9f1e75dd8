/// The rule for pages with a cursor: a field of each page contains the value of a query parameter
/// for the next page.
package struct PageCursor {
  package let parameter: String
  /// The path of the cursor: in the last element of the list `items`, or without `items` in the
  /// content.
  package let field: FieldPath
  /// The path of the list whose last element contains the cursor; nil if the page itself contains
  /// the cursor.
  package let items: FieldPath?
  /// The field that is true if there is another page. If nil, there is another page if the page has
  /// a cursor, or if the list `items` is not empty.
  package let more: FieldPath?
  /// Whether the cursor may be in the last row of the page's list. The row is read only if the page
  /// itself contains no cursor.
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

  /// Returns the value of the parameter for the next page, or the URL of the next page; nil at the
  /// end of the list.
  ///
  /// - Parameter hasMore: Whether a well-known flag of the page shows that there is another page;
  ///   nil without such a flag. It is used only if `more` is nil.
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
    case .text(let cursor)
    where items != nil || !PageNames.isEnd(cursor) || more != nil && !cursor.isEmpty:
      guard items == nil || !NextPage.isURL(cursor, for: resource) else {
        throw PagingProblem(
          "The cursor '\(field.text)' of the last element is a URL, not a value for a parameter")
      }
      return cursor
    case .inexact:
      throw PagingProblem("The cursor '\(field.text)' is a number too large to be sent exactly")
    // If a flag shows that there is another page, a missing cursor is an error.
    case .nothing where mayBeOfRow && items != nil && more == nil && hasMore != true: return nil
    case .nothing where items != nil || more != nil || hasMore == true,
      .text where more != nil || hasMore == true:
      let place = items.map { " of the last element of \(name(of: $0))" } ?? ""
      throw PagingProblem("There is no cursor '\(field.text)'\(place) for the next page")
    case .nothing, .text: return nil
    default: throw PagingProblem("The cursor '\(field.text)' is neither a string nor a number")
    }
  }

  /// Returns the list whose last element contains the cursor; nil if the page itself contains it.
  private func list(in content: Content, _ fields: some ContentFieldReader) -> FieldPath? {
    guard mayBeOfRow else { return items }
    return fields.isMissing(field, in: content) ? items ?? fields.rows(in: content) : nil
  }

  /// Returns whether neither the page nor its last row contains the cursor.
  package func isMissing(in content: Content, _ fields: some ContentFieldReader) -> Bool {
    guard fields.isMissing(field, in: content) else { return false }
    guard let items = list(in: content, fields), fields.rowCount(in: content) != 0 else {
      return true
    }
    return fields.value(field, ofLastElementOf: items, in: content) == .nothing
  }

  /// Returns whether a loaded page is after the last page of the list, because its list is empty.
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
      throw PagingProblem("\(name(of: path)) is not a list, although 'items' of 'cursor' names it")
    }
  }

  private func name(of path: FieldPath) -> String {
    path.text.isEmpty ? "the content" : "'\(path.text)'"
  }
}
