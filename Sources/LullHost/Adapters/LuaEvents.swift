import LullCore

/// The iterator of `resource:events{…}`, which returns one item of a stream for each call.
///
/// Home thread only.
final class LuaEvents {
  private unowned let callbacks: Callbacks
  let stream: EventStream
  /// The ID of the stored function that edits the requests of the stream, or nil. The iterator's
  /// userdata keeps the function alive.
  private let mutation: Int64?
  var hostHandle: UInt64 = 0
  private var isWaiting = false
  /// The last row that was returned. It is kept because the script may still read its tables.
  private var row: JSONDocument?

  private typealias Results = (values: [LuaValue], raising: Bool)

  init(_ stream: EventStream, mutation: Int64?, _ callbacks: Callbacks) {
    self.stream = stream
    self.mutation = mutation
    self.callbacks = callbacks
    stream.onRequest = { $0.mark.isWeak = true }
  }

  /// Returns the next item to the script, immediately or after a wait. Returns nil after the last
  /// item.
  func next(_ call: Call) throws(Misuse) {
    guard !isWaiting else {
      throw .message("another coroutine is already waiting for these events")
    }
    if let (values, raising) = look() {
      if raising, let value = values.first { throw .value(value) }
      for value in values { call.return(value) }
      return
    }
    let what = "an item of the stream \(stream.resource.displayName)"
    try callbacks.loop.wait(call, for: what, Awaited(requests: awaited)) { completion in
      isWaiting = true
      // While a call waits, it keeps the script alive. The open connection alone does not.
      callbacks.loop.timerBegan()
      waitForMore(completion)
      return { [weak self] in
        guard let self else { return }
        endWait()
        end()
      }
    }
  }

  /// Ends the iterator and closes its connection immediately. A waiting call returns nil.
  func end() {
    stream.stop()
    row = nil
    callbacks.release(function: mutation, from: hostHandle)
  }

  private var awaited: [Request] { stream.request.map { [$0] } ?? [] }

  private func endWait() {
    guard isWaiting else { return }
    isWaiting = false
    stream.stopWaiting()
    callbacks.loop.timerEnded()
  }

  private func waitForMore(_ completion: @escaping WaitCompletion) {
    stream.whenReady { [weak self, pump = callbacks.pump] in
      pump.enqueueAfterPhase {
        guard let self, self.isWaiting else { return }
        guard let (values, raising) = self.look() else { return self.waitForMore(completion) }
        self.endWait()
        completion(values, raising)
      }
    }
  }

  /// Returns the results for an item that has already arrived, or nil if no item has arrived.
  private func look() -> Results? {
    switch stream.next() {
    case .item(let item):
      if case .row(let document) = item { row = document }
      let value = callbacks.values.of(
        item, holder: hostHandle, key: Callbacks.lastContentKey,
        omitsNulls: stream.resource.service.omitsNulls, from: stream.resource.url.text)
      return ([value], false)
    case .wait: return nil
    case .end:
      end()
      return ([.nil], false)
    case .failure(let error):
      end()
      return ([callbacks.values.of(error, service: stream.resource.service)], true)
    }
  }
}

/// A stream event that Lua code holds.
final class StreamEventBox {
  let event: StreamEvent
  /// Whether the tables made from the event's data omit nulls.
  let omitsNulls: Bool
  /// The event's data as JSON, parsed on first use.
  private var parsed: JSONDocument?

  init(_ event: StreamEvent, omitsNulls: Bool) {
    self.event = event
    self.omitsNulls = omitsNulls
  }

  func json() throws(Misuse) -> JSONDocument {
    if let parsed { return parsed }
    do throws(JSONError) {
      let document = try JSONDocument(parsing: event.data)
      parsed = document
      return document
    } catch {
      let place = error.offset.map { " (at byte \($0 + 1))" } ?? ""
      throw .message("the data of this event is not JSON: \(error.message)\(place)")
    }
  }
}
