/// A credential by where it comes from. It becomes text in the transport only, just before sending.
///
/// Everything else sees `mask`. Reads nothing by itself: neither environment nor file nor command.
/// Lua: `lull.secret{…}`.
public final class Secret: Sendable, Hashable {
  /// Where a credential is looked up, each time that it is sent.
  public enum Source: Sendable, Hashable {
    /// A variable of the process's environment.
    case environment(String)
    /// A file, `~/` being the home folder; one line break at its end does not count.
    case file(String)
    /// A program and its arguments.
    case command([String])
    /// A line for `/bin/sh`.
    case shell(String)
    /// The text itself, as tests have it.
    case literal(String)
  }

  /// What stands in its mask.
  public let name: String
  /// Looked up by the transport alone.
  public let source: Source
  /// Where it may be sent besides the origin of the service that uses it, as `https://host:port`.
  public let origins: [String]

  /// What it stands for, where a text stands in its place since it is only looked at.
  package let meant: Source?

  /// Without a name it is called after its source.
  public init(_ source: Source, name: String? = nil, origins: [String] = []) {
    self.source = source
    self.origins = origins
    self.name = Secret.shown(name ?? Secret.name(of: source))
    meant = nil
  }

  /// One in the place of another, which nobody is to look up.
  package init(standingFor meant: Source, literal: String, name: String, origins: [String] = []) {
    source = .literal(literal)
    self.origins = origins
    self.name = Secret.shown(name)
    self.meant = meant
  }

  /// What is seen in its place: `‹secret NAME›`.
  public var mask: String { "‹secret \(name)›" }

  public static func == (left: Secret, right: Secret) -> Bool {
    left === right
      || left.source == right.source && left.name == right.name && left.origins == right.origins
        && left.meant == right.meant
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(meant)
    hasher.combine(origins)
  }

  private static func name(of source: Source) -> String {
    switch source {
    case .environment(let name): name
    case .file(let path): path.split(separator: "/").last.map(String.init) ?? path
    case .command(let words): words.first ?? ""
    case .shell(let line): line.split(separator: " ").first.map(String.init) ?? ""
    case .literal: "literal"
    }
  }

  /// Short, on one line, and without what ends a mask.
  private static func shown(_ name: String) -> String {
    let text = name.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F || scalar == "‹" || scalar == "›"
        ? " " : Character(scalar)
    }
    return String(text.prefix(60))
  }
}

/// The digest of what is secret, or of anything with a secret key, made when that is known: a signature.
package struct SecretDigest: Sendable, Hashable {
  package enum Input: Sendable, Hashable {
    case bytes([UInt8])
    case secret(SecretText)
  }

  package let kind: Digest
  /// nil of a plain digest.
  package let key: Input?
  package let message: Input
  /// Whether it is the bytes themselves, else hexadecimal digits.
  package let isRaw: Bool

  package init(_ kind: Digest, key: Input? = nil, _ message: Input, isRaw: Bool) {
    self.kind = kind
    self.key = key
    self.message = message
    self.isRaw = isRaw
  }

  /// What of it is secret: the key first.
  package var texts: [SecretText] {
    [key, message].compactMap { input in
      if case .secret(let text)? = input { text } else { nil }
    }
  }
}

/// Digests there are names for; the transport makes them.
package enum Digest: String, CaseIterable, Sendable {
  case md5, sha1, sha224, sha256, sha384, sha512
  case sha512of256 = "sha512-256"
}
