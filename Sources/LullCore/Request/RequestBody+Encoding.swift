extension RequestBody {
  /// A value of the program's as compact JSON: members in the order in which its type encodes them,
  /// integers exact.
  ///
  ///     api.resource("/notes").request("POST", body: try .json(encoding: note))
  ///
  /// - Throws: `EncodingError` with the coding path, for numbers that JSON does not have, say, or what an
  ///   `encode(to:)` throws.
  public static func json(
    encoding value: some Encodable, contentType: String = "application/json"
  ) throws -> RequestBody {
    .json(try JSONDocument.text(encoding: value), contentType: contentType)
  }
}

extension RequestError.Cause {
  /// Why a value could not be made a body. (REQ-13)
  package init(encoding error: any Error) {
    switch error {
    case EncodingError.invalidValue(_, let context):
      let path = CodingPathText.text(context.codingPath)
      self = .invalidJSONObject(
        path: path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)")
    case let error as JSONError: self = .invalidJSONObject(path: error.description)
    default: self = .custom(error)
    }
  }
}
