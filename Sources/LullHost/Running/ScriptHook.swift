import CLullBridge
import LullCore

/// A script function that is called at the events of a request.
///
/// The hook of the Swift request holds this object. The context of a run is created only when it is
/// needed, as for observers. Home thread only.
final class ScriptHook {
  let id: Int64
  /// The name of the hook in reports, such as `on_completion`.
  private let name: String
  private unowned let callbacks: Callbacks
  // `unowned(unsafe)` is sufficient, because a request exists while it calls its hooks.
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

  /// Creates the context for one run of the hook.
  func makeContext() -> RunContext {
    // The context holds the request, because a hook that waits may outlive all other references to
    // it.
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

/// A notification of the script observers of a resource, one after the other.
struct Notification {
  // The code that sends the notification holds all of these objects until the last observer has
  // returned or waits.
  let sequence: UnsafeMutablePointer<lull_sequence>
  unowned(unsafe) let resource: Resource

  /// The observer that is running.
  var observer: LuaObserver {
    let member = sequence.pointee.members[Int(sequence.pointee.position)]
    return Unmanaged.fromOpaque(member.context).takeUnretainedValue()
  }
}
