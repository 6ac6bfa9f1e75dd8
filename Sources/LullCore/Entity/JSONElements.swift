internal import CSimdjson

/// The elements of an array, walked without building anything.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
  let document: JSONDocument
  var place: Int
  let end: Int

  public mutating func next() -> JSONElement? {
    guard place < end else { return nil }
    let element = JSONElement(document: document, index: place)
    // The document must outlive the pointers in its view.
    place = withExtendedLifetime(document) { csj_after(document.view, place) }
    return element
  }
}
