import LullCore

// Which of Lua's values those of the model hold, by number.

extension Content {
  var foreignID: Int64? {
    if case .foreign(let foreign) = self { return foreign.id }
    return nil
  }
}

extension Response {
  var foreignIDs: [Int64] {
    switch outcome {
    case .success(let entity): entity.content.foreignID.map { [$0] } ?? []
    case .failure(let error): error.foreignIDs
    }
  }
}

extension RequestError {
  /// Lua values the error holds: its entity's content, and what was raised.
  var foreignIDs: [Int64] {
    var ids: [Int64] = []
    if let id = entity?.content.foreignID { ids.append(id) }
    if let id = cause?.raisedValue?.foreign?.id { ids.append(id) }
    if case .custom(let custom as ScriptCause) = cause { ids.append(custom.value.id) }
    if case .custom(let other as RequestError) = cause { ids += other.foreignIDs }
    return ids
  }
}
