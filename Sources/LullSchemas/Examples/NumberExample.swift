import LullCore

/// A number within the bounds of schemas.
struct NumberExample {
  private let schemas: [JSONElement]

  init(_ schemas: [JSONElement]) {
    self.schemas = schemas
  }

  /// - Parameter seed: different for elements that may not be the same.
  func value(_ seed: Int) -> JSONValue? {
    let isWhole = schemas.contains { $0["type"]?.string == "integer" }
    var least = -Double.infinity
    var most = Double.infinity
    for schema in schemas {
      if let bound = schema["minimum"]?.double { least = max(least, bound) }
      if let bound = schema["maximum"]?.double { most = min(most, bound) }
      if let bound = schema["exclusiveMinimum"]?.double {
        least = max(least, isWhole ? bound.rounded(.down) + 1 : bound.nextUp)
      }
      if let bound = schema["exclusiveMaximum"]?.double {
        most = min(most, isWhole ? bound.rounded(.up) - 1 : bound.nextDown)
      }
    }
    let step = schemas.compactMap { $0["multipleOf"]?.double }.max() ?? 1
    let wanted = least > 0 ? least : most < 0 ? most : 0
    let isAtTop = least <= 0 && most < 0
    let first = isAtTop ? (wanted / step).rounded(.down) : (wanted / step).rounded(.up)
    let value = (first + Double(isAtTop ? -seed : seed)) * step
    // Between two bounds there may be no whole number.
    let chosen = value > most || value < least ? (isWhole ? value : wanted) : value
    if let whole = Int(exactly: chosen) { return .int(whole) }
    return chosen.isFinite ? .double(chosen) : nil
  }
}
