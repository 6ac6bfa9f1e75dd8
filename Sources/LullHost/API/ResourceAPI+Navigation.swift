import CLullBridge
import LullCore

extension APIOwner {
  static let resourceNavigation: [APIEntry] = [
    .method(
      "child", "(subpath: string): Resource",
      "The resource at a path below the path of this resource.",
      """
      The two paths are joined with one slash. All of `subpath` counts as path: `.` and `..` stay, \
      and `?` is escaped. The query of this resource is kept. Called on an invalid resource, this \
      method and similar methods return an invalid resource with the same cause.
      """,
      example: """
        print(user:child("photo").url)             --> https://api.example.com/v1/users/7/photo
        """,
      swift: "Resource.child(_:)", rules: "PATH-02 PATH-04 PATH-05 PATH-07 PATH-08 PATH-31"
    ) { call throws(Misuse) in
      let resource = try call.resource
      call.noteQuery(inPath: call.raw(1))
      let child = call.raw(1).withBytes { resource.child(pathBytes: $0) }
      call.lead(to: child ?? resource.child(""))
    },
    .method(
      "relative", "(href: string): Resource",
      "The resource that an href points to, resolved as a browser does.",
      """
      The href is resolved as in RFC 3986: dot segments are removed; an empty href, or an href \
      that begins with `#`, keeps the query of this resource. Spaces, tabs and line breaks around \
      the href are removed; other spaces are escaped. If the href cannot be resolved, the result \
      is an invalid resource.
      """,
      example: """
        print(user:relative("8").url)              --> https://api.example.com/v1/users/8
        """,
      swift: "Resource.relative(_:)",
      rules: "PATH-09 PATH-11 PATH-12 PATH-13 PATH-14 PATH-16 PATH-18"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let target = call.raw(1).withBytes { resource.relative(hrefBytes: $0) }
      call.lead(to: target ?? resource.relative(""))
    },
    .method(
      "optional_relative", "(href?: string): Resource?",
      "Like `relative`, but returns nil for nil and for JSON's null.",
      "Use this for links that a response may lack.",
      example: """
        print(user:optional_relative(nil))         --> nil
        print(user:optional_relative(lull.null))   --> nil
        """,
      swift: "Resource.optionalRelative(_:)", rules: "PATH-19", arguments: "L"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let target = try call.optionalLink(1)?.withBytes { resource.relative(hrefBytes: $0) }
      if let target { call.lead(to: target) } else { call.return(.nil) }
    },
    .method(
      "with_param", "(name: string, value?: string|number|boolean|Secret): Resource",
      "The resource with a query parameter set; a value of nil or false removes the parameter.",
      """
      The whole query is rewritten, so that the order of changes does not matter: parameters are \
      sorted by name, only the last value of a repeated parameter stays, `foo=` becomes `foo`, and \
      a plus sign becomes `%2B`. An empty value sets the name without `=`. A secret is masked in \
      the URL. To set a query unchanged, use `relative("?…")`. The method `pages` changes one \
      parameter and leaves the rest of the query unchanged.
      """,
      example: """
        print(api("/users"):with_param("page", 2))           --> Resource(/users?page=2 [])
        """,
      swift: "Resource.withParam(_:_:)", rules: "PATH-20 PATH-22 PATH-24 PATH-25 DYN-06"
    ) { call throws(Misuse) in
      let resource = try call.resource
      if let secret = call.handles.secret(call.raw(2)) {
        let change = [(call.string(1), Optional(ParameterValue.secret(secret)))]
        return call.return(call.values.of(resource.withParams(change)))
      }
      let change = try RawParameter(call.raw(1), call.raw(2), called: call.string(1))
      call.return(call.values.of(resource.withParams(raw: [(change.name, change.value)])))
    },
    .method(
      "with_params", "(params: table<string, string|number|boolean|Secret>): Resource",
      "The resource with several query parameters set; a value of false removes the parameter.",
      example: """
        local page = api("/users"):with_params{ page = 2, sort = "name" }
        print(page:with_params{ sort = false })              --> Resource(/users?page=2 [])
        """,
      swift: "Resource.withParams(_:)", rules: "PATH-26 PATH-27 PATH-30"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let change = try QueryChange(call, table: call.index(1))
      call.return(call.values.of(change.applied(to: resource)))
    },
  ]

  static let resourceQueries: [APIEntry] = [
    .method(
      "query", "(query: QueryOptions): Resource",
      "The resource that is loaded by sending a body to this URL, by default with QUERY.",
      """
      Use this for searches and other requests that read data with a body. The returned resource \
      is identified by URL, method and content: equal content returns the same resource. Two JSON \
      bodies are equal if their values are equal, whatever the order of keys and the spelling of \
      numbers; other bodies are equal if their bytes are equal. The resource has everything that \
      other resources have: loads, state, observers, caches, pages, streams. This call sends \
      nothing. The settings of GET apply, and those of configuration entries whose `methods` \
      include QUERY.
      """,
      example: """
        local search = api("/search"):query{ json = { term = "tea", page = 1 } }
        print(search == api("/search"):query{ json = { page = 1.0, term = "tea" } })  --> true
        print(search.method, search.body)          --> QUERY {"page":1,"term":"tea"}
        """,
      swift: "Resource.query(_:headers:method:)",
      rules: "QUERY-01 QUERY-02 QUERY-04 QUERY-06 QUERY-07 QUERY-08"
    ) { call throws(Misuse) in
      let options = try QueryOptions(call, table: call.index(1))
      call.return(call.values.of(try options.query(of: try call.resource)))
    }
  ]

  static let resourceObserving: [APIEntry] = [
    .method(
      "observe",
      "(observer: Observer|ObserverFunction): Observation",
      """
      Calls a function, or the methods of a table, whenever the resource's state changes, until \
      the observation is stopped.
      """,
      """
      The observer gets `observer_added` in this call. It may wait, which blocks nothing else. \
      Observers are called in the order in which they were added; if an observer raises an error, \
      the error is reported and the next observer is called. An observed resource stays in memory, \
      but an observer does not keep the script alive.
      """,
      example: """
        local heard = {}
        local watch <close> = user:observe(function(resource, event, source)
          heard[#heard + 1] = source and event .. " " .. source or event
        end)
        assert(user:load():await())
        print(table.concat(heard, ", "))  --> observer_added, requested, new_data network
        """,
      swift: "Resource.addObserver(owner:identity:file:line:closure:)",
      rules: "OBS-01 OBS-02 OBS-03 OBS-33 OBS-36"
    ) { call throws(Misuse) in
      let resource = try call.resource
      let observer = try call.callbacks.makeObserver(call, of: resource, anchored: true)
      resource.hold(observer, isToldByHost: observer.isToldInTurn)
      call.return(
        call.values.of(
          ObservationBox(observer, resource: resource), .observation, service: resource.service))
    },
    .method(
      "add_observer",
      "(observer: Observer|ObserverFunction, owner?: any): Resource",
      "Adds an observer that lives as long as its owner; returns the resource.",
      """
      A table that is added without an owner owns itself and is held weakly: a table literal is \
      removed at the next garbage collection. A function that is added without an owner lives as \
      long as the service. If an owner is passed (a table, function or userdata), the observer is \
      removed when the owner is collected. A table that is added twice is one observer; a function \
      that is added twice is two observers.
      """,
      example: """
        local view = { resource_changed = function(self, resource, event) self.last = event end }
        user:add_observer(view):load():await()
        print(view.last)                           --> new_data
        """,
      swift: "Resource.addObserver(_:owner:)",
      rules: "OBS-13 OBS-14 OBS-15 OBS-17 OBS-18 OBS-19 OBS-20"
    ) { call throws(Misuse) in
      let resource = try call.resource
      if call.isNil(2) {
        try call.callbacks.addObserver(call, to: resource)
      } else {
        try call.callbacks.addOwnedObserver(call, to: resource)
      }
      call.returnSelf()
    },
    .method(
      "remove_observers", "(owner?: any): Resource",
      """
      Removes the observers of an owner, or a single function or table that was added without an \
      owner.
      """,
      """
      The removed observers get no events after this call, except `stopped_observing`. An observer \
      that also has another owner stays. Passing nil does nothing.
      """,
      example: """
        local heard = 0
        local function count() heard = heard + 1 end
        user:add_observer(count):remove_observers(count)
        assert(user:load():await())
        print(heard)                               --> 1
        """,
      swift: "Resource.removeObservers(ownedBy:)", rules: "OBS-20 OBS-23 OBS-24 OBS-26 OBS-31"
    ) { call throws(Misuse) in
      let resource = try call.resource
      guard !call.isNil(1) else { return call.returnSelf() }
      call.callbacks.removeObservers(call, from: resource)
      call.returnSelf()
    },
  ]
}
