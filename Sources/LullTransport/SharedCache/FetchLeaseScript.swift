import LullCore

/// A script that the server runs, so that hosts fetch an entity only once. One of the hosts that
/// want to fetch the entity has a lease. The lease expires if the process that holds it ends.
///
/// A lease is one key, which contains the owner of the lease and expires by the server's clock.
/// When a load has failed, the key contains `failed` for a moment, and waiting hosts continue. When
/// a load has succeeded without storing an entity, the key contains `open` for a minute, in which
/// no host waits. If a changed clock or an error has made the lifetime of a key too long for its
/// kind, the key is ignored.
struct FetchLeaseScript: Sendable {
  let place: SharedCacheKey
  /// A random text that identifies the requester.
  let owner = Hexadecimal.random(byteCount: 8)

  /// The length of the lease in seconds. If the lease is not extended in that time, other hosts
  /// stop waiting.
  static let lease = 4.0

  /// Requests the lease, unless a newer entity is stored.
  ///
  /// - Parameters:
  ///   - known: The timestamp of the known entity, in milliseconds.
  ///   - hasWaited: Whether another host has had the lease since this host began to seek it.
  func seek(newerThan known: Int, hasWaited: Bool) -> ScriptCall {
    call("seek", FetchLeaseScript.span, "\(known)", hasWaited ? "1" : "")
  }

  /// Takes the lease, even if a newer entity is stored.
  var take: ScriptCall { call("take", FetchLeaseScript.span, "", "") }

  var keep: ScriptCall { call("keep", FetchLeaseScript.span) }

  /// Ends the lease.
  ///
  /// - Parameter known: The timestamp of the stored entity when the load began, in milliseconds. If
  ///   the stored entity is newer now, it is the result of the load.
  func end(_ ending: FetchEnding, known: Int) -> ScriptCall {
    switch ending {
    case .cancelled: call("end", "\(known)", "", "")
    case .failed: call("end", "\(known)", "failed", FetchLeaseScript.failedSpan)
    case .succeeded: call("end", "\(known)", "open", FetchLeaseScript.openSpan)
    }
  }

  static func milliseconds(_ timestamp: Double) -> Int {
    Int(min(max(0, timestamp), 1e12) * 1000)
  }

  private static let span = "\(Int(lease * 1000))"
  /// How long a key contains `failed` and how long it contains `open`, in milliseconds.
  private static let failedSpan = "2000"
  private static let openSpan = "60000"

  private func call(_ operation: String, _ arguments: String...) -> ScriptCall {
    ScriptCall(
      script: FetchLeaseScript.script, keys: [place.key, place.lease],
      arguments: [operation, owner] + arguments)
  }

  enum Answer: Equatable {
    case busy
    case leased
    /// No host waits for another host.
    case alone
    case written
  }

  /// Parses a reply to `seek` or `take`. Returns the answer, and the timestamp of the newest stored
  /// entity in milliseconds; nil for an invalid reply.
  static func answer(_ value: RESPValue) -> (answer: Answer, newest: Int)? {
    let numbers = (value.array ?? []).map { $0.integer ?? -1 }
    guard numbers.count == 2, let newest = Int(exactly: numbers[1]) else { return nil }
    switch numbers[0] {
    case 0: return (.busy, newest)
    case 1: return (.leased, newest)
    case 2: return (.alone, newest)
    case 3: return (.written, newest)
    default: return nil
    }
  }

  private static let script = ServerScript(
    """
    local call, try = redis.call, redis.pcall
    local entry, lease = KEYS[1], KEYS[2]
    local operation, owner = ARGV[1], ARGV[2]
    local function failure(value) return type(value) == 'table' and value.err end

    local function newest()
      local found = -1
      local fields = try('HKEYS', entry)
      if failure(fields) then return found end
      for _, field in ipairs(fields) do
        if string.sub(field, 1, 1) == 't' then
          found = math.max(found, tonumber(call('HGET', entry, field)) or -1)
        end
      end
      return found
    end

    local holder = try('GET', lease)
    if failure(holder) then
      try('DEL', lease)
      holder = false
    end
    if operation == 'seek' or operation == 'take' then
      if holder then
        local left, longest = call('PTTL', lease), tonumber(ARGV[3])
        if holder == 'failed' then longest = \(failedSpan) end
        if holder == 'open' then longest = \(openSpan) end
        if left < 0 or left > longest then holder = false end
      end
      local written = newest()
      if operation == 'seek' and written > tonumber(ARGV[4]) then return { 3, written } end
      if holder == 'open' or holder == 'failed' and ARGV[5] == '1' then return { 2, written } end
      if holder and holder ~= 'failed' and holder ~= owner then return { 0, written } end
      -- If nothing can be written, each host requests the entity itself.
      if failure(try('SET', lease, owner, 'PX', ARGV[3])) then return { 2, written } end
      return { 1, written }
    end
    if holder ~= owner then return 0 end
    if operation == 'keep' then
      try('PEXPIRE', lease, ARGV[3])
    elseif operation == 'end' then
      try('DEL', lease)
      if ARGV[4] ~= '' and newest() <= tonumber(ARGV[3]) then
        try('SET', lease, ARGV[4], 'PX', ARGV[5])
      end
    end
    return 1
    """)
}
