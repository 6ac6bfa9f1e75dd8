extension Pipeline {
  /// What is done at a stage: by a function whose description says where it is, not what it does, or by something that
  /// its description tells.
  package enum ComparedPart {
    case functions(any FunctionHolder)
    case described(String)
  }

  /// What is done at each stage that runs, in order.
  package var comparedStages: [(name: String, parts: [ComparedPart])] {
    order.map { key in
      let stage = self[key]
      var parts = stage.transformers.map { ComparedPart($0, $0.description) }
      if let cache = stage.cache { parts.append(ComparedPart(cache, "cache \(type(of: cache))")) }
      return (key.description, parts)
    }
  }
}

extension Pipeline.ComparedPart {
  fileprivate init(_ part: Any, _ description: String) {
    if let holder = part as? any FunctionHolder, !holder.heldFunctions.isEmpty {
      self = .functions(holder)
    } else {
      self = .described(description)
    }
  }
}
