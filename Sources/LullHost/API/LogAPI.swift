import CLullBridge
import LullCore

extension APIOwner {
  static let log = APIOwner.module(
    "lull.log", handle: .log,
    "Lull's log of its work; nothing is logged unless a category is enabled.",
    "The environment variable `LULL_LOG=network,staleness` also enables categories.",
    entries: [
      .property(
        "enabled", "LogCategory[]|LogCategory|boolean|nil",
        """
        The categories to log: a list of names, one name, a preset, or true for `"common"`; nil \
        for no category.
        """,
        "Reading this property returns a sorted list. An unknown name raises an error.",
        example: """
          lull.log.enabled = { "network", "staleness" }
          print(table.concat(lull.log.enabled, " "))         --> network staleness
          """, swift: "Log.enabled", rules: "LOG-01 LOG-02 LOG-03"
      ) { call throws(Misuse) in
        let log = try call.selfObject(.log, as: ScriptLog.self)
        call.return(.list(log.enabled.map { .string($0) }))
      } set: { call throws(Misuse) in
        let log = try call.selfObject(.log, as: ScriptLog.self)
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
        try log.enable(names)
      },
      .property(
        "handler", "(fun(category: LogCategory, message: string))?",
        "The function that receives messages in place of standard error.",
        """
        The handler must return at once. Messages that are logged while the handler runs go to \
        standard error. If the handler raises an error, the error is reported, and the message \
        goes to standard error.
        """,
        example: """
          lull.log.handler = function(category, message) print(category) end  --> network
          lull.log.enabled = "network"
          user:load():await()
          """, swift: "Log.messageHandler", rules: "LOG-04"
      ) { call throws(Misuse) in
        let log = try call.selfObject(.log, as: ScriptLog.self)
        call.return(log.handler.map { .ref($0) } ?? .nil)
      } set: { call throws(Misuse) in
        let log = try call.selfObject(.log, as: ScriptLog.self)
        guard !call.isNil(1) else { return try log.setHandler(nil) }
        guard call.raw(1).kind == Int32(LULL_FUNCTION) else {
          try log.setHandler(nil)
          throw .message("'handler' must be a function, got \(call.raw(1).typeName)")
        }
        try log.setHandler(try call.stored.keep(call.state, call.index(1)))
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in call.return(.string("lull.log")) }
    ])

  static let logCategories = APIOwner.words(
    "LogCategory", "The categories of messages that can be logged, and three presets.",
    swift: "Log.Category",
    entries: [
      .word("network", "Each request with its outcome.", swift: "Log.Category.network"),
      .word(
        "network_details", "Headers and bodies of requests and responses.",
        swift: "Log.Category.networkDetails"),
      .word(
        "pipeline", "What each transformer does to a response.", swift: "Log.Category.pipeline"),
      .word(
        "state_changes", "Changes of resources' data and errors.",
        swift: "Log.Category.stateChanges"),
      .word(
        "observers",
        "Each time an observer is added, removed or notified.", swift: "Log.Category.observers"),
      .word(
        "staleness",
        "The reason why `load_if_needed` loads or does not load.", swift: "Log.Category.staleness"),
      .word("cache", "Reads and writes of entity caches.", swift: "Log.Category.cache"),
      .word(
        "configuration",
        "Each configuration that is computed, and the entries that it is computed from.",
        swift: "Log.Category.configuration"),
      .word(
        "common", "Preset: network, state_changes, staleness.", swift: "Log.Category.common",
        rules: "LOG-03"),
      .word(
        "detailed", "Preset: all categories except network_details.",
        swift: "Log.Category.detailed",
        rules: "LOG-03"),
      .word("all", "Preset: all categories.", swift: "Log.Category.all", rules: "LOG-03"),
    ])
}
