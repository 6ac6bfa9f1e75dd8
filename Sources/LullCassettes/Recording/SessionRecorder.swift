package import LullCore
package import LullTransport

/// Records what goes over a network from now on, until it is stopped.
///
/// Answers are those of the network, in its time; conditions are left out, as in tests that are recorded. Home
/// thread only.
package final class SessionRecorder: NetworkTap {
  private let network: CurlProvider
  private let recorder: RecordingNetwork
  private var cassette = CassetteRecorder([], [])
  private var redaction = Redaction()
  /// In the order in which they were sent; nil of what is under way, or is not written down.
  private var entries: [HAREntry?] = []
  /// Why something is not written down.
  package private(set) var problems: [String] = []

  /// - Parameter pump: of whoever asks.
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
      // What ends after it has been stopped is not in it.
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

  /// How many exchanges have not ended.
  package private(set) var inFlightCount = 0
  /// How many have ended so far.
  package private(set) var endedCount = 0
  /// How long the longest of them took, in seconds.
  package private(set) var longest = 0.0

  /// Leaves the network alone again; the recording, without what lets somebody in.
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
  /// Whether an answer has something that its recording has not, once it has been stopped.
  package private(set) var hidesAnswers = false

  /// What to look at before anybody else sees the recording, once it has been stopped.
  package var suspicions: [String] { redaction.suspicions(in: recorded) }

  /// Whether an answer of the recording has that value, so that it is made of nothing that is hidden.
  package func says(number: Double) -> Bool {
    bodies.contains { RecordedValues.contains(in: $0) { $0.string == nil && $0.double == number } }
  }

  /// The same of a text; of a short one only as a value.
  package func says(text: String) -> Bool {
    if bodies.contains(where: { RecordedValues.contains(in: $0) { $0.string == text } }) {
      return true
    }
    guard text.utf8.count >= 6 else { return false }
    let texts = bodies + recorded.flatMap { $0.response?.headers.map(\.value) ?? [] }
    return texts.contains { String(decoding: $0, as: UTF8.self).contains(text) }
  }

  private var bodies: [[UInt8]] { recorded.compactMap { $0.response?.body?.bytes } }

  /// A script that goes with the recording, without what lets somebody in; once it has been stopped.
  package func hidden(script text: [UInt8]) -> [UInt8] { redaction.hidden(inScript: text) }
}

/// Values in recorded bodies of JSON.
enum RecordedValues {
  /// Whether one of them fits that is neither an object nor a list.
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
