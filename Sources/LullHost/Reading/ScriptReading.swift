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
}
