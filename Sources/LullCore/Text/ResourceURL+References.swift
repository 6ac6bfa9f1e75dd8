// MARK: - References

extension ResourceURL {
  /// What `href` means on a page at this URL, by RFC 3986 section 5; nil if it cannot be parsed.
  /// (PATH-09 to PATH-18)
  ///
  /// As a browser does, spaces around it, tabs and line breaks are left out; other spaces, characters
  /// outside ASCII and bytes that are no UTF-8 are percent-encoded.
  public func relative(_ href: String) -> ResourceURL? {
    var href = href
    return href.withUTF8 { relative(hrefBytes: $0) }
  }

  /// The same for what is not a string yet.
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

  /// Whether nothing but the fragment differs, as after an empty `href`.
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
      // Without dot segments a path may look like an authority, or its beginning like a scheme.
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
    // Bytes of a host that are no UTF-8 have become what no host has.
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

  /// RFC 3986, 5.2.4.
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
