extension JSONDocument {
  /// A value of the program's as a document: what a server would get of it, for content of one's own.
  ///
  /// Members stand in the order in which the type encodes them, which for most is that of its declaration;
  /// integers are exact, floating point numbers the shortest that read back the same.
  ///
  ///     resource.overrideLocalContent(with: .json(try JSONDocument(encoding: user)))
  ///
  /// - Throws: `EncodingError` with the coding path, for numbers that JSON does not have, say; what an
  ///   `encode(to:)` throws; `JSONError` where it cannot be a document.
  public convenience init(
    encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws {
    try self.init(parsing: try JSONDocument.text(encoding: value, userInfo: userInfo))
  }

  /// The same as compact JSON text in UTF-8.
  package static func text(
    encoding value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> [UInt8] {
    let session = EncodingSession(userInfo: userInfo)
    let encoded = try TreeEncoder(session, at: nil).encoded(value, at: nil)
    if let problem = session.problem { throw problem }
    var writer = JSONWriter()
    try encoded.write(to: &writer)
    return writer.output
  }
}
