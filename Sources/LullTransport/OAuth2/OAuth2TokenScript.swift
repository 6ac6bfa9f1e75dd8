import LullCore

/// A script that the server runs so that processes can share the tokens of one client. The process
/// that renews the tokens has a lease, which expires if the process ends.
///
/// A client has one key. It contains the sealed tokens, the marks of a begun renewal, the owner of
/// the lease, and the end of the lease (by the server's clock, in microseconds).
struct OAuth2TokenScript {
  let key: String
  /// A random text that identifies the requester.
  let owner = Hexadecimal.random(byteCount: 8)

  /// The length of the lease, in seconds, after the use of a refresh token was recorded. If the
  /// lease is not extended in that time, another process may renew the tokens.
  static let lease = 10.0
  /// The length of the lease, in seconds, before the use of a refresh token is recorded. It is
  /// short, because a process that is killed then has not used up a token.
  static let unsentLease = 1.0
  private static let span = microseconds(lease)

  private static func microseconds(_ seconds: Double) -> String { "\(Int(seconds * 1e6))" }

  /// The hash tag, which determines the cluster slot.
  var tag: String { begin.tag }

  /// Takes the lease. The reply is the current data, or the time for which another process still
  /// has the lease.
  var begin: ScriptCall {
    call(
      "begin", OAuth2TokenScript.microseconds(OAuth2TokenScript.unsentLease), OAuth2TokenScript.span
    )
  }
  /// Extends the lease.
  ///
  /// - Parameter isNoted: Whether the use of a refresh token was recorded. If so, the lease is
  ///   longer.
  func renew(isNoted: Bool) -> ScriptCall {
    let lease = isNoted ? OAuth2TokenScript.lease : OAuth2TokenScript.unsentLease
    return call("renew", OAuth2TokenScript.microseconds(lease))
  }

  /// Records the marks of the refresh tokens that are sent now or may have been sent, and extends
  /// the lease. If the requester has the lease, the reply is `1` plus the number of replicas;
  /// otherwise the reply is `0`.
  func note(_ marks: OAuth2Marks) -> ScriptCall { call("note", marks.text, OAuth2TokenScript.span) }

  /// Stores tokens and releases the lease. This works after the lease has expired, too, unless
  /// another process has begun a renewal.
  func save(_ sealed: [UInt8], marks: OAuth2Marks) -> ScriptCall {
    call("save", String(decoding: Base64.encode(sealed), as: UTF8.self), marks.text)
  }

  /// Releases the lease without storing tokens.
  ///
  /// - Parameter marks: The marks to store; nil keeps the stored marks.
  func giveUp(leaving marks: OAuth2Marks? = nil) -> ScriptCall {
    call("give up", marks.map { "=" + $0.text } ?? "")
  }

  private func call(_ operation: String, _ arguments: String...) -> ScriptCall {
    ScriptCall(
      script: OAuth2TokenScript.script, keys: [key], arguments: [operation, owner] + arguments)
  }

  enum Answer {
    /// The requester has the lease. The sealed tokens may be empty, or any other bytes; nil if none
    /// are stored.
    case leased(sealed: [UInt8]?, begun: OAuth2Marks)
    /// Another process has the lease for that many seconds.
    case busy(Double)
  }

  /// Returns nil for an invalid reply.
  static func answer(_ value: RESPValue) -> Answer? {
    guard let parts = value.array, let kind = parts.first?.integer else { return nil }
    if kind == 0, parts.count == 2, let left = parts[1].integer, (0...60_000_000).contains(left) {
      return .busy(Double(left) / 1e6)
    }
    guard kind == 1, parts.count == 3, let sealed = parts[1].text, let begun = parts[2].text else {
      return nil
    }
    return .leased(
      sealed: sealed.isEmpty ? nil : (try? Base64.decode(Array(sealed.utf8))) ?? [],
      begun: OAuth2Marks(text: begun))
  }

  private static let script = ServerScript(
    """
    if redis.replicate_commands then redis.replicate_commands() end
    local call, key, owner = redis.call, KEYS[1], ARGV[2]
    local time = call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local kept = call('HMGET', key, 'owner', 'until', 'sealed', 'begun')
    local last = tonumber(kept[2] or 0) or 0
    local isMine = kept[1] == owner
    local function keep() call('EXPIRE', key, 7776000) end
    if ARGV[1] == 'begin' then
      if kept[1] and not isMine and last > now then
        -- No lease lasts this long: the clock was set back. A live owner renews its lease.
        if last > now + tonumber(ARGV[4]) then
          last = now + tonumber(ARGV[4])
          call('HSET', key, 'until', string.format('%.0f', last))
        end
        return { 0, last - now }
      end
      call('HSET', key, 'owner', owner, 'until', string.format('%.0f', now + tonumber(ARGV[3])))
      keep()
      return { 1, kept[3] or '', kept[4] or '' }
    end
    -- Repeated, because the first reply was lost.
    if ARGV[1] == 'save' and kept[3] == ARGV[3] and not kept[4] then return 1 end
    if ARGV[1] == 'save' and (isMine or kept[4] == ARGV[4]) then
      call('HSET', key, 'sealed', ARGV[3])
      call('HDEL', key, 'begun', 'owner', 'until')
      keep()
      return 1
    end
    if not isMine then return 0 end
    if ARGV[1] == 'renew' then
      call('HSET', key, 'until', string.format('%.0f', now + tonumber(ARGV[3])))
    elseif ARGV[1] == 'note' then
      call('HSET', key, 'begun', ARGV[3], 'until', string.format('%.0f', now + tonumber(ARGV[4])))
      -- A user without permission for INFO counts no replicas.
      local said, replicas = redis.pcall('INFO', 'replication'), 0
      if type(said) == 'string' then
        for _ in string.gmatch(said, 'state=online') do replicas = replicas + 1 end
      end
      return 1 + replicas
    elseif ARGV[1] == 'give up' then
      local marks = string.match(ARGV[3], '^=(.*)')
      if marks == '' then call('HDEL', key, 'begun')
      elseif marks then call('HSET', key, 'begun', marks) end
      call('HDEL', key, 'owner', 'until')
      if call('HLEN', key) == 0 then call('DEL', key) end
    end
    return 1
    """)
}
