import CLullBridge

extension Method {
  private static func progress(_ call: Call) throws(Misuse) -> ScriptProgress {
    try call.selfObject(.progress, as: ScriptProgress.self)
  }

  static let progressMethods: [Method] = [
    .function("progress", "NS") { call throws(Misuse) in
      let total = call.raw(0).double
      guard total.map({ $0.isFinite && $0 >= 0 }) ?? true else {
        throw .argument(1, "a number from 0 up expected, got \(call.raw(0).described)")
      }
      let label = call.isNil(1) ? "" : try call.text(1, argument: 2)
      let progress = call.progress.begin(total: total, label: label)
      call.return(call.values.of(progress, .progress))
    },
    .method(.progress, "advance", "N") { call throws(Misuse) in
      let count = try call.isNil(1) ? 1 : finite(call)
      try progress(call).advance(by: count)
      call.returnSelf()
    },
    .method(.progress, "set", "n") { call throws(Misuse) in
      try progress(call).set(finite(call))
      call.returnSelf()
    },
    .method(.progress, "finish") { call throws(Misuse) in try progress(call).finish() },
    .method(.progress, "__close", "*") { call throws(Misuse) in try progress(call).finish() },
    .method(.progress, "__tostring") { call throws(Misuse) in
      call.return(.string("Progress(\(try progress(call).text))"))
    },
    .getter(.progress, "count") { call throws(Misuse) in
      call.return(number(try progress(call).count))
    },
    .getter(.progress, "total") { call throws(Misuse) in
      call.return(try progress(call).total.map(number) ?? .nil)
    },
    .getter(.progress, "label") { call throws(Misuse) in
      call.return(.string(try progress(call).label))
    },
    .setter(.progress, "label") { call throws(Misuse) in
      guard call.raw(1).kind == Int32(LULL_STRING) else {
        throw .message("'label' must be a string, got \(call.raw(1).typeName)")
      }
      try progress(call).label = call.text(1)
    },
  ]

  private static func finite(_ call: Call) throws(Misuse) -> Double {
    guard let number = call.raw(1).double, number.isFinite else {
      throw .argument(1, "a finite number expected, got \(call.raw(1).described)")
    }
    return number
  }

  /// As an integer where it is one.
  private static func number(_ value: Double) -> LuaValue {
    Int64(exactly: value).map { .int($0) } ?? .number(value)
  }
}
