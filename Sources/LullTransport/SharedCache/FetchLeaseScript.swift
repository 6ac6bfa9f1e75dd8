import LullCore

/// What a server does for those who want to fetch one entity, as the script that it runs: one of them has a lease,
/// which ends with its process.
///
/// A lease is one key, with who has it until when by the server's clock. When a load has failed it is the word
/// `failed` for a moment, by which those who wait go on; when it has brought nothing that is kept, `open` for a
/// minute, in which nobody waits. A key that lasts longer than its kind can, by another clock or by mistake, counts
/// as none.
struct FetchLeaseScript: Sendable {
  let place: SharedCacheKey
  /// Who asks.
  let owner = Hexadecimal.random(byteCount: 8)

  /// Seconds without a word of its process for which others wait.
  static let lease = 4.0

  /// - Parameters:
  ///   - known: the timestamp of what is there already, in milliseconds.
  ///   - hasWaited: whether somebody else has had the lease since one asks.
  func seek(newerThan known: Int, hasWaited: Bool) -> ScriptCall {
    call("seek", FetchLeaseScript.span, "\(known)", hasWaited ? "1" : "")
  }

  /// Whatever is there already.
  var take: ScriptCall { call("take", FetchLeaseScript.span, "", "") }

  var keep: ScriptCall { call("keep", FetchLeaseScript.span) }

  /// - Parameter known: what was there when it was begun; what is newer now has come of it.
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
  /// Of `failed` and `open`, in milliseconds.
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
    /// Nobody is waited for.
    case alone
    case written
  }

  /// With the timestamp of the newest that is there, in milliseconds; nil if it makes no sense.
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
      -- Where nothing can be written everybody fetches alone.
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
