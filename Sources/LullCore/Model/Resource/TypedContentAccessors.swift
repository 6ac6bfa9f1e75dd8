/// Accessors that return content as the expected type. They read the data of a resource, the
/// content of an entity, and the body of an error. (TYP-01 to TYP-10)
///
/// If the content has another type, the accessors return the same value as for missing content.
/// They never throw. They may be used on any thread that may read the object. Lua: `text`,
/// `json_dict`, `json_array`, `typed_content` of `Resource`, `Entity` and `RequestError`.
///
///     let user = api.resource("/users/1")
///     print(user.jsonDict["name"]?.string ?? "unknown")
///     let model: User? = user.typedContent()
public protocol TypedContentAccessors {
  /// The entity whose content the accessors read, or nil if there is no content.
  var entityForTypedContentAccessors: Entity? { get }
}

extension TypedContentAccessors {
  /// The content if it is text; otherwise "". JSON Lines are returned as text that is formatted
  /// again. Raw bytes and a JSON string don't count as text. (TYP-01, JSN-20)
  public var text: String {
    switch entityForTypedContentAccessors?.content {
    case .text(let text): text
    case .json(let document) where document.hasLines: JSONLines.text(document)
    default: ""
    }
  }

  /// The members of a JSON object, including members with the value null; empty for any other
  /// content. (TYP-02)
  ///
  /// The dictionary is built at each call. To read parts of a large document, get a `JSONElement`
  /// from `typedContent()`, which does not copy the document.
  public var jsonDict: [String: JSONValue] { typedContent(ifNone: [:]) }

  /// The elements of a JSON array, in order; empty for any other content. (TYP-03)
  ///
  /// The array is built at each call. To read parts of a large document, get a `JSONElement` from
  /// `typedContent()`, which does not copy the document.
  public var jsonArray: [JSONValue] { typedContent(ifNone: []) }

  /// Returns the content, or a default if the content is missing or has another type. (TYP-04 to
  /// TYP-06)
  ///
  /// The default is evaluated only if it is needed (TYP-08). For the types in which content can be
  /// returned, see `Content.cast(to:)`.
  public func typedContent<Value>(ifNone defaultContent: @autoclosure () -> Value) -> Value {
    entityForTypedContentAccessors?.content.cast() ?? defaultContent()
  }

  /// Returns the content, or a default if the content is missing or has another type. The default
  /// may be nil. (TYP-07)
  public func typedContent<Value>(ifNone defaultContent: @autoclosure () -> Value?) -> Value? {
    entityForTypedContentAccessors?.content.cast() ?? defaultContent()
  }

  /// Returns the content as the type that the context expects. Returns nil if the content is
  /// missing or has another type. (TYP-09)
  public func typedContent<Value>() -> Value? { entityForTypedContentAccessors?.content.cast() }
}

extension Resource: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { latestData }
}

extension Entity: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { self }
}

extension RequestError: TypedContentAccessors {
  /// The entity of the response that caused the error. (JSN-06)
  public var entityForTypedContentAccessors: Entity? { entity }
}

extension TypedContentAccessors {
  /// Returns the content as a value of the given type: decoded from JSON, or the value that a
  /// transformer has made.
  ///
  /// For the types that can be decoded, see `JSONElement.decoded`. Text can be read only as a
  /// `String`, and bytes only as `[UInt8]`. Text and bytes are not parsed as JSON, because the
  /// content type has already determined how the body is parsed. A JSON document caches the decoded
  /// value, so reading it again as the same type costs nothing. The function may be called on any
  /// thread that may read the object.
  ///
  ///     let user = try resource.decoded(User.self)
  ///     let problem = try? error.decoded(Problem.self)
  ///
  /// - Throws: A `RequestError` whose cause is `wrongContent` with the coding path, or `custom`
  ///   with the error thrown by an `init(from:)`. If an `init(from:)` throws a `RequestError`, that
  ///   error is thrown unchanged. If a resource has no data but an error, its latest error is
  ///   thrown.
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

  /// Decodes the content of an entity of this resource. Errors contain the URL of the resource.
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
    error.method = readMethod
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
