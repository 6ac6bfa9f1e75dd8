/// What Swift calls: a kept function, or a field of a kept table.
package struct Callable {
  let id: Int64
  var method: StaticString?
  /// Hears of failures, also where callbacks are nested too deeply.
  var isHandler = false

  package init(id: Int64) {
    self.id = id
  }

  init(id: Int64, method: StaticString? = nil, isHandler: Bool = false) {
    self.id = id
    self.method = method
    self.isHandler = isHandler
  }
}
