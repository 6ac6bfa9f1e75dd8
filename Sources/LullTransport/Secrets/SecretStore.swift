import LullLibC
import LullCore

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
