import LullLibC
import LullCore
import LullHost
import LullSystem
import LullTransport

/// The certificates that TLS connections trust.
enum CertificateCheck {
  private static let limit = 64 << 20

  static var findings: [DoctorFinding] {
    let store = TransportLibraries.certificates
    let isChosen = store.origin != "libcurl"
    let fix =
      isChosen
      ? "correct or unset \(store.origin)" : "apt-get install ca-certificates, or set SSL_CERT_FILE"
    var findings: [DoctorFinding] = []
    if let file = store.file {
      findings.append(finding(file, named: isChosen ? store.origin : nil, fix: fix))
    }
    if let folder = store.folder {
      var status = stat()
      if stat(folder, &status) != 0 || status.st_mode & S_IFMT != S_IFDIR {
        findings.append(
          DoctorFinding(
            store.file == nil ? .problem : .warning, "certificates", folder,
            "there is no such folder", fix: fix))
      } else if store.file == nil {
        findings.append(DoctorFinding(.ok, "certificates", folder, "a folder with certificates"))
      }
    }
    guard findings.isEmpty else { return findings }
    return [
      DoctorFinding(.problem, "certificates", "certificates", "libcurl names no file", fix: fix)
    ]
  }

  private static func finding(_ file: String, named variable: String?, fix: String)
    -> DoctorFinding
  {
    func problem(_ text: String) -> DoctorFinding {
      DoctorFinding(
        .problem, "certificates", variable.map { "\($0)=\(file)" } ?? file, text, fix: fix)
    }
    let bytes: [UInt8]
    switch TextFile.read(Array(file.utf8), limit: limit) {
    case .success(let read): bytes = read
    case .failure(let error):
      return problem("cannot be read: \(String(escaping: error.message))")
    }
    let certificates = PEM.certificates(in: bytes)
    guard !certificates.isEmpty else { return problem("holds no certificate (PEM)") }
    let now = SystemClock.now
    let expired = certificates.count { PEM.expiry(of: $0).map { $0 <= now } ?? false }
    let facts: [JSONValue.Member] = [
      .init("certificates", .int(certificates.count)), .init("expired", .int(expired)),
    ]
    if expired == certificates.count { return problem("all \(expired) certificates have expired") }
    let count = "\(certificates.count) \(certificates.count == 1 ? "certificate" : "certificates")"
    guard expired > 0 else {
      return DoctorFinding(.ok, "certificates", file, count, facts: facts)
    }
    let text = "\(count), \(expired) of them expired"
    // The usual certificates of a system always include some that have expired.
    guard variable != nil else {
      return DoctorFinding(.ok, "certificates", file, text, facts: facts)
    }
    return DoctorFinding(
      .warning, "certificates", file, text, fix: "replace the expired certificates", facts: facts)
  }
}

/// Reads certificates in PEM form. (RFC 7468, RFC 5280)
enum PEM {
  /// Returns the certificates in a text, each in DER form. A certificate that is not valid base64
  /// is returned as empty.
  static func certificates(in bytes: [UInt8]) -> [[UInt8]] {
    let lines = bytes.split { $0 == 10 || $0 == 13 }
    let (begin, end) = (Array("-----BEGIN CERTIFICATE-----".utf8), Array("-----END CERT".utf8))
    var found: [[UInt8]] = []
    var body: [UInt8]?
    for line in lines {
      if line.starts(with: begin) {
        body = []
      } else if line.starts(with: end), let text = body {
        found.append((try? Base64.decode(text)) ?? [])
        body = nil
      } else {
        body?.append(contentsOf: line.filter { $0 != 32 && $0 != 9 })
      }
    }
    return found
  }

  /// The time when a certificate expires, in seconds since 1970. `nil` if the certificate can't be
  /// read.
  static func expiry(of certificate: [UInt8]) -> Double? {
    guard var whole = DER(certificate[...]).enter(0x30), var inner = whole.next(0x30) else {
      return nil
    }
    // Skip the optional version, the serial number, the algorithm and the issuer.
    _ = inner.next(0xa0)
    guard inner.next(0x02) != nil, inner.next(0x30) != nil, inner.next(0x30) != nil,
      var validity = inner.next(0x30), (validity.next(0x17) ?? validity.next(0x18)) != nil,
      let text = validity.next(0x17) ?? validity.next(0x18)
    else { return nil }
    return seconds(String(decoding: text.bytes, as: UTF8.self))
  }

  /// Converts `YYMMDDhhmmssZ` or `YYYYMMDDhhmmssZ` to seconds since 1970.
  private static func seconds(_ text: String) -> Double? {
    guard text.hasSuffix("Z"), [13, 15].contains(text.utf8.count) else { return nil }
    var digits = String(text.dropLast())
    // A year of two digits from 50 to 99 is in the 20th century.
    if digits.count == 12 { digits = (digits >= "5" ? "19" : "20") + digits }
    let year = Int(digits.prefix(4))
    var numbers: [Int] = []
    var rest = digits.dropFirst(4)
    while let number = Int(rest.prefix(2)) {
      numbers.append(number)
      rest = rest.dropFirst(2)
    }
    guard let year, numbers.count == 5 else { return nil }
    return CivilTime(
      year: year, month: numbers[0], day: numbers[1], hour: numbers[2], minute: numbers[3],
      second: numbers[4]
    ).secondsSince1970().map { Double($0) }
  }

  /// Reads the consecutive values of a DER sequence.
  private struct DER {
    private(set) var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    func enter(_ tag: UInt8) -> DER? {
      var copy = self
      return copy.next(tag)
    }

    /// If the next value has this tag, consumes the value and returns its content. Otherwise
    /// returns `nil`.
    mutating func next(_ tag: UInt8) -> DER? {
      guard bytes.first == tag, let first = bytes.dropFirst().first else { return nil }
      var rest = bytes.dropFirst(2)
      var length = Int(first)
      if first >= 0x80 {
        let count = Int(first & 0x7f)
        guard (1...4).contains(count), rest.count >= count else { return nil }
        length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(count)
      }
      guard rest.count >= length else { return nil }
      bytes = rest.dropFirst(length)
      return DER(rest.prefix(length))
    }
  }
}
