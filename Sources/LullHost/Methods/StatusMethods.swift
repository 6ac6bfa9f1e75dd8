import CLullBridge
import LullCore

/// What `lull.status` gives.
final class StatusBox {
  let status: ResourceStatus

  init(_ status: ResourceStatus) {
    self.status = status
  }
}

extension Method {
  static let statusKeys = ["priority"]

  private static func status(_ call: Call) throws(Misuse) -> ResourceStatus {
    try call.selfObject(.status, as: StatusBox.self).status
  }

  static let statusMethods: [Method] = [
    .function("status", "vT") { call throws(Misuse) in try makeStatus(call) },
    .getter(.status, "state") { call throws(Misuse) in
      call.return(.string(try status(call).state.rawValue))
    },
    .getter(.status, "is_loading") { call throws(Misuse) in
      call.return(.bool(try status(call).isLoading))
    },
    .getter(.status, "has_any_data") { call throws(Misuse) in
      call.return(.bool(try status(call).hasAnyData))
    },
    .getter(.status, "has_all_data") { call throws(Misuse) in
      call.return(.bool(try status(call).hasAllData))
    },
    .getter(.status, "error") { call throws(Misuse) in
      guard let resource = try status(call).failedResources.first,
        let error = resource.latestError
      else { return call.return(.nil) }
      call.unhandled.errorSeen(of: resource)
      call.return(call.values.of(error, service: resource.service))
    },
    .getter(.status, "resources") { call throws(Misuse) in
      call.return(.list(try status(call).resources.map { call.values.of($0) }))
    },
    .getter(.status, "failed") { call throws(Misuse) in
      call.return(.list(try status(call).failedResources.map { call.values.of($0) }))
    },
    .method(.status, "retry") { call throws(Misuse) in
      let status = try status(call)
      let failed = status.failedResources
      let loads = status.retryFailedRequests()
      call.return(
        .list(zip(loads, failed).map { call.values.of($0, loading: $1) }))
    },
    .method(.status, "await") { call throws(Misuse) in
      let status = try status(call)
      for resource in status.failedResources { call.unhandled.errorSeen(of: resource) }
      try LuaChanges(status, awaitsEnd: true, call.iterators).next(call)
    },
    .method(.status, "changes") { call throws(Misuse) in
      let changes = LuaChanges(try status(call), call.iterators)
      // The status holds the resources, and with them their services.
      let held = try call.kept.keep(call.state, call.index(0))
      call.returnIterator(call.values.of(changes, .changes, anchor: held))
    },
    .method(.status, "__tostring") { call throws(Misuse) in
      call.return(.string("Status(\(try status(call)))"))
    },
  ]

  /// `lull.status(resource)` or `lull.status({ resource, … }, { priority = … })`.
  private static func makeStatus(_ call: Call) throws(Misuse) {
    var rules = ResourceStatus.StateRule.standard
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: statusKeys) {
        _, value throws(Misuse) in
        rules = try self.rules(value, LuaTable.visitedIndex(in: call.state), call)
      }
    }
    var resources: [Resource] = []
    var held: [Int64] = []
    if let resource = call.object(0, .resource, as: Resource.self) {
      resources = [resource]
      held = [try call.kept.keep(call.state, call.index(0))]
    } else {
      guard call.raw(0).kind == Int32(LULL_TABLE) else {
        throw .argument(1, "a list of resources expected, got \(call.raw(0).typeName)")
      }
      for position in 0..<Int(lull_table_length(call.state, call.index(0))) {
        var value = lull_value()
        lull_push_element(call.state, call.index(0), Int64(position + 1), &value)
        defer { lull_pop(call.state, 1) }
        guard let resource = call.handles.object(value, .resource, as: Resource.self) else {
          throw .argument(
            1, "a list of resources expected, got \(value.typeName) as number \(position + 1)")
        }
        guard !resources.contains(where: { $0.record === resource.record }) else { continue }
        resources.append(resource)
        held.append(try call.kept.keep(call.state, lull_stack_top(call.state)))
      }
      try checkKeys(call)
    }
    let box = StatusBox(ResourceStatus(resources, displayPriority: rules))
    call.return(call.values.of(box, .status, anchor: call.kept.anchor(for: held)))
  }

  /// A list has no other keys, such as those of options.
  private static func checkKeys(_ call: Call) throws(Misuse) {
    try LuaTable(call.index(0), in: call.state).forEachField { key, _ throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER) else {
        throw .argument(
          1,
          "a list of resources expected, got the key \(key.described); options are a second table")
      }
    }
  }

  private static func rules(_ value: lull_value, _ index: Int32, _ call: Call) throws(Misuse)
    -> [ResourceStatus.StateRule]
  {
    let known = ResourceStatus.StateRule.allCases.map { "\"\($0.rawValue)\"" }
    let expected = "'priority' must be a list of \(known.joined(separator: ", "))"
    guard value.kind == Int32(LULL_TABLE) else {
      throw .message("\(expected), got \(value.typeName)")
    }
    var rules: [(place: Int64, rule: ResourceStatus.StateRule)] = []
    try LuaTable(index, in: call.state).forEachField { key, element throws(Misuse) in
      guard key.kind == Int32(LULL_INTEGER),
        let rule = ResourceStatus.StateRule(rawValue: element.string ?? "")
      else { throw .message("\(expected), got \(element.described)") }
      rules.append((key.integer, rule))
    }
    return rules.sorted { $0.place < $1.place }.map(\.rule)
  }
}
