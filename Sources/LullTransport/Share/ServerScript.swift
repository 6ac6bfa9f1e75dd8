import LullCore

/// A script that a server runs atomically.
struct ServerScript: Sendable {
  let text: String
  /// The script's digest for `EVALSHA`; nil without a library for digests.
  let digest: String?

  init(_ text: String) {
    self.text = text
    digest = Digest.sha1.of(text).map { Hexadecimal.text($0) }
  }

  /// Registers this host for the given number of seconds, and returns the number of hosts.
  ///
  /// The score of a host is 300 seconds before the end of its registration. Version 0.2 of Lull
  /// needs that, because it removes the entries whose score is 300 seconds old. (SHR-37)
  static let hosts = ServerScript(
    """
    if redis.replicate_commands then redis.replicate_commands() end
    local now = tonumber(redis.call('TIME')[1])
    redis.call('ZADD', KEYS[1], now - 300 + tonumber(ARGV[2]), ARGV[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 300)
    redis.call('EXPIRE', KEYS[1], \(Int(ShareMemory.longest) + 600))
    return redis.call('ZCARD', KEYS[1])
    """)
}

/// One call of a script. All its keys are in one slot of a cluster.
struct ScriptCall {
  let script: ServerScript
  let keys: [String]
  let arguments: [String]
  /// Further arguments, which may be any bytes.
  var payload: [[UInt8]] = []

  func command(byDigest: Bool) -> RESPCommand {
    var words =
      byDigest
      ? script.digest.map { ["EVALSHA", $0] } ?? ["EVAL", script.text] : ["EVAL", script.text]
    words.append("\(keys.count)")
    words += keys
    words += arguments
    return RESPCommand(words.map { Array($0.utf8) } + payload)
  }

  /// The hash tag, which determines the cluster slot of the keys.
  var tag: String {
    guard let key = keys.first, let start = key.firstIndex(of: "{"),
      let end = key.firstIndex(of: "}"), start < end
    else { return "" }
    return String(key[start...end])
  }
}
