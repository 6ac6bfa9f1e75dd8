import LullCore

/// Values in recorded bodies of JSON.
enum RecordedValues {
  /// Whether one of them fits that is neither an object nor a list.
  static func contains(in body: [UInt8], _ fits: (JSONElement) -> Bool) -> Bool {
    guard let document = try? JSONDocument(parsing: body) else { return false }
    return contains(document.root, fits)
  }

  private static func contains(_ element: JSONElement, _ fits: (JSONElement) -> Bool) -> Bool {
    switch element.kind {
    case .object: element.pairs.contains { contains($0.value, fits) }
    case .array: element.elements.contains { contains($0, fits) }
    default: fits(element)
    }
  }
}
