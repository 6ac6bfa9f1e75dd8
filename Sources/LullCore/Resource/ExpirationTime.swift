/// For how long data counts as up to date.
public enum ExpirationTime:
  Sendable, Equatable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral
{
  /// For that many seconds from its timestamp on, whatever its headers say. (LOAD-20)
  case seconds(Double)
  /// For as long as the answer itself says. (AGE-01; RFC 9111, section 4.2)
  case http

  public init(floatLiteral value: Double) { self = .seconds(value) }

  public init(integerLiteral value: Int) { self = .seconds(Double(value)) }

  /// For people.
  package var words: String {
    switch self {
    case .seconds(let seconds): "\(seconds) s"
    case .http: "as answers say"
    }
  }
}
