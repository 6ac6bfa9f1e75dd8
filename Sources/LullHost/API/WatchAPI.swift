import CLullBridge
import LullCore

extension APIOwner {
  static let resourceIterators: [APIEntry] = [
    .method(
      "changes", "(): Changes",
      "Observes the resource: an iterator for `for` that yields what happens to it.",
      """
      Each turn of the loop gets an event, as observers do, and of `new_data` its source; the first is \
      `observer_added`. It observes from this call on and loads nothing. Between two turns each kind of \
      event is kept once, at the place of its last time, so that a slow loop misses no kind. It comes after \
      observers and hooks.

      Ends with `break` or `stop()`. It does not keep the script alive: when nothing else is left to do, \
      the loop ends. May wait.
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
      Each turn of the loop gets content and resource. What is fresh comes at once; else the \
      resource is loaded first. A poll is due `every` seconds after the last load has ended, \
      whoever asked for that one: loads are shared with everybody else, those in progress too. \
      While it is watched, `every` counts in place of `expiration_time`. A 304, or content that \
      holds the same, is no change; a local override is one. If it changes several times while the \
      loop's body runs, the last content is what comes.

      Ends after yielding a content for which `until_` returns true; otherwise with `break`. Polls \
      only while it is waited for, so that leaving the loop, in any way, leaves nothing behind.

      Raises the RequestError of the first load if that fails. Later it rides out failures that \
      may pass (no answer, 408, 425, 429, 5xx), which are in `latest_error`, and raises any other. \
      May wait; cancelling the waiting task cancels a load that only the watch wanted.
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
      "Walks through a list that comes in pages: an iterator for `for`.",
      """
      Each turn of the loop gets content and resource of one page, beginning with this one. The \
      next page is that of the `Link` header with `rel="next"` (RFC 8288), else the URL in `next`, \
      `links.next`, `_links.next`, `@odata.nextLink`, `nextLink`, `paging.next`, `next_url`, \
      `next_page_url`, `pagination.next_url` or their like: absolute or relative, or an object with \
      `href`. `next`, `cursor`, `page` and `offset` are other ways, one at a time. A page is loaded \
      as by `load_if_needed`, when the loop asks for it.

      `has_more = false` ends the list, and so does null, `""`, 0 or false in place of a cursor, \
      and a page that is null or has no body. If a page shows that there is more, but not how to \
      request it (a cursor, `has_more`, `total_pages`, a count above the rows, also in the \
      objects around the rows), the next turn raises an error that names the field and the \
      option.

      Raises the RequestError of a load that fails; and a RequestError of kind `custom` where the \
      way goes on to another origin, to a page seen before, to more than 100 pages without `max`, \
      or to what is no URL, where what should tell the next page cannot be read, where a page is \
      of another kind than the first, such as an error among lists, where a counted page has the \
      rows of the page before, and where the content is JSON that was read as text. May wait; \
      cancelling the waiting task cancels a load that only this wanted.
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
    "What `resource:changes` and `status:changes` give to `for`; it may be called by hand as well.",
    swift: "ResourceEvents",
    entries: [
      // The arguments that a `for` statement passes are ignored.
      .operation(
        "__call", "(): ResourceEvent|StatusState|nil, DataSource?", shown: "changes()",
        "Waits for the next event and gives it, with its source; nil at the end.",
        example: """
          local changes = user:changes()
          print(changes())                         --> observer_added
          changes:stop()
          print(changes())                         --> nil
          """, swift: "ResourceEvents.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try changes(call).next(call) },
      .operation(
        "__close", "()", shown: "local changes <close> = resource:changes()",
        "Stops it when the block, or the loop it was given to, is left."
      ) { call throws(Misuse) in try changes(call).stop() },
      .property(
        "resource", "Resource?", "What is observed; nil once it is over, and of those of a status."
      ) { call throws(Misuse) in
        call.return(try changes(call).resource.map { call.values.of($0) } ?? .nil)
      },
      .method("stop", "()", "Ends it: a call that waits gets nil.") { call throws(Misuse) in
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
    "What `resource:watch` gives to `for`; it may be called by hand as well.",
    swift: "ResourceWatch",
    entries: [
      // The arguments that a `for` statement passes are ignored.
      .operation(
        "__call", "(): any, Resource?", shown: "watch()",
        "Waits for the next change: content and resource, nil at the end.",
        example: """
          local watch = user:watch{ every = 10 }
          print(watch().name)                      --> Ann
          watch:stop()
          print(watch())                           --> nil
          """, swift: "ResourceWatch.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try watch(call).next(call) },
      .operation(
        "__close", "()", shown: "local watch <close> = resource:watch{…}",
        "Stops it when the block, or the loop it was given to, is left."
      ) { call throws(Misuse) in try watch(call).stop() },
      .property("resource", "Resource?", "What is watched; nil once it is over.") {
        call throws(Misuse) in
        call.return(try watch(call).resource.map { call.values.of($0) } ?? .nil)
      },
      .method("stop", "()", "Ends it; a call that waits gets nil.") { call throws(Misuse) in
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
    "What `resource:pages` gives to `for`; it may be called by hand as well.",
    swift: "Pages",
    entries: [
      .operation(
        "__call", "(): any, Resource?", shown: "pages()",
        "Loads the next page: content and resource, nil at the end.",
        example: """
          local pages = api("/feed"):pages()
          print(#pages(), #pages(), pages())       --> 2 1 nil
          """, swift: "Pages.AsyncIterator.next()", arguments: "*"
      ) { call throws(Misuse) in try pages(call).next(call) },
      .operation(
        "__close", "()", shown: "local pages <close> = resource:pages()",
        "Stops it when the block, or the loop it was given to, is left."
      ) { call throws(Misuse) in try pages(call).end() },
      .property("count", "integer", "How many pages it has given so far.") { call throws(Misuse) in
        call.return(.int(Int64(try pages(call).count)))
      },
      .method("stop", "()", "Ends it; a call that waits gives nil once its page is there.") {
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
        "Seconds from the end of one load to the next; default `expiration_time`, at least 1."),
      .field(
        "until_", "(fun(content: any, resource: Resource): any)?",
        "Ends the watch after the content for which it returns true; must answer at once."),
      .field(
        "timeout", "number?",
        """
        After that many seconds it ends; with `until_` it raises a RequestError of kind `timeout`.
        """),
    ])

  static let pagesOptions = APIOwner.table(
    "PagesOptions", "Options of `resource:pages`.",
    entries: [
      .field(
        "next", "string|(fun(content: any, resource: Resource): string|Resource|nil)|nil",
        """
        `"link"`: the header only; another string: the field that holds the URL (`meta.next`, or a \
        JSON Pointer); a function that gives URL or resource, nil at the end, and must answer at \
        once.
        """),
      .field(
        "cursor", "CursorOptions?",
        """
        A field of each page goes into a parameter of the next; the rest of the query stays as it is \
        written.
        """),
      .field(
        "page", "PageNumberOptions?",
        """
        A parameter that counts, until a page has no items; the rest of the query stays as it is \
        written.
        """),
      .field(
        "offset", "OffsetOptions?",
        """
        A parameter that counts the rows before each page, until a page has no items; the rest of \
        the query stays as it is written.
        """),
      .field(
        "max", "integer?", "How many pages at most; default 100, beyond which it raises."),
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
        Where its value is: a field such as `meta.cursor`, or a JSON Pointer; null, `""`, 0 and false \
        end the list. A URL there is followed.
        """),
      .field(
        "items", "string?",
        """
        The field that holds the list, if `field` is one of its last element; `""` if the content is the list. \
        Empty ends it.
        """),
      .field(
        "more", "string?",
        "The field that says whether there is a further page: true or false, as `has_more`."),
    ])

  static let pageNumberOptions = APIOwner.table(
    "PageNumberOptions", "`page` of `resource:pages`.",
    entries: [
      .field("param", "string", "The query parameter to set, such as `page` or `offset`."),
      .field("first", "integer?", "Its value for the first page; default 1."),
      .field("step", "integer?", "What is added for each page; default 1."),
      .field(
        "items", "string?",
        """
        The field that holds the list, if the content itself is none and has more than one; empty, or a 404, ends it.
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
        The field that holds the list, if the content itself is none and has more than one; empty, or a 404, ends it.
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

  /// `resource:watch{ every =, until_ =, timeout = }`
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
    // Function, state, control variable, and the value that `for` closes when the loop ends.
    for value in [object, .nil, .nil, object] { call.return(value) }
  }

  /// Returns a finite number of seconds within bounds.
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
  /// Returns function, state, control variable, and the value that `for` closes when the loop ends.
  func returnIterator(_ object: LuaValue) {
    for value in [object, .nil, .nil, object] { self.return(value) }
  }
}
