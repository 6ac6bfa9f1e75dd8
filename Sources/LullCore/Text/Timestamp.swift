/// A point in time, for properties of types that are decoded and encoded.
///
/// A timestamp is decoded from dates and times in the format of most APIs, such as
/// `2024-05-01T10:11:12.5+02:00` (RFC 3339; ISO 8601). Some of the components may be missing.
/// Without an offset, the time is in UTC. A number is decoded as Unix epoch seconds.
///
/// A timestamp is encoded as `2024-05-01T08:11:12.500Z`; a fraction of zero is left out. The
/// precision is at least milliseconds. A time outside the years 0 to 9999 is encoded as a number.
///
///     struct Note: Codable { var title: String, created: Timestamp }
public struct Timestamp: Sendable, Hashable, Comparable {
  /// The time in Unix epoch seconds, without leap seconds, as in `Entity.timestamp`.
  public var secondsSince1970: Double

  /// Creates a timestamp for any time, past or future.
  public init(secondsSince1970: Double) { self.secondsSince1970 = secondsSince1970 }

  /// Parses a date, or a date and time. Returns nil if the text is neither.
  public init?(_ text: String) {
    guard let moment = try? ISODate.parse(text.utf8) else { return nil }
    self.init(moment)
  }

  private init(_ moment: ISODate.Moment) {
    secondsSince1970 = Double(moment.seconds) + (moment.fraction ?? 0)
  }

  public static func < (one: Timestamp, other: Timestamp) -> Bool {
    one.secondsSince1970 < other.secondsSince1970
  }

  /// Whether the time can be written as text, with a year of four digits.
  private var isWritable: Bool {
    let range = CivilTime.writable
    return (Double(range.lowerBound)...Double(range.upperBound)).contains(secondsSince1970)
  }
}

extension Timestamp: CustomStringConvertible {
  public var description: String {
    guard isWritable else { return "\(secondsSince1970)" }
    let milliseconds = (secondsSince1970 * 1000).rounded()
    let isWhole = milliseconds.truncatingRemainder(dividingBy: 1000) == 0
    return ISODate.text(of: milliseconds / 1000, digits: isWhole ? 0 : 3)
  }
}

extension Timestamp: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Double.self) {
      self.init(secondsSince1970: seconds)
      return
    }
    let text = try container.decode(String.self)
    do throws(ISODate.Problem) {
      self.init(try ISODate.parse(text.utf8))
    } catch {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "'\(CodingPathText.shown(text))' is not a date: \(error.reason)")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if isWritable {
      try container.encode(description)
    } else {
      try container.encode(secondsSince1970)
    }
  }
}
