import CLullBridge
package import LullCore

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

extension lull_member {
  fileprivate init(_ observer: LuaObserver) {
    self.init(function: observer.id, context: Unmanaged.passUnretained(observer).toOpaque())
  }
}

extension LuaHost {
  /// How many observers one call tells at most: those behind one that removes others are looked at
  /// again.
  private static let longestSequence = 64

  /// Tells observers from `first` on, one after the other, as long as they are functions that the
  /// service holds; the place of the first one that has not been told.
  package func tell(
    _ observations: [Observation], from first: Int, of event: ResourceEvent, _ resource: Resource
  ) -> Int {
    let capacity = min(observations.count - first, LuaHost.longestSequence)
    return withUnsafeTemporaryAllocation(of: lull_member.self, capacity: capacity) { members in
      var count = 0
      while count < capacity {
        let observation = observations[first + count]
        guard observation.isToldByHost, !observation.isRemoved, let observer = observation.observer
        else { break }
        // Only a script's observers are marked so.
        let member = lull_member(unsafeDowncast(observer, to: LuaObserver.self))
        members.initializeElement(at: count, to: member)
        count += 1
      }
      return first + notify(.init(rebasing: members[..<count]), of: event, resource)
    }
  }

  /// Tells one observer.
  func notify(_ observer: LuaObserver, of event: ResourceEvent, _ resource: Resource) {
    withUnsafeTemporaryAllocation(of: lull_member.self, capacity: 1) { members in
      members.initializeElement(at: 0, to: lull_member(observer))
      _ = notify(members, of: event, resource)
    }
  }

  /// Calls observers with an event, up to one that does not just return; how many.
  ///
  /// Most observers return at once and without an error, and a resource may have thousands of them.
  /// So what describes the run of one is made only when somebody asks: a wait, a failure.
  private func notify(
    _ members: UnsafeMutableBufferPointer<lull_member>, of event: ResourceEvent,
    _ resource: Resource
  ) -> Int {
    guard !isClosed else { return members.count }
    var run = lull_run()
    var sequence = lull_sequence()
    sequence.members = UnsafePointer(members.baseAddress)
    sequence.count = Int32(members.count)
    return withUnsafeMutablePointer(to: &sequence) { sequence in
      let outer = notification
      let current = Notification(sequence: sequence, resource: resource)
      notification = current
      running.append(nil)
      start(sequence, with: event, resource, &run)
      let context = running.removeLast()
      // What follows is not the observer's: it belongs to whoever ran before.
      notification = outer
      if run.L == nil, run.status != Int32(LULL_RUN_DONE) { releaseUnclaimed([value(resource)]) }
      switch Int(run.status) {
      case Int(LULL_RUN_DONE): lull_run_end(runtime, &run)
      case Int(LULL_RUN_GONE): current.observer.stop()
      default: finish(&run, context ?? current.observer.makeContext(resource))
      }
      return Int(sequence.pointee.position) + 1
    }
  }

  private func start(
    _ sequence: UnsafeMutablePointer<lull_sequence>, with event: ResourceEvent,
    _ resource: Resource, _ run: inout lull_run
  ) {
    withUnsafeTemporaryAllocation(of: lull_value.self, capacity: 3) { arguments in
      arguments.initializeElement(at: 0, to: encode(resource))
      arguments.initializeElement(at: 1, to: LuaHost.encode(event.constant))
      var count: Int32 = 2
      if case .newData(let source) = event {
        arguments.initializeElement(at: 2, to: LuaHost.encode(source.constant))
        count = 3
      }
      var call = lull_call(
        function: sequence.pointee.members[0].function, method: nil,
        arguments: UnsafePointer(arguments.baseAddress), count: count, is_handler: 0)
      if sequence.pointee.count == 1 {
        if notification?.observer.isTable == true { call.method = LuaObserver.changed.cString }
        lull_start(runtime, &call, &run)
      } else {
        lull_start_sequence(runtime, &call, sequence, &run)
      }
    }
  }

  /// The innermost coroutine that runs now.
  var innermost: RunContext? {
    guard let last = running.last else { return nil }
    if let last { return last }
    guard let notification else { return nil }
    notification.sequence.pointee.is_watched = 1
    let context = notification.observer.makeContext(notification.resource)
    running[running.count - 1] = context
    return context
  }

  private func encode(_ resource: Resource) -> lull_value {
    if resource.hostHandle == 0 { _ = value(resource) }
    var result = lull_value()
    result.kind = Int32(LULL_OBJECT)
    result.aux = HandleKind.resource.rawValue
    result.handle = resource.hostHandle
    result.extra = handle(of: resource.service)
    return result
  }

  /// The bridge's form of a text pushed often.
  static func encode(_ constant: LuaConstant) -> lull_value {
    var result = lull_value()
    result.kind = Int32(LULL_STRING)
    result.aux = constant.rawValue
    result.pointer = UnsafeRawPointer(constant.text.utf8Start)
    result.extra = UInt64(constant.text.utf8CodeUnitCount)
    return result
  }
}
