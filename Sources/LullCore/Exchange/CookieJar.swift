/// Which exchanges share their cookies: those whose options name the same jar. The network keeps
/// what is in it, and sends a cookie only where the server that set it allows.
///
/// A jar with a file starts with what is in the file, which is written again when cookies change.
public final class CookieJar: Sendable, Equatable {
  /// In the Netscape format, as curl and wget know it; nil: the cookies end with the jar.
  public let file: String?
  /// Of a jar whose cookies somebody else keeps.
  package let keeper: Keeper?

  /// Who keeps the cookies of one origin.
  package struct Keeper: Sendable {
    /// The only one that sees them and sets them, whatever a cookie allows: scheme, host and port.
    package let origin: String
    /// Those there are at first: lines of the Netscape format.
    package let lines: [ByteString]
    /// Gets all of them when they change; what went wrong, in words, nil if nothing did.
    package let save: @Sendable ([ByteString]) -> String?

    package init(
      origin: String, lines: [ByteString], save: @escaping @Sendable ([ByteString]) -> String?
    ) {
      self.origin = origin
      self.lines = lines
      self.save = save
    }
  }

  /// Nothing is read or written before a request uses it.
  public init(file: String? = nil) {
    self.file = file
    keeper = nil
  }

  package init(keptBy keeper: Keeper) {
    file = nil
    self.keeper = keeper
  }

  /// Jars of the same file are the same jar.
  public static func == (one: CookieJar, other: CookieJar) -> Bool {
    one === other || one.file != nil && one.file == other.file
  }
}
