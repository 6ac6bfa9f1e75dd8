/// The next page of a query. For a query, the parameter that selects the page is in the content
/// instead of the URL. (QUERY-18)
extension Resource {
  /// Returns the resource of the page that a parameter with the given value selects. The parameter
  /// is a query parameter of the URL; if the resource is a query, it is a field of the content.
  ///
  /// - Parameter parameter: The name of the parameter. In JSON content: the name of a member, names
  ///   separated by dots, or a JSON Pointer.
  func page(_ parameter: String, _ value: JSONValue) throws(PagingProblem) -> Resource {
    guard let query = record.query else { return settingParam(parameter, .text(value.plainText)) }
    guard query.identity.secrets.isEmpty else {
      throw PagingProblem(
        "The content of the query has a secret, so '\(parameter)' cannot be set in it: send the "
          + "secret in a header, or find the next page with a function")
    }
    let body: [UInt8]
    if ContentType(query.contentType).isJSON {
      body = try query.json(setting: FieldPath(parameter), to: value)
    } else if ContentType(query.contentType).mediaType.lowercased() == FormEncoding.mediaType {
      body = try query.form(setting: parameter, to: value.plainText)
    } else {
      throw PagingProblem(
        "The content of the query is \(query.contentType), in which '\(parameter)' cannot be set: "
          + "use json or form, or find the next page with a function")
    }
    do throws(RequestError) {
      return try self.query(
        .data(body, contentType: query.contentType), headers: query.headers, method: query.method)
    } catch {
      throw PagingProblem(error.userMessage)
    }
  }
}

extension Resource {
  /// The value of a parameter that counts pages or rows; nil if there is no such parameter. For a
  /// URL, it is the value of a query parameter, as written in the URL. For a query, it is the value
  /// of a field of the content.
  package func pageParameter(_ parameter: String) -> String? {
    guard let query = record.query else {
      return ResourceURL.firstValue(of: parameter, in: (url.query ?? "").utf8)
    }
    guard ContentType(query.contentType).isJSON else {
      return ResourceURL.firstValue(of: parameter, in: query.body)
    }
    guard var value = try? JSONDocument(parsing: query.body).root else { return nil }
    for name in FieldPath(parameter).ways.last ?? [] {
      guard let member = value[name] else { return nil }
      value = member
    }
    if let text = value.string { return text }
    var bytes: [UInt8] = []
    value.encode(into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension ResourceURL {
  /// The value of the first parameter with the given name, in a URL query or a form, as written
  /// there.
  fileprivate static func firstValue(of name: String, in query: some Collection<UInt8>) -> String? {
    let pair = query.split(separator: UInt8(ascii: "&")).first {
      $0.prefix { $0 != UInt8(ascii: "=") }.elementsEqual(name.utf8)
    }
    return pair.map { String(decoding: $0.dropFirst(name.utf8.count + 1), as: UTF8.self) }
  }
}

extension PageCursor {
  /// Returns the value of the cursor as a whole number if the page has it as one; nil for a string.
  ///
  /// - Parameter rows: The list whose last row may have the cursor.
  func number(_ value: String, in content: Content, rows: FieldPath?) -> Int? {
    guard let number = Int(value), case .json(let document) = content else { return nil }
    var roots = [document.root]
    for list in [items, mayBeOfRow ? rows : nil].compactMap(\.self) {
      guard let rows = JSONFields.rows(list, in: content), rows.count > 0 else { continue }
      if let last = rows[rows.count - 1] { roots.append(last) }
    }
    let isNumber = roots.contains { root in
      field.ways.contains { JSONFields.element($0, in: root)?.int == number }
    }
    return isNumber ? number : nil
  }
}

extension ResourceQuery {
  /// Returns the JSON content of this query with one member set.
  fileprivate func json(setting path: FieldPath, to value: JSONValue) throws(PagingProblem)
    -> [UInt8]
  {
    var content: JSONValue
    do throws(JSONError) {
      content = try JSONDocument(parsing: body).root.plainValue
      // A number beyond the types of Swift would be sent rounded.
      guard CanonicalJSON.text(of: try content.encode()) == identity.content else {
        throw JSONError("a number in the content has more digits than can be copied")
      }
    } catch {
      throw PagingProblem(
        "The content of the query cannot be changed for the next page: \(error.description)")
    }
    let names = path.ways.last ?? []
    guard content.set(names[...], to: value) else {
      throw PagingProblem("'\(path.text)' cannot be set in the content of the query")
    }
    do throws(JSONError) {
      return try content.encode()
    } catch {
      throw PagingProblem(error.description)
    }
  }

  /// Returns the form content of this query with one field set. Fields are sorted, as in every
  /// form.
  fileprivate func form(setting name: String, to value: String) throws(PagingProblem) -> [UInt8] {
    let pair: [UInt8]
    do throws(FormEncodingError) {
      pair = try FormEncoding.encode([(name: Array(name.utf8), value: Array(value.utf8))])
    } catch {
      throw PagingProblem("'\(name)' cannot be sent in a form")
    }
    let prefix = pair.prefix { $0 != UInt8(ascii: "=") } + [UInt8(ascii: "=")]
    var pairs = body.split(separator: UInt8(ascii: "&")).map { Array($0) }
    pairs.removeAll { $0.starts(with: prefix) }
    pairs.append(pair)
    pairs.sort { $0.lexicographicallyPrecedes($1) }
    return Array(pairs.joined(separator: [UInt8(ascii: "&")]))
  }
}

extension JSONValue {
  /// A number or a string, in the form in which a URL contains it.
  fileprivate var plainText: String {
    switch self {
    case .int(let number): String(number)
    case .string(let text): text
    default: ""
    }
  }

  /// Sets a member at a path of names. Missing objects are created. If the text of a number
  /// replaces a number, the member stays a number.
  ///
  /// - Returns: False if a value on the path is not an object.
  fileprivate mutating func set(_ names: ArraySlice<String>, to value: JSONValue) -> Bool {
    guard let name = names.first else {
      self = value.likeNumber(self)
      return true
    }
    guard case .object(var members) = self else { return false }
    let index = members.lastIndex { $0.key.utf8.elementsEqual(name.utf8) }
    var member = index.map { members[$0].value } ?? (names.count > 1 ? .object([]) : .null)
    guard member.set(names.dropFirst(), to: value) else { return false }
    if let index {
      members[index].value = member
    } else {
      members.append(Member(name, member))
    }
    self = .object(members)
    return true
  }

  private func likeNumber(_ present: JSONValue) -> JSONValue {
    guard case .string(let text) = self else { return self }
    switch present {
    // A text with another spelling, or a number that is too large, is sent as the server wrote it.
    case .int, .double: return Int(text).flatMap { String($0) == text ? .int($0) : nil } ?? self
    default: return self
    }
  }
}
