extension LogText {
  /// Times, headers, decorators, and the stages in order with what is on them.
  package static func dump(_ configuration: Configuration) -> String {
    var lines = [
      "expiration time: \(configuration.expirationTime.words), retry time: "
        + "\(configuration.retryTime) s, progress every "
        + "\(configuration.progressReportingInterval) s",
      "time-out: \(configuration.limits.timeout) s, connecting: "
        + "\(configuration.limits.connectTimeout) s",
    ]
    lines += headers(configuration.headers)
    if let policies = configuration.policies { lines += policies.rules.descriptions }
    if let auth = configuration.auth { lines.append("auth: \(auth.description)") }
    lines.append(
      "\(configuration.mutations.count) mutations, \(configuration.decorators.count) decorators")
    lines.append("pipeline:" + dump(configuration.pipeline))
    return indented(lines)
  }

  /// The stages that have something, in order, on a line.
  package static func line(_ pipeline: Pipeline) -> String {
    dump(pipeline).split(separator: "\n").map { String($0.drop { $0 == " " }) }
      .filter { !$0.hasSuffix("–") }.joined(separator: "; ")
  }

  package static func dump(_ pipeline: Pipeline) -> String {
    let lines = pipeline.order.map { key in
      let stage = pipeline[key]
      var line = "\(key.description):"
      for transformer in stage.transformerDescriptions { line += " " + part(transformer) + "," }
      if let cache = stage.cache {
        let name = (cache as? any CustomStringConvertible)?.description ?? "\(type(of: cache))"
        line += " cache \(name),"
      }
      return stage.isEmpty ? line + " –" : String(line.dropLast())
    }
    return indented(lines)
  }
}
