package import LullCore
package import LullTransport

/// Records what goes over a network from now on, until it is stopped.
///
/// Answers are those of the network, in its time; conditions are left out, as in tests that are recorded. Home
/// thread only.
package final class SessionRecorder: NetworkTap {
  private let network: CurlProvider
  private let recorder: RecordingNetwork
  private var tape = CassetteTape([], [])
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
      for secret in told { self?.tape.hide(secret) }
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

  /// Leaves the network alone again; the recording, without what lets somebody in.
  package func stop() -> [HAREntry] {
    network.tap = nil
    network.onSecrets = nil
    tape.add(entries.compactMap(\.self))
    entries = []
    inFlightCount = 0
    let finished = tape.finished
    redaction = finished.redaction
    return finished.entries
  }

  /// A script that goes with the recording, without what lets somebody in; once it has been stopped.
  package func hidden(script text: [UInt8]) -> [UInt8] { redaction.hidden(inScript: text) }
}
