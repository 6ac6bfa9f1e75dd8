import CLullBridge
import LullCore

extension LuaHost {
  /// What is in memory and under way now, by the names scripts see.
  ///
  /// Looks at every resource; counts garbage that has not been collected yet. Changes nothing.
  package var statistics: [(name: String, count: Int)] {
    var services = 0
    var resources = 0
    var resourcesInUse = 0
    var observers = 0
    for service in handles.objects(.service, as: Service.self) {
      services += 1
      service.table.forEach { record in
        resources += 1
        if record.isInUse { resourcesInUse += 1 }
        observers += record.observers.keptCount
      }
    }
    return [
      ("services", services),
      ("resources", resources),
      ("resources_in_use", resourcesInUse),
      ("observers", observers),
      ("requests_in_flight", requests.open.count),
      ("requests_queued", environment.queuedExchangeCount),
      ("streams", requests.streamCount),
      ("handles", handles.count),
      ("pins", pinCount),
      ("lua_bytes", Int(lull_runtime_lua_bytes(bridge.pointer))),
      ("document_bytes", HeldBytes.documents),
      ("body_bytes", HeldBytes.bodies),
    ]
  }
}
