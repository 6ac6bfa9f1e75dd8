/// What limits have in common that count together: a name, or where requests go to, on whose behalf, and
/// which of them.
package struct LimitKey: Hashable, Sendable {
  /// As people are shown it.
  package let name: String
  /// A digest of who asks; empty if that is nobody in particular, or does not matter.
  package let identity: [UInt8]
  /// Which server counts, as whoever names it numbers them; 0: this machine does.
  package var server = 0

  package init(name: String, identity: [UInt8] = []) {
    self.name = name
    self.identity = identity
  }

  /// - Parameters:
  ///   - environment: that of the service, which counts alone.
  ///   - pattern: of the block that sets the limit.
  ///   - identity: asked for where it matters only.
  package init(
    of limit: RateLimit, origin: String, environment: String? = nil, pattern: String,
    identity: () -> [UInt8]
  ) {
    if case .named(let name) = limit.scope {
      self.init(name: EnvironmentMark.marked(name, in: environment))
    } else {
      // The identity has the environment, too, whatever patterns are called.
      let place = environment.map { " @\($0)" } ?? ""
      self.init(
        name: origin + place + (pattern.isEmpty ? "" : " ") + pattern, identity: identity())
    }
  }
}
