/// Type aliases for patterns and for the functions that scripts pass.
extension APIOwner {
  static let pattern = APIOwner.alias(
    "Pattern", "string|Regex|Resource|fun(url: string): boolean",
    "A pattern that selects resources by URL.",
    """
    A string is a wildcard pattern, which must match the whole URL up to the query. A pattern \
    without a scheme is resolved against the base URL. `*` matches any characters within a path \
    segment, `**` also across segments, and `?` matches one character. A regular expression may \
    match anywhere in the URL. A resource matches its own URL. A function gets the URL, returns \
    whether it matches, and must return at once.
    """, swift: "ConfigurationPattern")

  static let settingsFunction = APIOwner.alias(
    "SettingsFunction", "fun(config: Configuration)",
    "Changes a configuration. Runs whenever a configuration is computed, and must return at once.",
    swift: "ConfigurationBlock")

  static let transformer = APIOwner.alias(
    "Transformer", "fun(content: any, entity: Entity): any",
    "Returns new content, made from the content of a response. May wait.",
    "The entity is the whole response; only the content of the entity changes.",
    swift: "ResponseTransformer")

  static let requestBody = APIOwner.alias(
    "RequestBody", "Body|File|Multipart",
    "The body of a request: a table, a file, or a multipart form.", swift: "RequestBody")

  static let multipartValue = APIOwner.alias(
    "MultipartValue", "string|number|boolean|Secret|File|MultipartPart",
    "A value of a multipart form.", swift: "MultipartForm.Part.Value")

  static let mutation = APIOwner.alias(
    "Mutation", "fun(http: HTTPRequest)", "Edits a request before it is sent. Must return at once.",
    swift: "Resource.RequestMutation")

  static let mutationOrOptions = APIOwner.alias(
    "MutationOrOptions", "Mutation|RequestOptions",
    "The options of one request: a function that edits it, or a table that may contain one.")

  static let decorator = APIOwner.alias(
    "Decorator", "fun(resource: Resource, request: Request): Request",
    "Wraps or replaces a request before it is sent. Must return at once.", swift: "RequestDecorator"
  )

  static let observerFunction = APIOwner.alias(
    "ObserverFunction",
    "fun(resource: Resource, event: ResourceEvent, source?: DataSource)",
    "Receives the events of a resource. The source is passed only with `new_data`. May wait.")
}
