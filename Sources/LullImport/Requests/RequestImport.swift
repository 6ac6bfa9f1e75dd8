import LullCore

/// Creates an API from written or recorded requests.
///
/// Behaviours: IMX-01 to IMX-40.
struct RequestImport {
  /// Whether the requests were recorded. Recorded requests that differ only in their values become
  /// one call.
  let isRecorded: Bool
  let variables: VariableNames
  let hasShellBlanks: Bool
  private(set) var api: ImportedAPI

  /// - Parameter given: Credentials that are not in a header. The key is the index of the request.
  init(
    _ requests: [ParsedRequest], origin: String, isRecorded: Bool, variables: VariableNames,
    hasShellBlanks: Bool = false, known: [KnownCalls.Call] = [],
    given: [Int: ImportedAccess] = [:]
  ) {
    self.isRecorded = isRecorded
    self.variables = variables
    self.hasShellBlanks = hasShellBlanks
    api = ImportedAPI(baseURL: origin)
    let groups = keptGroups(of: requests)
    var titles = CallTitles(known)
    var accesses: [[ImportedAccess]] = []
    for (numbers, group) in groups {
      var maker = CallMaker(
        group, isRecorded: isRecorded, variables: variables, hasShellBlanks: hasShellBlanks)
      var call = maker.call()
      call.name = titles.name(for: group[0], path: call.path)
      for text in maker.notes { note("\(call.name): \(text)") }
      var seen: [ImportedAccess] = []
      for (number, request) in zip(numbers, group) {
        let own = ParsedAccess(request, variables, hasShellBlanks: hasShellBlanks)
        for text in own.notes { note("\(call.name): \(text)") }
        seen.append(access(own.access, and: given[number], of: call.name))
      }
      accesses.append(seen)
      api.calls.append(call)
    }
    settle(accesses)
    if isRecorded { liftHeaders() }
    noteHeaders(requests)
  }

  private mutating func access(
    _ own: ImportedAccess, and given: ImportedAccess?, of call: String
  ) -> ImportedAccess {
    guard let given else { return own }
    guard own.way != nil else {
      var access = own
      access.way = given.way
      return access
    }
    note(
      "\(call): the request has two kinds of credentials; only the credentials in the headers are imported"
    )
    return own
  }

  private mutating func note(_ text: String) {
    if !api.notes.contains(text) { api.notes.append(text) }
  }

  /// Returns the requests of each call, with their indices in `requests`.
  ///
  /// A request is omitted if its query has a pair that is not UTF-8, because no parameter can have
  /// such a value. It is kept if all requests of the call have the same pair and the pair is not a
  /// credential.
  private mutating func keptGroups(
    of requests: [ParsedRequest]
  ) -> [(numbers: [Int], requests: [ParsedRequest])] {
    let groups =
      isRecorded ? RequestImport.groups(requests) : requests.indices.map { [$0] }
    return groups.compactMap { numbers in
      let group = numbers.map { requests[$0] }
      let isSame = group.allSatisfy { $0.literalQuery == group[0].literalQuery }
      let isFine = group[0].literalQuery.allSatisfy { pair in
        let name = pair.prefix { $0 != "=" }
        return !group[0].isSecret(ParsedRequest.decoded(name))
          && ParsedValues.isHarmless(String(pair.dropFirst(name.count)))
      }
      guard !isSame || !isFine else { return (numbers, group) }
      for request in group where !request.literalQuery.isEmpty {
        let reason =
          isFine
          ? "the query has escapes that are not UTF-8 and differ between requests of the same path"
          : "the query may have a credential, with escapes that are not UTF-8"
        let one = ImportedAPI.LeftOut(what: request.shown, reason: reason)
        if !api.leftOut.contains(one) { api.leftOut.append(one) }
      }
      let kept = numbers.filter { requests[$0].literalQuery.isEmpty }
      return kept.isEmpty ? nil : (kept, kept.map { requests[$0] })
    }
  }

  /// Groups requests by method and path template. The groups are in the order of their first
  /// requests.
  private static func groups(_ requests: [ParsedRequest]) -> [[Int]] {
    var places: [String: Int] = [:]
    var groups: [[Int]] = []
    for (number, request) in requests.enumerated() {
      let key = "\(request.method) \(PathTemplate(request.path).key)"
      if let place = places[key] {
        groups[place].append(number)
      } else {
        places[key] = groups.count
        groups.append([number])
      }
    }
    return groups
  }

  // MARK: Access

  /// Sets the credentials of each call.
  ///
  /// - Parameter seen: For each call, the credentials of its requests.
  private mutating func settle(_ seen: [[ImportedAccess]]) {
    guard isRecorded else {
      for (number, accesses) in seen.enumerated() { api.calls[number].access = accesses.first }
      return api.settleAccess()
    }
    // A recorded request may have been sent without credentials, as before a login, so the most
    // common credentials are preferred.
    let main =
      AccessExceptions.commonest(of: seen.joined().filter { $0 != ImportedAccess() })
      ?? ImportedAccess()
    for (number, accesses) in seen.enumerated() {
      let other = accesses.first { $0.way != nil && $0.way != main.way }
      api.calls[number].access = accesses.contains(main) ? main : other ?? main
    }
    api.settleAccess()
  }

  /// If all calls have the same header, moves it to the API.
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

  private mutating func noteHeaders(_ requests: [ParsedRequest]) {
    note("they are sent automatically", requests, ParsedHeaders.leftOut)
    note("they are not valid headers", requests, ParsedHeaders.wrong)
  }

  private mutating func note(
    _ reason: String, _ requests: [ParsedRequest], _ headers: (ParsedRequest) -> [String]
  ) {
    var names: [String] = []
    for name in requests.flatMap(headers) where !names.contains(name) { names.append(name) }
    guard !names.isEmpty else { return }
    note("headers left out, because \(reason): \(names.joined(separator: ", "))")
  }
}

extension ImportedAPI {
  /// Keeps only the calls for which a function returns true. If all of these calls have the same
  /// credentials, the credentials become the credentials of the API.
  package mutating func keepCalls(where isKept: (ImportedCall) -> Bool) {
    calls.removeAll { !isKept($0) }
    settleAccess()
  }

  /// Removes a call if an earlier call with the same method and path has other credentials. A
  /// configuration could not distinguish the two calls.
  package mutating func leaveOutOthers() {
    var known: [String: ImportedCall] = [:]
    var left: [LeftOut] = []
    calls.removeAll { call in
      let place = "\(call.method) \(AccessExceptions.pattern(of: call.path))"
      guard let first = known[place], first.access != call.access else {
        known[place] = known[place] ?? call
        return false
      }
      left.append(
        .init(
          what: "\(call.method) \(call.path)",
          reason:
            "the request has other credentials than '\(first.name)' for the same path: import it into "
            + "another file"))
      return true
    }
    guard !left.isEmpty else { return }
    leftOut = left + leftOut
    settleAccess()
  }

  /// Uses the most common credentials for the whole API. Calls with other credentials get their own
  /// `configure` entries.
  mutating func settleAccess() {
    access = AccessExceptions.commonest(of: calls.compactMap(\.access)) ?? ImportedAccess()
    exceptions = AccessExceptions.made(of: accessEntries, standard: access)
  }

  var accessEntries: [AccessExceptions.Entry] {
    calls.map { .init(path: $0.path, method: $0.method, access: $0.access ?? access) }
  }

  /// Gives parameters other option names for `lull call` if their names are in `taken`.
  package mutating func avoid(options taken: Set<String>) {
    for call in calls.indices {
      for place in calls[call].parameters.indices {
        let parameter = calls[call].parameters[place]
        // The names of options contain `-` in place of `_`.
        let name = parameter.key.replacing("_", with: "-")
        if taken.contains("--\(name)") {
          calls[call].parameters[place].option = "--\(parameter.place.rawValue)-\(name)"
        }
      }
    }
  }

  /// The names of the environment variables for all credentials.
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

/// The reason why something can't be imported, on one line.
package struct ImportProblem: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Parses a multipart form in the format in which it is transferred. Browsers copy and record this
/// format.
enum MultipartText {
  /// Returns the parts of a form in order. `nil` if the text has no parts.
  ///
  /// - Parameter hasBlanks: Whether the text may contain placeholders. Otherwise, the characters
  ///   that enclose placeholders are removed.
  static func parts(_ text: String, type: String, hasBlanks: Bool = false) -> [ParsedRequest.Part]?
  {
    guard let start = type.firstRange(of: "boundary=")?.upperBound else { return nil }
    let boundary = type[start...].prefix { $0 != ";" }.filter { $0 != "\"" && !$0.isWhitespace }
    guard !boundary.isEmpty else { return nil }
    let own = { (text: Substring) in hasBlanks ? String(text) : Blank.without(text) }
    var parts: [ParsedRequest.Part] = []
    let plain = text.replacing("\r\n", with: "\n")
    for piece in plain.split(separator: "--\(boundary)").prefix(1000) {
      guard let end = piece.firstRange(of: "\n\n") else { continue }
      let head = piece[..<end.lowerBound]
      guard let name = head.firstMatch(of: /[ ;]name="([^"]*)"/)?.1, !name.isEmpty else { continue }
      var value = piece[end.upperBound...]
      if value.hasSuffix("\n") { value = value.dropLast() }
      var part = ParsedRequest.Part(name: own(name))
      part.isFile = head.contains("filename=")
      if !part.isFile {
        part.value = own(value)
        part.type = head.firstMatch(of: /\n[Cc]ontent-[Tt]ype: *([^\n]+)/).map { own($0.1) }
      }
      parts.append(part)
    }
    return parts.isEmpty ? nil : parts
  }
}
