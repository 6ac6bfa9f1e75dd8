extension APIOwner {
  static let cache = APIOwner.module(
    "lull.cache", "Entity caches, for the stages of a pipeline.",
    """
    A cache belongs to one stage: it keeps what that stage put out. Successful GET loads write \
    it; the first look at an untouched resource reads it.
    """,
    entries: [
      .function(
        "memory", "(): Cache",
        "A cache in memory, keyed by stage and URL.",
        """
        Given to several stages or services it is shared by all of them. It ends with the last of \
        its users.
        """,
        example: """
          api:configure("/users/*", { pipeline = { parsing = { cache = lull.cache.memory() } } })
          assert(user:load():await())
          user:wipe()
          print(assert(user:load_if_needed():await()).content.name)  --> Ann
          """, swift: "MemoryEntityCache", rules: "CACHE-14 CACHE-15 CACHE-37")
    ])

  static let memoryCache = APIOwner.object(
    "Cache", nil, receiver: "cache", "A cache that Lull brings, to be given to a stage.",
    "It has no members.", swift: "MemoryEntityCache", entries: [])

  static let cacheTable = APIOwner.table(
    "CacheTable", "A cache of your own: a table with these methods.",
    """
    They are called as methods, one after the other in the order issued. What `key` raises or any \
    of the others counts as a miss, or as not written; the load goes on and the error is \
    reported.
    """,
    swift: "EntityCache",
    entries: [
      .field(
        "key", "fun(self: table, resource: Resource, stage: string): any",
        "The key of a resource at a stage; nil: not cached here. Must answer at once.",
        swift: "EntityCache.key(for:at:)", rules: "CACHE-23 CACHE-24"),
      .field(
        "read", "fun(self: table, key: any): Entity?",
        "The entity under a key with its timestamp, or nil. May wait.",
        swift: "EntityCache.readEntity(forKey:completion:)", rules: "CACHE-01 CACHE-31"),
      .field(
        "write", "fun(self: table, key: any, entity: Entity)",
        "Keeps an entity; may ignore it. May wait.",
        swift: "EntityCache.writeEntity(_:forKey:completion:)", rules: "CACHE-14 CACHE-28"),
      .field(
        "update_timestamp", "(fun(self: table, key: any, timestamp: number))?",
        """
        Sets the timestamp of a kept entity, after a 304. Without it: read, change, write. May \
        wait.
        """,
        swift: "EntityCache.updateEntityTimestamp(_:forKey:completion:)", rules: "CACHE-19 CACHE-26"
      ),
      .field(
        "remove", "fun(self: table, key: any)",
        "Removes an entry: later reads find nothing. May wait.",
        swift: "EntityCache.removeEntity(forKey:completion:)", rules: "CACHE-20 CACHE-27"),
    ])
}
