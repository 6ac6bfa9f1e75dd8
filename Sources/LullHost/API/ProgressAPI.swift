import CLullBridge

extension APIOwner {
  static let progress = APIOwner.object(
    .progress, receiver: "progress",
    "The result of `lull.progress`: a progress bar.",
    entries: [
      .method(
        "advance", "(count?: number): Progress",
        "Adds `count` to the amount that is done; default 1.",
        "After `finish`, the methods `advance` and `set` change nothing."
      ) { call throws(Misuse) in
        let count = try call.isNil(1) ? 1 : finite(call)
        try progress(call).advance(by: count)
        call.returnSelf()
      },
      .method(
        "set", "(count: number): Progress", "Sets the amount that is done so far.",
        example: """
          local progress = lull.progress(nil, "rows")
          print(progress:set(40):advance(2).count)     --> 42
          progress:finish()
          """
      ) { call throws(Misuse) in
        try progress(call).set(finite(call))
        call.returnSelf()
      },
      .method(
        "finish", "()",
        "Removes the bar, and leaves a line with the amount and the time.",
        """
        Finishing a second time does nothing. If the object is collected without `finish`, no line \
        is left.
        """
      ) { call throws(Misuse) in try progress(call).finish() },
      .operation(
        "__close", "()", shown: "local progress <close> = lull.progress(…)",
        "Finishes the progress bar when the block is left."
      ) { call throws(Misuse) in try progress(call).finish() },
      .property("count", "number", "The amount that is done.") { call throws(Misuse) in
        call.return(number(try progress(call).count))
      },
      .property("total", "number?", "The total amount; nil if the total is not known.") {
        call throws(Misuse) in
        call.return(try progress(call).total.map(number) ?? .nil)
      },
      .property("label", "string", "The text before the bar.", ) { call throws(Misuse) in
        call.return(.string(try progress(call).label))
      } set: { call throws(Misuse) in
        guard call.raw(1).kind == Int32(LULL_STRING) else {
          throw .message("'label' must be a string, got \(call.raw(1).typeName)")
        }
        try progress(call).label = call.text(1)
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        call.return(.string("Progress(\(try progress(call).text))"))
      }
    ])
}

extension APIOwner {
  private static func progress(_ call: Call) throws(Misuse) -> ScriptProgress {
    try call.selfObject(.progress, as: ScriptProgress.self)
  }

  private static func finite(_ call: Call) throws(Misuse) -> Double {
    guard let number = call.raw(1).double, number.isFinite else {
      throw .argument(1, "a finite number expected, got \(call.raw(1).described)")
    }
    return number
  }

  /// Returns a number as a Lua integer if it has no fraction, otherwise as a float.
  private static func number(_ value: Double) -> LuaValue {
    Int64(exactly: value).map { .int($0) } ?? .number(value)
  }
}
