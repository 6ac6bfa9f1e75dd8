/// The headers of a request that is being built, or of a configuration: header lines and additional
/// information.
///
/// Headers are read and edited as in `Headers`. In addition, a name can be omitted and a value can
/// contain secrets. An invalid header is remembered, so that the request fails instead of being
/// sent without it.
///
///     configuration.headers["Accept"] = "application/json"
///     configuration.headers.omit("User-Agent")
public struct RequestHeaders: Sendable, Equatable {
  /// The headers as they can be shown: secrets are masked.
  public private(set) var lines = Headers()
  private var extras: Extras?
  /// Whether the condition of the resource's data may still be added; see `awaitCondition`.
  private(set) var awaitsCondition = false
  /// Whether a value contains secrets. Stored, because each request reads it.
  package private(set) var hasSecrets = false

  /// Information that most requests don't have. It is stored separately, so that copies without it
  /// are cheaper.
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
    /// The position of the value among the values of the same name.
    let position: Int
    let text: SecretText
  }

  /// An attempt to add an invalid header.
  private struct Refusal: Sendable, Equatable {
    /// The name in lower case.
    let name: String
    let problem: String
  }

  /// Makes an empty list of headers.
  public init() {}

  /// Makes headers in the order of `pairs`. Each is added as by `add`.
  public init(_ pairs: some Sequence<(String, String)>) {
    for (name, value) in pairs { add(name, value) }
  }

  // MARK: Reading

  /// Whether there are no header lines.
  public var isEmpty: Bool { lines.isEmpty }

  /// The value of a header, as in `Headers`. Setting a value replaces all headers with this name,
  /// and setting nil removes them.
  public subscript(_ name: String) -> String? {
    get { lines[name] }
    set {
      remove(name)
      if let newValue { add(name, newValue) }
    }
  }

  /// Every value of the header `name`, in order.
  public func values(_ name: String) -> [String] { lines.values(name) }

  /// The value of a header that the subscript returns, as bytes.
  public func bytes(_ name: String) -> [UInt8]? { lines.bytes(name) }

  /// The headers one by one, with their names in lower case.
  public var pairs: [(name: String, value: String)] { lines.pairs }

  // MARK: Editing

  /// Adds a header after the others.
  ///
  /// A header whose name is not a token, for example because it contains a space or a colon, is not
  /// added. Line breaks in a value are removed. In both cases, a request with these headers is not
  /// sent and fails with the cause `invalidSetting`, unless that header is removed or set again.
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

  /// Sets a header as the subscript does, to a value that need not be valid text.
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

  /// Removes every header with this name. Also suppresses the header where Lull would add one, such
  /// as `User-Agent`, until a value is added again. Lua: `headers[name] = false`.
  public mutating func omit(_ name: String) {
    remove(name)
    let name = name.lowercased()
    if !omitted.contains(name) { editExtras { $0.omitted.append(name) } }
  }

  /// The names, in lower case, that are not sent even where Lull would add a header.
  package var omitted: [String] { extras?.omitted ?? [] }

  /// Why a request with these headers can't be sent: the problem of the first invalid header; nil
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

/// Copying values from another set of headers.
extension RequestHeaders {
  /// Replaces all values of the header `name` with those of `other`, including secrets.
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

  /// Restores the values of `earlier` for certain headers. These are the headers for whose name
  /// `isWanted` returns true, and whose values have changed and aren't secrets.
  ///
  /// - Returns: The restored names.
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

/// Values that contain secrets.
extension RequestHeaders {
  /// Adds a header with a value that contains secrets. The header is read in its masked form.
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

  /// Every line with its secrets, in order.
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

  /// The headers with the result of `resolve` in place of each value that contains secrets.
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

/// The conditional header of a request that is built before the caches have answered.
extension RequestHeaders {
  /// Allows the condition to be added later, unless one is set or removed before. A caller who
  /// removes the condition must not get it back. (LOAD-04)
  mutating func awaitCondition() { awaitsCondition = true }

  /// Adds the condition if it is still awaited; nil adds nothing.
  mutating func settle(_ condition: (name: String, value: ByteString)?) {
    guard awaitsCondition else { return }
    awaitsCondition = false
    if let (name, value) = condition { set(name, bytes: value.bytes) }
  }

  private mutating func keepCondition(ifChanging name: String) {
    if awaitsCondition, Headers.isCondition(name) { awaitsCondition = false }
  }
}

/// Cookies, which share one header. (RFC 6265, section 5.4)
extension RequestHeaders {
  /// Adds cookies to the existing cookies.
  package mutating func add(cookies: [(name: String, value: SecretText)]) {
    join(cookies.map { SecretText($0.name + "=") + $0.value })
  }

  /// Adds the cookies of another header, except those whose names exist already. If the name of a
  /// cookie is hidden in a secret, nothing is added.
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
  /// The header lines, as `Headers` describes them.
  public var description: String { lines.description }
}
