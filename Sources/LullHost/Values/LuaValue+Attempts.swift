import LullCore

extension LuaValue {
  /// `request.attempts`: a list of tables, the latest attempt last.
  static func attempts(_ attempts: [RequestAttempt]) -> LuaValue {
    .list(
      attempts.map { attempt in
        var fields: [(String, LuaValue)] = [
          ("number", .int(Int64(attempt.number))), ("started", .number(attempt.started)),
          ("delay", .number(attempt.delay)),
        ]
        if let elapsed = attempt.elapsed { fields.append(("elapsed", .number(elapsed))) }
        switch attempt.outcome {
        case .status(let status):
          fields += ["status", "http_status"].map { ($0, LuaValue.int(Int64(status))) }
        case .failure(let kind): fields.append(("error", .string(kind.rawValue)))
        case nil: break
        }
        return .map(fields)
      })
  }
}
