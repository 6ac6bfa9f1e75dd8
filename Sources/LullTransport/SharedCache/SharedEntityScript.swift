import LullCore

/// The server's part of the storage of one entity: a script that the server runs.
///
/// An entry is one hash with the following fields. Each variant has a head (`h…`), a body (`b…`), a
/// timestamp (`t…`) and a size (`s…`). The field `m` is the stale mark: entities up to that time,
/// in microseconds, are stale. The queries of a URL share such a mark, which has its own key.
///
/// Each part of the namespace also has three indexes: the last use, the expiry and the size of each
/// entry. A write returns the least recently used entries. The client then removes these entries
/// with another call, to which it passes their keys: a script must not use keys that were not
/// passed to it.
///
/// Times are milliseconds. The times of entries are from the clocks of the hosts. A time that is
/// more than a minute ahead of the server's clock is ignored.
struct SharedEntityScript: Sendable {
  let place: SharedCacheKey

  /// The maximum number of variants of an entry. Beyond it, the oldest variants are removed.
  static let mostVariants = 8

  /// Reads all variants, without bodies. If there is only one variant and its body is small, the
  /// body is included.
  ///
  /// - Parameter keep: How long an entry is kept after a use, in seconds; nil does not change its
  ///   expiry.
  func look(keep: Double?) -> ScriptCall {
    call(
      "read",
      ["", keep.map(SharedEntityScript.milliseconds) ?? "", "\(SharedEntityScript.largestAtOnce)"])
  }

  /// Reads one variant with its body of any size.
  func read(_ variant: String) -> ScriptCall { call("read", [variant, "", "1e15"]) }

  /// Reads all variants without bodies.
  var heads: ScriptCall { call("read", ["", "", ""]) }

  /// The size limit in bytes for bodies in the first reply. A server sends a reply only when the
  /// reply is complete, so larger bodies are requested separately.
  private static let largestAtOnce = 64 * 1024

  /// Writes a variant, unless the stored variant is newer.
  ///
  /// - Parameters:
  ///   - room: The maximum number of bytes of the part of the namespace.
  ///   - keep: How long the entry is kept, in seconds.
  func write(_ pack: SharedEntityPack, room: Int, keep: Double) -> ScriptCall {
    call(
      "write",
      [
        pack.variant, SharedEntityScript.milliseconds(pack.timestamp), "\(pack.size)", "\(room)",
        SharedEntityScript.milliseconds(keep), SharedEntityScript.microseconds(pack.sentTime),
        SharedEntityScript.microseconds(pack.timestamp),
      ], [pack.head, pack.body])
  }

  /// Replaces a head, unless the head has changed since it was read.
  func change(
    _ variant: String, timestamp: Double, from old: [UInt8], to new: [UInt8], keep: Double?
  ) -> ScriptCall {
    call(
      "change",
      [
        variant, SharedEntityScript.milliseconds(timestamp),
        keep.map(SharedEntityScript.milliseconds) ?? "",
      ], [old, new])
  }

  /// Marks all variants that are not newer than `timestamp` as stale.
  func expire(asOf timestamp: Double) -> ScriptCall {
    call("expire", [SharedEntityScript.microseconds(timestamp)])
  }

  /// Marks all queries of the URL that are not newer than `timestamp` as stale.
  func expireQueries(asOf timestamp: Double) -> ScriptCall {
    ScriptCall(
      script: SharedEntityScript.script,
      keys: place.indexes + [place.key, place.lease] + marks,
      arguments: ["expireQueries", place.digest, SharedEntityScript.microseconds(timestamp)])
  }

  private var marks: [String] { place.queriesMark.map { [$0] } ?? [] }

  var remove: ScriptCall { call("remove", []) }

  /// Removes other entries of the same part of the namespace.
  func evict(_ digests: [String]) -> ScriptCall {
    ScriptCall(
      script: SharedEntityScript.script,
      keys: place.indexes + digests.map { place.neighbour($0).key },
      arguments: ["evict", place.digest] + digests)
  }

  /// Returns a call that reads the number of entries of a part of the namespace, and their size in
  /// bytes.
  static func look(_ tag: String) -> ScriptCall {
    ScriptCall(script: script, keys: SharedCacheKey.indexes(tag), arguments: ["look", ""])
  }

  private func call(
    _ operation: String, _ arguments: [String], _ payload: [[UInt8]] = []
  ) -> ScriptCall {
    ScriptCall(
      script: SharedEntityScript.script,
      keys: place.indexes + [place.key, place.lease] + marks,
      arguments: [operation, place.digest] + arguments, payload: payload)
  }

  private static func milliseconds(_ seconds: Double) -> String {
    "\(Int(min(max(0, seconds), 1e12) * 1000))"
  }

  private static func microseconds(_ seconds: Double) -> String {
    "\(Int((min(max(0, seconds), 1e9 * 9) * 1e6).rounded()))"
  }

  // MARK: Replies

  struct Found {
    let variant: String
    let head: [UInt8]
    /// The body; nil if it must be requested separately.
    let body: [UInt8]?
  }

  /// Returns the variants; empty for an invalid reply.
  static func found(_ value: RESPValue) -> [Found] {
    let parts = value.array ?? []
    return stride(from: 0, to: parts.count - 2, by: 3).prefix(2 * mostVariants).compactMap {
      index in
      guard let variant = parts[index].text, let head = parts[index + 1].bytes else { return nil }
      return Found(variant: variant, head: head, body: parts[index + 2].bytes)
    }
  }

  /// Parses the stale mark, which follows the variants in the reply. Returns the time up to which
  /// entities are stale; nil if there is no mark.
  static func staleAt(_ value: RESPValue) -> Double? {
    let parts = value.array ?? []
    guard parts.count % 3 == 1 else { return nil }
    return parts.last?.text.flatMap { Double($0) }.map { $0 / 1e6 }
  }

  enum Written {
    case done(tooMany: [String])
    /// The stored entity is newer.
    case isOlder
    /// The server has no room. The value contains the entries to remove.
    case isFull(tooMany: [String])
  }

  /// Returns nil for an invalid reply.
  static func written(_ value: RESPValue) -> Written? {
    guard let parts = value.array, let kind = parts.first?.integer else { return nil }
    let others = parts.dropFirst().compactMap(\.text)
    switch kind {
    case 0: return .isOlder
    case 1: return .done(tooMany: others)
    case 2: return .isFull(tooMany: others)
    default: return nil
    }
  }

  private static let script = ServerScript(
    """
    if redis.replicate_commands then redis.replicate_commands() end
    local call, try = redis.call, redis.pcall
    local used, ends, sizes, entry = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
    -- Only for queries: the mark that all queries of the URL have in common.
    local queries = KEYS[6]
    local operation, digest = ARGV[1], ARGV[2]
    local time = call('TIME')
    local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    local function text(number) return string.format('%.0f', number) end
    local function number(value) return tonumber(value or '') or 0 end
    local function failure(value) return type(value) == 'table' and value.err end

    -- Removes a value of another type, which another program stored at this key.
    local function be(key, kind)
      local there = call('TYPE', key).ok
      if there ~= kind and there ~= 'none' then call('DEL', key) end
    end
    -- If an index is missing, the others are wrong too, so all are removed. Without entries,
    -- only sizes exists.
    local function beIndexes()
      local kinds = ''
      for i = 1, 3 do kinds = kinds .. call('TYPE', KEYS[i]).ok .. ' ' end
      local isEmpty = kinds == 'none none none ' or kinds == 'none none hash '
        and number(call('HGET', sizes, 'total')) == 0
      if not isEmpty and kinds ~= 'zset zset hash ' then call('DEL', used, ends, sizes) end
    end

    -- Sets the size of an entry, and returns the size of the whole part.
    local function account(name, size)
      local total = number(call('HGET', sizes, 'total')) - number(call('HGET', sizes, name))
      if size then call('HSET', sizes, name, text(size)) else call('HDEL', sizes, name) end
      total = math.max(0, total + (size or 0))
      call('HSET', sizes, 'total', text(total))
      return total
    end
    local function forget(name)
      call('ZREM', used, name)
      call('ZREM', ends, name)
      return account(name)
    end

    local function lastUsed(bytes)
      local found, freed = {}, 0
      for _, name in ipairs(call('ZRANGE', used, 0, 63)) do
        if freed >= bytes then break end
        if name ~= digest then
          found[#found + 1] = name
          freed = freed + number(call('HGET', sizes, name))
        end
      end
      return found
    end
    -- The mark of the queries of a URL exists for as long as each entry that it may apply to.
    local function keepMark(duration)
      if not queries then return end
      local left = try('PTTL', queries)
      if failure(left) or left >= tonumber(duration) then return end
      local mark = try('GET', queries)
      try('SET', queries, text(failure(mark) and 0 or number(mark)), 'PX', duration)
    end
    local function keepFor(duration)
      keepMark(duration)
      call('PEXPIRE', entry, duration)
      call('ZADD', ends, text(now + tonumber(duration) + 1000), digest)
    end
    local function sizeOfEntry()
      local size = 0
      for _, field in ipairs(call('HKEYS', entry)) do
        if string.sub(field, 1, 1) == 's' then size = size + number(call('HGET', entry, field)) end
      end
      return size
    end

    if operation == 'read' then
      local wanted, keep = ARGV[3], ARGV[4]
      local fields, names, found = try('HKEYS', entry), {}, {}
      if failure(fields) then return found end
      for _, field in ipairs(fields) do
        local name = string.match(field, '^h(.*)$')
        if name and (wanted == '' or name == wanted) then names[#names + 1] = name end
      end
      if #names == 0 then return found end
      -- Records the use at most once a minute, and ignores a server that cannot write.
      if math.abs(now - number(try('ZSCORE', used, digest))) > 60000 then
        try('ZADD', used, 'XX', text(now), digest)
        if keep ~= '' then
          keepMark(keep)
          try('PEXPIRE', entry, keep)
          try('ZADD', ends, 'XX', text(now + tonumber(keep) + 1000), digest)
        end
      end
      for _, name in ipairs(names) do
        found[#found + 1] = name
        found[#found + 1] = call('HGET', entry, 'h' .. name)
        local isGiven = ARGV[5] ~= '' and #names == 1
          and call('HSTRLEN', entry, 'b' .. name) <= tonumber(ARGV[5])
        found[#found + 1] = isGiven and call('HGET', entry, 'b' .. name)
      end
      local mark = call('HGET', entry, 'm')
      local common = queries and number(try('GET', queries)) or 0
      if common > number(mark) then mark = text(common) end
      if mark then found[#found + 1] = mark end
      return found
    elseif operation == 'write' then
      local name, timestamp, size, room, keep = ARGV[3], tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), ARGV[7]
      beIndexes(); be(entry, 'hash')
      local there = call('HGET', entry, 't' .. name)
      if there and number(there) > timestamp and number(there) <= now + 60000 then return { 0 } end
      local noted = try('ZADD', used, text(now), digest)
      if failure(noted) then
        if not string.find(noted.err, 'OOM', 1, true) then return noted end
        local answer = lastUsed(tonumber(size))
        table.insert(answer, 1, 2)
        return answer
      end
      call('HSET', entry, 'h' .. name, ARGV[10], 'b' .. name, ARGV[11],
        't' .. name, text(timestamp), 's' .. name, size)
      -- If the request was sent before the mark, the entity may be outdated although it came later.
      local mark = math.max(number(call('HGET', entry, 'm')), number(queries and try('GET', queries)))
      if mark > tonumber(ARGV[8]) and mark < tonumber(ARGV[9]) then
        call('HSET', entry, 'm', ARGV[9])
      end
      local variants = {}
      for _, field in ipairs(call('HKEYS', entry)) do
        local other = string.match(field, '^t(.*)$')
        if other and other ~= name then
          variants[#variants + 1] = { number(call('HGET', entry, field)), other }
        end
      end
      table.sort(variants, function(a, b) return a[1] > b[1] end)
      for i = \(mostVariants), #variants do
        for _, kind in ipairs({ 'h', 'b', 't', 's' }) do call('HDEL', entry, kind .. variants[i][2]) end
      end
      keepFor(keep)
      for _, name in ipairs(call('ZRANGEBYSCORE', ends, '-inf', text(now), 'LIMIT', 0, 32)) do
        forget(name)
      end
      -- Entries can be stored again, so hosts wait for each other's loads again.
      if try('GET', KEYS[5]) == 'open' then call('DEL', KEYS[5]) end
      local excess = account(digest, sizeOfEntry()) - room
      for i = 1, 3 do call('PEXPIRE', KEYS[i], '5184000000') end
      -- Evicts more than necessary, so that not every write has to evict.
      local answer = excess > 0 and lastUsed(excess + room / 16) or {}
      table.insert(answer, 1, 1)
      return answer
    elseif operation == 'change' then
      local name, timestamp, keep = ARGV[3], tonumber(ARGV[4]), ARGV[5]
      beIndexes()
      if try('HGET', entry, 'h' .. name) ~= ARGV[6] then return 0 end
      local there = number(call('HGET', entry, 't' .. name))
      if there > timestamp and there <= now + 60000 then return 0 end
      local size = number(call('HGET', entry, 's' .. name)) + #ARGV[7] - #ARGV[6]
      local done = try('HSET', entry, 'h' .. name, ARGV[7], 't' .. name, text(timestamp), 's' .. name, text(size))
      if failure(done) then
        -- If the server is full, the entry keeps its age.
        return string.find(done.err, 'OOM', 1, true) and 0 or done
      end
      if keep ~= '' then keepFor(keep) end
      account(digest, sizeOfEntry())
      return 1
    elseif operation == 'expire' then
      be(entry, 'hash')
      -- Without an entity, the mark is for one that is being written now.
      local isEmpty = call('EXISTS', entry) == 0
      local mark = math.min(tonumber(ARGV[3]), (now + 60000) * 1000)
      mark = math.max(mark, number(call('HGET', entry, 'm')))
      local done = try('HSET', entry, 'm', text(mark))
      if failure(done) then
        -- If the server is too full for the mark, the entry is removed.
        if not string.find(done.err, 'OOM', 1, true) then return done end
        call('DEL', entry)
        forget(digest)
      elseif isEmpty then
        call('PEXPIRE', entry, 60000)
      end
    elseif operation == 'expireQueries' then
      be(queries, 'string')
      local mark = math.min(tonumber(ARGV[3]), (now + 60000) * 1000)
      mark = math.max(mark, number(call('GET', queries)))
      -- Without entries, the mark is for those that are being written now.
      local done = try('SET', queries, text(mark), 'PX', math.max(60000, call('PTTL', queries)))
      if failure(done) then return string.find(done.err, 'OOM', 1, true) and 0 or done end
    elseif operation == 'remove' then
      beIndexes()
      call('DEL', entry)
      forget(digest)
    elseif operation == 'evict' then
      beIndexes()
      for i = 4, #KEYS do
        call('DEL', KEYS[i])
        forget(ARGV[i - 1])
      end
    elseif operation == 'look' then
      local total = try('HGET', sizes, 'total')
      local count = try('ZCOUNT', ends, text(now), '+inf')
      if failure(total) or failure(count) then return { 0, 0 } end
      return { count, number(total) }
    end
    return 1
    """)
}
