import LullCore

/// Receives the announcements of other hosts in a namespace about written entities, and notifies
/// the resources in memory that follow these entities. Also creates the announcements of this home.
/// Home thread only.
///
/// The channel is opened when the first resource follows an entity. Announcements are hints: if
/// some are missed during a disconnection, old data is detected by its age. However many
/// announcements arrive, no entity is read twice at the same time, and only a few entities are read
/// concurrently.
final class ShareUpdates {
  /// Identifies this home in announcements.
  let sender = UInt64.random(in: 1...UInt64.max)
  /// The number of announcements received from others.
  private(set) var count = 0

  private unowned let pump: Pump
  private let channel: ShareChannel
  private let warn: (String) -> Void
  private var followers: [String: [Follower]] = [:]
  /// How many followers may still be added before released followers are removed from the list.
  private var untilSweep = ShareUpdates.leastSweep
  private let mostFollowed: Int
  private var waiters: [String: [(number: Int, action: () -> Void)]] = [:]
  private var lastWaiter = 0
  /// The hints to process, keyed by the digest that identifies the entity. `order` contains the
  /// digests in the order of the hints.
  private var hints: [String: Hint] = [:]
  private var order = CompactLine<String>()
  private var underWay = 0
  private var isScheduled = false
  /// Whether the user was warned that announcements cannot be sent or received.
  private var hasWarned = false
  private var mayTell = true
  /// Called when the channel is open.
  var onOpen: () -> Void = {}

  private struct Follower {
    weak var updates: EntityUpdates?
  }

  private struct Hint {
    var timestamp: Double
    var isRefresh: Bool
  }

  /// The maximum number of followed entities, and the maximum number of concurrent reads.
  static let mostFollowed = 200_000
  static let mostUnderWay = 8
  private static let leastSweep = 1024

  /// - Parameters:
  ///   - makeChannel: Makes the channel. Its argument is the function that receives the messages of
  ///     the channel.
  ///   - warn: Warns the user.
  init(
    _ pump: Pump, mostFollowed: Int = ShareUpdates.mostFollowed, warn: @escaping (String) -> Void,
    channel makeChannel: (_ tell: @escaping ([UInt8]) -> Void) -> ShareChannel
  ) {
    self.pump = pump
    self.mostFollowed = mostFollowed
    self.warn = warn
    let slot = Slot()
    channel = makeChannel { slot.updates?.heard($0) }
    slot.updates = self
    channel.onChange = { [weak self] in self?.channelChanged() }
  }

  private final class Slot {
    weak var updates: ShareUpdates?
  }

  func close() {
    channel.close()
    followers = [:]
    waiters = [:]
    hints = [:]
    order.removeAll()
  }

  var channelState: ShareChannel.State { channel.state }
  var openCount: Int { channel.openCount }
  /// The number of followed entities, including some whose followers were released.
  var followedCount: Int { followers.count }
  var waitingCount: Int { hints.count }
  /// The number of places in memory that the queue of hints uses.
  var orderPlaceCount: Int { order.placeCount }
  var waiterCount: Int { waiters.count }

  // MARK: Followers

  /// Notifies `updates` of announcements for the entity with that digest, as long as `updates` is
  /// retained. If this is called for several digests, the last one applies.
  func follow(_ digest: String, _ updates: EntityUpdates) {
    updates.key = digest
    var list = followers[digest] ?? []
    guard !list.contains(where: { $0.updates === updates }) else { return }
    untilSweep -= 1
    if untilSweep <= 0 { sweep() }
    guard followers.count < mostFollowed else {
      return pump.log(
        .cache, "more than \(mostFollowed) entities are followed: the rest do not receive updates")
    }
    list.removeAll { $0.updates?.key != digest }
    list.append(Follower(updates: updates))
    followers[digest] = list
    channel.open()
  }

  private func sweep() {
    followers = followers.compactMapValues { list in ShareUpdates.live(list, nil) }
    // Rejected followers count as well, because there may be room for the next follower.
    untilSweep = max(ShareUpdates.leastSweep, followers.count / 4)
  }

  /// Returns the followers that are still retained. If `digest` is not nil, returns only the
  /// followers of the entity with that digest. Returns nil if there are none.
  private static func live(_ list: [Follower], _ digest: String?) -> [Follower]? {
    let live = list.filter { $0.updates != nil && (digest == nil || $0.updates?.key == digest) }
    return live.isEmpty ? nil : live
  }

  /// Calls `action` once, at the next announcement for that digest, even if the announcement is
  /// false. Without an announcement, `action` is never called.
  ///
  /// - Returns: The ID of the registration, to be passed to `forget`.
  func onNext(_ digest: String, _ action: @escaping () -> Void) -> Int {
    lastWaiter += 1
    waiters[digest, default: []].append((lastWaiter, action))
    channel.open()
    return lastWaiter
  }

  func forget(_ number: Int, of digest: String) {
    waiters[digest]?.removeAll { $0.number == number }
    if waiters[digest]?.isEmpty == true { waiters[digest] = nil }
  }

  // MARK: Received announcements

  private func heard(_ bytes: [UInt8]) {
    guard let message = UpdateMessage(bytes), message.sender != sender else { return }
    count &+= 1
    for waiter in waiters.removeValue(forKey: message.digest) ?? [] {
      pump.enqueue(waiter.action)
    }
    guard followers[message.digest] != nil else { return }
    if let hint = hints[message.digest] {
      hints[message.digest] = Hint(
        timestamp: max(hint.timestamp, message.timestamp),
        isRefresh: hint.isRefresh && message.isRefresh)
    } else {
      hints[message.digest] = Hint(timestamp: message.timestamp, isRefresh: message.isRefresh)
      order.append(message.digest)
    }
    schedule()
  }

  /// Schedules the reads of announced entities. They start when all announcements of this turn are
  /// known.
  private func schedule() {
    guard !isScheduled, !order.isEmpty, underWay < ShareUpdates.mostUnderWay else { return }
    isScheduled = true
    pump.enqueue { [weak self] in self?.start() }
  }

  private func start() {
    isScheduled = false
    while underWay < ShareUpdates.mostUnderWay, let digest = order.popFirst() {
      guard let hint = hints.removeValue(forKey: digest) else { continue }
      followers[digest] = ShareUpdates.live(followers[digest] ?? [], digest)
      let all = (followers[digest] ?? []).compactMap(\.updates)
      var left = all.count
      guard left > 0 else { continue }
      underWay += 1
      for updates in all {
        updates.arrived(timestamp: hint.timestamp, isRefresh: hint.isRefresh) { [weak self] in
          left -= 1
          guard left == 0, let self else { return }
          underWay -= 1
          schedule()
        }
      }
    }
  }

  // MARK: Sent announcements

  /// Returns an announcement that an entity with that timestamp was written. Returns nil if the
  /// user may not make announcements.
  func message(_ digest: String, timestamp: Double, isRefresh: Bool) -> UpdateMessage? {
    guard mayTell else { return nil }
    return UpdateMessage(
      sender: sender, isRefresh: isRefresh, timestamp: timestamp, digest: digest)
  }

  /// Handles the server's reply to a published message. If the user may not use the channel, or the
  /// server has no channels, no more messages are published. After any other error, which is
  /// temporary, only this message is lost. (NEWS-41)
  func published(_ outcome: ShareLink.Outcome) {
    guard case .reply(.failure(let words)) = outcome else { return }
    let reason = LogText.part(words, limit: 120)
    guard words.hasPrefix("NOPERM") || words.hasPrefix("ERR unknown command") else {
      return pump.log(.cache, "other hosts were not notified of a write: \(reason)")
    }
    mayTell = false
    complain("other hosts are not notified of writes", reason)
  }

  private func channelChanged() {
    switch channel.state {
    case .open: onOpen()
    case .refused: complain("writes of other hosts are not received", channel.trouble ?? "")
    default: break
    }
  }

  private func complain(_ what: String, _ reason: String) {
    guard !hasWarned else { return }
    hasWarned = true
    warn(
      "\(what) (\(reason)): entities in memory are not updated; "
        + "give the user of the URL access to the channel")
  }
}

/// An announcement to the hosts in a namespace that an entity was written. It contains no content,
/// but a digest that identifies the entity and reveals nothing to others. An announcement is a hint
/// and may be false.
///
///     1 5f3a9c21d0e4b7a6 w 1763948712345678 0f1e2d…
struct UpdateMessage: Equatable, Sendable {
  /// The home that has written the entity. Each home has its own random ID.
  let sender: UInt64
  /// Whether a 304 response renewed only the age and headers.
  let isRefresh: Bool
  /// The entity's timestamp, in microseconds since 1970.
  let time: Int64
  /// The digest that identifies the entity, in hexadecimal digits.
  let digest: String

  /// The maximum size of a valid message in bytes.
  static let mostBytes = 200
  private static let version = "1"

  /// Returns nil for an invalid time.
  init?(sender: UInt64, isRefresh: Bool, timestamp: Double, digest: String) {
    guard StoredEntity.isTime(timestamp) else { return nil }
    self.sender = sender
    self.isRefresh = isRefresh
    // The time is rounded up, so that the entity does not seem older than it is.
    time = Int64((timestamp * 1e6).rounded(.up))
    self.digest = digest
  }

  /// Returns nil for an invalid message.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= UpdateMessage.mostBytes,
      let text = String(validating: bytes, as: UTF8.self)
    else { return nil }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 5, words[0] == UpdateMessage.version,
      let sender = UInt64(words[1], radix: 16), words[2] == "w" || words[2] == "r",
      let time = Int64(words[3]), StoredEntity.isTime(Double(time) / 1e6),
      (16...64).contains(words[4].utf8.count),
      words[4].utf8.allSatisfy({ Hexadecimal.value($0) != nil })
    else { return nil }
    self.sender = sender
    isRefresh = words[2] == "r"
    self.time = time
    digest = String(words[4])
  }

  /// The entity's timestamp, in seconds since 1970.
  var timestamp: Double { Double(time) / 1e6 }

  var text: String {
    let words = [
      UpdateMessage.version, String(sender, radix: 16), isRefresh ? "r" : "w", "\(time)", digest,
    ]
    return words.joined(separator: " ")
  }
}
