/// Requests whose outcome is settled from the start, and those with logic of their own: for decorators, and
/// wherever a request is wanted that no resource makes. They belong to no resource, but to the pump that
/// this thread works for: inside `Lull.run`, or where a `Pump` has been made, which a test does. Anywhere
/// else making one is a programming error, and ends the program.
extension Resource {
  /// A request that has failed with `error`, without network or pipeline. Its hooks run on a later
  /// turn, `progress` is 1, cancelling does nothing. (HW-01, HW-03 to HW-07)
  /// Lua: `lull.failed_request(error)`.
  public static func failedRequest(returning error: RequestError) -> Request {
    hardWiredRequest(returning: .failure(error))
  }

  /// A request that has ended with `response`, otherwise as above. (HW-02)
  /// Lua: `lull.hard_wired_request(response)`.
  public static func hardWiredRequest(returning response: Response) -> Request {
    FixedRequest(response, pump: Pump.ofThread(for: "Resource.hardWiredRequest(returning:)"))
  }

  /// A request whose work `delegate` does; not started (DEL-01). Lua: `lull.custom_request{…}`.
  public static func prepareRequest(using delegate: any RequestDelegate) -> Request {
    CustomRequest(
      delegate: delegate, pump: Pump.ofThread(for: "Resource.prepareRequest(using:)"))
  }
}
