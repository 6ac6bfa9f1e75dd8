internal import CSimdjson

/// Why a value cannot be decoded: what stands there and what was to, with the coding path.
extension TapeReader {
  func mismatch(
    _ type: any Any.Type, _ expected: String, _ found: String? = nil, at place: Int
  ) -> any Error {
    let context = DecodingError.Context(
      codingPath: path(to: place),
      debugDescription: "expected \(expected), found \(found ?? kind(at: place))")
    return isNull(at: place)
      ? DecodingError.valueNotFound(type, context) : DecodingError.typeMismatch(type, context)
  }

  func doesNotFit(_ number: String, _ type: any Any.Type, at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(codingPath: path(to: place), debugDescription: "\(number) does not fit \(type)"))
  }

  func missing(_ key: any CodingKey, in object: Int) -> any Error {
    DecodingError.keyNotFound(
      key,
      .init(
        codingPath: path(to: object),
        debugDescription: "there is no '\(CodingPathText.shown(key.stringValue))'"))
  }

  /// Behind the last element of an array.
  func isOver(_ type: any Any.Type, in array: Int, at position: Int) -> any Error {
    DecodingError.valueNotFound(
      type,
      .init(
        codingPath: path(to: array) + [PlaceKey(position)],
        debugDescription: "there are only \(csj_count(view, array)) elements"))
  }

  func nestsTooDeeply(at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(
        codingPath: path(to: place),
        debugDescription: "decoding it nests more than \(TapeReader.mostLevels) levels"))
  }

  func takesTooMuchStack(at place: Int) -> any Error {
    DecodingError.dataCorrupted(
      .init(
        codingPath: path(to: place),
        debugDescription: "decoding what nests so deeply takes more stack than this thread has"))
  }

  func path(to place: Int) -> [any CodingKey] { places.path(to: place) }

  private func kind(at place: Int) -> String {
    switch type(at: place) {
    case CSJ_FALSE, CSJ_TRUE: "a boolean"
    case CSJ_INT, CSJ_DOUBLE: "a number"
    case CSJ_STRING: "a string"
    case CSJ_ARRAY: "an array"
    case CSJ_OBJECT: "an object"
    default: "null"
    }
  }
}
