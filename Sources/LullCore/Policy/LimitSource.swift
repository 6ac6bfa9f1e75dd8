/// Where limits are counted that processes share. Home thread only.
package protocol LimitSource: AnyObject {
  /// A digest of who asks, by what the requests carry; empty of nobody in particular. Looks variables and files
  /// up, so it is asked for seldom: see `KnownSenders`.
  func identity(of credentials: [(name: String, value: SecretText)]) -> [UInt8]

  /// Which server counts now, as `LimitKey` has it.
  var server: Int { get }

  /// Somebody who asks for admissions of that count, in a line of its own.
  func makeLog(of limit: RateLimit, _ key: LimitKey) -> any AdmissionLog
}

extension LimitSource {
  package var server: Int { 0 }
}
