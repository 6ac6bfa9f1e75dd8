extension APIOwner {
  static let entity = APIOwner.object(
    .entity, receiver: "entity",
    "Content with its type, headers and age.",
    """
    An entity of a resource, cache or response is read-only: assigning raises. \
    `lull.copy(entity)` and `lull.entity{…}` give one of your own, whose `content`, `headers`, \
    `charset` and `timestamp` can be assigned.
    """,
    swift: "Entity",
    entries: contentAccessors(of: "Entity", readOnly: false) + entityMetadata + exchange)

  private static let entityMetadata: [APIEntry] = [
    .property(
      "content_type", "string",
      "The Content-Type header with its parameters; default `application/octet-stream`.",
      swift: "Entity.contentType", rules: "ENT-02 ENT-03"),
    .property(
      "charset", "string?", "The charset parameter of the content type.", writable: true,
      swift: "Entity.charset", rules: "ENT-04 ENT-05 ENT-06"),
    .property(
      "etag", "string?", "The ETag header, exactly.", swift: "Entity.etag", rules: "ENT-08"),
    .property(
      "headers", "Headers", "The headers; a table can be assigned.", writable: true,
      swift: "Entity.headers", rules: "ENT-09 ENT-10"),
    .property(
      "timestamp", "number", "When it was received or made; a 304 renews it.", writable: true,
      swift: "Entity.timestamp", rules: "ENT-12 LOAD-07"),
    .method(
      "header", "(name: string): string?", "A header by name, in any letter case.",
      "Repeated ones are joined with `, `; of `set-cookie` it is the first.",
      example: """
        print(assert(user:load():await()):header("ETag"))    --> "a1"
        """,
      swift: "Entity.header(forKey:)", rules: "ENT-07 ENT-10"),
    .operation(
      "__eq", "(other: Entity): boolean", shown: "entity == other",
      "Whether both are the same entity, by whichever way one got it; one of your own equals only itself.",
      example: """
        local entity = assert(user:load():await())
        print(entity == user.latest_data)          --> true
        print(entity == lull.copy(entity))         --> false
        """, rules: "ENT-120"),
    .method(
      "touch", "(): Entity", "Sets the timestamp of an entity of your own to now.",
      example: """
        local entity = lull.entity{ content = "x", timestamp = 0 }
        print(entity:touch().timestamp > 0)        --> true
        """,
      swift: "Entity.touch()", rules: "ENT-13"),
  ]

  static let entityFields = APIOwner.table(
    "EntityFields", "What `lull.entity{…}` takes.",
    entries: [
      .field("content", "any", "The content; none is zero bytes."),
      .field("content_type", "string?", "Its type; goes before one in `headers`.", rules: "ENT-11"),
      .field("headers", "table<string, string|string[]>?", "Headers, in any letter case."),
      .field("timestamp", "number?", "Default now.", rules: "ENT-12"),
    ])
}
