/// Reading content as the type one expects: the same words for the data of a resource, an entity, and
/// the body that came with an error. (TYP-01 to TYP-10)
///
/// Content of another type reads as if there were none; nothing here fails. Any thread that may read
/// the object itself. Lua: `text`, `json_dict`, `json_array`, `typed_content` of `Resource`, `Entity`
/// and `RequestError`.
///
///     let user = api.resource("/users/1")
///     print(user.jsonDict["name"]?.string ?? "unknown")
///     let model: User? = user.typedContent()
public protocol TypedContentAccessors {
  /// Whose content the accessors read; nil where there is nothing at all.
  var entityForTypedContentAccessors: Entity? { get }
}

extension TypedContentAccessors {
  /// The text; "" unless the content is text, or came as lines of JSON, which are written anew. Raw bytes
  /// are none, nor is a JSON string. (TYP-01, JSN-20)
  public var text: String {
    switch entityForTypedContentAccessors?.content {
    case .text(let text): text
    case .json(let document) where document.hasLines: JSONLines.text(document)
    default: ""
    }
  }

  /// The members of a JSON object, null among them; empty unless the content is one. (TYP-02)
  ///
  /// Built anew at each call: of a large document read what you need through `typedContent()` as a
  /// `JSONElement`, which builds nothing.
  public var jsonDict: [String: JSONValue] { typedContent(ifNone: [:]) }

  /// The elements of a JSON array, in order; empty unless the content is one. (TYP-03)
  ///
  /// Built anew at each call, see `jsonDict`.
  public var jsonArray: [JSONValue] { typedContent(ifNone: []) }

  /// The content, or a default if there is none or it is of another type. (TYP-04 to TYP-06)
  ///
  /// The default is evaluated only when it is needed (TYP-08). What counts as of that type:
  /// `Content.cast(to:)`.
  public func typedContent<Value>(ifNone defaultContent: @autoclosure () -> Value) -> Value {
    entityForTypedContentAccessors?.content.cast() ?? defaultContent()
  }

  /// The same with a default that may be nil. (TYP-07)
  public func typedContent<Value>(ifNone defaultContent: @autoclosure () -> Value?) -> Value? {
    entityForTypedContentAccessors?.content.cast() ?? defaultContent()
  }

  /// The content as the type the context asks for; nil if there is none or it is of another type.
  /// (TYP-09)
  public func typedContent<Value>() -> Value? { entityForTypedContentAccessors?.content.cast() }
}

extension Resource: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { latestData }
}

extension Entity: TypedContentAccessors {
  public var entityForTypedContentAccessors: Entity? { self }
}

extension RequestError: TypedContentAccessors {
  /// What came with the error. (JSN-06)
  public var entityForTypedContentAccessors: Entity? { entity }
}

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
