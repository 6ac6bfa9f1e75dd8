/// Where limits are counted that processes share. Home thread only.
package protocol LimitSource: AnyObject {
  /// Which count a limit of that resource's requests is.
  ///
  /// - Parameter pattern: of the block that sets the limit.
  func key(of limit: RateLimit, for resource: Resource, pattern: String) -> LimitKey

  /// Somebody who asks for admissions of that count, in a line of its own.
  func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog
}

/// What limits have in common that count together: a name, or where requests go to, on whose behalf, and
/// which of them.
package struct LimitKey: Hashable, Sendable {
  /// As people are shown it.
  package let name: String
  /// A digest of who asks; empty if that is nobody in particular, or does not matter.
  package let identity: [UInt8]

  package init(name: String, identity: [UInt8] = []) {
    self.name = name
    self.identity = identity
  }

  package init(
    of limit: RateLimit, for resource: Resource, pattern: String, identity: () -> [UInt8]
  ) {
    if case .named(let name) = limit.scope {
      self.init(name: name)
    } else {
      let separator = pattern.isEmpty ? "" : " "
      self.init(name: resource.url.origin + separator + pattern, identity: identity())
    }
  }
}
