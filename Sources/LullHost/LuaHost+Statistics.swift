import CLullBridge
import LullCore

extension LuaHost {
  /// What is in memory and under way now of this host's own, by the names scripts see.
  ///
  /// Looks at every resource; counts garbage that has not been collected yet. Changes nothing.
  package var statistics: [(name: String, count: Int)] {
    var counts = HomeStatistics()
    for service in handles.objects(.service, as: Service.self) { service.table.add(to: &counts) }
    return [
      ("services", counts.services),
      ("resources", counts.resources),
      ("resources_in_use", counts.resourcesInUse),
      ("observers", counts.observers),
      ("requests_in_flight", requests.open.count),
      ("requests_queued", environment.queuedExchangeCount),
      ("streams", requests.streamCount),
      ("handles", handles.count),
      ("pins", pinCount),
      ("lua_bytes", Int(lull_runtime_lua_bytes(bridge.pointer))),
      ("document_bytes", counts.documentBytes),
      ("body_bytes", counts.bodyBytes),
    ]
  }
}
