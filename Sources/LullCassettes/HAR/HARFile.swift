package import LullCore

/// A recording of exchanges: an HTTP Archive of version 1.2, as browsers and proxies write it too.
///
/// What Lull needs besides stands in members that begin with `_`, which the format leaves to programs. What
/// other programs write besides is not kept.
package struct HARFile: Sendable, Equatable {
  /// The program that has written it.
  package struct Creator: Sendable, Equatable {
    package var name: String
    package var version: String

    package init(name: String, version: String) {
      self.name = name
      self.version = version
    }
  }

  package var creator: Creator
  /// In the order in which they were sent.
  package var entries: [HAREntry]

  package init(creator: Creator, entries: [HAREntry] = []) {
    self.creator = creator
    self.entries = entries
  }
}

extension HARFile {
  /// Whether a recording may be called so: it stays in its folder, is shown, and may be committed anywhere.
  package static func isPlain(name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 200 && !name.hasPrefix(".")
      && !name.unicodeScalars.contains {
        "/\\".unicodeScalars.contains($0) || $0.properties.generalCategory == .control
      }
  }
}

extension HARFile {
  /// Puts what another recording has of requests that this one has none of before what is here, but for what is
  /// read here before anything is written to its place: that stays before the writes of others.
  package mutating func keep(othersOf old: [HAREntry]) {
    let own = entries.map { RecordedRequest($0.request, comparing: []) }
    var merged = old.map { (entry: $0, request: RecordedRequest($0.request, comparing: [])) }
      .filter { old in !own.contains { $0.fits(old.request) } }
    var written: Set<String> = []
    for (entry, request) in zip(entries, own) {
      let resource = request.resource
      if request.isWrite { written.insert(resource) }
      let next =
        written.contains(resource)
        ? nil : merged.firstIndex { $0.request.isWrite && $0.request.resource == resource }
      merged.insert((entry, request), at: next ?? merged.endIndex)
    }
    entries = merged.map(\.entry)
  }
}

/// Why a file is no HTTP Archive, or none that can be read: where, as a JSON Pointer, and what.
package struct HARError: Error, Sendable, Equatable, CustomStringConvertible {
  package let pointer: String
  package let problem: String

  package var description: String { pointer.isEmpty ? problem : "at \(pointer): \(problem)" }
}

extension HARRequest {
  /// A request as it would go out, with the masks of its secrets; fails where its body cannot be read.
  package init(_ request: HTTPRequest) throws(TransportError) {
    let type = request.headers["content-type"] ?? ""
    let body: HARBody?
    switch request.payload {
    case .bytes(let bytes)?: body = HARBody(bytes, type: type)
    case .streamed(let stream)?:
      var streamed = HARBody(try stream.bytes(), type: type)
      streamed.isOfFile = stream.hasFiles
      body = streamed
    case nil: body = nil
    }
    self.init(
      method: request.method.rawValue, url: request.url,
      headers: request.headers.lines.bytePairs.map {
        HARHeader(String(escaping: $0.name), $0.value)
      },
      body: body)
    environment = request.environment
  }
}

extension HARResponse {
  /// - Parameters:
  ///   - body: without the codings of the transfer; nil: there was none at all.
  ///   - url: that was asked for.
  package init(_ response: HTTPResponse, body: [UInt8]?, asked url: String) {
    self.init(
      status: response.status,
      headers: response.headers.bytePairs.map { HARHeader(String(escaping: $0.name), $0.value) },
      body: body.map { HARBody($0, type: response.headers["content-type"] ?? "") },
      finalURL: response.url == url ? nil : response.url)
  }
}

extension HARFailure {
  package init(_ error: TransportError) {
    self.init(kind: error.kind.rawValue, message: error.message)
    isUnsent = error.isUnsent
  }
}

extension NetworkResult {
  /// What was recorded, as the network would report it.
  ///
  /// - Parameter url: that was asked for.
  package init(_ entry: HAREntry, url: String) {
    self.init(
      response: entry.response.map { HTTPResponse($0, asked: url, seconds: entry.seconds) },
      body: entry.response?.body?.bytes,
      error: entry.failure.map { failure in
        // Kinds were looked at when the recording was read.
        var error = TransportError(.init(rawValue: failure.kind) ?? .network, failure.message)
        error.isUnsent = failure.isUnsent
        return error
      })
  }
}

extension HTTPResponse {
  /// - Parameter url: that was asked for.
  init(_ recorded: HARResponse, asked url: String, seconds: Double = 0) {
    var headers = Headers()
    for header in recorded.headers { headers.add(header.name, bytes: header.value) }
    self.init(
      status: recorded.status, headers: headers, url: recorded.finalURL ?? url, elapsed: seconds)
  }
}

extension HAREntry {
  package var seconds: Double { milliseconds / 1000 }
}
