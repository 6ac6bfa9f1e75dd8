import CLullBridge
import LullCore

extension APIOwner {
  static let resourceIterators: [APIEntry] = [
    .method(
      "changes", "(): Changes",
      "Observes the resource; returns an iterator for `for` that yields the resource's events.",
      """
      Each iteration gets an event, as observers do, and for `new_data` the source; the first \
      event is `observer_added`. The resource is observed from this call on, and nothing is \
      loaded. If several events of the same kind come between two iterations, only the last of \
      them is kept, so that a slow loop misses no kind. The loop gets events after observers and \
      hooks have run.

      The loop ends with `break` or `stop()`. The loop does not keep the script alive: when \
      nothing else is left to do, the loop ends. May wait.
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
      """
      Polls the resource; returns an iterator for `for` that yields the content whenever the \
      content has changed.
      """,
      """
      Each iteration gets the content and the resource. Fresh content comes at once; otherwise the \
      resource is loaded first. The next poll is `every` seconds after the end of the last load, \
      even if other code started that load: loads are shared, including loads in progress. While \
      the resource is watched, the option `every` replaces `expiration_time`. A 304, or equal \
      content, is not a change; a local override is a change. If the content changes several times \
      while the body of the loop runs, only the last content is yielded.

      The loop ends after a content for which the function `until_` returns true, after `timeout`, \
      or with `break`. The resource is polled only while the loop waits for the next content, so \
      that nothing keeps running after the loop, however it ends.

      If the first load fails, its RequestError is raised. Later failures that may be temporary \
      (no response, or status 408, 425, 429 or 5xx) are not raised, but are in `latest_error`; any \
      other failure is raised. May wait; cancelling the waiting task cancels a load that only the \
      watch needed.
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
      "Returns an iterator for `for` over the pages of a list that comes in pages.",
      """
      Each iteration gets the content and the resource of one page, beginning with this resource. \
      The URL of the next page is taken from the `Link` header with `rel="next"` (RFC 8288), else \
      from a field of the content: `next`, `links.next`, `_links.next`, `@odata.nextLink`, \
      `nextLink`, `paging.next`, `next_url`, `next_page_url`, `pagination.next_url` or similar. \
      The field has an absolute or relative URL, or an object with `href`. The options `next`, \
      `cursor`, `page` and `offset` select other ways to find the next page; only one of these \
      options can be used. A page is loaded as by `load_if_needed`, when the loop reaches the \
      page.

      The list ends with a page that has `has_more = false`, that has null, `""`, 0 or false in \
      place of a cursor, that is null, or that has no body. If a page shows that there are more \
      pages (by a cursor, `has_more`, `total_pages` or a count above the number of rows, also in \
      the objects around the rows), but not how to request them, the next iteration raises an \
      error that names the field and the option to set.

      Raises the RequestError of a load that fails. Raises a RequestError of kind `custom` if the \
      next page is on another origin, was seen before, is beyond 100 pages without `max`, or is \
      not a URL; if the field for the next page cannot be read; if the content of a page differs \
      in kind from the first page, such as an error among lists; if a page found by `page` or \
      `offset` has the same rows as the page before; and if the content is JSON that was read as \
      text. May wait; cancelling the waiting task cancels a load that only this loop needed.
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
        """
        Waits for and returns the next event, with the source of `new_data`, or the next state of \
        a status; returns nil at the end.
        """,
        example: """
          local changes = user:changes()
          print(changes())                         --> observer_added
          changes:stop()
          print(changes())                         --> nil
          """, swift: "ResourceEvents.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try changes(call).next(call) },
      .operation(
        "__close", "()", shown: "local changes <close> = resource:changes()",
        "Stops the iteration at the end of the block or of the loop."
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
        """
        Waits for the next change and returns the content and the resource; returns nil at the \
        end.
        """,
        example: """
          local watch = user:watch{ every = 10 }
          print(watch().name)                      --> Ann
          watch:stop()
          print(watch())                           --> nil
          """, swift: "ResourceWatch.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try watch(call).next(call) },
      .operation(
        "__close", "()", shown: "local watch <close> = resource:watch{…}",
        "Stops the iteration at the end of the block or of the loop."
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
        "Loads the next page and returns the content and the resource; returns nil at the end.",
        example: """
          local pages = api("/feed"):pages()
          print(#pages(), #pages(), pages())       --> 2 1 nil
          """, swift: "Pages.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try pages(call).next(call) },
      .operation(
        "__close", "()", shown: "local pages <close> = resource:pages()",
        "Stops the iteration at the end of the block or of the loop."
      ) { call throws(Misuse) in try pages(call).end() },
      .property(
        "count", "integer",
        "The number of pages that the iterator has returned so far."
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
        """
        A function that ends the watch: the first content for which it returns true is the last \
        content that the watch yields. Must return at once.
        """),
      .field(
        "timeout", "number?",
        """
        The number of seconds after which the watch ends. If `until_` is set, the watch then \
        raises a RequestError of kind `timeout`.
        """),
    ])

  static let pagesOptions = APIOwner.table(
    "PagesOptions", "Options of `resource:pages`.",
    entries: [
      .field(
        "next", "string|(fun(content: any, resource: Resource): string|Resource|nil)|nil",
        """
        Where the next page is found. `"link"` uses only the header `Link`. Any other string is \
        the field with the URL: a name such as `meta.next`, or a JSON Pointer. A function returns \
        a URL or a resource, or nil at the end, and must return at once.
        """),
      .field(
        "cursor", "CursorOptions?",
        """
        Sets a query parameter of the next page to the value of a field of the current page. The \
        rest of the query stays unchanged.
        """),
      .field(
        "page", "PageNumberOptions?",
        """
        Counts pages in a query parameter, until a page has no items. The rest of the query stays \
        unchanged.
        """),
      .field(
        "offset", "OffsetOptions?",
        """
        Sets a query parameter to the number of rows before each page, until a page has no items. \
        The rest of the query stays unchanged.
        """),
      .field(
        "max", "integer?",
        """
        The maximum number of pages. Without this option, a list with more than 100 pages raises \
        an error.
        """),
      .field(
        "cross_origin", "boolean?",
        "Whether the next page may be on another origin; default false."),
    ])

  static let cursorOptions = APIOwner.table(
    "CursorOptions", "The option `cursor` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set."),
      .field(
        "field", "string",
        """
        The field with the cursor, the next value of the parameter: a name such as `meta.cursor`, \
        or a JSON Pointer. null, `""`, 0 and false end the list. If the cursor is a URL, this URL \
        is the next page.
        """),
      .field(
        "items", "string?",
        """
        The field with the list, if `field` is a field of the list's last element; `""` if the \
        content itself is the list. An empty list ends the iteration.
        """),
      .field(
        "more", "string?",
        "The field, such as `has_more`, that is true if there is another page, else false."),
    ])

  static let pageNumberOptions = APIOwner.table(
    "PageNumberOptions", "The option `page` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set, such as `page` or `offset`."),
      .field("first", "integer?", "The value of the parameter for the first page; default 1."),
      .field(
        "step", "integer?",
        "The amount that is added to the parameter for each further page; default 1."),
      .field(
        "items", "string?",
        """
        The field with the list; only needed if the content is an object with several lists. An \
        empty list, or a 404, ends the iteration.
        """),
    ])

  static let offsetOptions = APIOwner.table(
    "OffsetOptions", "The option `offset` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set, such as `offset` or `skip`."),
      .field("first", "integer?", "The value of the parameter for the first page; default 0."),
      .field(
        "items", "string?",
        """
        The field with the list; only needed if the content is an object with several lists. An \
        empty list, or a 404, ends the iteration.
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

  /// Returns the value of an option in seconds. Throws if the value is not a number that the rule
  /// allows.
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
