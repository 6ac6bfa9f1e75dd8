import LullCore
import LullLibC

/// The texts of secrets, on one home thread: read from where they come from when a request needs them.
///
/// Files are read and commands run in the pool, once for all who wait and for the rest of the
/// process; what failed is tried again by the next request. The environment is asked each time.
final class SecretStore {
  let pump: Pump
  private var texts: [Secret: [UInt8]] = [:]
  private var waiting: [Secret: [(id: Int, resume: (TransportError?) -> Void)]] = [:]
  private var running: [Secret: SecretCommand] = [:]
  private var nextID = 0
  /// What texts that stand in the program itself stand for; nil: for themselves.
  var literal: ((String) -> String)?
  private var isClosed = false

  init(pump: Pump) {
    self.pump = pump
  }

  /// What is there at once; nil if it must be fetched.
  func text(of secret: Secret) throws(TransportError) -> [UInt8]? {
    switch secret.source {
    case .literal(let text): return Array((literal?(text) ?? text).utf8)
    case .environment(let name):
      // Copied before anybody can change the environment.
      let text = getenv(name).map { ByteString(cString: $0) } ?? ""
      guard !text.bytes.isEmpty else {
        let state = getenv(name) == nil ? "not set" : "empty"
        throw SecretStore.unavailable(
          secret, "the environment variable \(name) is \(state); export it before the script runs")
      }
      guard text.text != nil else {
        throw SecretStore.unavailable(
          secret, "the environment variable \(name) is not text in UTF-8")
      }
      return text.bytes
    case .file, .command, .shell: return texts[secret]
    }
  }

  /// Fetches those that are not there, one after the other, and tells how that went; returns what
  /// stops telling.
  ///
  /// If all of them are there it tells inside this call.
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

  /// Joins the run of that secret's source, or begins it.
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
      ended(secret, .failure(SecretProblem("it is not there")))
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
      error = SecretStore.unavailable(secret, "it is not text in UTF-8")
    case .success(let text): texts[secret] = text
    case .failure(let problem): error = SecretStore.unavailable(secret, problem.text)
    }
    for (_, resume) in waiting { resume(error) }
  }

  /// Ends the commands that run; nobody is told any more.
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

/// Why a source gave nothing: in words that hold nothing of its content.
struct SecretProblem: Error {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

/// Requests as they go on the wire. The texts are in what is returned, which must not be kept.
extension SecretStore {
  /// All secrets of a request, each once, in order.
  ///
  /// - Parameter isSent: whether those are left out that it is only signed with.
  static func secrets(of request: HTTPRequest, isSent: Bool = false) -> [Secret] {
    var secrets: [Secret] = []
    for (secret, place) in request.secretPlaces
    where !secrets.contains(secret) && !(isSent && place == HTTPRequest.signaturePlace) {
      secrets.append(secret)
    }
    return secrets
  }

  /// The request with texts in place of masks, and signed by all of it; fails if one of them is not
  /// there, or fits no header.
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
          "\(text.masked) cannot be sent in the header '\(name)': what it stands for \(problem)")
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
        .secretUnavailable, "there is no \(digest.kind.rawValue) here: it needs libcrypto.so.3")
    }
    return digest.isRaw ? made : Array(Hexadecimal.text(made).utf8)
  }

  private func bytes(of input: SecretDigest.Input) throws(TransportError) -> [UInt8] {
    switch input {
    case .bytes(let bytes): bytes
    case .secret(let text): try bytes(of: text)
    }
  }

  /// Why a request is not sent that has waited for all of its time.
  func lateness(of secrets: [Secret], _ limits: TransferLimits) -> TransportError {
    let missing = secrets.first { secret in ((try? text(of: secret)) ?? nil) == nil }
    return TransportError(
      .timeout,
      "\(missing?.mask ?? "a secret") was not there within \(LogText.seconds(limits.timeout))")
  }

  /// What finds those of them whose texts are there.
  func search(for known: [KnownSecret]) -> SecretSearch {
    var search = SecretSearch()
    for known in known {
      guard let bytes = try? bytes(of: known.text) else { continue }
      search.add(known.secret, bytes)
    }
    return search
  }

  /// A message that may hold what the network said, with masks for secrets.
  func masked(_ error: TransportError, _ known: [KnownSecret]) -> TransportError {
    var error = error
    error.message = search(for: known).masked(error.message)
    return error
  }
}

/// A text that lets one in, as a server knows it that was sent it: a secret, or what was made of one.
struct KnownSecret {
  /// What is shown in its place, and where it may go.
  let secret: Secret
  let text: SecretText

  /// All that a request tells.
  static func all(of request: HTTPRequest) -> [KnownSecret] {
    request.secretTexts.flatMap { all(in: $0) }
  }

  private static func all(in text: SecretText) -> [KnownSecret] {
    text.pieces.flatMap { piece -> [KnownSecret] in
      switch piece {
      case .literal: return []
      case .secret(let secret): return [KnownSecret(secret: secret, text: SecretText(secret))]
      // Its escapes are undone where it is looked for.
      case .escaped(let inner): return all(in: inner)
      case .base64(let inner): return made(piece, of: all(in: inner))
      case .digest(let digest): return made(piece, of: digest.texts.flatMap { all(in: $0) })
      }
    }
  }

  /// What was made of secrets: it tells all of them, and may go only where each may.
  private static func made(_ piece: SecretText.Piece, of parts: [KnownSecret]) -> [KnownSecret] {
    guard let first = parts.first?.secret else { return [] }
    let origins = first.origins.filter { origin in
      parts.allSatisfy { $0.secret.origins.contains(origin) }
    }
    let whole = Secret(first.source, name: first.name, origins: origins)
    return [KnownSecret(secret: whole, text: SecretText([piece]))] + parts
  }
}

/// A text that a request has told a server, and what is shown in its place: for those who hide it in what they
/// write down.
package struct ToldSecret: Sendable {
  package let text: [UInt8]
  package let mask: String
  /// Whether it stands in the program itself, as a token that was issued does, and in no place outside.
  package let isLiteral: Bool
}

extension SecretStore {
  /// All texts that tell a secret of the request.
  ///
  /// - Parameter wire: the same as it goes out.
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
      // What it has been made of is told besides; a server has given out the rest.
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
