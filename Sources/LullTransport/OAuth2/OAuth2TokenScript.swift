import LullCore

/// What a server does for the tokens of one client, as the script that it runs: who renews them has a lease,
/// which ends with its process.
///
/// A client is one key: the sealed tokens, what a renewal was begun with, and who has the lease until when by
/// the server's clock, in microseconds.
struct OAuth2TokenScript {
  let key: String
  /// Who asks.
  let owner = Hexadecimal.random(byteCount: 8)

  /// Seconds without a word of its process for which somebody may renew alone.
  static let lease = 10.0
  private static let span = "\(Int(lease * 1e6))"

  /// Takes the lease: what is there; or how long somebody else has it.
  var begin: ScriptCall { call("begin", OAuth2TokenScript.span) }
  /// Keeps it.
  var renew: ScriptCall { call("renew", OAuth2TokenScript.span) }

  /// Notes what a refresh token is about to be used up with.
  func note(_ mark: String) -> ScriptCall { call("note", mark) }

  /// Gives the lease back with tokens; also if it has ended, as long as nobody has begun anew.
  func save(_ sealed: [UInt8], mark: String) -> ScriptCall {
    call("save", String(decoding: Base64.encode(sealed), as: UTF8.self), mark)
  }

  /// Gives the lease back without any.
  func giveUp(isCertain: Bool) -> ScriptCall { call("give up", isCertain ? "1" : "0") }

  private func call(_ operation: String, _ arguments: String...) -> ScriptCall {
    ScriptCall(
      script: OAuth2TokenScript.script, keys: [key], arguments: [operation, owner] + arguments)
  }

  enum Answer {
    /// Sealed tokens may be empty, or anything else.
    case leased(sealed: [UInt8]?, begun: String?)
    /// Seconds.
    case busy(Double)
  }

  /// nil if it makes no sense.
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
      begun: begun.isEmpty ? nil : begun)
  }

  private static let script = ServerScript(
    """
    if redis.replicate_commands then redis.replicate_commands() end
    local call, key, owner = redis.call, KEYS[1], ARGV[2]
    local time = call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local kept = call('HMGET', key, 'owner', 'until', 'sealed', 'begun')
    local isFree = not kept[1] or tonumber(kept[2] or 0) <= now
    local isMine = kept[1] == owner
    local function keep() call('EXPIRE', key, 7776000) end
    if ARGV[1] == 'begin' then
      if not isFree and not isMine then return { 0, tonumber(kept[2]) - now } end
      call('HSET', key, 'owner', owner, 'until', string.format('%.0f', now + tonumber(ARGV[3])))
      keep()
      return { 1, kept[3] or '', kept[4] or '' }
    end
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
      call('HSET', key, 'begun', ARGV[3])
    elseif ARGV[1] == 'give up' then
      if ARGV[3] == '1' then call('HDEL', key, 'begun') end
      call('HDEL', key, 'owner', 'until')
      if call('HLEN', key) == 0 then call('DEL', key) end
    end
    return 1
    """)
}
