package import LullCore

/// The readers of script arguments. Each has access only to the parts of the host that it needs.
package struct ScriptReading {
  package let options: OptionReader
  package let headers: HeaderReader
  package let json: JSONReader
  let bodies: RequestBodyReader
  let multipart: MultipartReader
  package let answers: NetworkAnswerReader
  let credentials: CredentialReader
  let fields: ContentFields

  init(_ handles: ObjectHandles, _ permissions: Permissions, _ sources: ChunkSources) {
    let bridge = handles.bridge
    options = OptionReader(permissions, sources)
    headers = HeaderReader(handles)
    json = JSONReader(bridge, handles)
    bodies = RequestBodyReader(handles, options, json)
    multipart = MultipartReader(handles, options)
    answers = NetworkAnswerReader(handles, options, headers, json)
    credentials = CredentialReader(handles, permissions, options)
    fields = ContentFields(bridge)
  }

  /// Reads the fields of a body from a table. Returns nil if the table has none of them.
  package func optionalBody(
    table: Int32, in state: OpaquePointer?
  ) throws(Misuse) -> Result<RequestBody, RequestBodyFailure>? {
    try bodies.optionalBody(table: table, in: state)
  }
}
