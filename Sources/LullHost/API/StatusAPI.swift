import CLullBridge
import LullCore

extension APIOwner {
  static let status = APIOwner.object(
    .status, receiver: "status",
    """
    The combined state of several resources, computed at each read; the result of `lull.status{ … \
    }`.
    """,
    swift: "ResourceStatus",
    entries: [
      .property(
        "state", "StatusState",
        "The combined state, by the first rule of the option `priority` that applies.",
        swift: "ResourceStatus.state", rules: "STA-120"
      ) { call throws(Misuse) in
        call.return(.string(try status(call).state.rawValue))
      },
      .property(
        "is_loading", "boolean", "Whether any of the resources is loading.",
        swift: "ResourceStatus.isLoading"
      ) { call throws(Misuse) in
        call.return(.bool(try status(call).isLoading))
      },
      .property(
        "error", "RequestError?", "The error of the first resource that has one.",
        swift: "ResourceStatus.latestError"
      ) { call throws(Misuse) in
        guard let resource = try status(call).failedResources.first,
          let error = resource.latestError
        else { return call.return(.nil) }
        call.reporter.unhandled.errorSeen(of: resource)
        call.return(call.values.of(error, service: resource.service))
      },
      .property(
        "has_any_data", "boolean", "Whether any of the resources has data.",
        swift: "ResourceStatus.hasAnyData"
      ) { call throws(Misuse) in
        call.return(.bool(try status(call).hasAnyData))
      },
      .property(
        "has_all_data", "boolean", "Whether all of the resources have data.",
        swift: "ResourceStatus.hasAllData"
      ) { call throws(Misuse) in
        call.return(.bool(try status(call).hasAllData))
      },
      .property(
        "resources", "Resource[]", "The resources, without duplicates.",
        swift: "ResourceStatus.resources"
      ) { call throws(Misuse) in
        call.return(.list(try status(call).resources.map { call.values.of($0) }))
      },
      .property(
        "failed", "Resource[]", "The resources whose last load has failed.",
        swift: "ResourceStatus.failedResources"
      ) { call throws(Misuse) in
        call.return(.list(try status(call).failedResources.map { call.values.of($0) }))
      },
      .method(
        "retry", "(): Request[]",
        "Loads the resources whose last load has failed, however recently that load failed.",
        """
        Returns the loads, in the order of the resources; a load in progress is not started again.
        """,
        example: """
          local status = lull.status{ user, api("/users/9") }
          user:load():await()
          api("/users/9"):load():await()
          print(status.state, status.error.http_status)        --> error 404
          print(#status:retry(), (status:await()))             --> 1 error
          """, swift: "ResourceStatus.retryFailedRequests()", rules: "STA-121"
      ) { call throws(Misuse) in
        let status = try status(call)
        let failed = status.failedResources
        let loads = status.retryFailedRequests()
        call.return(
          .list(zip(loads, failed).map { call.values.of($0, loading: $1) }))
      },
      .method(
        "await", "(): StatusState, RequestError?",
        "Waits until no resource is loading; returns the state, and the error if there is one.",
        "Starts no load. Returns at once if no resource is loading. May wait.", rules: "STA-122"
      ) { call throws(Misuse) in
        let status = try status(call)
        for resource in status.failedResources { call.reporter.unhandled.errorSeen(of: resource) }
        try LuaChanges(status, awaitsEnd: true, call.callbacks).next(call)
      },
      .method(
        "changes", "(): Changes",
        """
        Returns an iterator for `for` that yields the current state, and then each new state when \
        the state changes.
        """,
        "Otherwise like `resource:changes`.",
        example: """
          user:load()
          for state in lull.status{ user }:changes() do
            print(state)                           --> loading
            if state == "success" then break end   --> success
          end
          """, rules: "STA-122 OBS-122"
      ) { call throws(Misuse) in
        let changes = LuaChanges(try status(call), call.callbacks)
        // The iterator's userdata anchors the status. The status holds its resources, and the
        // resources hold their services.
        let held = try call.stored.keep(call.state, call.index(0))
        call.returnIterator(call.values.of(changes, .changes, anchor: held))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string("Status(\(try status(call)))"))
      }
    ])

  static let statusOptions = APIOwner.table(
    "StatusOptions", "Options of `lull.status`.",
    entries: [
      .field(
        "priority", "(\"loading\"|\"error\"|\"any_data\"|\"all_data\")[]?",
        """
        The rules for `state`, of which the first that applies is used; default `{ "loading", \
        "error", "any_data" }`.
        """,
        swift: "ResourceStatus.displayPriority", rules: "STA-120")
    ])

  static let statusStates = APIOwner.words(
    "StatusState", "The combined states of several resources.", swift: "ResourceStatus.State",
    entries: [
      .word("loading", "At least one of the resources is loading."),
      .word("error", "The last load of at least one of the resources has failed."),
      .word("success", "At least one or all of the resources have data, depending on `priority`."),
      .word("none", "No rule applies: nothing has been loaded."),
    ])
}

extension APIOwner {
  static let statusKeys = ["priority"]

  private static func status(_ call: Call) throws(Misuse) -> ResourceStatus {
    try call.selfObject(.status, as: StatusBox.self).status
  }

  /// Implements `lull.status(resource)` and `lull.status({ resource, … }, { priority = … })`.
  static func makeStatus(_ call: Call) throws(Misuse) {
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
      held = [try call.stored.keep(call.state, call.index(0))]
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
            1, "a list of resources expected, got \(value.typeName) as element \(position + 1)")
        }
        guard !resources.contains(where: { $0.record === resource.record }) else { continue }
        resources.append(resource)
        held.append(try call.stored.keep(call.state, lull_stack_top(call.state)))
      }
      try checkKeys(call)
    }
    let box = StatusBox(ResourceStatus(resources, displayPriority: rules))
    call.return(call.values.of(box, .status, anchor: call.stored.anchor(for: held)))
  }

  /// Throws if the list of resources has keys that are not positions, for example the names of
  /// options.
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

/// The result of `lull.status`.
final class StatusBox {
  let status: ResourceStatus

  init(_ status: ResourceStatus) {
    self.status = status
  }
}
