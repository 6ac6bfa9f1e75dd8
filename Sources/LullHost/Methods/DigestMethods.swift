import CLullBridge
import LullCore
import LullTransport

extension Method {
  static let base64Keys = ["url", "padding"]
  static let digestKeys = ["raw"]

  static let digestMethods: [Method] = [
    .function("base64.encode", "sT") { call throws(Misuse) in
      var isForURLs = false
      var isPadded: Bool?
      if !call.isNil(1) {
        try call.reading.options.forEach(of: call.index(1), in: call.state, known: base64Keys) {
          name, value throws(Misuse) in
          if name == "url" {
            isForURLs = try value.flag(name)
          } else {
            isPadded = try value.flag(name)
          }
        }
      }
      try call.makeRoom(4 * call.length(0) / 3)
      let text = call.raw(0).withBytes {
        Base64.encode(
          $0, alphabet: isForURLs ? .url : .standard, isPadded: isPadded ?? !isForURLs)
      }
      call.return(.bytes(text ?? []))
    },
    .function("base64.decode", "s") { call throws(Misuse) in
      try call.makeRoom(call.length(0))
      let outcome = call.raw(0).withBytes { text -> Result<[UInt8], Base64.Problem> in
        do throws(Base64.Problem) {
          return .success(try Base64.decode(text))
        } catch {
          return .failure(error)
        }
      }
      switch outcome ?? .success([]) {
      case .success(let bytes): call.return(.bytes(bytes))
      case .failure(let problem): call.fail("\(problem.message) (at byte \(problem.offset + 1))")
      }
    },
    .function("sha256", "sT") { call throws(Misuse) in
      let digest = call.raw(0).withBytes { Digest.sha256.of($0) }
      try finish(call, .sha256, digest ?? nil, options: 1)
    },
    .function("hmac", "sssT") { call throws(Misuse) in
      guard let kind = Digest(rawValue: call.string(0)) else {
        let known = Digest.allCases.map(\.rawValue).joined(separator: ", ")
        throw .argument(
          1, "there is no digest '\(LogText.part(call.string(0), limit: 40))'; there are \(known)")
      }
      let digest = call.raw(1).withBytes { key in
        call.raw(2).withBytes { kind.hmac(key: key, $0) }
      }
      try finish(call, kind, digest.flatMap { $0 } ?? nil, options: 3)
    },
    .function("uuid", "S") { call throws(Misuse) in
      var generator = SystemRandomNumberGenerator()
      switch call.optionalString(0) ?? "v4" {
      case "v4": call.return(.string(UUIDText.random(using: &generator)))
      case "v7":
        call.return(.string(UUIDText.ordered(at: max(0, call.pump.clock.now), using: &generator)))
      default:
        throw .argument(1, "\"v4\" or \"v7\" expected, got \(call.raw(0).described)")
      }
    },
  ]

  private static func finish(
    _ call: Call, _ kind: Digest, _ digest: [UInt8]?, options position: Int
  ) throws(Misuse) {
    var isRaw = false
    if !call.isNil(position) {
      try call.reading.options.forEach(
        of: call.index(position), in: call.state, known: digestKeys
      ) { name, value throws(Misuse) in isRaw = try value.flag(name) }
    }
    guard let digest else {
      throw .message("there is no \(kind.rawValue) here: it needs libcrypto.so.3 (libssl3)")
    }
    call.return(isRaw ? .bytes(digest) : .string(Hexadecimal.text(digest)))
  }
}

extension Call {
  /// How many bytes the string at a position has.
  func length(_ position: Int) -> Int { Int(raw(position).extra) }

  /// Ends the run if so many bytes more may not be.
  func makeRoom(_ bytes: Int) throws(Misuse) {
    guard MemoryLedger.allows(bytes) else { throw .message("not enough memory") }
  }
}
