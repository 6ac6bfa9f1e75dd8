/// A set of cookies. All exchanges whose options contain this jar share its cookies. The networking
/// stores the cookies, and sends each cookie only to servers that the attributes of the cookie
/// allow.
///
/// If the jar has a file, it starts with the cookies in the file. The file is rewritten when
/// cookies change.
public final class CookieJar: Sendable, Equatable {
  /// The path of a file in the Netscape format of curl and wget. If nil, the cookies exist only in
  /// memory and are lost when the jar is released.
  public let file: String?
  /// Stores the cookies of this jar instead of the networking; nil if the networking stores them.
  package let keeper: Keeper?

  /// Stores the cookies of one origin.
  package struct Keeper: Sendable {
    /// The only origin (scheme, host and port) that receives and sets these cookies. The attributes
    /// of a cookie can't allow other origins.
    package let origin: String
    /// The initial cookies, as lines in the Netscape format.
    package let lines: [ByteString]
    /// Saves all cookies. Called when cookies change. Returns an error message, or nil on success.
    package let save: @Sendable ([ByteString]) -> String?

    package init(
      origin: String, lines: [ByteString], save: @escaping @Sendable ([ByteString]) -> String?
    ) {
      self.origin = origin
      self.lines = lines
      self.save = save
    }
  }

  /// Makes a jar. The file is not read or written before a request uses the jar.
  public init(file: String? = nil) {
    self.file = file
    keeper = nil
  }

  package init(keptBy keeper: Keeper) {
    file = nil
    self.keeper = keeper
  }

  /// Whether both jars are the same jar. Jars with the same file count as the same jar.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one === other || one.file != nil && one.file == other.file
  }
}
