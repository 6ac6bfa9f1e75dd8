import CLullBridge
import LullCore

extension APIOwner {
  static let networkingFunction = APIOwner.alias(
    "NetworkingFunction",
    "fun(http: HTTPRequest, complete: Completion, report: fun(metrics: NetworkReport)): NetworkAnswer?, RequestError?",
    "Responds to requests in place of the network.",
    """
    The function is called when a request starts, and may wait. It runs in a coroutine that is \
    closed if the request is cancelled. The function responds once: by returning a table, or nil \
    and an error, or by calling `complete` with the same values. A table and an error may be \
    passed together: the request then fails with the cause, status and entity of the error, and \
    the rest is taken from the table. Further responses are ignored and logged. A request error \
    that the function raises is its response. If the function raises any other error, or if it \
    ends without a response and `complete` is no longer reachable, the request fails with kind \
    `script_error`.
    """,
    swift: "NetworkingProvider")

  static let completion = APIOwner.alias(
    "Completion", "fun(answer?: NetworkAnswer, error?: RequestError|string)",
    "Gives the response to a request, once.", swift: "NetworkCompletion")

  static let networkAnswer = APIOwner.table(
    "NetworkAnswer", "The response that a networking function returns.",
    "The fields `json` and `text` set a Content-Type unless `headers` contains one.",
    swift: "NetworkResult",
    entries: [
      .field(
        "status", "integer?", "The HTTP status; default 200.", swift: "HTTPResponse.status",
        rules: "NET-02"),
      .field("http_status", "integer?", "The same as `status`."),
      .field(
        "headers", "table<string, string|string[]>?", "The headers.", swift: "HTTPResponse.headers"),
      .field(
        "body", "string?",
        "The bytes of the body. Without `body`, `json` and `text` the body is empty.",
        swift: "NetworkResult.body", rules: "LOAD-14 ERR-08"),
      .field("json", "any", "A value to send as JSON."),
      .field("text", "string?", "Text to send as UTF-8."),
    ])

  static let networkReport = APIOwner.table(
    "NetworkReport", "The progress that a networking function reports, in bytes.",
    swift: "RequestTransferMetrics",
    entries: [
      .field(
        "sent", "integer?", "Bytes sent so far.", swift: "RequestTransferMetrics.requestBytesSent",
        rules: "NET-04"),
      .field(
        "to_send", "integer?", "Bytes to send in total, if known.",
        swift: "RequestTransferMetrics.requestBytesTotal",
        rules: "NET-04"),
      .field(
        "received", "integer?", "Bytes received so far.",
        swift: "RequestTransferMetrics.responseBytesReceived",
        rules: "NET-04"),
      .field(
        "to_receive", "integer?", "Bytes to receive in total, if known.",
        swift: "RequestTransferMetrics.responseBytesTotal", rules: "NET-04"),
    ])

  static let customRequest = APIOwner.table(
    "CustomRequest", "The functions of `lull.custom_request`.", swift: "RequestDelegate",
    entries: [
      .field(
        "start", "fun(complete: fun(response: Response))",
        "Does the work and calls `complete` once. Called once, when the request starts; may wait.",
        swift: "RequestDelegate.startUnderlyingOperation(passingResponseTo:)",
        rules: "DEL-03 DEL-04 DEL-06"),
      .field(
        "cancel", "fun()?",
        "Called when the request is cancelled; calls of `complete` after that are ignored.",
        swift: "RequestDelegate.cancelUnderlyingOperation()",
        rules: "DEL-07"),
      .field(
        "progress", "(fun(): number)?",
        "The progress from 0 to 1; without it, 0 until completion.",
        swift: "RequestDelegate.computeProgress()",
        rules: "DEL-08"),
      .field(
        "repeated", "(fun(): CustomRequest)?",
        "Returns the functions of the repeated request; default the same functions.",
        swift: "RequestDelegate.repeated()",
        rules: "DEL-09"),
      .field(
        "description", "string?", "The name of the request in logs and `tostring`.",
        swift: "RequestDelegate.requestDescription"),
    ])
}

extension APIOwner {
  /// The functions that a script's networking function gets as arguments, so that it can respond
  /// later.
  static let completionFunctions = APIOwner.unseen(
    .completion,
    hidden: [
      .hidden("complete", "VV") { call throws(Misuse) in
        let answer = try call.selfObject(.completion, as: NetworkAnswer.self)
        if answer.isGiven {
          call.pump.log(.network, "\(LogText.url(answer.url)): a second answer was ignored")
          return
        }
        answer.complete(
          try call.reading.answers.result(
            call.raw(1), call.raw(2), call.state, call.index(1), url: answer.url))
      },
      // `report{ sent =, to_send =, received =, to_receive = }`: all fields are optional. A value
      // whose field is missing stays unchanged.
      .hidden("report", "t") { call throws(Misuse) in
        let answer = try call.selfObject(.completion, as: NetworkAnswer.self)
        var metrics = answer.metrics
        try call.reading.options.forEach(
          of: call.index(1), in: call.state, known: ["sent", "to_send", "received", "to_receive"]
        ) { name, value throws(Misuse) in
          guard let count = value.wholeNumber else {
            throw .message("'\(name)' must be a number of bytes, got \(value.typeName)")
          }
          switch name {
          case "sent": metrics.requestBytesSent = count
          case "to_send": metrics.requestBytesTotal = count
          case "received": metrics.responseBytesReceived = count
          default: metrics.responseBytesTotal = count
          }
        }
        answer.metrics = metrics
      },
    ])

  /// The function `complete`, which the `start` function of a custom request gets.
  static let handlerFunctions = APIOwner.unseen(
    .handler,
    hidden: [
      .hidden("complete", "v") { call throws(Misuse) in
        let completion = try call.selfObject(.handler, as: CustomCompletion.self)
        guard let box = call.object(1, .response, as: ResponseBox.self) else {
          throw .argument(
            1,
            "Response expected, such as lull.success{…} or lull.failure(…), got "
              + call.raw(1).typeName)
        }
        completion.handler.broadcastResponse(box.settled)
      }
    ])

  static let completeIndex = LuaLibrary.index(.completion, "complete")

  static let reportIndex = LuaLibrary.index(.completion, "report")

  /// Returns the networking provider for `networking = fn`. If `fn` was created by
  /// `lull.testing.stub`, the provider responds without calling Lua.
  static func networking(_ call: Call, _ index: Int32) throws(Misuse) -> (
    provider: any NetworkingProvider, anchor: Int64
  ) {
    let id = try call.stored.keep(call.state, index)
    var bound = lull_value()
    if lull_bound_object(call.state, index, &bound) != 0,
      let stubs = call.handles.object(bound, .stub, as: StubAnswers.self)
    {
      return (stubs, id)
    }
    let networking = LuaNetworking(
      id, call.callbacks, call.reading.answers, log: call.pump.log)
    return (networking, id)
  }

  static let customCompleteIndex = LuaLibrary.index(.handler, "complete")
}
