/// Answers that become files.
extension Resource {
  /// Asks for it with GET and writes what comes to a file, piece by piece; the resource's state stays as it
  /// is. (DWN-01 to DWN-18) Lua: `resource:download(path, { resume = true })`.
  ///
  /// Order of events: with the first attempt the place is looked for, and locked if it is to be resumed; the
  /// head of the answer says what comes; a success is written as it arrives and takes its name, and the place
  /// of a file that is there, when all of it is. The entity then has the path as its content, and no
  /// transformer or cache sees it. An error comes as of any other request, and what there was stays. No
  /// timeout bounds it, silence does. Fails with `fileUnavailable` if it cannot be written, or somebody else
  /// is downloading to the same part. Home thread only.
  ///
  /// - Parameters:
  ///   - path: a file, or a folder in which it is called as the server says in `Content-Disposition`, else
  ///     as the URL ends; there it replaces nothing.
  ///   - resume: whether what has come stays beside it as `NAME.part` if the request or the process ends
  ///     early, and the next download to that path goes on with it, as long as it is still the same file.
  ///   - requestMutation: edits the request; runs again when it is repeated.
  @discardableResult
  public func download(
    to path: String, resume: Bool = false, requestMutation: RequestMutation? = nil
  ) -> Request {
    download(to: ByteString(path), resume: resume, adHoc: requestMutation.map { AdHocMutation($0) })
  }

  /// The same with a path that need not be text, and a mutation that may be of the host's.
  package func download(to path: ByteString, resume: Bool, adHoc mutation: AdHocMutation?)
    -> Request
  {
    let edit = AdHocMutation(by: mutation?.maker) {
      (http: inout HTTPRequest) throws(RequestError) in
      // What is written is what is there, byte by byte.
      http.headers["accept-encoding"] = "identity"
      http.receive(into: Download(to: .file(path, allowsFolder: true), resumes: resume))
      try mutation?.edit(&http)
    }
    return prepared(.get, adHoc: edit).start()
  }
}
