extension APIOwner {
  static let serviceOptions = APIOwner.table(
    "ServiceOptions", extending: "Settings", "The options of `lull.service{…}`.",
    "The fields of `Settings` may be used here too; they apply to every resource.",
    entries: [
      .field(
        "base_url", "string?", "The URL that paths are appended to.", swift: "Service.baseURL",
        rules: "SVC-01"),
      .field(
        "functions", "table<string, fun(api: Service, ...: any): any>?",
        "Your own methods: `api:profile(7)` calls `functions.profile` with the service and 7. "
          + "A name that services already have raises an error.",
        rules: "SVC-120 SVC-121"),
      .field("name", "string?", "A name for logs and `tostring`.", swift: "Service.name"),
      .field(
        "networking", "NetworkingFunction?",
        "A function that responds to requests instead of the network.",
        swift: "NetworkingProvider", rules: "SVC-36 NET-05"),
      .field(
        "null", "\"nil\"|\"lull.null\"|nil",
        """
        The Lua value that represents JSON's null in tables of content; default "lull.null". With \
        "nil" a null member is missing, and a null in a list leaves a hole. Loops over events and \
        over a watch always get `lull.null`.
        """,
        rules: "JSN-17 JSN-32"),
      .field(
        "offline", "boolean?", "The initial value of `service.is_offline`; default false.",
        swift: "Service.isOffline"),
      .field(
        "standard_transformers", "(\"json\"|\"text\")[]?",
        """
        A list of the standard parsers, `"json"` and `"text"`, that the service uses; default \
        both.
        """,
        swift: "StandardTransformer", rules: "SVC-35 TRF-32 TRF-33"),
    ])

  static let settings = APIOwner.table(
    "Settings", "The settings of a configuration, as a table.",
    """
    `service:configure` and `lull.service` accept settings, and `service:configuration_for` \
    returns them.
    """,
    swift: "Configuration", entries: Setting.fieldEntries)

  static let pipelineSettings = APIOwner.table(
    "PipelineSettings",
    """
    The field `pipeline` of a table of settings: the order of the stages, and settings by stage \
    name.
    """,
    entries: [
      .field(
        "order", "string[]?", "The names of the stages to run, in order.",
        swift: "Pipeline.order", rules: "PIPE-02 PIPE-03 PIPE-04"),
      .field(
        "<stage>", "StageSettings?", "The settings of the stage with this name."),
    ])

  static let stageSettings = APIOwner.table(
    "StageSettings", "The settings of one stage in a table of settings.",
    entries: [
      .field(
        "cache", "Cache|CacheTable|false|nil", "The stage's cache; false removes it.",
        rules: "PIPE-13"
      )
    ])

  static let configureOptions = APIOwner.table(
    "ConfigureOptions", "Options of `service:configure`.",
    entries: [
      .field(
        "methods", "string[]?",
        """
        The HTTP methods that the settings apply to; default all. Settings for GET also apply to \
        methods other than POST, PUT, PATCH, DELETE, HEAD and OPTIONS, such as REPORT.
        """,
        rules: "CFG-07 CFG-16"),
      .field("description", "string?", "The name of the entry in logs.", rules: "CFG-03 CFG-19"),
    ])

  static let transformOptions = APIOwner.table(
    "TransformOptions", "Options of `service:transform`.",
    entries: placementOptions + transformerOptions)

  private static let placementOptions: [APIEntry] = [
    .field(
      "stage", "StageName?",
      "The stage that the transformer belongs to; default `\"model\"`.",
      rules: "TRF-19"),
    .field(
      "action", "\"replace\"|\"append\"|nil",
      """
      `"replace"`, the default, removes the stage's other transformers; `"append"` does not.
      """,
      rules: "TRF-17 TRF-18 TRF-22"),
    .field(
      "methods", "string[]?",
      """
      The HTTP methods of the requests whose responses are transformed; default GET, PUT, POST, \
      PATCH, DELETE.
      """,
      rules: "TRF-20 TRF-21"),
  ]

  static let stageOptions = APIOwner.table(
    "StageOptions", "Options of `stage:add`.", entries: transformerOptions)

  private static let transformerOptions: [APIEntry] = [
    .field(
      "input", "InputType|(fun(content: any): boolean)|nil",
      """
      The content that the transformer accepts: a word of `InputType`, or a predicate; default \
      `"any"`.
      """, rules: "TRF-09 TRF-24"),
    .field(
      "output", "InputType|(fun(content: any): boolean)|nil",
      """
      The type of the result: a word of `InputType`, or a predicate; default `"any"`. If the input \
      is bytes, a string result is bytes too; with `"text"` it is text, and must be UTF-8. For \
      other input, a string result is text if it is UTF-8; with `"data"` it is bytes.
      """, rules: "TRF-11 TRF-96 TRF-97"),
    .field(
      "on_input_type_mismatch", "InputTypeMismatch?",
      "The reaction to content that the transformer does not accept; default `\"error\"`.",
      rules: "TRF-09 TRF-10 TRF-11 TRF-12"),
    .field(
      "transform_errors", "boolean?",
      "Whether bodies of errors are transformed too; default false.", rules: "TRF-05 TRF-06 TRF-07"),
    .field(
      "content_types", "string[]?",
      """
      The content types of the responses to transform, such as `"text/*"` or `"*/*+json"`; default \
      all.
      """,
      rules: "TRF-25 TRF-26 TRF-27 TRF-29"),
  ]

  static let inputWords = APIOwner.words(
    "InputType", "The types of content that transformers accept and return.",
    entries: [
      .word("any", "Content of any type."),
      .word("json", "Any parsed JSON value."),
      .word("table", "Any Lua table, also from JSON."),
      .word("text", "Text."),
      .word("data", "Raw bytes."),
    ])

  static let mismatchWords = APIOwner.words(
    "InputTypeMismatch", "The reaction of a transformer to content it does not accept.",
    entries: [
      .word(
        "error", "The request fails with kind `wrong_input_type_in_transformer_pipeline`.",
        swift: "InputTypeMismatchAction.error",
        rules: "TRF-09"),
      .word(
        "skip", "The response passes unchanged.", swift: "InputTypeMismatchAction.skip",
        rules: "TRF-10"),
      .word(
        "skip_if_output_type_matches",
        """
        The response passes unchanged if its content already has the output type; otherwise the \
        request fails.
        """,
        swift: "InputTypeMismatchAction.skipIfOutputTypeMatches",
        rules: "TRF-11 TRF-12"),
    ])
}
