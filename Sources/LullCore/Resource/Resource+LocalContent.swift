/// Local content by what it is. Each replaces the content as `overrideLocalContent(with:)` of a `Content` does:
/// observers get newData(localOverride) during the call, type and headers stay, the age is zero, loads in
/// flight go on, and nothing is sent. Home thread only. (OVR-07 to OVR-12, OVR-160)
/// Lua: `resource:override_local_content(x)`.
extension Resource {
  /// Replaces the content with JSON, as for an update of which the server has returned nothing.
  ///
  /// With a number that JSON does not have, such as NaN, the content is the value itself, which Swift reads
  /// alike: `jsonDict`, `typedContent()`. (OVR-161)
  public func overrideLocalContent(with json: JSONValue) {
    overrideLocalContent(with: Content(json: json))
  }

  /// Replaces the content with a JSON object, its members sorted by key; otherwise as above.
  ///
  ///     var content = user.jsonDict
  ///     content["name"] = "Ann"
  ///     user.overrideLocalContent(with: content)
  public func overrideLocalContent(with object: [String: JSONValue]) {
    overrideLocalContent(with: Content(json: JSONValue(sorting: object)))
  }

  /// Replaces the content with a JSON array; otherwise as above.
  public func overrideLocalContent(with array: [JSONValue]) {
    overrideLocalContent(with: Content(json: .array(array)))
  }

  /// Replaces the content with text; that of JSON is not parsed.
  public func overrideLocalContent(with text: String) {
    overrideLocalContent(with: Content.text(text))
  }

  /// Replaces the content with raw bytes, which nothing parses.
  // A literal of numbers is JSON.
  @_disfavoredOverload
  public func overrideLocalContent(with bytes: [UInt8]) {
    overrideLocalContent(with: Content.bytes(bytes))
  }

  /// Replaces the content with a value of the program's.
  ///
  /// If the content is a value of the same type, as a transformer has made it, the new value takes its place
  /// unchanged. Otherwise it is encoded as JSON, which `fresh` and `decoded` read. Text, bytes and JSON are
  /// what they are above. (OVR-160)
  ///
  ///     user.overrideLocalContent(with: User(id: 7, name: "Ann"))
  ///
  /// - Throws: A `RequestError` whose cause is `invalidJSONObject` with the coding path, or `custom` with
  ///   what its `encode(to:)` has thrown; the resource is unchanged then.
  @_disfavoredOverload
  public func overrideLocalContent(
    with value: some Encodable & Sendable
  ) throws(RequestError) {
    pump.checkThread()
    overrideLocalContent(with: try content(of: value))
  }

  private func content<Value: Encodable & Sendable>(
    of value: Value
  ) throws(RequestError) -> Content {
    switch value {
    case let text as String: return .text(text)
    case let bytes as [UInt8]: return .bytes(bytes)
    case let json as JSONValue: return Content(json: json)
    default: break
    }
    if case .value(let known)? = record.state.latestData?.content, known is Value {
      return .value(value)
    }
    do {
      return .json(try JSONDocument(encoding: value))
    } catch {
      throw RequestError(
        userMessage: "Cannot encode content", cause: RequestError.Cause(encoding: error),
        timestamp: pump.clock.now)
    }
  }
}

extension Content {
  /// JSON, or the value itself where it has no form as JSON text.
  fileprivate init(json: JSONValue) {
    do throws(JSONError) {
      self = .json(try JSONDocument(parsing: try json.encode()))
    } catch {
      self = .value(json)
    }
  }
}

extension JSONValue {
  /// The same in every process, as dictionaries are written. (COD-63)
  fileprivate init(sorting object: [String: JSONValue]) {
    self = .object(
      object.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { Member($0, $1) })
  }
}
