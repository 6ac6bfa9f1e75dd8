import LullCore
import LullLibC

/// The texts of secrets on one home thread, read from their sources when a request needs them.
///
/// Files are read and commands are run in the thread pool. Each source is read once for all waiting
/// requests and for the rest of the process. A source that failed is tried again by the next
/// request. Environment variables are read each time.
final class SecretStore {
  let pump: Pump
  private var texts: [Secret: [UInt8]] = [:]
  private var waiting: [Secret: [(id: Int, resume: (TransportError?) -> Void)]] = [:]
  private var running: [Secret: SecretCommand] = [:]
  private var nextID = 0
  /// Returns the secret text for a literal in the program. If this function is nil, the literal
  /// itself is the secret text.
  var literal: ((String) -> String)?
  private var isClosed = false

  init(pump: Pump) {
    self.pump = pump
  }

  /// Returns the secret's text if it is available immediately, or nil if it must be fetched.
  func text(of secret: Secret) throws(TransportError) -> [UInt8]? {
    switch secret.source {
    case .literal(let text): return Array((literal?(text) ?? text).utf8)
    case .environment(let name):
      // Copied before other code can change the environment.
      let text = getenv(name).map { ByteString(cString: $0) } ?? ""
      guard !text.bytes.isEmpty else {
        let state = getenv(name) == nil ? "not set" : "empty"
        throw SecretStore.unavailable(
          secret, "the environment variable \(name) is \(state); export it before the script runs")
      }
      guard text.text != nil else {
        throw SecretStore.unavailable(
          secret, "the environment variable \(name) is not UTF-8")
      }
      return text.bytes
    case .file, .command, .shell: return texts[secret]
    }
  }

  /// Fetches the missing texts of secrets, one after the other, and then calls `finish`. Returns a
  /// function that prevents the call of `finish`.
  ///
  /// If no text is missing, `finish` is called inside this call.
  func fetch(_ secrets: [Secret], then finish: @escaping (TransportError?) -> Void) -> () -> Void {
    let fetch = Fetch(secrets, finish)
    next(fetch)
    return { fetch.isOver = true }
  }

  private final class Fetch {
    var rest: [Secret]
    let finish: (TransportError?) -> Void
    var isOver = false

    init(_ secrets: [Secret], _ finish: @escaping (TransportError?) -> Void) {
      rest = secrets.reversed()
      self.finish = finish
    }
  }

  private func next(_ fetch: Fetch) {
    guard !fetch.isOver else { return }
    do throws(TransportError) {
      while let secret = fetch.rest.popLast() {
        guard try text(of: secret) == nil else { continue }
        join(secret) { [self] (error: TransportError?) in
          guard !fetch.isOver else { return }
          guard let error else { return next(fetch) }
          fetch.isOver = true
          fetch.finish(error)
        }
        return
      }
    } catch {
      fetch.isOver = true
      return fetch.finish(error)
    }
    fetch.isOver = true
    fetch.finish(nil)
  }

  /// Waits for the running fetch of the secret's source. If no fetch is running, starts a fetch.
  private func join(_ secret: Secret, _ resume: @escaping (TransportError?) -> Void) {
    nextID += 1
    waiting[secret, default: []].append((nextID, resume))
    guard waiting[secret]?.count == 1 else { return }
    switch secret.source {
    case .file(let path):
      pump.offload({ SecretFile.read(path) }, then: { [weak self] in self?.ended(secret, $0) })
    case .command(let words):
      run(SecretCommand(words), for: secret)
    case .shell(let line):
      run(SecretCommand(["/bin/sh", "-c", line]), for: secret)
    case .environment, .literal:
      ended(secret, .failure(SecretProblem("it does not exist")))
    }
  }

  private func run(_ command: SecretCommand, for secret: Secret) {
    running[secret] = command
    pump.offload({ command.run() }, then: { [weak self] in self?.ended(secret, $0) })
  }

  private func ended(_ secret: Secret, _ result: Result<[UInt8], SecretProblem>) {
    running[secret] = nil
    guard let waiting = waiting.removeValue(forKey: secret), !isClosed else { return }
    var error: TransportError?
    switch result {
    case .success(let text) where !text.withUnsafeBufferPointer({ UTF8Validation.isValid($0) }):
      error = SecretStore.unavailable(secret, "it is not UTF-8")
    case .success(let text): texts[secret] = text
    case .failure(let problem): error = SecretStore.unavailable(secret, problem.text)
    }
    for (_, resume) in waiting { resume(error) }
  }

  /// Ends running commands. No callbacks are called after this.
  func close() {
    isClosed = true
    waiting = [:]
    for command in running.values { command.cancel() }
    running = [:]
    texts = [:]
  }

  static func unavailable(_ secret: Secret, _ reason: String) -> TransportError {
    TransportError(.secretUnavailable, "\(secret.mask) is not available: \(reason)")
  }
}

/// The reason why a source returned no secret. The text contains nothing of the source's content.
struct SecretProblem: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

/// Inserts the texts of secrets into requests. The results contain secret texts and must not be
/// stored.
extension SecretStore {
  /// Returns all secrets of a request, each once, in order.
  ///
  /// - Parameter isSent: If true, secrets that only sign the request are omitted, because they are
  ///   not sent.
  static func secrets(of request: HTTPRequest, isSent: Bool = false) -> [Secret] {
    var secrets: [Secret] = []
    for (secret, place) in request.secretPlaces
    where !secrets.contains(secret) && !(isSent && place == HTTPRequest.signaturePlace) {
      secrets.append(secret)
    }
    return secrets
  }

  /// Returns the request with the texts of its secrets in place of their masks, and with its
  /// signature. Throws if a text is missing, or not valid in a header.
  func resolved(_ request: HTTPRequest) throws(TransportError) -> HTTPRequest {
    var wire = request
    wire.secrets = nil
    if let template = request.secretURL {
      wire.url = String(decoding: try bytes(of: template), as: UTF8.self)
    }
    if let template = request.secretBody { wire.body = try bytes(of: template) }
    if case .streamed(let body)? = request.payload, !body.secretTexts.isEmpty {
      wire.payload = .streamed(
        try body.resolved { text throws(TransportError) in try bytes(of: text) })
    }
    wire.headers = try request.headers.resolved { name, text throws(TransportError) in
      let bytes = try bytes(of: text)
      if let problem = Headers.valueProblem(bytes) {
        throw TransportError(
          .secretUnavailable,
          "\(text.masked) cannot be sent in the header '\(name)': its value \(problem)")
      }
      return bytes
    }
    if let signature = request.secrets?.signature {
      try signature.sign(&wire, at: pump.clock.now) { text throws(TransportError) in
        try bytes(of: text)
      }
    }
    return wire
  }

  private func bytes(of template: SecretTemplate) throws(TransportError) -> [UInt8] {
    var result: [UInt8] = []
    for piece in template.pieces {
      switch piece {
      case .literal(let bytes): result += bytes
      case .value(let text, let escaping): result += escaping.escaped(try bytes(of: text))
      }
    }
    return result
  }

  func bytes(of text: SecretText) throws(TransportError) -> [UInt8] {
    var result: [UInt8] = []
    for piece in text.pieces {
      switch piece {
      case .literal(let text): result += (literal?(text) ?? text).utf8
      case .base64(let inner): result += Base64.encode(try bytes(of: inner))
      case .escaped(let inner): result += SecretEscaping.form.escaped(try bytes(of: inner))
      case .digest(let digest): result += try bytes(of: digest)
      case .secret(let secret):
        guard let bytes = try self.text(of: secret) else {
          throw SecretStore.unavailable(secret, "it was not read")
        }
        result += bytes
      }
    }
    return result
  }

  private func bytes(of digest: SecretDigest) throws(TransportError) -> [UInt8] {
    let message = try bytes(of: digest.message)
    let key = try digest.key.map { key throws(TransportError) in try bytes(of: key) }
    let made = message.withUnsafeBufferPointer { message in
      guard let key else { return digest.kind.of(message) }
      return key.withUnsafeBufferPointer { digest.kind.hmac(key: $0, message) }
    }
    guard let made else {
      throw TransportError(
        .secretUnavailable, "\(digest.kind.rawValue) is not available: it needs libcrypto.so.3")
    }
    return digest.isRaw ? made : Array(Hexadecimal.text(made).utf8)
  }

  private func bytes(of input: SecretDigest.Input) throws(TransportError) -> [UInt8] {
    switch input {
    case .bytes(let bytes): bytes
    case .secret(let text): try bytes(of: text)
    }
  }

  /// The error for a request whose timeout passed while it waited for secrets.
  func lateness(of secrets: [Secret], _ limits: TransferLimits) -> TransportError {
    let missing = secrets.first { secret in ((try? text(of: secret)) ?? nil) == nil }
    return TransportError(
      .timeout,
      "\(missing?.mask ?? "a secret") was not available within \(LogText.seconds(limits.timeout))")
  }

  /// Returns a search that finds the texts of the `known` secrets. Secrets whose texts are not
  /// available are omitted.
  func search(for known: [KnownSecret]) -> SecretSearch {
    var search = SecretSearch()
    for known in known {
      guard let bytes = try? bytes(of: known.text) else { continue }
      search.add(known.secret, bytes)
    }
    return search
  }

  /// Masks secrets in an error that may contain text from the network.
  func masked(_ error: TransportError, _ known: [KnownSecret]) -> TransportError {
    var error = error
    error.message = search(for: known).masked(error.message)
    return error
  }
}

/// A credential in the form in which a server receives it: a secret, or a text derived from a
/// secret.
struct KnownSecret {
  /// The secret whose mask is shown in place of the credential. The credential is bound to its
  /// origins.
  let secret: Secret
  let text: SecretText

  /// Returns all credentials of a request.
  static func all(of request: HTTPRequest) -> [KnownSecret] {
    request.secretTexts.flatMap { all(in: $0) }
  }

  private static func all(in text: SecretText) -> [KnownSecret] {
    text.pieces.flatMap { piece -> [KnownSecret] in
      switch piece {
      case .literal: return []
      case .secret(let secret): return [KnownSecret(secret: secret, text: SecretText(secret))]
      // The search decodes escapes itself.
      case .escaped(let inner): return all(in: inner)
      case .base64(let inner): return made(piece, of: all(in: inner))
      case .digest(let digest): return made(piece, of: digest.texts.flatMap { all(in: $0) })
      }
    }
  }

  /// Returns the credential that is derived from several secrets, followed by these secrets. The
  /// derived credential reveals all these secrets, so it is bound only to the origins to which
  /// every one of them is bound.
  private static func made(_ piece: SecretText.Piece, of parts: [KnownSecret]) -> [KnownSecret] {
    guard let first = parts.first?.secret else { return [] }
    let origins = first.origins.filter { origin in
      parts.allSatisfy { $0.secret.origins.contains(origin) }
    }
    let whole = Secret(first.source, name: first.name, origins: origins)
    return [KnownSecret(secret: whole, text: SecretText([piece]))] + parts
  }
}

/// A secret text that a request has sent to a server, with the mask to show in its place. Code that
/// records requests uses this to mask their secrets.
package struct ToldSecret: Sendable {
  package let text: [UInt8]
  package let mask: String
  /// Whether the secret exists only in the program itself, like an issued token.
  package let isLiteral: Bool
}

extension SecretStore {
  /// Returns all texts that reveal a secret of the request.
  ///
  /// - Parameter wire: The same request as it is sent, with the texts of its secrets.
  func told(by request: HTTPRequest, as wire: HTTPRequest) -> [ToldSecret] {
    var told = KnownSecret.all(of: request).compactMap { known -> ToldSecret? in
      guard let text = try? bytes(of: known.text) else { return nil }
      if case .literal = known.secret.source {
        return ToldSecret(text: text, mask: known.secret.mask, isLiteral: true)
      }
      return ToldSecret(text: text, mask: known.secret.mask, isLiteral: false)
    }
    guard request.secrets?.signature != nil else { return told }
    for (name, value) in wire.headers.lines.bytePairs
    where CredentialName.names(String(decoding: name, as: UTF8.self)) {
      told.append(ToldSecret(text: value, mask: CredentialMask.mark, isLiteral: false))
      // Besides the whole value, only the signature in it is secret here. The secrets from which it
      // was derived are already in the list, and the server provided the other parts.
      for part in value.split(whereSeparator: { ", ".utf8.contains($0) }) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")),
          ["signature", "response"].contains(
            String(decoding: part[..<equals], as: UTF8.self).lowercased())
        else { continue }
        let signature = part[(equals + 1)...].filter { $0 != UInt8(ascii: "\"") }
        told.append(ToldSecret(text: signature, mask: CredentialMask.mark, isLiteral: false))
      }
    }
    return told
  }
}
