/// Requests with a body, by what the body is. All of them send what `request(_:body:requestMutation:)` sends,
/// at once, and leave the resource's state alone.
extension Resource {
  /// Sends these very bytes under this content type. (REQ-06)
  /// Lua: `resource:request(method, { data = s, content_type = t })`.
  @discardableResult
  public func request(
    _ method: RequestMethod, data: [UInt8], contentType: String,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .data(data, contentType: contentType), requestMutation: requestMutation)
  }

  /// Sends text in an encoding, any name iconv knows, which is named in the content type. Text that
  /// the encoding cannot represent makes a request that has failed already, with the cause
  /// `unencodableText`. (REQ-07 to REQ-09) Lua: `{ text = s, encoding = e }`.
  @discardableResult
  public func request(
    _ method: RequestMethod, text: String, contentType: String = "text/plain",
    encoding: String = "utf-8",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(
      method, body: .text(text, contentType: contentType, encoding: encoding),
      requestMutation: requestMutation)
  }

  /// Sends a JSON value as compact JSON. A number JSON does not have makes a request that has failed
  /// already, with the cause `invalidJSONObject`. (REQ-10 to REQ-14) Lua: `{ json = v }`.
  ///
  ///     notes.request("POST", json: ["title": "Tea", "tags": ["shop", 1], "due": .null])
  @discardableResult
  public func request(
    _ method: RequestMethod, json: JSONValue, contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in json }
  }

  /// Sends a dictionary of plain Swift values as a JSON object. Anything among them that is no JSON
  /// makes a request that has failed already, with the cause `invalidJSONObject`. (REQ-10 to REQ-14)
  // A literal that can be a `JSONValue` is one: there nested literals may mix types.
  @_disfavoredOverload
  @discardableResult
  public func request(
    _ method: RequestMethod, json: [String: Any], contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in
      try JSONValue(converting: json)
    }
  }

  /// Sends an array of plain Swift values as a JSON array, otherwise as above.
  @_disfavoredOverload
  @discardableResult
  public func request(
    _ method: RequestMethod, json: [Any], contentType: String = "application/json",
    requestMutation: RequestMutation? = nil
  ) -> Request {
    send(method, contentType, requestMutation) { () throws(JSONError) in
      try JSONValue(converting: json)
    }
  }

  /// Sends a value of the program's as compact JSON, as `RequestBody.json(encoding:)` makes it. What cannot
  /// be encoded makes a request that has failed already, with the cause `invalidJSONObject` and the coding
  /// path, or `custom` with what its `encode(to:)` has thrown.
  ///
  ///     notes.request("POST", encoding: Note(title: "Tea"))
  @discardableResult
  public func request(
    _ method: RequestMethod, encoding value: some Encodable,
    contentType: String = "application/json", requestMutation: RequestMutation? = nil
  ) -> Request {
    do {
      let body = try RequestBody.json(encoding: value, contentType: contentType)
      return request(method, body: body, requestMutation: requestMutation)
    } catch {
      return failedBeforeSending(RequestError.Cause(encoding: error), method: method)
    }
  }

  /// Sends a form: pairs escaped and sorted. (REQ-15 to REQ-20) Lua: `{ form = { name = value } }`.
  @discardableResult
  public func request(
    _ method: RequestMethod, urlEncoded params: [String: String],
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(
      method, body: .form(params.map { (name: $0.key, value: $0.value) }),
      requestMutation: requestMutation)
  }

  /// Sends a file, read from the disk while it goes out, under the type it brings. A file that cannot be
  /// read makes a request that has failed already, with the cause `fileUnavailable`; one that changes
  /// before it has gone out fails it with `fileChanged`. No timeout bounds it, silence does. (BODY-01 to
  /// BODY-08) Lua: `resource:put(lull.file(path))`.
  @discardableResult
  public func request(
    _ method: RequestMethod, file: UploadFile,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .file(file), requestMutation: requestMutation)
  }

  /// Sends a form whose values may be files, as `multipart/form-data`; those are treated as above.
  /// (BODY-10 to BODY-13) Lua: `resource:post(lull.multipart{ … })`.
  @discardableResult
  public func request(
    _ method: RequestMethod, multipart form: MultipartForm,
    requestMutation: RequestMutation? = nil
  ) -> Request {
    request(method, body: .multipart(form), requestMutation: requestMutation)
  }

  private func send(
    _ method: RequestMethod, _ contentType: String,
    _ requestMutation: RequestMutation?,
    _ value: () throws(JSONError) -> JSONValue
  ) -> Request {
    do throws(JSONError) {
      let body = RequestBody.json(try value().encode(), contentType: contentType)
      return request(method, body: body, requestMutation: requestMutation)
    } catch {
      return failedBeforeSending(.invalidJSONObject(path: error.description), method: method)
    }
  }
}
