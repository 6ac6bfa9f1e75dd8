import CLullBridge
import LullCore

/// A function of the script that is called with what a request brings.
///
/// One object for each, which the request's own hook holds; what describes its run is made only when
/// somebody asks, as with observers. Home thread only.
final class ScriptHook {
  let id: Int64
  /// As reports name it, such as `on_completion`.
  private let name: String
  private unowned let callbacks: Callbacks
  // Unsafe, since a request that calls its hooks is there.
  private unowned(unsafe) let request: Request

  init(_ id: Int64, _ name: String, of request: Request, _ callbacks: Callbacks) {
    self.id = id
    self.name = name
    self.request = request
    self.callbacks = callbacks
  }

  func run() { callbacks.coroutines.start(self, nil) }

  func run(_ argument: LuaValue) { callbacks.coroutines.start(self, argument) }

  func run(_ response: Response) {
    let callbacks = callbacks
    callbacks.coroutines.start(
      self, callbacks.values.of(response, service: request.resource?.service))
  }

  func run(_ entity: Entity) {
    let callbacks = callbacks
    callbacks.coroutines.start(
      self, callbacks.values.of(entity, service: request.resource?.service))
  }

  func run(_ error: RequestError) {
    let callbacks = callbacks
    callbacks.coroutines.start(self, callbacks.values.of(error, service: request.resource?.service))
  }

  /// What a run of it is.
  func makeContext() -> RunContext {
    // A hook that waits may outlive everybody else's interest in its request.
    let context = RunContext(purpose: name) { [unowned callbacks, request, id, name] outcome in
      if case .failed(let failure) = outcome {
        callbacks.reporter.report(
          failure, in: callbacks.stored.named("\(name) hook", id) + " of \(request.displayName)",
          request: RequestFacts(request))
      }
    }
    context.function = id
    return context
  }
}

/// Observers of a script that are told now, one after the other, and their resource.
struct Notification {
  // Whoever notifies holds all of these until the last observer has returned or waits.
  let sequence: UnsafeMutablePointer<lull_sequence>
  unowned(unsafe) let resource: Resource

  /// The one that runs.
  var observer: LuaObserver {
    let member = sequence.pointee.members[Int(sequence.pointee.position)]
    return Unmanaged.fromOpaque(member.context).takeUnretainedValue()
  }
}
