/// A set of cookies, shared by all exchanges whose options name the same jar. The networking stores
/// the cookies, and sends each cookie only to servers that its attributes allow.
///
/// A jar with a file starts with the cookies of the file. The file is rewritten when cookies
/// change.
public final class CookieJar: Sendable, Equatable {
  /// The path of a file in the Netscape format of curl and wget. nil: the cookies are lost with the
  /// jar.
  public let file: String?
  /// Stores the cookies of this jar outside the networking; nil if the networking stores the
  /// cookies.
  package let keeper: Keeper?

  /// Stores the cookies of one origin.
  package struct Keeper: Sendable {
    /// The only origin that receives and sets these cookies, whatever their attributes allow:
    /// scheme, host and port.
    package let origin: String
    /// The initial cookies, as lines in the Netscape format.
    package let lines: [ByteString]
    /// Receives all cookies when they change. Returns an error message, or nil on success.
    package let save: @Sendable ([ByteString]) -> String?

    package init(
      origin: String, lines: [ByteString], save: @escaping @Sendable ([ByteString]) -> String?
    ) {
      self.origin = origin
      self.lines = lines
      self.save = save
    }
  }

  /// Makes a jar. Nothing is read or written before a request uses it.
  public init(file: String? = nil) {
    self.file = file
    keeper = nil
  }

  package init(keptBy keeper: Keeper) {
    file = nil
    self.keeper = keeper
  }

  /// Jars with the same file are the same jar.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one === other || one.file != nil && one.file == other.file
  }
}
