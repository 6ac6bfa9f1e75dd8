import LullCore

extension Method {
  private static func pages(_ call: Call) throws(Misuse) -> LuaPages {
    try call.selfObject(.pages, as: LuaPages.self)
  }

  static let pagesMethods: [Method] = [
    .method(.resource, "pages", "T") { call throws(Misuse) in
      let options =
        call.isNil(1)
        ? .init()
        : try LuaPages.Options(call.index(1), call.state, call.reading.options, call.kept)
      LuaPages.iterate(try call.resource, options, call)
    },
    .getter(.pages, "count") { call throws(Misuse) in
      call.return(.int(Int64(try pages(call).count)))
    },
    .method(.pages, "__call", "*") { call throws(Misuse) in try pages(call).next(call) },
    .method(.pages, "stop") { call throws(Misuse) in try pages(call).end() },
    .method(.pages, "__close", "*") { call throws(Misuse) in try pages(call).end() },
    .method(.pages, "__tostring") { call throws(Misuse) in
      let pages = try pages(call)
      let state = pages.isOver ? "over after \(pages.count)" : "\(pages.count) so far"
      call.return(.string("Pages(\(pages.resource.displayName), \(state))"))
    },
  ]
}
