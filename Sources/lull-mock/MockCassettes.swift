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

    init(_ path: String, _ file: HARFile) {
      self.path = path
      var redaction = Redaction()
      cassette = Cassette(file.entries, redactingRequestsBy: &redaction)
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

  init(_ paths: [String], _ base: MockBase, in environment: String?) throws(MockProblem) {
    self.base = base
    self.environment = environment
    for path in paths {
      let bytes: [UInt8]
      switch TextFile.read(Array(path.utf8), limit: MockCassettes.largest) {
      case .success(let read): bytes = read
      case .failure(let problem):
        throw MockProblem(
          text: "cannot read the recording \(String(escaping: problem.message))", exitCode: 3)
      }
      do throws(HARError) {
        recordings.append(Recording(path, try HARFile(reading: bytes)))
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

  /// Returns the recorded response for a request. The request's path may start at the host or at
  /// the path of the base URL.
  func find(_ request: MockRequest) -> Found {
    var nearest: (distance: Int, text: String)?
    let methods = request.isHead ? ["HEAD", "GET"] : [request.method]
    for method in methods {
      for url in base.urls(of: request) {
        for place in recordings.indices {
          do throws(CassetteMiss) {
            return .entry(try recordings[place].answer(method, url, request, in: environment))
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
  fileprivate mutating func answer(
    _ method: String, _ url: String, _ request: MockRequest, in environment: String?
  ) throws(CassetteMiss) -> HAREntry {
    let type = request.header("content-type") ?? ""
    var asked = HARRequest(
      method: method, url: url, headers: request.headers.map { HARHeader($0.name, $0.value) },
      body: request.body.isEmpty ? nil : HARBody(request.body, type: type))
    asked.environment = environment
    return try cassette.answer(to: redaction.redacted(asked))
  }
}
