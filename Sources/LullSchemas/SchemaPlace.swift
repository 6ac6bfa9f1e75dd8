import LullCore

/// Where a schema is: the same element is one schema, whoever leads there.
struct SchemaPlace: Hashable {
  private let document: Int64
  private let index: Int

  init(_ element: JSONElement) {
    document = element.document.serial
    index = element.index
  }
}
