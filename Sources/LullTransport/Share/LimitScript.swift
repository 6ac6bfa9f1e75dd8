import LullCore

/// The part of a limit that the server performs: a script that runs atomically and uses the
/// server's clock.
///
/// A limit has seven keys with one hash tag:
/// - the log of sent admissions (by time),
/// - granted admissions that are not sent yet (by the end of their lease),
/// - the rules of the limit's users,
/// - the queue of waiting callers (by ticket),
/// - the time when each waiting caller will ask again,
/// - the hosts that have asked (by the time of their last request),
/// - the other state of the limit.
///
/// The script applies the same rules as `LimitTables`. Times are in microseconds of the server's
/// clock, and never decrease, even if that clock is set back.
///
/// Each key has a placeholder entry, so that all seven keys exist whenever one of them exists: a
/// cluster that is moving keys rejects commands for which only some keys exist.
enum LimitScript {
  static let keyNames = ["log", "held", "rules", "line", "due", "meta", "hosts"]

  static let script = ServerScript(text)

  /// - Parameter tag: The prefix of the limit's keys.
  static func call(_ arguments: [String], tag: String) -> ScriptCall {
    ScriptCall(script: script, keys: keyNames.map { "\(tag):\($0)" }, arguments: arguments)
  }

  private static let text = """
    -- Before Redis 5, a script that reads the time cannot write without this.
    if redis.replicate_commands then redis.replicate_commands() end
    local log, held, rules, line, due, meta, hosts = unpack(KEYS)
    local call = redis.call
    local operation = ARGV[1]
    local function text(number) return string.format('%.0f', number) end

    local time = call('TIME')
    local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
    local known = call('HMGET', meta, 'latest', 'offset', 'left', 'resets', 'paused', 'name', 'whole')
    local offset = tonumber(known[2] or 0)
    now = now + offset
    local latest = tonumber(known[1] or 0)
    if now < latest then
      offset = offset + latest - now
      now = latest
    end
    local left = known[3] and tonumber(known[3])
    local resets, paused = tonumber(known[4] or 0), tonumber(known[5] or 0)

    local longest = 0
    local function liveRules()
      local found = {}
      local all = call('HGETALL', rules)
      for i = 1, #all, 2 do
        local requests, per = string.match(all[i], '^(%d+):(%d+)$')
        requests, per = tonumber(requests), tonumber(per)
        if all[i] ~= '' and (not per or now - tonumber(all[i + 1]) > math.max(per, 2000000)) then
          call('HDEL', rules, all[i])
        elseif per then
          found[#found + 1] = { requests, per }
          longest = math.max(longest, per)
        end
      end
      return found
    end

    local function keep()
      call('HSET', meta, 'latest', text(now), 'offset', text(offset))
      -- Makes sure that all seven keys exist; version 0.2 had six.
      if known[7] ~= '7' then
        for _, key in ipairs({ log, held, line, due, hosts }) do call('ZADD', key, '-inf', '') end
        call('HSET', rules, '', '')
        call('HSET', meta, 'whole', '7')
      end
      local last = math.max(longest, resets - now, paused - now, 0) / 1000 + 60000
      for i = 1, #KEYS do call('PEXPIRE', KEYS[i], text(last)) end
    end

    -- Removes what no longer counts. A request that a dead process may have sent counts from now on.
    local function forgetPast()
      for _, member in ipairs(call('ZRANGEBYSCORE', held, '(-inf', '(' .. text(now))) do
        local id = string.match(member, '^begun:(.*)')
        if id then call('ZADD', log, text(now), id) end
      end
      if longest > 0 then call('ZREMRANGEBYSCORE', log, '(-inf', text(now - longest)) end
      call('ZREMRANGEBYSCORE', held, '(-inf', text(now))
    end

    local function after(per) return '(' .. text(now - per) end

    -- Returns when a request behind `ahead` others is admitted: nil means now, -1 unknown.
    local function opening(found, ahead)
      local wait
      local function atLeast(other)
        if wait ~= -1 and (other == -1 or not wait or other > wait) then wait = other end
      end
      local holding = call('ZCOUNT', held, '(-inf', '+inf')
      for _, rule in ipairs(found) do
        local inside = call('ZCOUNT', log, after(rule[2]), '+inf') + holding + ahead
        if inside >= rule[1] then
          local oldest = call('ZRANGEBYSCORE', log, after(rule[2]), '+inf', 'WITHSCORES',
            'LIMIT', text(inside - rule[1]), 1)
          atLeast(oldest[2] and math.max(1, tonumber(oldest[2]) + rule[2] - now) or -1)
        end
      end
      if now < paused then atLeast(paused - now)
      elseif left and now < resets and left - ahead <= 0 then atLeast(resets - now) end
      return wait
    end

    -- Adds the number of hosts and the limits learned from responses, for use without this server.
    local function withKnown(answer)
      if left and now < resets or now < paused then
        answer[#answer + 1] = left and now < resets and left or -1
        answer[#answer + 1] = math.max(0, resets - now)
        answer[#answer + 1] = math.max(0, paused - now)
      end
      answer[#answer + 1] = call('ZCOUNT', hosts, '(-inf', '+inf')
      return answer
    end

    local function withdraw(id)
      if call('ZREM', log, id) + call('ZREM', held, id, 'begun:' .. id) > 0 and left then
        left = left + 1
        call('HSET', meta, 'left', text(left))
      end
    end

    local function leave(asker)
      call('ZREM', line, asker)
      call('ZREM', due, asker)
    end

    if operation == 'ask' then
      local asker, id = ARGV[2], ARGV[5]
      call('HSET', rules, ARGV[3] .. ':' .. ARGV[4], text(now))
      if not known[6] then call('HSET', meta, 'name', ARGV[6], 'identity', ARGV[7]) end
      call('ZADD', hosts, text(now), ARGV[8])
      call('ZREMRANGEBYSCORE', hosts, '(-inf', text(now - 300000000))
      local found = liveRules()
      forgetPast()
      local mine = call('ZSCORE', line, asker)
      local ahead = call('ZCOUNT', line, '(-inf', mine and '(' .. mine or '+inf')
      if ahead > 0 then
        -- Askers that have not asked again in time are passed over.
        local silent = call('ZRANGEBYSCORE', due, '(-inf', '(' .. text(now), 'WITHSCORES')
        for i = 1, #silent, 2 do
          local ticket = call('ZSCORE', line, silent[i])
          if ticket and (not mine or tonumber(ticket) < tonumber(mine)) then ahead = ahead - 1 end
          if tonumber(silent[i + 1]) < now - 60000000 and silent[i] ~= asker then leave(silent[i]) end
        end
      end
      local wait = opening(found, ahead)
      if not wait then
        if mine then leave(asker) end
        -- A grant counts until it is sent, or until its process has been silent for 30 s.
        local function grant(number)
          call('ZADD', held, text(now + 30000000), number)
          if left then left = math.max(0, left - 1) end
        end
        grant(id)
        -- Grants more to the same asker if no other asker is waiting.
        local granted = 1
        while ARGV[8 + granted] and call('ZCOUNT', line, '(-inf', '+inf') == 0 and not opening(found, 0) do
          grant(ARGV[8 + granted])
          granted = granted + 1
        end
        if left then call('HSET', meta, 'left', text(left)) end
        keep()
        return withKnown({ granted })
      end
      if not mine then call('ZADD', line, call('HINCRBY', meta, 'ticket', 1), asker) end
      -- Asks again earlier than `wait`, because a slot may be given back before.
      local patience = (wait < 0 or wait < 30000000) and 500000 or 5000000
      if wait >= 0 and wait < patience then patience = wait end
      call('ZADD', due, text(now + patience + 1500000), asker)
      keep()
      return withKnown({ 0, patience })
    elseif operation == 'leave' then
      leave(ARGV[2])
      for i = 3, #ARGV do withdraw(ARGV[i]) end
    elseif operation == 'withdraw' then
      for i = 2, #ARGV do withdraw(ARGV[i]) end
    elseif operation == 'enter' then
      call('HSET', rules, ARGV[2] .. ':' .. ARGV[3], text(now))
      liveRules()
      for i = 4, #ARGV, 2 do
        local age = tonumber(ARGV[i + 1])
        call('ZREM', held, ARGV[i], 'begun:' .. ARGV[i])
        if age < longest then call('ZADD', log, 'NX', text(now - age), ARGV[i]) end
      end
      keep()
    elseif operation == 'hold' then
      call('ZREM', log, ARGV[3])
      call('ZADD', held, text(now + tonumber(ARGV[2])), ARGV[3])
      liveRules()
      keep()
    elseif operation == 'begin' then
      call('ZREM', held, ARGV[3])
      call('ZADD', held, text(now + tonumber(ARGV[2])), 'begun:' .. ARGV[3])
      liveRules()
      keep()
    elseif operation == 'send' then
      call('ZREM', held, ARGV[2], 'begun:' .. ARGV[2])
      call('ZADD', log, text(now), ARGV[2])
      call('HSET', rules, ARGV[3] .. ':' .. ARGV[4], text(now))
      liveRules()
      keep()
    elseif operation == 'look' then
      -- Changes no count.
      local found, shown = liveRules(), {}
      forgetPast()
      for _, rule in ipairs(found) do
        local inside = call('ZCOUNT', log, after(rule[2]), '+inf') + call('ZCOUNT', held, '(-inf', '+inf')
        shown[#shown + 1] = { rule[1], rule[2], inside, opening({ rule }, 0) or 0 }
      end
      local who = call('HMGET', meta, 'name', 'identity')
      return { who[1] or '', who[2] or '', call('ZCOUNT', due, text(now), '+inf'),
        left and now < resets and left or -1, math.max(0, resets - now), math.max(0, paused - now), shown }
    elseif operation == 'learn' then
      local id, isFree, more, ends, pause = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
      local since = call('ZCOUNT', held, '(-inf', '+inf')
      if id ~= '' then
        local sent = call('ZSCORE', log, id)
        since = since + call('ZCOUNT', log, sent and '(' .. sent or '(-inf', '+inf')
      end
      if isFree == '1' then withdraw(id) end
      liveRules()
      if pause ~= '' then paused = math.max(paused, now + tonumber(pause)) end
      if more ~= '' then
        local slack = 2000000
        local rest, finish = math.max(0, tonumber(more) - since), now + tonumber(ends)
        if not left or now >= resets or finish > resets + slack then
          left, resets = rest, finish
        elseif finish >= resets - slack then
          left = math.min(left, rest)
        end
        call('HSET', meta, 'left', text(left), 'resets', text(resets))
      end
      if pause ~= '' then call('HSET', meta, 'paused', text(paused)) end
      keep()
    end
    return { 1 }
    """
}
