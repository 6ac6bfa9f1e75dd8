import LullClients
import LullCore
import LullHost

extension CallExchange {
  /// Reads a stream and writes each item on arrival. A row is written unchanged, an event as an
  /// object with its name, ID and data. Returns when the stream ends or when the reader of the
  /// output has closed it.
  func runStream(_ request: CallRequest) -> Int32 {
    guard request.isLoad else {
      Exit.complain(
        "lull: --stream needs a GET request without a body; -O - writes the bytes as they arrive\n")
      return 2
    }
    override(api.service)
    let filter: ContentFilter?
    do throws(ContentFilter.Problem) {
      filter = options.filter == nil ? nil : try ContentFilter(host, options.filter)
    } catch {
      Exit.complain(error.report)
      return 1
    }
    let stream = request.stream(timeout: options.timeout.flatMap { $0.isFinite ? $0 : nil })
    stream.keepsText = true
    if let trace { show(stream, trace) }
    while !host.loop.isInterrupted {
      switch stream.next() {
      case .item(let item):
        do throws(ContentFilter.Problem) {
          if try write(item, of: stream, filter) { continue }
        } catch {
          Exit.complain(error.report)
          return end(stream, 1)
        }
        return end(stream, 0)
      case .wait:
        var isReady = false
        stream.whenReady { isReady = true }
        host.loop.run { [host] in isReady || host.loop.isInterrupted }
      case .end: return end(stream, 0)
      case .failure(let error):
        return end(stream, write(.failure(error), nil, nil))
      }
    }
    return end(stream, 0)
  }

  private func end(_ stream: EventStream, _ code: Int32) -> Int32 {
    stream.stopWaiting()
    stream.stop()
    if !host.loop.isInterrupted { host.loop.runUntilIdle() }
    return code
  }

  /// Writes one item of the stream. Returns `false` if the reader of the output has closed it.
  private func write(
    _ item: StreamItem, of stream: EventStream, _ filter: ContentFilter?
  ) throws(ContentFilter.Problem) -> Bool {
    var bytes: [UInt8]
    switch item {
    case .row: bytes = stream.rowText
    case .event(let event): bytes = CallExchange.json(of: event)
    }
    if let filter {
      guard let document = try? JSONDocument(parsing: bytes) else { return true }
      bytes = try filter.json(of: .json(document), service: api.service, spelledBy: bytes)
    }
    var text = text
    // One line for each item, on a terminal too.
    if options.format == nil { text.style = .plain }
    return Output.write(text.bytes(of: JSONText(valid: bytes)))
  }

  /// An event as a JSON object. Data that is JSON is embedded, anything else becomes a string.
  private static func json(of event: StreamEvent) -> [UInt8] {
    func quoted(_ text: String) -> [UInt8] { (try? JSONValue.string(text).encode()) ?? [] }
    var bytes = Array("{\"event\":".utf8) + quoted(event.event)
    if !event.id.isEmpty { bytes += Array(",\"id\":".utf8) + quoted(event.id) }
    bytes += Array(",\"data\":".utf8)
    let isJSON = (try? JSONDocument(parsing: event.data)) != nil
    bytes += isJSON ? event.data : quoted(event.text)
    return bytes + Array("}".utf8)
  }

  private func show(_ stream: EventStream, _ trace: ExchangeTrace) {
    stream.onRequest = { request in
      request.onCompletion { [unowned request] response in trace.show(response, of: request) }
    }
  }
}
