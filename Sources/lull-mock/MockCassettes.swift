import LullCassettes
import LullClients
import LullCore
import LullHost

/// Recordings that answer in place of the service, in the order in which they were given.
///
/// Requests are compared with recorded ones as in `lull test`: by method, path, query and body,
/// with secrets masked. Home thread only.
final class MockCassettes {
  /// One recording, with its redaction.
  fileprivate struct Recording {
    let path: String
    var cassette: Cassette
    var redaction: Redaction

    init(_ path: String, _ entries: [HAREntry]) {
      self.path = path
      var redaction = Redaction()
      cassette = Cassette(entries, redactingRequestsBy: &redaction)
      self.redaction = redaction
    }
  }

  enum Found {
    case entry(HAREntry)
    /// No recorded request matches. The text describes the nearest one.
    case miss(String)
    /// There are no recordings.
    case none
  }

  private static let largest = 256 << 20
  private var recordings: [Recording] = []
  private let base: MockBase
  /// The environment of the API file, or nil for none. Recordings of other environments do not
  /// apply.
  private let environment: String?
  /// Finds the call of a request.
  private let routes: CallRoutes
  private let calls: [APICall]

  init(
    _ paths: [String], _ base: MockBase, of calls: [APICall], at url: ResourceURL?,
    in environment: String?
  ) throws(MockProblem) {
    self.base = base
    self.environment = environment
    self.calls = calls
    routes = CallRoutes(calls.map { CallRoutes.Call($0) }, base: url)
    for path in paths {
      let bytes: [UInt8]
      switch TextFile.read(Array(path.utf8), limit: MockCassettes.largest) {
      case .success(let read): bytes = read
      case .failure(let problem):
        throw MockProblem(
          text: "cannot read the recording \(String(escaping: problem.message))", exitCode: 3)
      }
      do throws(HARError) {
        var entries = try HARFile(reading: bytes).entries
        for place in entries.indices { declareSafe(&entries[place].request) }
        recordings.append(Recording(path, entries))
      } catch {
        throw MockProblem(text: "\(path): \(error)", exitCode: 3)
      }
    }
    guard paths.isEmpty || base.origin != nil else {
      throw MockProblem(
        text: "a recording cannot be used: the service has no base URL to match it against")
    }
  }

  var isEmpty: Bool { recordings.isEmpty }

  /// Marks a POST as safe if its call only reads. Otherwise it would count as a write, after which
  /// recorded reads are no longer used. (QUERY-47)
  private func declareSafe(_ request: inout HARRequest) {
    guard request.method == "POST",
      let place = routes.call(request.method, request.url, body: request.body?.bytes)
    else { return }
    if calls[place].isQuery { request.isDeclaredSafe = true }
  }

  /// Returns the recorded response for a request. The request's path may start at the host or at
  /// the path of the base URL.
  func find(_ request: MockRequest) -> Found {
    var nearest: (distance: Int, text: String)?
    let methods = request.isHead ? ["HEAD", "GET"] : [request.method]
    for method in methods {
      for url in base.urls(of: request) {
        for place in recordings.indices {
          do throws(CassetteMiss) {
            var asked = HARRequest(request, method: method, url: url)
            asked.environment = environment
            declareSafe(&asked)
            return .entry(try recordings[place].answer(asked))
          } catch {
            guard nearest.map({ error.distance < $0.distance }) ?? true else { continue }
            nearest = (error.distance, "\(recordings[place].path): \(error)")
          }
        }
      }
    }
    return nearest.map { .miss($0.text) } ?? .none
  }
}

extension MockCassettes.Recording {
  fileprivate mutating func answer(_ asked: HARRequest) throws(CassetteMiss) -> HAREntry {
    try cassette.answer(to: redaction.redacted(asked))
  }
}

extension HARRequest {
  fileprivate init(_ request: MockRequest, method: String, url: String) {
    let type = request.header("content-type") ?? ""
    self.init(
      method: method, url: url, headers: request.headers.map { HARHeader($0.name, $0.value) },
      body: request.body.isEmpty ? nil : HARBody(request.body, type: type))
  }
}
