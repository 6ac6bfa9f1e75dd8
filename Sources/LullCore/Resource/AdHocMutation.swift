/// An edit of one request between configured headers and configured mutations; runs again when the
/// request is repeated (MUT-01, MUT-05, MUT-07).
package struct AdHocMutation {
  let edit: Resource.RequestMutation
  /// What of the host's it comes from; the host is told of each request it is for.
  let maker: AnyObject?

  package init(by maker: AnyObject? = nil, _ edit: @escaping Resource.RequestMutation) {
    self.maker = maker
    self.edit = edit
  }
}
