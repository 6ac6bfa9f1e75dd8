/// What Swift calls: a kept function, or a field of a kept table.
package struct Callable {
  let id: Int64
  var method: StaticString?
  /// Hears of failures, also where callbacks are nested too deeply.
  var isHandler = false
  /// Is the main chunk, or a line of a session.
  var isMain = false

  package init(id: Int64) {
    self.id = id
  }

  init(
    id: Int64, method: StaticString? = nil, isHandler: Bool = false, isMain: Bool = false
  ) {
    self.id = id
    self.method = method
    self.isHandler = isHandler
    self.isMain = isMain
  }
}
