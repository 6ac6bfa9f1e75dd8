import CLullBridge
import LullCore

extension APIOwner {
  static let observation = APIOwner.object(
    .observation, receiver: "observation",
    "The result of `resource:observe`: an object that can stop the observer.",
    "The observer stays until it is stopped, even if this object is dropped.",
    entries: [
      .property("resource", "Resource", "The resource that is observed.") { call throws(Misuse) in
        let box = try call.selfObject(.observation, as: ObservationBox.self)
        call.return(call.values.of(box.resource))
      },
      .method(
        "stop", "(): Observation",
        "Stops observing; no more events come. Stopping twice does nothing.",
        example: """
          local watch = user:observe(function(_, event) print(event) end)  --> observer_added
          watch:stop()
          assert(user:load():await())
          """, rules: "OBS-26 OBS-31"
      ) { call throws(Misuse) in
        try call.selfObject(.observation, as: ObservationBox.self).stop()
        call.returnSelf()
      },
      .operation(
        "__close", "(error?: any)", shown: "local name <close> = observation",
        "Stops observing at the end of the block."
      ) { call throws(Misuse) in
        try call.selfObject(.observation, as: ObservationBox.self).stop()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let box = try call.selfObject(.observation, as: ObservationBox.self)
        let state = box.observer.isStopped ? "stopped" : "observing"
        call.return(.string("Observation(\(state) \(box.resource.displayName))"))
      }
    ])

  static let observer = APIOwner.table(
    "Observer", "A table that observes resources: its methods with these names are called.",
    """
    The table needs at least one of these methods. Each method may wait. Errors in the methods are \
    reported.
    """,
    swift: "ResourceObserver",
    entries: [
      .field(
        "resource_changed",
        "(fun(self: table, resource: Resource, event: ResourceEvent, source?: DataSource))?",
        "Called when the state of the resource has changed.",
        swift: "ResourceObserver.resourceChanged(_:event:)",
        rules: "OBS-02 OBS-39"),
      .field(
        "resource_request_progress", "(fun(self: table, resource: Resource, fraction: number))?",
        "Called with the progress of a load; the call with 1 precedes `new_data` or `error`.",
        swift: "ResourceObserver.resourceRequestProgress(for:progress:)", rules: "PRG-29 OBS-39"),
      .field(
        "stopped_observing", "(fun(self: table, resource: Resource))?",
        """
        Called when the observer was removed or its owner was collected. Not called if the table \
        itself was collected.
        """,
        swift: "ResourceObserver.stoppedObserving(resource:)", rules: "OBS-26 OBS-28 OBS-29"),
    ])

  static let events = APIOwner.words(
    "ResourceEvent", "The events of observers.", swift: "ResourceEvent",
    entries: [
      .word(
        "observer_added", "Sent to the new observer only, inside the call that adds it.",
        swift: "ResourceEvent.observerAdded", rules: "OBS-01 OBS-40"),
      .word("requested", "A load has begun.", swift: "ResourceEvent.requested", rules: "OBS-02"),
      .word(
        "request_cancelled", "A load was cancelled; data and error stay.",
        swift: "ResourceEvent.requestCancelled", rules: "OBS-07 CXL-10"),
      .word(
        "new_data",
        "The data has changed; the third argument of the observer is the source of the data.",
        swift: "ResourceEvent.newData(_:)", rules: "OBS-03 OBS-10"),
      .word(
        "not_modified", "A load has ended, and the data is still current.",
        swift: "ResourceEvent.notModified",
        rules: "OBS-05 NM-05"),
      .word(
        "error", "A load has failed; the data stays.", swift: "ResourceEvent.error", rules: "OBS-08"
      ),
    ])

  static let sources = APIOwner.words(
    "DataSource", "The source of new data.", swift: "ResourceEvent.NewDataSource",
    entries: [
      .word(
        "network", "The server, by a load or a followed stream.",
        swift: "ResourceEvent.NewDataSource.network", rules: "OBS-03"),
      .word(
        "cache", "An entity cache; `is_loading` may still be true.",
        swift: "ResourceEvent.NewDataSource.cache",
        rules: "CACHE-05"),
      .word(
        "shared",
        "Another host or process, through `lull.cache.shared()`; `is_loading` does not change.",
        swift: "ResourceEvent.NewDataSource.shared", rules: "NEWS-01"),
      .word(
        "local_override", "A call of `override_local_data` or `override_local_content`.",
        swift: "ResourceEvent.NewDataSource.localOverride", rules: "OBS-04"),
      .word(
        "wipe", "A call of `wipe`, which has removed the data.",
        swift: "ResourceEvent.NewDataSource.wipe",
        rules: "WIPE-06"),
    ])
}
