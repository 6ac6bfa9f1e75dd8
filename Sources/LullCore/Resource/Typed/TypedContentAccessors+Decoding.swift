extension TypedContentAccessors {
  /// The content as a type of the program's, read from JSON, or as a transformer has made it.
  ///
  /// What can be decoded, and how: `JSONElement.decoded`. Text is given as a `String` only and bytes as
  /// `[UInt8]` only; neither is tried as JSON, since the content type says what it is. A document keeps
  /// what was decoded of it, so that asking again for the same type costs nothing. The thread that may
  /// read the object.
  ///
  ///     let user = try resource.decoded(User.self)
  ///     let problem = try? error.decoded(Problem.self)
  ///
  /// - Throws: A `RequestError` whose cause is `wrongContent` with the coding path, `custom` with what an
  ///   `init(from:)` has thrown, or that error itself, if it is a `RequestError`. Of a resource without
  ///   data its latest error, if it has one.
  public func decoded<Value: Decodable & Sendable>(
    _ type: Value.Type = Value.self
  ) throws(RequestError) -> Value {
    if let resource = self as? Resource { return try resource.decodedData(type) }
    guard let entity = entityForTypedContentAccessors else {
      throw RequestError(
        userMessage: "No data available",
        cause: .wrongContent(
          type: String(describing: type), path: "", message: "there is no content"))
    }
    return try entity.decodedContent(type)
  }
}

extension Resource {
  fileprivate func decodedData<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) throws(RequestError) -> Value {
    guard let data = latestData else {
      if let error = latestError { throw error }
      throw asked(
        RequestError(
          userMessage: "No data available",
          cause: .wrongContent(
            type: String(describing: type), path: "", message: "nothing has been loaded")))
    }
    return try decoded(data, as: type)
  }

  /// The content of an entity of this resource; an error names the resource.
  func decoded<Value: Decodable & Sendable>(
    _ entity: Entity, as type: Value.Type
  ) throws(RequestError) -> Value {
    do throws(RequestError) {
      return try entity.decodedContent(type)
    } catch {
      throw asked(error)
    }
  }

  private func asked(_ error: RequestError) -> RequestError {
    guard error.method == nil else { return error }
    var error = error.dated(pump.clock.now)
    error.method = "GET"
    error.url = url.text
    return error
  }
}

extension Entity {
  fileprivate func decodedContent<Value: Decodable & Sendable>(
    _ type: Value.Type
  ) throws(RequestError) -> Value {
    do {
      return try content.decoded(type)
    } catch let error as RequestError {
      throw error
    } catch {
      let cause = RequestError.Cause(decoding: type, error)
      var failure = RequestError(
        userMessage: "Cannot parse server response", httpStatusCode: exchange?.status, entity: self,
        cause: cause)
      failure.exchange = exchange
      throw failure
    }
  }
}
