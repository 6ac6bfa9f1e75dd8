/// Type aliases for patterns and for the functions that scripts pass.
extension APIOwner {
  static let pattern = APIOwner.alias(
    "Pattern", "string|Regex|Resource|fun(url: string): boolean",
    "A pattern that selects resources by their URL.",
    """
    A string is a wildcard pattern. Without a scheme it is resolved against the base URL. `*` \
    matches within a path segment, `**` across segments, `?` one character. It must match the \
    whole URL up to its query. A regular expression matches anywhere in the URL. A resource stands \
    for its URL. A function gets the URL and must return at once.
    """, swift: "ConfigurationPattern")

  static let settingsFunction = APIOwner.alias(
    "SettingsFunction", "fun(config: Configuration)",
    "Changes a configuration. Runs whenever a configuration is computed, and must return at once.",
    swift: "ConfigurationBlock")

  static let transformer = APIOwner.alias(
    "Transformer", "fun(content: any, entity: Entity): any",
    "Returns new content for the content of a response. May wait.",
    "The entity is the whole response; only its content changes.", swift: "ResponseTransformer")

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
