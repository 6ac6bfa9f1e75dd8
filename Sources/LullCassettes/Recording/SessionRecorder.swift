package import LullCore
package import LullTransport

/// Records the exchanges of a network until the recorder is stopped.
///
/// Requests are sent by the network as usual, with the usual timing, but without conditions, as in
/// tests that record. Home thread only.
package final class SessionRecorder: NetworkTap {
  private let network: CurlProvider
  private let recorder: RecordingNetwork
  private var cassette = CassetteRecorder([], [])
  private var redaction = Redaction()
  /// The entries, in the order in which the requests were sent. nil for a request that is in flight
  /// or is not recorded.
  private var entries: [HAREntry?] = []
  /// The reasons why some exchanges are not recorded.
  package private(set) var problems: [String] = []

  /// Makes a recorder.
  ///
  /// - Parameter pump: The pump that delivers the results of the requests.
  package init(_ network: CurlProvider, _ pump: Pump) {
    self.network = network
    recorder = RecordingNetwork(UntappedNetwork(network), pump)
    network.tap = self
    network.onSecrets = { [weak self] told in
      for secret in told { self?.cassette.hide(secret) }
    }
  }

  package func startRequest(
    _ request: HTTPRequest, completion: NetworkCompletion
  ) -> any RequestNetworking {
    let asked: HARRequest
    do throws(TransportError) {
      asked = try HARRequest(request)
    } catch {
      completion(NetworkResult(error: error))
      return EndedExchange()
    }
    let place = entries.count
    entries.append(nil)
    inFlightCount += 1
    return recorder.startRequest(request, asked) { [weak self] outcome in
      // If the recording has been stopped meanwhile, the exchange is not part of it.
      if let self, entries.indices.contains(place) {
        inFlightCount -= 1
        endedCount += 1
        longest = max(longest, outcome.seconds)
        entries[place] = outcome.entry
        if let problem = outcome.problem { problems.append(problem) }
      }
      completion(outcome.result)
    }
  }

  private final class EndedExchange: RequestNetworking {
    let transferMetrics = RequestTransferMetrics()
    func cancel() {}
  }

  /// The number of recorded exchanges that are still in flight.
  package private(set) var inFlightCount = 0
  /// The number of recorded exchanges that have ended.
  package private(set) var endedCount = 0
  /// The duration of the longest exchange in seconds.
  package private(set) var longest = 0.0

  /// Stops recording. Returns the entries with credentials hidden.
  package func stop() -> [HAREntry] {
    network.tap = nil
    network.onSecrets = nil
    cassette.add(entries.compactMap(\.self))
    entries = []
    inFlightCount = 0
    let finished = cassette.finished
    redaction = finished.redaction
    hidesAnswers = zip(finished.entries, cassette.entries).contains { $0.response != $1.response }
    let concealed = redaction.concealed(in: finished.entries)
    problems += concealed.sorted { $0.key < $1.key }.map { "not recorded: \($0.value)" }
    recorded = finished.entries.indices.filter { concealed[$0] == nil }.map { finished.entries[$0] }
    return recorded
  }

  private var recorded: [HAREntry] = []
  /// Whether data in responses was hidden in the recording. Valid after `stop`.
  package private(set) var hidesAnswers = false

  /// Messages about texts to check before the recording is shared. Valid after `stop`.
  package var suspicions: [String] { redaction.suspicions(in: recorded) }

  /// Returns whether a response in the recording contains `number`. If so, the number is not
  /// derived from hidden data.
  package func says(number: Double) -> Bool {
    bodies.contains { RecordedValues.contains(in: $0) { $0.string == nil && $0.double == number } }
  }

  /// Returns whether a response in the recording contains `text`. If `text` is short, it must be a
  /// complete JSON value in the response.
  package func says(text: String) -> Bool {
    if bodies.contains(where: { RecordedValues.contains(in: $0) { $0.string == text } }) {
      return true
    }
    guard text.utf8.count >= 6 else { return false }
    let texts = bodies + recorded.flatMap { $0.response?.headers.map(\.value) ?? [] }
    return texts.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  private var bodies: [[UInt8]] { recorded.compactMap { $0.response?.body?.bytes } }

  /// Hides credentials in a script that belongs to the recording. Valid after `stop`.
  package func hidden(script text: [UInt8]) -> [UInt8] { redaction.hidden(inScript: text) }
}

/// Searches the JSON bodies of recordings for a value.
enum RecordedValues {
  /// Returns whether `fits` returns true for a value in a JSON body. The contents of objects and
  /// lists are searched, but the objects and lists themselves are not passed to `fits`.
  static func contains(in body: [UInt8], _ fits: (JSONElement) -> Bool) -> Bool {
    guard let document = try? JSONDocument(parsing: body) else { return false }
    return contains(document.root, fits)
  }

  private static func contains(_ element: JSONElement, _ fits: (JSONElement) -> Bool) -> Bool {
    switch element.kind {
    case .object: element.pairs.contains { contains($0.value, fits) }
    case .array: element.elements.contains { contains($0, fits) }
    default: fits(element)
    }
  }
}
