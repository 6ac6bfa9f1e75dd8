/// Which schemas the answers of a service have, for those whose configuration says `validate`. Home thread.
package protocol AnswerSchemas: AnyObject {
  /// The schema of answers of that status; nil: nothing is said of them.
  ///
  /// - Parameter url: that of the request, without secrets.
  func schema(of method: RequestMethod, _ url: String, status: Int) -> (any AnswerSchema)?
  /// What answers are held against, in words, or that it is nothing.
  func explanation(of method: RequestMethod, _ url: String) -> (isNothing: Bool, text: String)
  /// Tells people of content that does not fit, once of what is wrong in the same way.
  func warn(_ misfits: [ContentMisfit], by schema: any AnswerSchema)
}

/// What content is held against. Any thread.
package protocol AnswerSchema: Sendable {
  /// Whose it is, in words: `call 'users/get'`.
  var owner: String { get }
  /// What does not fit, or why that cannot be told; empty: all does.
  func misfits(of content: JSONElement) -> [ContentMisfit]
}
