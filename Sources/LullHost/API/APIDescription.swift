/// The Lua API of a program's hosts. The reference page, the help, the editor annotations and the
/// bridge's table of members are generated from this description.
///
/// Each owner has one file in this folder, or in the folder of its extension. To add a member,
/// write its entry in its owner's file and run `Scripts/support/generate-reference`.
package struct APIDescription: Sendable {
  /// The owners of API entries in the order of the reference page: first the owners of the host
  /// itself, then the owners that extensions add.
  package let owners: [APIOwner]

  init(with extensions: [any HostExtension.Type]) {
    let functions = extensions.flatMap { $0.functions }
    owners =
      APIDescription.own.map { $0.name == APIOwner.lull.name ? $0.adding(functions) : $0 }
      + extensions.flatMap { $0.types }
  }

  static let own: [APIOwner] = [
    .lull, .json, .list, .url, .base64, .time, .csv, .log, .testing, .cache, .os, .service,
    .resource,
    .request, .response, .entity,
    .document, .requestError, .observation, .watch, .changes, .status, .pages,
    .eventsIterator, .streamEvent,
    .followed, .task, .progress,
    .configuration, .pipeline, .stage,
    .secret, .secretSource, .auth, .authObject, .oauth2Client, .oauth2RefreshClient,
    .oauth2CodeLogin, .oauth2DeviceLogin,
    .netrcOptions, .awsCredentials,
    .httpRequest, .headers, .file, .multipart, .regex, .memoryCache, .serviceOptions, .settings,
    .pipelineSettings,
    .stageSettings, .retrySettings, .backoffSettings, .rateLimitSettings, .requestAttempt,
    .configureOptions, .transformOptions, .stageOptions, .entityFields, .errorFields,
    .successFields, .timings, .body, .fileOptions, .multipartPart, .queryOptions, .requestOptions,
    .oneOffOptions,
    .downloadOptions, .customRequest,
    .networkAnswer,
    .networkReport, .stubAnswer,
    .observer,
    .stats, .watchOptions, .statusOptions, .statusStates, .tokenOptions,
    .streamOptions, .followOptions, .pagesOptions, .cursorOptions, .pageNumberOptions,
    .offsetOptions,
    .argumentsSpec,
    .argumentSpec, .argumentTypes, .writeOptions, .cacheTable, .fileCacheOptions,
    .sharedCacheOptions, .shareOptions,
    .inspectOptions, .encodeOptions, .urlParts, .base64Options, .digestOptions, .isoOptions,
    .csvOptions, .mapOptions, .waitOptions, .cause, .validationError, .graphQLError,
    .causeKinds, .events,
    .sources, .requestStates, .taskStates, .stageNames, .inputWords, .mismatchWords,
    .logCategories, .pattern, .fieldOrFunction, .settingsFunction, .transformer,
    .requestBody, .multipartValue, .mutation, .mutationOrOptions, .decorator, .observerFunction,
    .networkingFunction,
    .completion,
  ]

  /// The owners for objects of the host (not of an extension) that have no documentation.
  static let unseen: [APIOwner] = [
    .completionFunctions, .handlerFunctions, .stubFunctions, .iteratorFunctions,
    .variablesFunctions,
  ]

  package func owner(_ name: String) -> APIOwner? { owners.first { $0.name == name } }

  /// Returns every entry with the given name, together with its owner. The name may be written as
  /// `load`, as `Resource.load` or as `lull.sleep`.
  package func entries(named name: String) -> [(owner: APIOwner, entry: APIEntry)] {
    var found: [(owner: APIOwner, entry: APIEntry)] = []
    for owner in owners {
      for entry in owner.entries
      where entry.name == name || "\(owner.name).\(entry.name)" == name {
        found.append((owner, entry))
      }
    }
    return found
  }

  /// The code that precedes every example.
  package static let prelude = """
    local lull = require "lull"
    local api = lull.service{
      base_url = "https://api.example.com/v1",
      networking = lull.testing.stub{
        ["GET /users"] = { json = { { id = 7, name = "Ann" }, { id = 8, name = "Ben" } } },
        ["GET /users/7"] = { json = { id = 7, name = "Ann" }, headers = { etag = '"a1"' } },
        ["GET /users/8"] = { json = { id = 8, name = "Ben" } },
        ["GET /users/9"] = { status = 404, json = { message = "no user 9" } },
        ["GET /users/7/photo"] = { body = "PNG", headers = { ["content-type"] = "image/png" } },
        ["GET /users?page=2"] = { json = {} },
        ["GET /feed"] = { json = { 1, 2 }, headers = { link = '<?page=2>; rel="next"' } },
        ["GET /feed?page=2"] = { json = { 3 } },
        ["GET /jobs/1"] = { json = { state = "done", progress = 100 } },
        ["GET /events"] = {
          headers = { ["content-type"] = "text/event-stream" },
          body = 'id: 1\\ndata: {"celsius": 21}\\n\\nid: 2\\nevent: alarm\\ndata: {"celsius": 99}\\n\\n',
        },
        ["GET /rows"] = {
          headers = { ["content-type"] = "application/x-ndjson" }, body = '{"name": "Ann"}\\n',
        },
        ["GET /motd"] = { text = "Good morning" },
        ["POST /users"] = { status = 201, json = { id = 9, name = "Cid" } },
        ["PUT /users/7"] = { json = { id = 7, name = "Anna" } },
        ["PATCH /users/7"] = { json = { id = 7, name = "Anne" } },
        ["DELETE /users/7"] = { status = 204 },
        ["HEAD /users/7"] = {},
        ["OPTIONS /users/7"] = { status = 204, headers = { allow = "GET, PUT, PATCH" } },
      },
    }
    local user = api("/users/7")
    """
}
