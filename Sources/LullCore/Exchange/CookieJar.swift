/// Which exchanges share their cookies: those whose options name the same jar. The network keeps
/// what is in it, and sends a cookie only where the server that set it allows.
///
/// A jar with a file starts with what is in the file, which is written again when cookies change.
public final class CookieJar: Sendable, Equatable {
  /// In the Netscape format, as curl and wget know it; nil: the cookies end with the jar.
  public let file: String?

  public init(file: String? = nil) {
    self.file = file
  }

  /// Jars of the same file are the same jar.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one === other || one.file != nil && one.file == other.file
  }
}
