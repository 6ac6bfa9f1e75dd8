import CLullBridge
import Glibc
import LullArguments
import LullCore
import LullSystem

extension Method {
  static let logMethods: [Method] = [
    .getter(.log, "enabled") { call throws(Misuse) in
      let proxy = try call.selfObject(.log, as: LogProxy.self)
      call.return(.list(proxy.enabledDescription.map { .string($0) }))
    },
    .setter(.log, "enabled") { call throws(Misuse) in
      let proxy = try call.selfObject(.log, as: LogProxy.self)
      var names: [String] = []
      switch Int(call.raw(1).kind) {
      case Int(LULL_NIL): break
      case Int(LULL_BOOLEAN): if call.raw(1).integer != 0 { names = ["common"] }
      case Int(LULL_STRING): names = [call.raw(1).string ?? ""]
      case Int(LULL_TABLE):
        try LuaTable(call.index(1), in: call.state).forEachField {
          _, element throws(Misuse) in
          guard let name = element.string else {
            throw .message("'enabled' must be a list of category names")
          }
          names.append(name)
        }
      default:
        throw .message(
          "'enabled' must be a list of category names, or \"common\", \"detailed\" or \"all\", got "
            + call.raw(1).typeName)
      }
      try call.host.enableLog(names, proxy)
    },
    .getter(.log, "handler") { call throws(Misuse) in
      let proxy = try call.selfObject(.log, as: LogProxy.self)
      call.return(proxy.handler.map { .ref($0) } ?? .nil)
    },
    .setter(.log, "handler") { call throws(Misuse) in
      let proxy = try call.selfObject(.log, as: LogProxy.self)
      let host = call.host
      if let old = proxy.handler { lull_value_unpin(host.bridge.pointer, old) }
      proxy.handler = nil
      proxy.log.handler = nil
      guard !call.isNil(1) else { return }
      guard call.raw(1).kind == Int32(LULL_FUNCTION) else {
        throw .message("'handler' must be a function, got \(call.raw(1).typeName)")
      }
      let id = try host.kept.keep(call.state, call.index(1))
      guard lull_value_pin(host.bridge.pointer, id) == 0 else {
        throw .message("not enough memory")
      }
      proxy.handler = id
      proxy.log.handler = { [unowned host] category, text in
        host.handleLog(id, category, text)
      }
    },
    .method(.log, "__tostring") { call throws(Misuse) in call.return(.string("lull.log")) },
  ]
}

extension LuaHost {
  /// Enables categories and presets by name.
  func enableLog(_ names: [String], _ proxy: LogProxy) throws(Misuse) {
    var enabled: Set<Log.Category> = []
    for name in names {
      guard let categories = Log.categories(named: name) else {
        let known = Log.Category.allCases.map(\.rawValue) + ["common", "detailed", "all"]
        if let near = NearestName.suggestion(for: name, among: known) {
          throw .message("unknown log category '\(name)' (did you mean '\(near)'?)")
        }
        throw .message(
          "unknown log category '\(name)'; there are \(known.joined(separator: ", "))")
      }
      enabled.formUnion(categories)
    }
    proxy.log.enabled = enabled
    proxy.enabledDescription = enabled.map(\.rawValue).sorted()
  }

  /// `LULL_LOG=network,staleness`
  func enableLogFromEnvironment() {
    guard let text = getenv("LULL_LOG").map({ String(cString: $0) }), !text.isEmpty else { return }
    let names = text.split { $0 == "," || $0 == " " }.map(String.init)
    do throws(Misuse) {
      try enableLog(names, log)
    } catch {
      StandardError.write("lull: LULL_LOG: \(error.text)\n")
    }
  }

  /// A message for the script's handler; while the handler runs, and if it fails, the default output
  /// is used.
  func handleLog(_ id: Int64, _ category: Log.Category, _ text: String) {
    guard !isHandlingLog, !bridge.isClosed else { return Log.writeToStandardError(category, text) }
    isHandlingLog = true
    defer { isHandlingLog = false }
    let arguments: [LuaValue] = [.string(category.rawValue), .string(text)]
    let answer = coroutines.ask(Callable(id: id), arguments, kind: "log handler") { _ in }
    switch answer {
    case .success: break
    case .failure(.gone): Log.writeToStandardError(category, text)
    case .failure(.failed(let failure)):
      Log.writeToStandardError(category, text)
      report(failure, in: kept.named("log handler", id))
    }
  }
}
