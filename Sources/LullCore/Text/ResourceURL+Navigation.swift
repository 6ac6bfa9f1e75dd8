// MARK: - Paths

extension ResourceURL {
  /// Returns the URL with `path` appended to its path. The two paths are joined by one slash: at
  /// most one leading slash of `path` is dropped. Dot segments are not resolved, and characters
  /// that a path can't contain are escaped, including `%`. The query stays after the path. (SVC-08
  /// to SVC-12, SVC-14, SVC-15)
  public func appending(path: String) -> ResourceURL {
    if let result = path.utf8.withContiguousStorageIfAvailable({ appending(pathBytes: $0) }) {
      return result
    }
    var copy = path
    return copy.withUTF8 { appending(pathBytes: $0) }
  }

  /// Returns the URL with a path appended, like `appending(path:)`, but with the path given as
  /// bytes.
  package func appending(pathBytes path: UnsafeBufferPointer<UInt8>) -> ResourceURL {
    withBytes { bytes in
      let own = Components(bytes).path
      let added = path.first == UInt8(ascii: "/") ? path.dropFirst() : path[...]
      let needsSlash = own.isEmpty || bytes[own.upperBound - 1] != UInt8(ascii: "/")
      let bare = Escaping.path
      let count = bytes.count + (needsSlash ? 1 : 0) + Escaping.count(added, keeping: bare)
      return ResourceURL(
        unchecked: String(unsafeUninitializedCapacity: count) { out in
          var writer = Writer(out)
          writer.put(bytes[..<own.upperBound])
          if needsSlash { writer.put(UInt8(ascii: "/")) }
          writer.putEscaped(added, keeping: bare)
          writer.put(bytes[own.upperBound...])
          return writer.count
        })
    }
  }

  /// Returns the URL with `path` appended, like `appending(path:)`. (PATH-02 to PATH-08)
  public func child(_ path: String) -> ResourceURL {
    appending(path: path)
  }
}

// MARK: - Parameters

extension ResourceURL {
  /// Returns the URL with some query parameters changed. A parameter whose new value is nil is
  /// removed. All parameters are sorted by name, and a parameter with an empty value is written as
  /// the name alone. (PATH-20 to PATH-30)
  ///
  /// The whole query is rewritten in a normal form, so that the order of changes does not matter.
  /// If several parameters have the same name, the last one is kept. `foo=` becomes `foo`, and a
  /// literal `+` becomes `%2B`.
  public func withParams(_ changes: [(String, String?)]) -> ResourceURL {
    withParams(raw: changes.map { ($0.0.utf8, $0.1?.utf8) })
  }

  /// Returns the URL with some query parameters changed, like `withParams(_:)`. Names and values
  /// are bytes that need not be UTF-8; each byte is escaped separately. (SVC-41)
  func withParams<Bytes: Collection<UInt8>>(raw changes: [(Bytes, Bytes?)]) -> ResourceURL {
    withBytes { bytes in
      let parts = Components(bytes)
      var parameters = Parameters()
      if let query = parts.query {
        parameters.add(query: UnsafeBufferPointer(rebasing: bytes[query]))
      }
      for (name, value) in changes { parameters.add(name, value) }
      return parameters.withSorted { names in
        let bare = Escaping.parameter
        var count = parts.path.upperBound
        for (name, value) in names {
          count += 1 + Escaping.count(name, keeping: bare)
          if !value.isEmpty { count += 1 + Escaping.count(value, keeping: bare) }
        }
        if let fragment = parts.fragment { count += 1 + fragment.count }
        return ResourceURL(
          unchecked: String(unsafeUninitializedCapacity: count) { out in
            var writer = Writer(out)
            writer.put(bytes[..<parts.path.upperBound])
            var separator = UInt8(ascii: "?")
            for (name, value) in names {
              writer.put(separator)
              separator = UInt8(ascii: "&")
              writer.putEscaped(name, keeping: bare)
              guard !value.isEmpty else { continue }
              writer.put(UInt8(ascii: "="))
              writer.putEscaped(value, keeping: bare)
            }
            if let fragment = parts.fragment {
              writer.put(bytes[(fragment.lowerBound - 1)...])
            }
            return writer.count
          })
      }
    }
  }

  /// Returns the URL with one parameter set. The first parameter of the same name is replaced, and
  /// further ones are removed. If there is none, the parameter is appended. The rest of the query
  /// is unchanged. A parameter with an empty value is written as the name alone.
  package func settingParam(_ name: String, _ value: String) -> ResourceURL {
    withBytes { bytes in
      let parts = Components(bytes)
      guard let query = parts.query else { return appendingParam(name, value) }
      var parameter: [UInt8] = []
      Escaping.append(name.utf8, to: &parameter, keeping: Escaping.parameter)
      if !value.isEmpty {
        parameter.append(UInt8(ascii: "="))
        Escaping.append(value.utf8, to: &parameter, keeping: Escaping.parameter)
      }
      var pairs: [[UInt8]] = []
      var isSet = false
      for pair in bytes[query].split(
        separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      {
        guard Escaping.decodes(pair.prefix { $0 != UInt8(ascii: "=") }, to: name.utf8) else {
          pairs.append(Array(pair))
          continue
        }
        if !isSet { pairs.append(parameter) }
        isSet = true
      }
      guard isSet else { return appendingParam(name, value) }
      return ResourceURL(
        unchecked: String(
          decoding: Array(bytes[..<query.lowerBound]) + pairs.joined(separator: "&".utf8)
            + Array(bytes[query.upperBound...]), as: UTF8.self))
    }
  }

  /// Returns the URL without the parameters of these names. The rest of the query is unchanged.
  func removingParams(_ names: [String]) -> ResourceURL {
    withBytes { bytes in
      let parts = Components(bytes)
      guard let query = parts.query else { return self }
      let pairs = bytes[query].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
      let kept = pairs.filter { pair in
        let name = pair.prefix { $0 != UInt8(ascii: "=") }
        return !names.contains { Escaping.decodes(name, to: $0.utf8) }
      }
      guard kept.count < pairs.count else { return self }
      let start = kept.isEmpty ? query.lowerBound - 1 : query.lowerBound
      return ResourceURL(
        unchecked: String(
          decoding: Array(bytes[..<start]) + kept.joined(separator: "&".utf8)
            + Array(bytes[query.upperBound...]), as: UTF8.self))
    }
  }

  /// Returns the URL with a parameter appended, even if the query already has a parameter of the
  /// same name. The rest of the URL is unchanged.
  private func appendingParam(_ name: String, _ value: String) -> ResourceURL {
    withBytes { bytes in
      let parts = Components(bytes)
      let end = parts.query?.upperBound ?? parts.path.upperBound
      var result = Array(bytes[..<end])
      if parts.query?.isEmpty != true {
        result.append(UInt8(ascii: parts.query == nil ? "?" : "&"))
      }
      Escaping.append(name.utf8, to: &result, keeping: Escaping.parameter)
      if !value.isEmpty {
        result.append(UInt8(ascii: "="))
        Escaping.append(value.utf8, to: &result, keeping: Escaping.parameter)
      }
      result += bytes[end...]
      return ResourceURL(unchecked: String(decoding: result, as: UTF8.self))
    }
  }

  /// Returns the URL with parameters appended, encoded in the format of browser forms. The rest of
  /// the URL is unchanged. (ITM-05)
  package func appendingPairs(_ pairs: [(name: String, value: String)]) -> ResourceURL {
    withBytes { bytes in
      let parts = Components(bytes)
      let end = parts.query?.upperBound ?? parts.path.upperBound
      var result = Array(bytes[..<end])
      if parts.query?.isEmpty != true {
        result.append(UInt8(ascii: parts.query == nil ? "?" : "&"))
      }
      result += PairEncoding.encode(pairs)
      result += bytes[end...]
      return ResourceURL(unchecked: String(decoding: result, as: UTF8.self))
    }
  }

  /// The parameters of a query. All names and values are stored in one buffer, so that a query
  /// needs only two allocations.
  private struct Parameters {
    private var text: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
      var name: Range<Int>
      /// The range of the value in the buffer; nil to remove the parameter.
      var value: Range<Int>?
    }

    mutating func add(query: UnsafeBufferPointer<UInt8>) {
      for pair in query.split(separator: UInt8(ascii: "&")) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        let name = appendDecoded(UnsafeBufferPointer(rebasing: pair[..<equals]))
        let value = appendDecoded(UnsafeBufferPointer(rebasing: pair[equals...].dropFirst()))
        entries.append(Entry(name: name, value: value))
      }
    }

    mutating func add(_ name: some Collection<UInt8>, _ value: (some Collection<UInt8>)?) {
      let name = append(name)
      let value = value.map { append($0) }
      entries.append(Entry(name: name, value: value))
    }

    private mutating func append(_ bytes: some Collection<UInt8>) -> Range<Int> {
      let start = text.count
      text += bytes
      return start..<text.count
    }

    private mutating func appendDecoded(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
      let start = text.count
      Escaping.appendDecoded(bytes, to: &text)
      return start..<text.count
    }

    typealias Slices = (
      name: Slice<UnsafeBufferPointer<UInt8>>, value: Slice<UnsafeBufferPointer<UInt8>>
    )

    /// Calls `body` with the parameters to be written, sorted by name.
    mutating func withSorted<R>(_ body: ([Slices]) -> R) -> R {
      text.withUnsafeBufferPointer { text in
        // Of entries with the same name, the later one has a later position in the buffer, and is
        // used.
        entries.sort { a, b in
          if text[a.name].elementsEqual(text[b.name]) {
            return a.name.lowerBound < b.name.lowerBound
          }
          return text[a.name].lexicographicallyPrecedes(text[b.name])
        }
        var kept: [Slices] = []
        kept.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
          if index + 1 < entries.count,
            text[entry.name].elementsEqual(text[entries[index + 1].name])
          {
            continue
          }
          guard let value = entry.value, !entry.name.isEmpty || !value.isEmpty else { continue }
          kept.append((text[entry.name], text[value]))
        }
        return body(kept)
      }
    }
  }
}

// MARK: - References

extension ResourceURL {
  /// Resolves the reference `href` against this URL, like a link on a page at this URL (RFC 3986,
  /// section 5). Returns nil if `href` can't be parsed. (PATH-09 to PATH-18)
  ///
  /// As in a browser, spaces at both ends, tabs and line breaks are removed. Other spaces,
  /// non-ASCII characters and bytes that are not UTF-8 are percent-encoded.
  public func relative(_ href: String) -> ResourceURL? {
    var href = href
    return href.withUTF8 { relative(hrefBytes: $0) }
  }

  /// Resolves a reference against this URL, like `relative(_:)`, but with the reference given as
  /// bytes.
  package func relative(hrefBytes href: UnsafeBufferPointer<UInt8>) -> ResourceURL? {
    let space = UInt8(ascii: " ")
    guard href.contains(where: { $0 == space || $0 == 9 || $0 == 10 || $0 == 13 }) else {
      return withBytes { resolve(href, against: $0) }
    }
    var kept = href.filter { $0 != 9 && $0 != 10 && $0 != 13 }[...]
    while kept.first == space { kept.removeFirst() }
    while kept.last == space { kept.removeLast() }
    return Array(kept).withUnsafeBufferPointer { kept in withBytes { resolve(kept, against: $0) } }
  }

  /// Whether the URLs are the same except for their fragments, as after resolving an empty `href`.
  func hasSameQuery(as other: ResourceURL) -> Bool {
    let mark = UInt8(ascii: "#")
    return text.utf8.prefix { $0 != mark }.elementsEqual(other.text.utf8.prefix { $0 != mark })
  }

  private func resolve(
    _ reference: UnsafeBufferPointer<UInt8>, against base: UnsafeBufferPointer<UInt8>
  ) -> ResourceURL? {
    let own = Components(base)
    let new = Components(reference)
    let needsHost = own.schemeEnd.map { ResourceURL.needsHost(scheme: base[..<$0]) } ?? true
    guard new.isValid(in: reference, needsHost: needsHost, spacesPass: true) else { return nil }

    var result: [UInt8] = []
    result.reserveCapacity(base.count + reference.count)
    if let end = new.schemeEnd {
      result += reference[...end]
    } else if let end = own.schemeEnd {
      result += base[...end]
    }
    var hasAuthority = true
    if let authority = new.authority {
      result += [UInt8(ascii: "/"), UInt8(ascii: "/")]
      result += reference[authority]
    } else if new.schemeEnd == nil, let authority = own.authority {
      result += [UInt8(ascii: "/"), UInt8(ascii: "/")]
      result += base[authority]
    } else {
      hasAuthority = false
    }

    let hasScheme = new.schemeEnd != nil || own.schemeEnd != nil
    var path: [UInt8] = []
    if new.schemeEnd != nil || new.authority != nil
      || reference[new.path].first == UInt8(ascii: "/")
    {
      ResourceURL.append(reference[new.path], to: &path)
      path = ResourceURL.removingDotSegments(path)
    } else if new.path.isEmpty {
      path += base[own.path]
    } else {
      if let slash = base[own.path].lastIndex(of: UInt8(ascii: "/")) {
        path += base[own.path.lowerBound...slash]
      } else if hasAuthority {
        path.append(UInt8(ascii: "/"))
      }
      ResourceURL.append(reference[new.path], to: &path)
      path = ResourceURL.removingDotSegments(path)
    }
    if !hasAuthority {
      // After dot segments have been removed, a path may look like an authority, or its beginning
      // may look like a scheme.
      if path.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
        result += [UInt8(ascii: "/"), UInt8(ascii: ".")]
      } else if !hasScheme,
        path.prefix(while: { $0 != UInt8(ascii: "/") }).contains(UInt8(ascii: ":"))
      {
        result += [UInt8(ascii: "."), UInt8(ascii: "/")]
      }
    }
    result += path
    if let query = new.query {
      result.append(UInt8(ascii: "?"))
      ResourceURL.append(reference[query], to: &result)
    } else if let query = own.query, new.schemeEnd == nil, new.authority == nil, new.path.isEmpty {
      result.append(UInt8(ascii: "?"))
      result += base[query]
    }
    if let fragment = new.fragment {
      result.append(UInt8(ascii: "#"))
      ResourceURL.append(reference[fragment], to: &result)
    }
    // Bytes of a host that are not UTF-8 have become a character that is invalid in hosts.
    return ResourceURL(absolute: String(decoding: result, as: UTF8.self))
  }

  private static func append(
    _ bytes: Slice<UnsafeBufferPointer<UInt8>>, to result: inout [UInt8]
  ) {
    for byte in bytes {
      if byte < 0x80, byte != UInt8(ascii: " ") {
        result.append(byte)
      } else {
        result.append(UInt8(ascii: "%"))
        result.append(Escaping.hexDigit(byte >> 4))
        result.append(Escaping.hexDigit(byte & 15))
      }
    }
  }

  /// Removes the dot segments of a path. (RFC 3986, 5.2.4)
  private static func removingDotSegments(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    let dot = UInt8(ascii: ".")
    guard path.contains(dot) else { return path }
    var output: [UInt8] = []
    output.reserveCapacity(path.count)
    let isRooted = path.first == slash
    var index = isRooted ? 1 : 0
    if isRooted { output.append(slash) }
    // Here `output` is empty or ends in a slash, and `index` is at the start of a segment.
    while index < path.count {
      let end = path[index...].firstIndex(of: slash) ?? path.count
      let segment = path[index..<end]
      let isLast = end == path.count
      if segment.elementsEqual([dot, dot]) {
        if output.count > (isRooted ? 1 : 0) {
          output.removeLast()
          while let last = output.last, last != slash { output.removeLast() }
        }
      } else if !segment.elementsEqual([dot]) {
        output += segment
        if !isLast { output.append(slash) }
      }
      index = end + 1
    }
    return output
  }
}

extension ResourceURL {
  /// Whether dot segments in the path of this URL lead above the path of `base`. Such a URL is sent
  /// unchanged, and the server resolves the dot segments. (SVC-39)
  ///
  /// Dot segments with escaped dots count too. The result is false for a URL that does not begin
  /// like `base`, because it is obvious that this URL is elsewhere.
  package func climbs(above base: ResourceURL) -> Bool {
    let rest = withBytes { bytes -> [UInt8]? in
      base.withBytes { base in
        let end = Components(base).path.upperBound
        guard bytes.count > end, bytes[..<end].elementsEqual(base[..<end]) else { return nil }
        return Array(
          bytes[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
      }
    }
    return rest.map(ResourceURL.climbs) ?? false
  }

  /// Whether a segment of the path is `.` or `..`. The dots may be escaped.
  package var hasDotSegments: Bool {
    Array(path.utf8).split(separator: UInt8(ascii: "/")).contains {
      (1...2).contains(ResourceURL.dots($0))
    }
  }

  /// Whether a path segment is `..`. The dots may be escaped.
  package static func isParent(_ segment: some StringProtocol) -> Bool {
    dots(Array(segment.utf8)[...]) == 2
  }

  private static func climbs(_ path: [UInt8]) -> Bool {
    var depth = 0
    for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      switch dots(segment) {
      case 1: break
      case 2:
        depth -= 1
        if depth < 0 { return true }
      default: depth += 1
      }
    }
    return false
  }

  /// The number of dots in a path segment, including escaped dots; 0 if the segment has other
  /// characters.
  private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
    guard segment.count <= 6 else { return 0 }
    return segment.withUnsafeBufferPointer { bytes in
      var count = 0
      var index = 0
      while index < bytes.count {
        if bytes[index] == UInt8(ascii: ".") {
          index += 1
        } else if Escaping.decodedByte(in: bytes, at: index) == UInt8(ascii: ".") {
          index += 3
        } else {
          return 0
        }
        count += 1
      }
      return count
    }
  }
}

extension ResourceURL {
  /// Returns the URL in the form in which URLs are stored. An empty path after a host becomes `/`,
  /// and an international host name is converted to A-labels. Returns nil if the text is not a URL.
  /// (SVC-16, SVC-26)
  func normalised() -> ResourceURL? {
    withBytes { bytes in
      let parts = Components(bytes)
      guard parts.isValid(in: bytes) else { return nil }
      guard let schemeEnd = parts.schemeEnd, let range = parts.authority else { return self }
      let host = Authority(bytes, range).host
      var name: String?
      if ResourceURL.hasToBeRead(bytes[host]), ResourceURL.needsHost(scheme: bytes[..<schemeEnd]) {
        guard let canonical = try? HostName.canonical(bytes[host]) else { return nil }
        if HostName.isInternational(bytes[host]) { name = canonical }
      }
      guard name != nil || parts.path.isEmpty else { return self }
      var result = Array(bytes[..<host.lowerBound])
      if let name { result += name.utf8 } else { result += bytes[host] }
      result += bytes[host.upperBound..<parts.path.lowerBound]
      if parts.path.isEmpty { result.append(UInt8(ascii: "/")) }
      result += bytes[parts.path.lowerBound...]
      return ResourceURL(unchecked: String(decoding: result, as: UTF8.self))
    }
  }

  /// Whether a host must be converted to its canonical form before it can be compared. An IPv6
  /// address need not be converted.
  private static func hasToBeRead(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    host.first != UInt8(ascii: "[") && host.contains { $0 >= 0x80 || $0 == UInt8(ascii: "%") }
  }

  /// Whether a text would be a URL with a scheme in front of it. This is the case if the text
  /// begins with a host: `localhost`, an address, or a name with a dot or a port.
  package static func lacksScheme(_ text: String) -> Bool {
    guard !text.contains("://"), !text.hasPrefix("//") else { return false }
    let authority = text.prefix { !"/?#".contains($0) }
    if authority.hasPrefix("[") { return authority.contains("]") }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.count < 3,
      name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) })
    else { return false }
    if parts.count == 2 { return !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber) }
    return name == "localhost" || name.contains(".") && name.last != "."
  }

  /// Describes the problem with the host of a text that is not a URL; nil if the problem is not in
  /// the host.
  package static func hostProblem(in text: String) -> String? {
    ResourceURL(unchecked: text).withBytes { bytes in
      let parts = Components(bytes)
      guard let range = parts.authority else { return nil }
      if let end = parts.schemeEnd, !needsHost(scheme: bytes[..<end]) { return nil }
      let host = bytes[Authority(bytes, range).host]
      guard hasToBeRead(host) else { return nil }
      do throws(HostName.Problem) {
        _ = try HostName.canonical(host)
        return nil
      } catch {
        return error.message
      }
    }
  }

  /// Converts bytes to the text of a URL. Each byte that is not part of a UTF-8 character is
  /// percent-encoded.
  package static func text(ofBytes bytes: UnsafeBufferPointer<UInt8>) -> String {
    guard !UTF8Validation.isValid(bytes) else { return String(decoding: bytes, as: UTF8.self) }
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      // UTF-8 characters have up to four bytes.
      let length = (1...4).first { length in
        index + length <= bytes.count
          && UTF8Validation.isValid(
            UnsafeBufferPointer(rebasing: bytes[index..<(index + length)]))
      }
      if let length {
        result += bytes[index..<(index + length)]
        index += length
      } else {
        Escaping.append(CollectionOfOne(bytes[index]), to: &result, keeping: Escaping.path)
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
