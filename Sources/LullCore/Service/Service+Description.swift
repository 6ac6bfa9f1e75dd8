extension Service: CustomStringConvertible {
  /// Its type, its name and its base URL without credentials: `Service shop at https://api.test/v1/`.
  /// (SWF-160)
  ///
  /// Says nothing of its resources, and asks nothing. Home thread only. Lua: `tostring(service)` is shorter.
  public final var description: String {
    let place = baseURL.map { "at \(LogText.url($0.text))" } ?? "without a base URL"
    return "\(type(of: self)) " + (name.map { "\($0) " } ?? "") + place
  }
}
