/// Aliases for the types of functions that scripts pass, and of patterns.
extension APIOwner {
  static let pattern = APIOwner.alias(
    "Pattern", "string|Regex|Resource|fun(url: string): boolean",
    "Which resources are meant.",
    """
    A string is a wildcard pattern: without a scheme it is resolved against the base URL; `*` \
    matches within a path segment, `**` across segments, `?` one character. It must match the \
    whole URL up to its query. A regular expression matches anywhere in the URL. A resource means \
    its URL. A function gets the URL and must answer at once.
    """, swift: "ConfigurationPattern")

  static let settingsFunction = APIOwner.alias(
    "SettingsFunction", "fun(config: Configuration)",
    "Changes a configuration; run whenever one is computed. Must answer at once.",
    swift: "ConfigurationBlock")

  static let transformer = APIOwner.alias(
    "Transformer", "fun(content: any, entity: Entity): any",
    "Turns content into other content. May wait.",
    "The entity is the whole of what came; only its content changes.", swift: "ResponseTransformer")

  static let requestBody = APIOwner.alias(
    "RequestBody", "Body|File|Multipart",
    "The body of a request: a table, a file, or a multipart form.", swift: "RequestBody")

  static let multipartValue = APIOwner.alias(
    "MultipartValue", "string|number|boolean|Secret|File|MultipartPart",
    "A value of a multipart form.", swift: "MultipartForm.Part.Value")

  static let mutation = APIOwner.alias(
    "Mutation", "fun(http: HTTPRequest)", "Edits a request before it is sent. Must answer at once.",
    swift: "Resource.RequestMutation")

  static let mutationOrOptions = APIOwner.alias(
    "MutationOrOptions", "Mutation|RequestOptions",
    "What a call says of its one request: a function that edits it, or a table that may have one.")

  static let decorator = APIOwner.alias(
    "Decorator", "fun(resource: Resource, request: Request): Request",
    "Wraps or replaces a request before it is sent. Must answer at once.", swift: "RequestDecorator"
  )

  static let observerFunction = APIOwner.alias(
    "ObserverFunction",
    "fun(resource: Resource, event: ResourceEvent, source?: DataSource)",
    "Hears what happens to a resource; the source comes with `new_data`. May wait.")
}
