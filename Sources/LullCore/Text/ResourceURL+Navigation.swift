// MARK: - Paths

extension ResourceURL {
  /// The path with another appended: one joining slash, at most one leading slash of `path`
  /// dropped, dot segments literal, everything that is no path character escaped, `%` included. The
  /// query stays behind the path. (SVC-08 to SVC-12, SVC-14, SVC-15)
  public func appending(path: String) -> ResourceURL {
    if let result = path.utf8.withContiguousStorageIfAvailable({ appending(pathBytes: $0) }) {
      return result
    }
    var copy = path
    return copy.withUTF8 { appending(pathBytes: $0) }
  }

  /// The same for a path that is not a string yet.
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

  /// The URL one path below this one; the same as `appending(path:)`. (PATH-02 to PATH-08)
  public func child(_ path: String) -> ResourceURL {
    appending(path: path)
  }
}

// MARK: - Parameters

extension ResourceURL {
  /// The URL with query parameters set, or removed by nil: all of them sorted by name, an empty
  /// value written as the bare name. (PATH-20 to PATH-30)
  ///
  /// The whole query is rewritten in one normal form, so that the order of changes does not matter:
  /// of duplicates the last is kept, `foo=` becomes `foo`, a literal `+` becomes `%2B`.
  public func withParams(_ changes: [(String, String?)]) -> ResourceURL {
    withParams(raw: changes.map { ($0.0.utf8, $0.1?.utf8) })
  }

  /// The same of texts that need not be UTF-8: their bytes are escaped as they are. (SVC-41)
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

  /// The URL with one parameter set, in the place of the first of its name, else at the end; further ones
  /// of its name go, the rest of the query stays byte for byte. An empty value is written as the bare
  /// name.
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

  /// The URL without the parameters of some names; the rest of the query stays byte for byte.
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

  /// The URL with one more parameter at the end of its query, whatever that has of its name; the rest
  /// stays as it is written.
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

  /// The URL with more parameters at the end of its query, as forms of browsers write them; the rest stays
  /// as it is written. (ITM-05)
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

  /// Names and values back to back in one buffer, so that a query costs two allocations.
  private struct Parameters {
    private var text: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
      var name: Range<Int>
      /// nil removes the parameter.
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

    /// What is left to be written, in order of names.
    mutating func withSorted<R>(_ body: ([Slices]) -> R) -> R {
      text.withUnsafeBufferPointer { text in
        // Of one name the later entry stands later in the buffer, and is the one that counts.
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
