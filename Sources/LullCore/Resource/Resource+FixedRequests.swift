/// Requests whose outcome is settled from the start: for decorators, and wherever a request is wanted
/// and the answer is known.
extension Resource {
  /// A request that has failed with `error`, without network or pipeline. Its hooks run on a later
  /// turn, `progress` is 1, cancelling does nothing. (HW-01, HW-03 to HW-07)
  /// Lua: `lull.failed_request(error)`.
  public func failedRequest(returning error: RequestError) -> Request {
    hardWiredRequest(returning: .failure(error))
  }

  /// A request that has ended with `response`, otherwise as above. It belongs to no resource: this one
  /// only says on which thread it lives. (HW-02) Lua: `lull.hard_wired_request(response)`.
  public func hardWiredRequest(returning response: Response) -> Request {
    FixedRequest(response, pump: pump)
  }
}
