/// A reference to a credential. Only the transport reads the credential, just before sending it.
///
/// All other code sees only `mask`. The `Secret` object itself reads no environment variables and
/// no files, and runs no commands. Lua: `lull.secret{…}`.
public final class Secret: Sendable, Hashable {
  /// The source of a credential. It is read each time the credential is sent.
  public enum Source: Sendable, Hashable {
    /// An environment variable of the process.
    case environment(String)
    /// The path of a file that contains the credential. `~/` is the home folder. One line break at
    /// the end of the file is ignored.
    case file(String)
    /// A program and its arguments, whose output is the credential.
    case command([String])
    /// A command line for `/bin/sh`, whose output is the credential.
    case shell(String)
    /// The credential itself as text, for example in tests.
    case literal(String)
  }

  /// The name of the secret, which `mask` contains.
  public let name: String
  /// The source of the credential. Only the transport reads from it.
  public let source: Source
  /// The origins to which the credential may be sent, as `https://host:port`. The origin of the
  /// service that uses the secret is always allowed too.
  public let origins: [String]

  /// The real source, if the secret was created for an inspection; otherwise nil. During an
  /// inspection, `source` is a placeholder.
  package let meant: Source?

  /// Creates a secret. If `name` is nil, the name is derived from the source.
  public init(_ source: Source, name: String? = nil, origins: [String] = []) {
    self.source = source
    self.origins = origins
    self.name = Secret.shown(name ?? Secret.name(of: source))
    meant = nil
  }

  /// Creates a secret for an inspection. The text `literal` is used as a placeholder for the real
  /// source `meant`, which must not be read.
  package init(standingFor meant: Source, literal: String, name: String, origins: [String] = []) {
    source = .literal(literal)
    self.origins = origins
    self.name = Secret.shown(name)
    self.meant = meant
  }

  /// The text that is shown instead of the credential: `‹secret NAME›`.
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

  /// Returns the name in the form used in a mask: at most 60 characters, on one line, without the
  /// characters that delimit a mask.
  private static func shown(_ name: String) -> String {
    let text = name.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar.value == 0x7F || scalar == "‹" || scalar == "›"
        ? " " : Character(scalar)
    }
    return String(text.prefix(60))
  }
}

/// A digest of a secret text, or a signature of a text with a secret key. The digest is computed
/// when the secret is read.
package struct SecretDigest: Sendable, Hashable {
  package enum Input: Sendable, Hashable {
    case bytes([UInt8])
    case secret(SecretText)
  }

  package let kind: Digest
  /// The secret key of a signature; nil for a digest without a key.
  package let key: Input?
  package let message: Input
  /// Whether the result is raw bytes. If false, the result is hexadecimal digits.
  package let isRaw: Bool

  package init(_ kind: Digest, key: Input? = nil, _ message: Input, isRaw: Bool) {
    self.kind = kind
    self.key = key
    self.message = message
    self.isRaw = isRaw
  }

  /// The inputs of the digest that contain secrets. The key comes first.
  package var texts: [SecretText] {
    [key, message].compactMap { input in
      if case .secret(let text)? = input { text } else { nil }
    }
  }
}

/// The digest algorithms. The transport computes them.
package enum Digest: String, CaseIterable, Sendable {
  case md5, sha1, sha224, sha256, sha384, sha512
  case sha512of256 = "sha512-256"
}
