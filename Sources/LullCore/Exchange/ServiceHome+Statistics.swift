extension ServiceHome {
  /// What is in memory and under way on this home now: services, resources, observers, requests, bytes.
  ///
  /// Counts what scripts of runtimes on this home have as well. It looks at every resource, changes nothing,
  /// and keeps nothing alive; of a home that has ended only bytes are counted. `await home.statistics` from
  /// elsewhere. Lua: `lull.stats()`, which counts what is the script's own.
  ///
  ///     let statistics = await home.statistics
  ///     print(statistics)  // 1 service, 25 resources, 3 of them in use, 0 observers, 1 request in flight …
  public var statistics: HomeStatistics { surroundings.context.pump.statistics }
}
