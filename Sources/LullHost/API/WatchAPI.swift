import CLullBridge
import LullCore

extension APIOwner {
  static let resourceIterators: [APIEntry] = [
    .method(
      "changes", "(): Changes",
      "Observes the resource: an iterator for `for` that yields its events.",
      """
      Each iteration gets an event, as observers do, and for `new_data` its source; the first is \
      `observer_added`. It observes from this call on and loads nothing. Between two iterations \
      each kind of event is kept once, at the place of its last occurrence, so that a slow loop \
      misses no kind. The loop gets events after observers and hooks have run.

      It ends with `break` or `stop()`. It does not keep the script alive: when nothing else is \
      left to do, the loop ends. May wait.
      """,
      example: """
        user:load()
        for event, source in user:changes() do
          if event == "new_data" then
            print(source, user.content.name)       --> network Ann
            break
          end
        end
        """,
      swift: "Resource.events", rules: "OBS-120 OBS-121 OBS-122"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let changes = LuaChanges(resource, call.callbacks)
      call.returnIterator(call.values.of(changes, .changes, service: resource.service))
    },
    .method(
      "watch", "(options?: WatchOptions): Watch",
      "Polls the resource: an iterator for `for` that yields its content whenever it has changed.",
      """
      Each iteration gets content and resource. Fresh content comes at once; otherwise the \
      resource is loaded first. A poll is due `every` seconds after the end of the last load, even \
      one started elsewhere: loads are shared, including those in progress. While it is watched, \
      `every` replaces `expiration_time`. A 304, or equal content, is not a change; a local \
      override is one. If the content changes several times while the body of the loop runs, only \
      the last one is yielded.

      It ends after yielding a content for which `until_` returns true; otherwise with `break`. It \
      polls only while the loop waits for it, so that nothing is left behind however the loop \
      ends.

      Raises the RequestError of the first load if it fails. After that it ignores failures that \
      may be temporary (no response, 408, 425, 429, 5xx), which are in `latest_error`, and raises \
      any other. May wait; cancelling the waiting task cancels a load that only the watch needed.
      """,
      example: """
        for job in api("/jobs/1"):watch{
          every = 2, timeout = 60, until_ = function(job) return job.state == "done" end,
        } do
          print(job.state, job.progress)           --> done 100
        end
        """,
      swift: "Resource.watch(every:timeout:until:)"
    ) { call throws(Misuse) in try makeWatch(call) },
    .method(
      "pages", "(options?: PagesOptions): Pages",
      "Iterates over a list that comes in pages: an iterator for `for`.",
      """
      Each iteration gets content and resource of one page, beginning with this one. The next page \
      is that of the `Link` header with `rel="next"` (RFC 8288), else the URL in `next`, \
      `links.next`, `_links.next`, `@odata.nextLink`, `nextLink`, `paging.next`, `next_url`, \
      `next_page_url`, `pagination.next_url` or similar: absolute or relative, or an object with \
      `href`. `next`, `cursor`, `page` and `offset` select other ways; only one can be used. A \
      page is loaded as by `load_if_needed`, when the loop reaches it.

      The list ends with `has_more = false`, with null, `""`, 0 or false in place of a cursor, and \
      with a page that is null or has no body. If a page shows that there are more, but not how to \
      request them (a cursor, `has_more`, `total_pages`, a count above the rows, also in the \
      objects around the rows), the next iteration raises an error that names the field and the \
      option.

      Raises the RequestError of a load that fails. Raises a RequestError of kind `custom` if the \
      next page is on another origin, was seen before, is beyond 100 pages without `max`, or is \
      not a URL; if the field for the next page cannot be read; if a page is of another kind than \
      the first, such as an error among lists; if a counted page has the rows of the page before; \
      and if the content is JSON that was read as text. May wait; cancelling the waiting task \
      cancels a load that only this loop needed.
      """,
      example: """
        for content, page in api("/feed"):pages() do
          print(page.url, #content)
          --> https://api.example.com/v1/feed 2
          --> https://api.example.com/v1/feed?page=2 1
        end
        """,
      swift: "Resource.pages(_:max:allowsOtherOrigins:)"
    ) { call throws(Misuse) in
      let options =
        call.isNil(1)
        ? .init()
        : try LuaPages.Options(call.index(1), call.state, call.reading.options, call.stored)
      LuaPages.iterate(try call.resource, options, call)
    },
  ]

  static let changes = APIOwner.object(
    .changes, receiver: "changes",
    "The iterator of `resource:changes` and `status:changes`; it may also be called directly.",
    swift: "ResourceEvents",
    entries: [
      // The arguments that a `for` statement passes are ignored.
      .operation(
        "__call", "(): ResourceEvent|StatusState|nil, DataSource?", shown: "changes()",
        "Waits for the next event and returns it, with its source; nil at the end.",
        example: """
          local changes = user:changes()
          print(changes())                         --> observer_added
          changes:stop()
          print(changes())                         --> nil
          """, swift: "ResourceEvents.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try changes(call).next(call) },
      .operation(
        "__close", "()", shown: "local changes <close> = resource:changes()",
        "Stops it at the end of the block or of its loop."
      ) { call throws(Misuse) in try changes(call).stop() },
      .property(
        "resource", "Resource?",
        "The observed resource; nil after the end, and for the changes of a status."
      ) { call throws(Misuse) in
        call.return(try changes(call).resource.map { call.values.of($0) } ?? .nil)
      },
      .method("stop", "()", "Ends the loop; a waiting call returns nil.") { call throws(Misuse) in
        try changes(call).stop()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let changes = try changes(call)
        call.return(.string("Changes(\(changes.name)\(changes.isOver ? ", over" : ""))"))
      }
    ])

  static let watch = APIOwner.object(
    .watch, receiver: "watch",
    "The iterator of `resource:watch`; it may also be called directly.",
    swift: "ResourceWatch",
    entries: [
      // The arguments that a `for` statement passes are ignored.
      .operation(
        "__call", "(): any, Resource?", shown: "watch()",
        "Waits for the next change and returns content and resource; nil at the end.",
        example: """
          local watch = user:watch{ every = 10 }
          print(watch().name)                      --> Ann
          watch:stop()
          print(watch())                           --> nil
          """, swift: "ResourceWatch.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try watch(call).next(call) },
      .operation(
        "__close", "()", shown: "local watch <close> = resource:watch{…}",
        "Stops it at the end of the block or of its loop."
      ) { call throws(Misuse) in try watch(call).stop() },
      .property("resource", "Resource?", "The watched resource; nil after the end.") {
        call throws(Misuse) in
        call.return(try watch(call).resource.map { call.values.of($0) } ?? .nil)
      },
      .method("stop", "()", "Ends the loop; a waiting call returns nil.") { call throws(Misuse) in
        try watch(call).stop()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let name = try watch(call).resource?.displayName ?? "over"
        call.return(.string("Watch(\(name))"))
      }
    ])

  static let pages = APIOwner.object(
    .pages, receiver: "pages",
    "The iterator of `resource:pages`; it may also be called directly.",
    swift: "Pages",
    entries: [
      .operation(
        "__call", "(): any, Resource?", shown: "pages()",
        "Loads the next page and returns content and resource; nil at the end.",
        example: """
          local pages = api("/feed"):pages()
          print(#pages(), #pages(), pages())       --> 2 1 nil
          """, swift: "Pages.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try pages(call).next(call) },
      .operation(
        "__close", "()", shown: "local pages <close> = resource:pages()",
        "Stops it at the end of the block or of its loop."
      ) { call throws(Misuse) in try pages(call).end() },
      .property(
        "count", "integer",
        "The number of pages it has returned so far."
      ) { call throws(Misuse) in
        call.return(.int(Int64(try pages(call).count)))
      },
      .method(
        "stop", "()", "Stops the iteration; a waiting call returns nil once its page is loaded."
      ) {
        call throws(Misuse) in try pages(call).end()
      },
    ],
    hidden: [
      .hidden("__tostring") { call throws(Misuse) in
        let pages = try pages(call)
        let state = pages.isOver ? "over after \(pages.count)" : "\(pages.count) so far"
        call.return(.string("Pages(\(pages.resource.displayName), \(state))"))
      }
    ])

  static let watchOptions = APIOwner.table(
    "WatchOptions", "Options of `resource:watch`.",
    entries: [
      .field(
        "every", "number?",
        "Seconds between the end of one load and the next; default `expiration_time`, at least 1."),
      .field(
        "until_", "(fun(content: any, resource: Resource): any)?",
        "Ends the watch after the content for which it returns true; must return at once."),
      .field(
        "timeout", "number?",
        """
        The number of seconds after which it ends; with `until_` it raises a RequestError of kind \
        `timeout`.
        """),
    ])

  static let pagesOptions = APIOwner.table(
    "PagesOptions", "Options of `resource:pages`.",
    entries: [
      .field(
        "next", "string|(fun(content: any, resource: Resource): string|Resource|nil)|nil",
        """
        `"link"`: only the header. Another string: the field with the URL (`meta.next`, or a JSON \
        Pointer). A function that returns a URL or resource, or nil at the end; it must return at \
        once.
        """),
      .field(
        "cursor", "CursorOptions?",
        """
        A field of each page is the value of a query parameter for the next page. The rest of the \
        query stays unchanged.
        """),
      .field(
        "page", "PageNumberOptions?",
        """
        A query parameter counts pages, until a page has no items. The rest of the query stays \
        unchanged.
        """),
      .field(
        "offset", "OffsetOptions?",
        """
        A query parameter counts the rows before each page, until a page has no items. The rest of \
        the query stays unchanged.
        """),
      .field(
        "max", "integer?",
        "The maximum number of pages; default 100, beyond which it raises an error."),
      .field(
        "cross_origin", "boolean?",
        "Whether the next page may be on another origin; default false."),
    ])

  static let cursorOptions = APIOwner.table(
    "CursorOptions", "`cursor` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set."),
      .field(
        "field", "string",
        """
        Where its value is: a field such as `meta.cursor`, or a JSON Pointer. null, `""`, 0 and \
        false end the list. If it is a URL, that is followed.
        """),
      .field(
        "items", "string?",
        """
        The field with the list, if `field` belongs to its last element; `""` if the content is \
        the list. An empty list is the end.
        """),
      .field(
        "more", "string?",
        "The field that shows whether there is another page: true or false, such as `has_more`."),
    ])

  static let pageNumberOptions = APIOwner.table(
    "PageNumberOptions", "`page` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set, such as `page` or `offset`."),
      .field("first", "integer?", "Its value for the first page; default 1."),
      .field("step", "integer?", "The amount added for each page; default 1."),
      .field(
        "items", "string?",
        """
        The field with the list, if the content is not the list itself and has several. An empty \
        list, or a 404, is the end.
        """),
    ])

  static let offsetOptions = APIOwner.table(
    "OffsetOptions", "`offset` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set, such as `offset` or `skip`."),
      .field("first", "integer?", "Its value for the first page; default 0."),
      .field(
        "items", "string?",
        """
        The field with the list, if the content is not the list itself and has several. An empty \
        list, or a 404, is the end.
        """),
    ])
}

extension APIOwner {
  private static func changes(_ call: Call) throws(Misuse) -> LuaChanges {
    try call.selfObject(.changes, as: LuaChanges.self)
  }

  private static func pages(_ call: Call) throws(Misuse) -> LuaPages {
    try call.selfObject(.pages, as: LuaPages.self)
  }

  private static func watch(_ call: Call) throws(Misuse) -> LuaWatch {
    try call.selfObject(.watch, as: LuaWatch.self)
  }

  static let watchKeys = ["every", "until_", "timeout"]

  /// Implements `resource:watch{ every =, until_ =, timeout = }`.
  private static func makeWatch(_ call: Call) throws(Misuse) {
    let resource = try call.resource
    var options = WatchProgress.Options()
    var until: Int64?
    if !call.isNil(1) {
      try call.reading.options.forEach(of: call.index(1), in: call.state, known: watchKeys) {
        name, value throws(Misuse) in
        switch name {
        case "every":
          options.every = try seconds(value, name, .span)
        case "timeout":
          options.timeout = try seconds(value, name, .finiteSeconds)
        default:
          guard value.kind == Int32(LULL_FUNCTION) else {
            throw .message("'\(name)' must be a function, got \(value.described)")
          }
          until = try call.stored.keep(call.state, LuaTable.visitedIndex(in: call.state))
        }
      }
    }
    options.failsAtTimeout = until != nil
    let watch = LuaWatch(resource, options, until: until, call.callbacks)
    let object = call.values.of(
      watch, .watch, service: resource.service, anchor: until ?? 0)
    if case .object(let handle, _, _, _) = object { watch.hostHandle = handle }
    // The values for a generic `for`: function, state, control variable, and the value that `for`
    // closes when the loop ends.
    for value in [object, .nil, .nil, object] { call.return(value) }
  }

  /// Returns the value of an option in seconds. Throws if it is not a number that the rule allows.
  private static func seconds(_ value: lull_value, _ name: String, _ rule: NumberRule)
    throws(Misuse) -> Double
  {
    guard let seconds = value.double, rule.allows(seconds) else {
      throw .message("'\(name)' must be \(rule.expectation), got \(value.described)")
    }
    return seconds
  }
}

extension Call {
  /// Returns the values for a generic `for` loop: function, state, control variable, and the value
  /// that `for` closes when the loop ends.
  func returnIterator(_ object: LuaValue) {
    for value in [object, .nil, .nil, object] { self.return(value) }
  }
}
