/// The headers of a configuration, or of a request that is being built: header lines and additional
/// information.
///
/// Headers are read and edited as in `Headers`. In addition, a name can be omitted, and a value can
/// contain secrets. An attempt to add an invalid header is recorded, so that the request fails
/// instead of being sent without this header.
///
///     configuration.headers["Accept"] = "application/json"
///     configuration.headers.omit("User-Agent")
public struct RequestHeaders: Sendable, Equatable {
  /// The headers in the form in which they may be shown: secrets are masked.
  public private(set) var lines = Headers()
  private var extras: Extras?
  /// Whether the conditional header for the resource's data may still be added; see
  /// `awaitCondition`.
  private(set) var awaitsCondition = false
  /// Whether a value contains secrets. Stored as a property, because each request reads it.
  package private(set) var hasSecrets = false

  /// Information that most requests don't have. It is stored in a separate object, so that copies
  /// of headers without it are cheaper.
  private struct Extras: Sendable, Equatable {
    var secrets: [SecretValue] = []
    /// The omitted names, in lower case.
    var omitted: [String] = []
    var refusals: [Refusal] = []

    var isEmpty: Bool { secrets.isEmpty && omitted.isEmpty && refusals.isEmpty }
  }

  /// A value that contains secrets. Its header line contains the masks of the secrets.
  private struct SecretValue: Sendable, Equatable {
    /// The name in lower case.
    let name: String
    /// The index of the value among all values of the same header name.
    let position: Int
    let text: SecretText
  }

  /// A failed attempt to add an invalid header.
  private struct Refusal: Sendable, Equatable {
    /// The name in lower case.
    let name: String
    let problem: String
  }

  /// Makes an empty list of headers.
  public init() {}

  /// Makes headers in the order of `pairs`. Each pair is added with `add`.
  public init(_ pairs: some Sequence<(String, String)>) {
    for (name, value) in pairs { add(name, value) }
  }

  // MARK: Reading

  /// Whether there are no header lines.
  public var isEmpty: Bool { lines.isEmpty }

  /// The value of a header, as in `Headers`. Setting a value replaces all headers with this name.
  /// Setting nil removes them.
  public subscript(_ name: String) -> String? {
    get { lines[name] }
    set {
      remove(name)
      if let newValue { add(name, newValue) }
    }
  }

  /// Every value of the header `name`, in order.
  public func values(_ name: String) -> [String] { lines.values(name) }

  /// The value of the header `name`, as bytes: the same value that the subscript returns as a
  /// string.
  public func bytes(_ name: String) -> [UInt8]? { lines.bytes(name) }

  /// The headers one by one, with their names in lower case.
  public var pairs: [(name: String, value: String)] { lines.pairs }

  // MARK: Editing

  /// Adds a header after the others.
  ///
  /// A header whose name is not a token, for example because it contains a space or a colon, is not
  /// added. Line breaks in a value are removed. In both cases, a request with these headers fails
  /// with the cause `invalidSetting` and is not sent, unless the header is removed or set again.
  public mutating func add(_ name: String, _ value: String) { add(name, bytes: value.utf8) }

  /// Adds a header with a value that need not be valid text.
  public mutating func add(_ name: String, bytes value: some Sequence<UInt8>) {
    guard Headers.isName(name) else { return refuse(name, EmptyCollection()) }
    keepCondition(ifChanging: name)
    if extras != nil {
      let name = name.lowercased()
      editExtras { $0.omitted.removeAll { $0 == name } }
    }
    if !lines.append(name, value) { refuse(name, CollectionOfOne(10)) }
  }

  /// Sets a header as the subscript does, but to a value that need not be valid text.
  public mutating func set(_ name: String, bytes value: some Sequence<UInt8>) {
    remove(name)
    add(name, bytes: value)
  }

  /// Removes every header with this name, in any letter case.
  public mutating func remove(_ name: String) {
    keepCondition(ifChanging: name)
    if extras != nil {
      let name = name.lowercased()
      editExtras { extras in
        extras.secrets.removeAll { $0.name == name }
        extras.refusals.removeAll { $0.name == name }
      }
    }
    lines.remove(name)
  }

  /// Removes every header with this name, and omits it: Lull doesn't add the header where it
  /// otherwise would, for example `User-Agent`. Adding a value again ends this. Lua:
  /// `headers[name] = false`.
  public mutating func omit(_ name: String) {
    remove(name)
    let name = name.lowercased()
    if !omitted.contains(name) { editExtras { $0.omitted.append(name) } }
  }

  /// The lower-case names of headers that are not sent, even where Lull would add them.
  package var omitted: [String] { extras?.omitted ?? [] }

  /// Why a request with these headers can't be sent: the problem with the first invalid header. nil
  /// if all headers are valid. (SWF-57)
  package var problem: String? { extras?.refusals.first?.problem }

  private mutating func refuse(_ name: String, _ value: some Sequence<UInt8>) {
    guard let problem = Headers.problem(name, value) else { return }
    editExtras { $0.refusals.append(Refusal(name: name.lowercased(), problem: problem)) }
  }

  private mutating func editExtras(_ edit: (inout Extras) -> Void) {
    var changed = extras ?? Extras()
    edit(&changed)
    extras = changed.isEmpty ? nil : changed
    hasSecrets = !changed.secrets.isEmpty
  }
}

/// Copies values from other headers.
extension RequestHeaders {
  /// Replaces all values of the header `name` with the values of this header in `other`, including
  /// secrets.
  package mutating func take(_ name: String, from other: RequestHeaders) {
    remove(name)
    if other.omitted.contains(name.lowercased()) { omit(name) }
    for (position, value) in other.lines.byteValues(of: Array(name.utf8)).enumerated() {
      if let text = other.secret(name, position) {
        add(name, text)
      } else {
        add(name, bytes: value)
      }
    }
  }

  /// Replaces the values of each header name that occurs or is omitted in `other`.
  mutating func take(all other: RequestHeaders) {
    var names = other.omitted
    for (name, _) in other.lines.pairs where !names.contains(name) { names.append(name) }
    for name in names { take(name, from: other) }
  }

  /// These headers sorted by name, so that headers can be compared regardless of their order.
  var sortedByName: RequestHeaders {
    var names = Set(omitted)
    for (name, _) in lines.pairs { names.insert(name) }
    var sorted = RequestHeaders()
    for name in names.sorted() { sorted.take(name, from: self) }
    sorted.extras?.refusals = extras?.refusals ?? []
    return sorted
  }

  /// Restores the values of some headers to their values in `earlier`. A header is restored if
  /// `isWanted` returns true for its name, its values have changed, and its values aren't secrets.
  ///
  /// - Returns: The names of the restored headers.
  mutating func restore(_ earlier: RequestHeaders, where isWanted: (String) -> Bool) -> [String] {
    var names: [String] = []
    for (name, _) in pairs where !names.contains(name) && isWanted(name) {
      let plain = plainValues(name)
      if !plain.isEmpty, plain != earlier.lines.byteValues(of: Array(name.utf8)) {
        names.append(name)
      }
    }
    for name in names { take(name, from: earlier) }
    return names
  }
}

/// Reads and adds values that contain secrets.
extension RequestHeaders {
  /// Adds a header with a value that contains secrets. Reading this header returns the value with
  /// masks.
  public mutating func add(_ name: String, _ text: SecretText) {
    let position = values(name).count
    add(name, text.masked)
    guard values(name).count > position else { return }
    editExtras {
      $0.secrets.append(SecretValue(name: name.lowercased(), position: position, text: text))
    }
  }

  /// The values that contain secrets, with their names in lower case.
  package var secretValues: [(name: String, text: SecretText)] {
    (extras?.secrets ?? []).map { ($0.name, $0.text) }
  }

  /// All header lines in order, with their secrets.
  package var texts: [(name: String, text: SecretText, isSecret: Bool)] {
    var positions: [String: Int] = [:]
    return pairs.map { name, value in
      let position = positions[name, default: 0]
      positions[name] = position + 1
      let secret = secret(name, position)
      return (name, secret ?? SecretText(value), secret != nil)
    }
  }

  /// The values of the header `name` that don't contain secrets.
  package func plainValues(_ name: String) -> [[UInt8]] {
    let values = lines.byteValues(of: Array(name.utf8))
    guard hasSecrets else { return values }
    return values.indices.filter { secret(name, $0) == nil }.map { values[$0] }
  }

  /// Returns the headers with each value that contains secrets replaced by the result of `resolve`.
  package func resolved<E>(
    _ resolve: (String, SecretText) throws(E) -> [UInt8]
  ) throws(E) -> RequestHeaders {
    guard hasSecrets else { return self }
    var result = RequestHeaders()
    for name in omitted { result.omit(name) }
    var positions: [String: Int] = [:]
    for (bytes, value) in lines.bytePairs {
      let name = String(escaping: bytes)
      let position = positions[name, default: 0]
      positions[name] = position + 1
      if let text = secret(name, position) {
        result.add(name, bytes: try resolve(name, text))
      } else {
        result.add(name, bytes: value)
      }
    }
    return result
  }

  private func secret(_ name: String, _ position: Int) -> SecretText? {
    guard let secrets = extras?.secrets, !secrets.isEmpty else { return nil }
    let name = name.lowercased()
    return secrets.first { $0.name == name && $0.position == position }?.text
  }
}

/// The conditional header of a request that is built while the caches are still being read.
extension RequestHeaders {
  /// Allows a conditional header to be added later, unless the caller sets or removes a conditional
  /// header before. If the caller has removed it, it must not be added again. (LOAD-04)
  mutating func awaitCondition() { awaitsCondition = true }

  /// Adds the conditional header, if it may still be added. If `condition` is nil, adds nothing.
  mutating func settle(_ condition: (name: String, value: ByteString)?) {
    guard awaitsCondition else { return }
    awaitsCondition = false
    if let (name, value) = condition { set(name, bytes: value.bytes) }
  }

  private mutating func keepCondition(ifChanging name: String) {
    if awaitsCondition, Headers.isCondition(name) { awaitsCondition = false }
  }
}

/// Adds cookies. All cookies of a request share one header. (RFC 6265, section 5.4)
extension RequestHeaders {
  /// Appends cookies to the existing cookies.
  package mutating func add(cookies: [(name: String, value: SecretText)]) {
    join(cookies.map { SecretText($0.name + "=") + $0.value })
  }

  /// Appends the cookies of another `Cookie` header, except cookies whose names already exist. If a
  /// cookie name may be part of a secret, nothing is added.
  mutating func add(cookieHeader value: SecretText) {
    let known = texts.filter { $0.name == "cookie" }.map(\.text)
    guard !known.isEmpty else { return add("cookie", value) }
    let names = known.flatMap(\.cookies).map(\.name)
    let added = value.cookies
    guard !names.isEmpty, !names.contains(nil), !added.contains(where: { $0.name == nil }) else {
      return
    }
    let missing = added.filter { !names.contains($0.name) }
    if !missing.isEmpty { join(missing.map(\.text)) }
  }

  private mutating func join(_ added: [SecretText]) {
    let all = texts.filter { $0.name == "cookie" }.map(\.text) + added
    remove("cookie")
    var line = SecretText([])
    for (position, text) in all.enumerated() {
      line = position == 0 ? text : line + SecretText("; ") + text
    }
    if line.secrets.isEmpty { add("cookie", line.masked) } else { add("cookie", line) }
  }
}

/// Makes headers from a literal such as `["Accept": "text/plain", "X-Token": token]`. The order and
/// repeated names are kept.
extension RequestHeaders: ExpressibleByDictionaryLiteral {
  /// Makes headers from a literal, in its order. A name may occur twice.
  public init(dictionaryLiteral pairs: (String, String)...) { self.init(pairs) }
}

extension RequestHeaders: CustomStringConvertible {
  /// The header lines, in the same format as the description of `Headers`.
  public var description: String { lines.description }
}
