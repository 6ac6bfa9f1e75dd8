import LullCore

/// Makes an API of requests that somebody has written down or recorded.
struct RequestImport {
  /// Whether they are samples, of which those that differ in no more than values are one call.
  let isRecorded: Bool
  let variables: VariableNames
  let hasShellBlanks: Bool
  private(set) var api: ImportedAPI

  init(
    _ requests: [SeenRequest], origin: String, isRecorded: Bool, variables: VariableNames,
    hasShellBlanks: Bool = false, known: [KnownCalls.Call] = []
  ) {
    self.isRecorded = isRecorded
    self.variables = variables
    self.hasShellBlanks = hasShellBlanks
    api = ImportedAPI(baseURL: origin)
    let groups = isRecorded ? keptGroups(of: requests) : requests.map { [$0] }
    var titles = CallTitles(known)
    var accesses: [(access: ImportedAccess, call: Int)] = []
    for group in groups {
      var maker = CallMaker(
        group, isRecorded: isRecorded, variables: variables, hasShellBlanks: hasShellBlanks)
      var call = maker.call()
      call.name = titles.name(for: group[0], path: call.path)
      for text in maker.notes { note("\(call.name): \(text)") }
      for request in group {
        let seen = SeenAccess(request, variables, hasShellBlanks: hasShellBlanks)
        for text in seen.notes { note("\(call.name): \(text)") }
        if seen.access != ImportedAccess() { accesses.append((seen.access, api.calls.count)) }
      }
      api.calls.append(call)
    }
    takeAccess(accesses)
    if isRecorded { liftHeaders() }
    noteHeaders(requests)
  }

  private mutating func note(_ text: String) {
    if !api.notes.contains(text) { api.notes.append(text) }
  }

  /// Without requests whose queries have what makes no text, unless all of a group have the same: a parameter has no
  /// such value.
  private mutating func keptGroups(of requests: [SeenRequest]) -> [[SeenRequest]] {
    var groups = RequestImport.groups(requests)
    for place in groups.indices {
      let group = groups[place]
      let isSame = group.allSatisfy { $0.literalQuery == group[0].literalQuery }
      let isFine = group[0].literalQuery.allSatisfy { pair in
        let name = pair.prefix { $0 != "=" }
        return !group[0].isSecret(SeenRequest.decoded(name))
          && SeenValues.isHarmless(String(pair.dropFirst(name.count)))
      }
      guard !isSame || !isFine else { continue }
      groups[place] = group.filter(\.literalQuery.isEmpty)
      for request in group where !request.literalQuery.isEmpty {
        let reason =
          isFine
          ? "its query has escapes that are no text, and others of the same path have not the same"
          : "its query has what may be a credential, with escapes that are no text"
        let one = ImportedAPI.LeftOut(what: request.shown, reason: reason)
        if !api.leftOut.contains(one) { api.leftOut.append(one) }
      }
    }
    return groups.filter { !$0.isEmpty }
  }

  /// By method and what is at its path, in the order in which they came first.
  private static func groups(_ requests: [SeenRequest]) -> [[SeenRequest]] {
    var places: [String: Int] = [:]
    var groups: [[SeenRequest]] = []
    for request in requests {
      let key = "\(request.method) \(PathTemplate(request.path).key)"
      if let place = places[key] {
        groups[place].append(request)
      } else {
        places[key] = groups.count
        groups.append([request])
      }
    }
    return groups
  }

  /// What most of them have is the API's, and what another has is its own.
  private mutating func takeAccess(_ accesses: [(access: ImportedAccess, call: Int)]) {
    var counts: [(access: ImportedAccess, count: Int)] = []
    for (access, _) in accesses {
      if let place = counts.firstIndex(where: { $0.access == access }) {
        counts[place].count += 1
      } else {
        counts.append((access, 1))
      }
    }
    guard let most = counts.map(\.count).max(),
      let main = counts.first(where: { $0.count == most })?.access
    else { return }
    api.access = main
    var done: Set<Int> = []
    for (access, number) in accesses where access != main && done.insert(number).inserted {
      let call = api.calls[number]
      // A recorded one may have had less for a while, as before a login.
      if isRecorded, access.way == nil || access.way == main.way { continue }
      api.exceptions.append(RequestImport.exception(call, access))
    }
  }

  static func exception(_ call: ImportedCall, _ access: ImportedAccess) -> ImportedException {
    ImportedException(pattern: pattern(call.path), methods: [call.method], access: access)
  }

  private static func pattern(_ path: String) -> String {
    String(path.prefix { $0 != "?" }).replacing(/\{[^{}]*\}/, with: "*")
  }

  /// What all calls say is the API's.
  private mutating func liftHeaders() {
    guard api.calls.count > 1, let first = api.calls.first else { return }
    for header in first.headers
    where header.name.lowercased() != "content-type"
      && api.calls.allSatisfy({ $0.headers.contains { $0 == header } })
    {
      api.headers.append(header)
      for number in api.calls.indices { api.calls[number].headers.removeAll { $0 == header } }
    }
  }

  private mutating func noteHeaders(_ requests: [SeenRequest]) {
    note("a connection, a body or a browser sends them by itself", requests, SeenHeaders.leftOut)
    note("names and values of headers cannot be so", requests, SeenHeaders.wrong)
  }

  private mutating func note(
    _ reason: String, _ requests: [SeenRequest], _ headers: (SeenRequest) -> [String]
  ) {
    var names: [String] = []
    for name in requests.flatMap(headers) where !names.contains(name) { names.append(name) }
    guard !names.isEmpty else { return }
    note("left out, since \(reason): \(names.joined(separator: ", "))")
  }
}

extension ImportedAPI {
  /// Keeps those calls alone, and the access that one of them has for itself.
  package mutating func keepCalls(where isKept: (ImportedCall) -> Bool) {
    calls.removeAll { !isKept($0) }
    let own = calls.map { RequestImport.exception($0, access) }
    exceptions.removeAll { exception in
      !own.contains { one in
        one.pattern == exception.pattern
          && (exception.methods.isEmpty || !Set(one.methods).isDisjoint(with: exception.methods))
      }
    }
  }

  /// Gives parameters other options by which `lull call` has them, where they would be called as one of these.
  package mutating func avoid(options taken: Set<String>) {
    for call in calls.indices {
      for place in calls[call].parameters.indices {
        let parameter = calls[call].parameters[place]
        // None of these begins with `_`.
        let name = parameter.key.replacing("_", with: "-")
        if taken.contains("--\(name)") {
          calls[call].parameters[place].option = "--\(parameter.place.rawValue)-\(name)"
        }
      }
    }
  }

  /// Variables of the environment that it takes credentials from.
  package var variables: [String] {
    var names = access.variables + exceptions.flatMap(\.access.variables)
    for call in calls {
      names += call.parameters.compactMap(\.secret)
      for case .secret(_, let variable) in call.headers.map(\.value) { names.append(variable) }
    }
    for case .secret(_, let variable) in headers.map(\.value) { names.append(variable) }
    return Array(Set(names)).sorted()
  }
}
