extension JSONElement {
  /// The value as a type of the program's, read straight from the document: no values are built but those
  /// of the type.
  ///
  /// Anything `Decodable`. Keys are those of its `CodingKeys`, byte by byte; of repeated ones the last
  /// counts. (JSN-13) Whole numbers are checked against their type's range, and what was written `2.0` or
  /// `1e3` is one too. There are no strategies for keys and dates: a type says in its `init(from:)`
  /// how it is written, and `Timestamp` reads dates and times. Foundation's `URL` is read from a string, `Data` from
  /// one in Base64, and `Decimal` from a number. Any thread.
  ///
  ///     let users = try JSONDocument(parsing: body).root.decoded([User].self)
  ///
  /// - Parameter userInfo: what types find in their decoder's `userInfo`.
  /// - Throws: `DecodingError` with the coding path, or what an `init(from:)` throws.
  public func decoded<Value: Decodable>(
    _ type: Value.Type = Value.self, userInfo: [CodingUserInfoKey: any Sendable] = [:]
  ) throws -> Value {
    try TapeReader(self, userInfo: userInfo).value(type, at: index, depth: 0)
  }
}
