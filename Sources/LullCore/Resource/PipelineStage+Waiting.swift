extension PipelineStage {
  /// Adds a function that is given each response, success or failure alike, and says which one to go on
  /// with; it may wait.
  ///
  /// It runs on the home in a task of its own, once per response, never for a 304; cancelling the request
  /// cancels the task. A `RequestError` that it throws becomes the response, any other error a failure with
  /// that cause. It must not wait for the request whose response it is given. Lua:
  /// `stage:add_transformer(fn)`. (PIPE-17, AWT-09)
  ///
  ///     configuration.pipeline[.cleanup].add(description: "audit") { response in
  ///       try await audit.request("POST", text: response.description).entity()
  ///       return response
  ///     }
  ///
  /// - Parameter description: as logs and causes of errors name it.
  public mutating func add(
    description: String = "transformer of responses",
    _ transform: nonisolated(nonsending) @escaping (Response) async throws -> Response
  ) {
    add(WaitingResponseTransformer(description, transform))
  }
}
