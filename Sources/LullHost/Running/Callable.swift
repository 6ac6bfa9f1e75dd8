/// What Swift calls: a kept function, or a field of a kept table.
struct Callable {
  let id: Int64
  var method: StaticString?
  /// Hears of failures, also where callbacks are nested too deeply.
  var isHandler = false
}
