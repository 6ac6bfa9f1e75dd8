---@meta lull
-- Generated from Sources/*/API by Scripts/support/generate-reference: edit there.

--- What `require "lull"` gives.
---
--- Misuse raises at the caller's line; failure of the outside world never raises: it is state, a hook,
--- or `nil, err`. Unknown keys in any options table raise and name the nearest known key. Durations are
--- seconds, timestamps are seconds since 1970, sizes are bytes. A string that is no UTF-8 stays what it
--- is in bodies, contents and header values; where only text can be it raises, or fails the request,
--- and messages spell it out (`caf\xE9`).
---@class lull
---@field unhandled string # `"ignore"`: do not report failed requests that the script has not looked at.
---@field version string # The version of Lull: `"MAJOR.MINOR.PATCH"`.
---@field null any # JSON's null inside content and bodies; compare with `==`.
local lull = {}

--- Makes a service: a web API with its resources, configuration and networking.
---
--- Sends nothing. A base that is no URL counts as none and is logged as a warning; without a base every
--- resource of a path is invalid and its requests fail.
---
--- ```lua
--- local github = lull.service{ base_url = "https://api.github.com", expiration_time = 300 }
--- print(github.base_url)                     --> https://api.github.com/
--- ```
---@param base_url string
---@return lull.Service
---@overload fun(options: lull.ServiceOptions): lull.Service
function lull.service(base_url) end

--- Makes an entity of your own, which can be changed until a resource has it.
---
--- A string as content is text if it is valid UTF-8, else bytes. The timestamp is now unless given.
---
--- ```lua
--- local draft = lull.entity{ content = { name = "Dee" }, content_type = "application/json" }
--- user:override_local_data(draft)
--- print(user.content.name)                   --> Dee
--- ```
---@param fields lull.EntityFields
---@return lull.Entity
function lull.entity(fields) end

--- Makes a request error, to raise in a transformer or to answer with in a networking function.
---
--- A string is the message. Without a message it is the status's phrase, the cause's text, or "Request
--- failed". Making one raises nothing; `error(lull.error{…})` does.
---
--- ```lua
--- local err = lull.error{ http_status = 404 }
--- print(err.user_message)                    --> Not found
--- ```
---@param error string|lull.ErrorFields
---@return lull.RequestError
function lull.error(error) end

--- Compiles a regular expression (PCRE2 syntax) for use as a URL pattern.
---
--- The only option is `"i"`: ignore letter case. It matches if found anywhere in the URL. A search ends
--- after a million steps; the request then fails.
---
--- ```lua
--- api:configure(lull.regex("/USERS/[0-9]+$", "i"), { expiration_time = 300 })
--- print(api:configuration_for(user).expiration_time)   --> 300.0
--- ```
---@param pattern string
---@param options? "i"
---@return lull.Regex
function lull.regex(pattern, options) end

--- The combined state of several resources, and a way to retry those that failed.
---
--- For one display of all of them, as Siesta's `ResourceStatusOverlay`. It observes nothing and loads
--- nothing; `status:changes()` and `status:await()` wait.
---
--- ```lua
--- local status = lull.status{ user, api("/users/8") }
--- print(status.state)                        --> none
--- lull.all{ user:load(), api("/users/8"):load() }
--- print(status.state, status.has_all_data)   --> success true
--- ```
---@param resources lull.Resource|lull.Resource[]
---@param options? lull.StatusOptions
---@return lull.Status
function lull.status(resources, options) end

--- Sends a GET request to a URL, for which no service is defined.
---
--- As a service at the URL's origin would that is made for this one request: its answer goes through
--- the pipeline, errors come as of any other, and what waits is `await`. The URL is taken whole, with
--- its query; a space or another character that cannot stand in it is escaped, and escapes stay. A text
--- that is no URL of http or https gives a request that has failed already. Requests of one origin
--- share connections, and nothing else: no content is remembered, no cookie kept. For what should be,
--- and for retries, limits, proxies and all other settings, there are services.
---
--- ```lua
--- local entity = assert(lull.get(lull.demo() .. "/users/7"):await())
--- print(entity.content.name)                 --> Edsger Dijkstra
--- ```
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.get(url, options) end

--- Sends a POST request to a URL, for which no service is defined; otherwise as `lull.get`.
---
--- ```lua
--- assert(lull.post("https://api.example.com/users", {
---   json = { name = "Cid" }, headers = { ["Idempotency-Key"] = "a7" },
--- }):await())
--- ```
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.post(url, options) end

--- Sends a PUT request to a URL, for which no service is defined; otherwise as `lull.get`.
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.put(url, options) end

--- Sends a PATCH request to a URL, for which no service is defined; otherwise as `lull.get`.
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.patch(url, options) end

--- Sends a DELETE request to a URL, for which no service is defined; otherwise as `lull.get`.
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.delete(url, options) end

--- Sends a HEAD request to a URL, for which no service is defined; otherwise as `lull.get`.
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.head(url, options) end

--- Sends a OPTIONS request to a URL, for which no service is defined; otherwise as `lull.get`.
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.options(url, options) end

--- Sends a request with any method to a URL, for which no service is defined; otherwise as `lull.get`.
---
--- The method may be any HTTP token, in any letter case.
---@param method string
---@param url string
---@param options? lull.OneOffOptions
---@return lull.Request
function lull.request(method, url, options) end

--- Makes a successful response, for chains and hard-wired requests.
---
--- ```lua
--- local empty = lull.hard_wired_request(lull.success{ content = lull.array{} })
--- print(#assert(empty:await()).content)      --> 0
--- ```
---@param entity lull.Entity
---@param options? { is_new?: boolean }
---@return lull.Response
---@overload fun(fields: lull.SuccessFields): lull.Response
function lull.success(entity, options) end

--- Makes a failed response, for chains and hard-wired requests.
---
--- ```lua
--- local refused = lull.hard_wired_request(lull.failure("Not in this build"))
--- print(select(2, refused:await()).user_message)       --> Not in this build
--- ```
---@param error lull.RequestError|string
---@return lull.Response
function lull.failure(error) end

--- A request that has failed from birth with that error, without network or pipeline.
---
--- Its hooks run once, on a later turn. Cancelling it does nothing; `repeated()` gives it back.
---
--- ```lua
--- local refused = lull.failed_request(lull.error("Sign in first"))
--- api:configure("/private/**", { decorate_requests = function() return refused end })
--- print(select(2, api("/private/a"):load():await()).user_message)  --> Sign in first
--- ```
---@param error lull.RequestError
---@return lull.Request
function lull.failed_request(error) end

--- A request that has been answered from birth with that response.
---
--- Its hooks run once, on a later turn. Cancelling it does nothing; `repeated()` gives it back.
---
--- ```lua
--- local request = lull.hard_wired_request(lull.success{ content = "ready" })
--- print(assert(request:await()).text)        --> ready
--- ```
---@param response lull.Response
---@return lull.Request
function lull.hard_wired_request(response) end

--- A request with logic of your own in place of an exchange.
---
--- It is not started: `start()`, a chain, or a decorator's return does that, and then `start` is called
--- once with `complete`. The first `complete(response)` ends the request, untransformed; a later one is
--- ignored and logged. What any of its functions raises fails the request with kind `script_error`.
--- `start` may wait; the other functions must answer at once.
---
--- ```lua
--- local job = lull.custom_request{
---   description = "two steps",
---   start = function(complete) lull.sleep(0.1) complete(lull.success{ content = "done" }) end,
--- }
--- print(assert(job:start():await()).text)    --> done
--- ```
---@param functions lull.CustomRequest
---@return lull.Request
function lull.custom_request(functions) end

--- A file as a body: read from the disk while it is sent, however large it is.
---
--- Nothing is looked at before a request is made with it. Then it has to be a regular file that can be
--- read, else the request has failed already, with kind `file_unavailable`; and from then on it must
--- stay as it is: one that has changed, or ended early, by its size, its time or its place, fails the
--- request with `file_changed`, and never arrives as a whole. A redirect or a retry reads it anew,
--- `repeated()` looks at it anew. Such a request has no `timeout` unless its call sets one: silence
--- bounds it, see `idle_timeout`. Not available in the sandbox.
---
--- ```lua
--- local path = os.tmpname()
--- assert(lull.write_file(path, "PNG"))
--- assert(user:put(lull.file(path, { type = "image/png" })):await())
--- os.remove(path)
--- ```
---@param path string
---@param options? lull.FileOptions
---@return lull.File
function lull.file(path, options) end

--- A form whose values may be files, as a body: `multipart/form-data`.
---
--- Files are read while they are sent, as `lull.file` says. Names with values are sent in the order of
--- the names; a list of `{ name, value }` has its own, and may have a name twice. Values are sent as
--- they are, numbers and booleans as text; a secret raises, since `form` and headers are for these.
---
--- ```lua
--- local path = os.tmpname()
--- assert(lull.write_file(path, "PNG"))
--- local created = assert(api("/users"):post(lull.multipart{
---   name = "Cid",
---   photo = lull.file(path, { name = "cid.png" }),
--- }):await())
--- print(created.content.id)                  --> 9
--- os.remove(path)
--- ```
---@param values table<string, lull.MultipartValue>
---@return lull.Multipart
---@overload fun(pairs: lull.MultipartValue[][]): lull.Multipart
function lull.multipart(values) end

--- Starts a function as a task of its own, with the arguments that follow.
---
--- It begins with the next turn, not inside this call. A task keeps the script alive. An error in it is
--- raised where it is awaited; one that nobody awaits is reported.
---
--- ```lua
--- local function name_of(path) return assert(api(path):load():await()).content.name end
--- local task = lull.spawn(name_of, "/users/8")
--- print(task:await())                        --> Ben
--- ```
---@param fn fun(...): any
---@param ... any
---@return lull.Task
function lull.spawn(fn, ...) end

--- Waits that long without holding up anything else.
---
--- Suspends the running Lull coroutine; in the main chunk of a stock interpreter it runs the event loop
--- meanwhile. Raises in functions that must answer at once and where Lua cannot yield (`table.sort`,
--- `string.gsub`, finalisers).
---
--- ```lua
--- local before = lull.now()
--- lull.sleep(0.5)
--- print(lull.now() - before >= 0.5)          --> true
--- ```
---@param seconds number
function lull.sleep(seconds) end

--- Waits for all of them: a list of results in order, or nil and the error of the first failure.
---
--- A request's result is its entity, a task's its first value. A task that returns nil and an error, of
--- any kind, has failed too. After a failure the others are cancelled, requests only if nobody else
--- waits for them. An error raised inside a task is raised here. May not be called where nothing can
--- wait.
---
--- ```lua
--- local both = assert(lull.all{ api("/users/7"):load(), api("/users/8"):load() })
--- print(both[1].content.name, both[2].content.name)    --> Ann Ben
--- ```
---@param list (lull.Request|lull.Task)[]
---@return any[]?
---@return lull.RequestError?
function lull.all(list) end

--- Waits for the first success and cancels the others that nobody else waits for; nil and the first
--- error if all fail.
---
--- An error raised inside a task is raised here if nothing succeeds; else it is reported like that of a
--- task nobody awaits. An empty list raises.
---
--- ```lua
--- local first = assert(lull.any{ api("/users/9"):load(), api("/users/8"):load() })
--- print(first.content.name)                  --> Ben
--- ```
---@param list (lull.Request|lull.Task)[]
---@return any
---@return lull.RequestError?
function lull.any(list) end

--- Calls a function for each element, a few at a time, and gives the results in order.
---
--- The function may wait; 8 calls run at once unless `concurrency` says otherwise. The first error
--- cancels the rest and is raised here; a call that returns nil and an error, as `await` does, ends it
--- the same way with nil and that error. To go on after failures let the function return something
--- else. Tasks the function starts end with it. However long the list, only the calls that run now take
--- memory beside the results.
---
--- ```lua
--- local names = lull.map({ 7, 8 }, function(id)
---   return assert(api("/users/" .. id):load():await()).content.name
--- end, { concurrency = 2 })
--- print(table.concat(names, " "))            --> Ann Ben
--- ```
---@param list any[]
---@param fn fun(item: any): any
---@param options? lull.MapOptions
---@return any[]?
---@return lull.RequestError?
function lull.map(list, fn, options) end

--- Shows on the terminal how far something is, until `finish` is called or nobody holds it.
---
--- A bar on the last line of standard error, one below the other if there are several; without a total
--- only a count. Nothing is written where standard error is no terminal, nor in a session. What is
--- printed meanwhile goes above; `io.read` sees no such prompt before it is drawn again: finish what is
--- shown before asking something.
---
--- ```lua
--- local progress = lull.progress(3, "reading")
--- for _ = 1, 3 do progress:advance() end
--- progress:finish()
--- print(progress.count, progress.total)      --> 3 3
--- ```
---@param total? number
---@param label? string
---@return lull.Progress
function lull.progress(total, label) end

--- Calls a function and gives its results, or nil and an error of kind `timeout` if it takes longer.
---
--- When the time is over, what the function waits for is cancelled, a request only if nobody else waits
--- for it, and its coroutine closed: nothing after its wait runs. Tasks it has started end with it.
--- What it raises is raised here. It cannot stop a function that never waits.
---
--- ```lua
--- local value, err = lull.timeout(0.1, function() lull.sleep(5) return "late" end)
--- print(value, err.cause.kind)               --> nil timeout
--- ```
---@param seconds number
---@param fn fun(): any
---@return any
---@return lull.RequestError?
function lull.timeout(seconds, fn) end

--- Calls a function again and again until it gives something true, and gives its results.
---
--- The first call is made at once, the next one `every` seconds after the last has returned. The
--- function may wait. After `timeout` seconds, if that is set, what it waits for is cancelled and the
--- result is nil and an error of kind `timeout`. What the function raises is raised here.
---
--- ```lua
--- local calls = 0
--- local state = lull.wait_until(function()
---   calls = calls + 1
---   return calls == 3 and "ready"
--- end, { every = 0.01, timeout = 5 })
--- print(state, calls)                        --> ready 3
--- ```
---@param fn fun(): any
---@param options? lull.WaitOptions
---@return any
---@return lull.RequestError?
function lull.wait_until(fn, options) end

--- Reads the script's command line: a table with the value of each argument.
---
--- Reads the global `arg` unless other words are given. A value is found under the argument's first
--- long name, with `_` for `-`. Understands `--option value`, `--option=value`, `-o value`, `-ovalue`,
--- flags together (`-abc`), `--no-flag`, and `--`, after which everything is positional. Options may
--- stand anywhere.
---
--- `--help` (and `-h`) prints what the specification says and ends the script with 0. Wrong usage ends
--- it with 2, with a message on standard error that names the argument and what is allowed. No `pcall`
--- sees either. In the command that is the way of Ctrl-C, as for `os.exit`; in a stock interpreter
--- `os.exit` is called. What is wrong with the specification raises.
---
--- ```lua
--- local args = lull.args({
---   description = "Prints users.",
---   { "names...", help = "whom to print" },
---   { "--limit N", "-n", type = "integer", default = 20, help = "at most so many" },
---   { "--verbose", "-v", help = "say what is sent" },
--- }, { "ann", "ben", "-n5", "--verbose" })
--- print(args.names[2], args.limit, args.verbose)       --> ben 5 true
--- ```
---@param spec lull.ArgumentsSpec
---@param words? string[]
---@return table<string, any>
function lull.args(spec, words) end

--- The value of an environment variable; the default, or nil, if there is none.
---
--- Not available in the sandbox.
---
--- ```lua
--- print(lull.env("API_TOKEN_THAT_IS_NOT_SET", "none"))     --> none
--- ```
---@param name string
---@param default? any
---@return any
function lull.env(name, default) end

--- The whole text of a regular file, or nil and what the system says.
---
--- Pipes, terminals and devices, which could hold up everything else, are refused, as are files over 1
--- GB. Reads at once: it does not wait, and nothing else runs meanwhile. Not available in the sandbox.
---
--- ```lua
--- local text, problem = lull.read_file("no/such/file")
--- print(text, problem)                       --> nil no/such/file: No such file or directory
--- ```
---@param path string
---@return string?
---@return string?
function lull.read_file(path) end

--- Writes a whole file in one step: true, or nil and what the system says.
---
--- The text goes into a new file in the same folder, which then takes the place of the old one, so that
--- nobody sees half of it, nor anybody who may not read it in the end; the old mode is kept (but for
--- setuid, setgid and sticky bits), and owner and group as far as they may be given. A symbolic link
--- stays one, and one that leads nowhere is an error. The disk is not waited for. Only regular files.
--- Not available in the sandbox.
---
--- ```lua
--- local path = os.tmpname()
--- assert(lull.write_file(path, "one\n"))
--- assert(lull.write_file(path, "two\n", { append = true }))
--- print(#lull.read_file(path))               --> 8
--- os.remove(path)
--- ```
---@param path string
---@param text string
---@param options? lull.WriteOptions
---@return boolean?
---@return string?
function lull.write_file(path, text, options) end

--- Runs the event loop until no task, request in flight or sleep is left.
---
--- For the end of a script in a stock interpreter; the `lull` command does it by itself. With a
--- function, runs that as a task first; in the main chunk of a stock interpreter it raises what the
--- task raises. Inside a task or callback it waits for everything else to end, except what waits for
--- that task or callback itself.
---
--- ```lua
--- user:load():on_success(function(entity) print(entity.content.name) end)   --> Ann
--- lull.run()
--- ```
---@param fn? fun()
function lull.run(fn) end

--- Sets the function that is told of errors in callbacks and in tasks nobody awaits.
---
--- It replaces the report on standard error, not the exit code 1; if it returns true the error counts
--- as handled and leaves the exit code alone. nil restores the default. It must answer at once; for its
--- own errors the default is used.
---
--- ```lua
--- lull.on_error(function(err, traceback, where) print(err) return true end)
--- user:observe(function() error("oops", 0) end)        --> oops
--- lull.on_error(nil)
--- ```
---@param handler? fun(err: any, traceback: string, where: string): boolean?
function lull.on_error(handler) end

--- Opens a session at this place of a script: lines are read from standard input and run.
---
--- The caller waits until it is left with Ctrl-D, while everything else goes on; the session sees the
--- script's globals. One session at a time. It waits as `sleep` does, and raises where that cannot
--- wait. In a stock interpreter: `lua5.4 -l lull -e 'lull.repl()'`.
---
--- ```lua
--- if os.getenv("DEBUG") then lull.repl() end
--- ```
function lull.repl() end

--- Prints what a function, an object or a name of Lull's is, with its signature and an example.
---
--- In a session `help` alone will do. Without a subject it lists what there is help for.
---
--- ```lua
--- lull.help(lull.now)
--- ```
---@param subject? any
function lull.help(subject) end

--- Counts what is in memory and under way now: a new table of numbers.
---
--- Looks at every resource of every service and changes nothing. Garbage counts until it has been
--- collected: call `collectgarbage()` first, twice for what finalisers hold, to see what stays. Does
--- not wait.
---
--- ```lua
--- local before = lull.stats()
--- local watched <close> = user:observe(function() end)
--- user:load()
--- local now = lull.stats()
--- print(now.observers - before.observers)    --> 1
--- print(now.requests_in_flight)              --> 1
--- ```
---@return lull.Stats
function lull.stats() end

--- The current time in seconds since 1970, as timestamps count it.
---@return number
function lull.now() end

--- Starts the sample API as a child process and gives its base URL.
---
--- It listens on the loopback address only and ends with its parent; a second call gives the same URL.
--- Raises if `lull-mock`, which serves it, cannot be found or started.
---
--- ```lua
--- local demo = lull.service(lull.demo())
--- print(demo.base_url)
--- ```
---@return string
function lull.demo() end

--- A credential by where it comes from, to be used without being seen.
---
--- Reads nothing: it becomes text only when a request with it is sent, and everything else shows
--- `‹secret NAME›`. It is sent to the origin of the service that uses it only; a request to another one
--- fails with kind `secret_origin` before sending, and so does a redirect that would take it along. A
--- source that is missing fails the request with kind `secret_unavailable`. Files and commands are read
--- once per process. It does not cover text that the script reads itself, as with `os.getenv`, nor what
--- a server sends back. Not available in the sandbox.
---
--- ```lua
--- local token = lull.secret{ env = "GITHUB_TOKEN" }
--- local github = lull.service{ base_url = "https://api.github.com",
---   headers = { Authorization = "Bearer " .. token } }
--- print(github:configuration_for("/user").headers.authorization)
--- --> Bearer ‹secret GITHUB_TOKEN›
--- ```
---@param source lull.SecretSource
---@return lull.Secret
function lull.secret(source) end

--- Shares limits, tokens, caches and news with other hosts by a Valkey or Redis server.
---
--- From now on, with all that name the same server and namespace: limits with `shared` count there,
--- exactly, by its clock; tokens of `lull.auth.oauth2_client_credentials` and `oauth2_refresh` are kept
--- there, sealed with their client's credential, and renewed by one at a time; `lull.cache.shared()`
--- keeps its entries there; and what one writes to such a cache the others hear of. The last call
--- holds. Returns at once and raises for wrong settings only: a server that is absent, slow, full or
--- lost is done without, with one warning on standard error, until it can be used again. Each machine
--- then lets through its part by its own file, which is the limit divided by the hosts that the server
--- has counted last; caches are in files, client credentials are asked for by each, and refresh tokens
--- that may be good once are used by the rules of a `token_file` only. `LULL_SHARE` names a server for
--- programs that do not. `--allow-host` must allow its host and port, or `unix:` and the path of its
--- socket. In the sandbox there is neither.
---
--- ```lua
--- lull.share { url = "rediss://cache.internal:6380/2", namespace = "team-a",
---   password = lull.secret { env = "VALKEY_PASSWORD" } }
--- ```
---@param options lull.ShareOptions
function lull.share(options) end

--- The SHA-256 of any bytes, in 64 hexadecimal digits; of a secret it is one itself.
---
--- Raises where libcrypto is missing, as `lull.hmac` does. A file that `lull.file` names is read part
--- by part, in another thread where the call can wait; nil and why if it cannot be read.
---
--- ```lua
--- print(lull.sha256("abc"):sub(1, 16))                 --> ba7816bf8f01cfea
--- ```
---@param text string|lull.Secret|lull.File
---@param options? lull.DigestOptions
---@return string|lull.Secret|nil
---@return string?
function lull.sha256(text, options) end

--- What only who has the key can make of a text (RFC 2104), in hexadecimal digits.
---
--- For signatures of requests and of webhooks. With `raw` it is the key of the next one, or goes into
--- `lull.base64.encode`. With a secret as key or text it is a secret itself, made when the request with
--- it is sent, to where each of them may go.
---
--- ```lua
--- print(lull.hmac("sha256", "key", "text"):sub(1, 16))  --> 6afa9046a9579cad
--- print(#lull.hmac("sha1", "key", "text", { raw = true }))  --> 20
--- api:configure{ mutate_requests = function(request)
---   request.headers["X-Signature"] = lull.hmac("sha256", lull.secret{ env = "KEY" }, request.url)
--- end }
--- ```
---@param name "md5"|"sha1"|"sha224"|"sha256"|"sha384"|"sha512"|"sha512-256"
---@param key string|lull.Secret
---@param text string|lull.Secret
---@param options? lull.DigestOptions
---@return string|lull.Secret
function lull.hmac(name, key, text, options) end

--- An identifier that nobody else makes (RFC 9562), as for `Idempotency-Key`.
---
--- `"v4"`, the default, is random, by the system's generator; `"v7"` begins with the time, so that
--- later ones are sorted behind.
---
--- ```lua
--- print(#lull.uuid(), lull.uuid("v7"):sub(15, 15))      --> 36 7
--- ```
---@param version? "v4"|"v7"
---@return string
function lull.uuid(version) end

--- Marks a table as a JSON array, so that an empty one encodes as `[]`, and returns it.
---
--- ```lua
--- print(lull.json.encode{ list = lull.array{} })       --> {"list":[]}
--- ```
---@param t table
---@return table
function lull.array(t) end

--- A deep copy: of content, to edit it; of an entity or document, one of your own.
---
--- Tables are copied with their metatables and cycles; a document becomes tables that are encoded in
--- the server's order; an entity becomes one that can be changed. Other values are returned as they
--- are.
---
--- ```lua
--- local content = lull.copy(assert(user:load():await()).content)
--- content.name = "Annie"
--- user:override_local_content(content)
--- print(user.content.name)                   --> Annie
--- ```
---@param value any
---@return any
function lull.copy(value) end

--- A readable text of any value, tables in full, keys in order.
---
--- ```lua
--- print(lull.inspect{ 1, 2, name = "Ann" })  --> { 1, 2, name = "Ann" }
--- ```
---@param value any
---@param options? lull.InspectOptions
---@return string
function lull.inspect(value, options) end

--- Rows as text in columns, one line each, as `-o table` writes them.
---
--- Rows are a list of records, of which a single one is a list of one; what is no record stands in a
--- column `value`. Without `columns` all names there are come in the order they come up, those of one
--- table sorted; `"owner.login"` goes deeper and `"tags.1"` is the first element. What has no JSON form
--- raises.
---
--- ```lua
--- local users = assert(api("/users"):load():await()).document
--- for line in lull.table(users, { "name", "id" }):gmatch("[^\n]+") do print(line) end
--- --> name  id
--- --> Ann   7
--- --> Ben   8
--- ```
---@param rows any
---@param columns? string[]
---@return string
function lull.table(rows, columns) end

--- Loads an API from a file that describes it: its service and its calls.
---
--- `name` is that of a file in `./apis`, in `apis` of the folders above up to the one that holds
--- `.git`, if all of that is your own, then in `$XDG_CONFIG_HOME/lull/apis` (`~/.config/lull/apis`),
--- without `.lua`; or a path, which has a slash or ends in `.lua`. The file is run at the first call,
--- must answer at once, and gets its name as `...`; later calls give the same object, which lives until
--- the process ends. `require` does not find such files.
---
--- `lull.api("github@prod")` is the file in one of its `environments`, whose name it gets as its second
--- argument: another object, with a service, caches and tokens of its own. Without a name the variable
--- `LULL_ENV` chooses one, of files that have some.
---
--- It returns a service, or `APIFileFields`. Raises what the file raises; for what the file declares
--- wrongly, its line; and if there is none. A call is read when it is used, and what is wrong with it
--- is raised then: `api.calls.repos`; `pairs(api.calls)` reads all. Not in the sandbox.
---
--- What only looks at a file (completion in a shell, `lull apis`, `lull check`, help of `lull call`)
--- runs it within limits, and in the sandbox unless it is in your own configuration folder or trusted
--- by `lull trust`: there `lull.secret` has no text, `lull.cache.file` keeps nothing, and of the
--- environment no variable is set, or, where a file fails so, each is `"1"`.
---@param name string
---@return lull.API
function lull.api(name) end

--- Whether content is as a JSON Schema (draft 2020-12) says: true, or nil and what does not fit.
---
--- The schema is a table, or JSON as a text; the content any value of JSON. At most 20 places are told
--- of, in the order of the content. Raises if the schema cannot be used, and if it takes too long to
--- tell.
---
--- ```lua
--- local schema = { type = "object", required = { "id" }, properties = { id = { type = "integer" } } }
--- print(lull.validate(schema, { id = 7 }))                --> true
--- local _, errors = lull.validate(schema, { id = "7" })
--- print(errors[1].pointer, errors[1].message)             --> /id must be a whole number, got "7"
--- ```
---@param schema table|string|boolean
---@param content any
---@return boolean?
---@return lull.ValidationError[]?
function lull.validate(schema, content) end

--- JSON text and Lua values.
---
--- JSON is strict (RFC 8259). Integers within 64 bits stay integers, larger ones keep their digits
--- (`tostring` has them), other numbers are floats; null is `lull.null`; of duplicate keys the last
--- wins; at most 1,000 levels.
---@class lull.json
lull.json = {}

--- JSON text of a value. Documents keep the server's order; tables, such as `content`, are sorted.
---
--- Raises for what has no JSON form (a function, a cycle, NaN, invalid UTF-8, the keys `1` and `"1"` in
--- one table) and names its path, and for a text larger than 1 GB. An empty table is an object unless
--- marked with `lull.array`.
---
--- ```lua
--- print(lull.json.encode{ 1, "two", lull.null })     --> [1,"two",null]
--- print(lull.json.encode{ b = 1, a = 2 })            --> {"a":2,"b":1}
--- ```
---@param value any
---@param options? lull.EncodeOptions
---@return string
function lull.json.encode(value, options) end

--- The value of JSON text, or nil and what is wrong with it.
---
--- Its tables print as what they hold.
---
--- ```lua
--- local value, problem = lull.json.decode('{"a": [1, 2.0]}')
--- print(value)                                         --> { a = { 1, 2.0 } }
--- print(math.type(value.a[1]), math.type(value.a[2]))  --> integer float
--- ```
---@param text string
---@return any
---@return string?
function lull.json.decode(text) end

--- The part of a document or table that a JSON Pointer names; nil if there is none.
---
--- `~0` is `~`, `~1` is `/`; elements of arrays count from 0, as RFC 6901 says.
---
--- ```lua
--- local users = assert(api("/users"):load():await()).document
--- print(lull.json.at(users, "/1/name"))    --> Ben
--- ```
---@param value lull.Document|table
---@param pointer string
---@return any
function lull.json.at(value, pointer) end

--- Whether two values are the same JSON: tables, documents, or one of each.
---
--- The order of keys does not count.
---
--- ```lua
--- local entity = assert(user:load():await())
--- print(lull.json.equal(entity.document, { id = 7, name = "Ann" }))   --> true
--- ```
---@param a any
---@param b any
---@return boolean
function lull.json.equal(a, b) end

--- What a value is in JSON: `"array"`, `"object"`, `"string"`, `"number"`, `"boolean"` or `"null"`; nil
--- for what has no JSON form.
---
--- Tables are looked at as `encode` has them, and not into: an empty one is an object unless it is
--- marked with `lull.array`.
---
--- ```lua
--- local entity = assert(api("/users"):load():await())
--- print(lull.json.type(entity.content), lull.json.type(entity.document[1]))  --> array object
--- print(lull.json.type(lull.null), lull.json.type(print))                    --> null nil
--- ```
---@param value any
---@return string?
function lull.json.type(value) end

--- Functions over lists and records; expressions of `-f` have them by their names alone.
---
--- They take a list or a record (a table, content, a document) and change neither. Of a record its
--- values are meant, in the server's order, those of tables in the order of their names; `map`,
--- `filter` and `pick` of a record give a record again, the others a list or a value.
---
--- `by` is a function of the element, which may wait, or the name of a field: `"owner.login"` goes
--- deeper, `"tags.1"` is the first element of a list, and a field that is really called so comes first.
--- A field that is missing is nothing, as `lull.null` is. What a function cannot do raises, and says
--- what it got.
---@class lull.list
lull.list = {}

--- What `by` makes of each element.
---
--- nil becomes `lull.null`, so that places stay what they are.
---
--- ```lua
--- local users = assert(api("/users"):load():await()).content
--- print(lull.json.encode(lull.list.map(users, "name")))          --> ["Ann","Ben"]
--- print(lull.list.map(lull.list.group_by(users, "name"), lull.list.count).Ann)  --> 1
--- ```
---@param x any
---@param by lull.FieldOrFunction
---@return table
function lull.list.map(x, by) end

--- The elements for which `by` gives neither nil, false nor `lull.null`.
---
--- Without `by` those that are neither themselves.
---
--- ```lua
--- local list = lull.list.filter({ 1, 2, 3 }, function(n) return n > 1 end)
--- print(lull.json.encode(list))              --> [2,3]
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return table
function lull.list.filter(x, by) end

--- A record with these fields alone; of a list, of each of its elements.
---
--- A field that is missing is `lull.null`. It is called as it was asked for: `"owner.login"`.
---
--- ```lua
--- local users = assert(api("/users"):load():await()).content
--- print(lull.list.pick(users, "id")[2].id)   --> 8
--- ```
---@param x any
---@param ... string
---@return table
function lull.list.pick(x, ...) end

--- The names of a record; of a list 1 to its length.
---
--- ```lua
--- print(table.concat(lull.list.keys{ b = 1, a = 2 }, " "))       --> a b
--- ```
---@param x any
---@return string[]
function lull.list.keys(x) end

--- The values of a record in the order of its names.
---
--- ```lua
--- print(table.concat(lull.list.values{ b = 1, a = 2 }, " "))     --> 2 1
--- ```
---@param x any
---@return any[]
function lull.list.values(x) end

--- A record as a list of records with `key` and `value`.
---
--- ```lua
--- local votes = lull.list.entries(lull.list.count_by{ "b", "a", "b" })
--- print(lull.list.first(lull.list.sort_by(votes, "-value")).key) --> b
--- ```
---@param x any
---@return table[]
function lull.list.entries(x) end

--- The elements, with those that are lists opened.
---
--- So many levels deep, one unless it is said. Records stay what they are.
---
--- ```lua
--- print(#lull.list.flatten{ { 1, 2 }, 3, {} })                   --> 3
--- ```
---@param x any
---@param depth? integer
---@return any[]
function lull.list.flatten(x, depth) end

--- Numbers, texts and booleans as one text, with `", "` or the separator between them.
---
--- Nothing and `lull.null` are empty texts.
---
--- ```lua
--- print(lull.list.join({ 1, "b", true }, "-"))                   --> 1-b-true
--- ```
---@param x any
---@param separator? string
---@return string
function lull.list.join(x, separator) end

--- The elements in order.
---
--- Numbers come before texts, these before false and true; what is missing and `lull.null` come last,
--- in descending order too. A field with `-` before it sorts in descending order, `"-"` the elements
--- themselves; further fields count where those before are equal, and then the order there was. Lists
--- and records have no order.
---
--- ```lua
--- local rows = { { n = 2 }, {}, { n = 10 } }
--- print(lull.list.sort_by(rows, "-n")[1].n)  --> 10
--- print(table.concat(lull.list.sort_by({ 3, 1, 2 }, "-"), " "))  --> 3 2 1
--- ```
---@param x any
---@param ... lull.FieldOrFunction
---@return any[]
function lull.list.sort_by(x, ...) end

--- The elements from the last to the first.
---
--- ```lua
--- print(table.concat(lull.list.reverse{ 1, 2, 3 }, " "))         --> 3 2 1
--- ```
---@param x any
---@return any[]
function lull.list.reverse(x) end

--- The first element, nil if there is none; or a list of the first ones.
---
--- ```lua
--- print(lull.list.first{ 7, 8 }, #lull.list.first({ 7, 8 }, 5))  --> 7 2
--- ```
---@param x any
---@param count integer
---@return any[]
---@overload fun(x: any): any
function lull.list.first(x, count) end

--- The last element, nil if there is none; or a list of the last ones.
---
--- ```lua
--- print(lull.list.last{ 7, 8 })              --> 8
--- ```
---@param x any
---@param count integer
---@return any[]
---@overload fun(x: any): any
function lull.list.last(x, count) end

--- The element of which `by` gives least, in the order of `sort_by`; of several the first.
---
--- Nothing and `lull.null` do not count; nil if there is nothing else.
---
--- ```lua
--- print(lull.list.min({ { n = 2 }, { n = 1 } }, "n").n)          --> 1
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return any
function lull.list.min(x, by) end

--- The element of which `by` gives most, as `min`.
---
--- ```lua
--- print(lull.list.max{ 3, lull.null, 10 })   --> 10
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return any
function lull.list.max(x, by) end

--- Lists of the elements by what `by` gives, as text.
---
--- What is missing and `lull.null` are called `null`. Lists and records are no names.
---
--- ```lua
--- local groups = lull.list.group_by({ { a = 1 }, { a = 2 }, { a = 1 } }, "a")
--- print(#groups["1"])                        --> 2
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return table<string, any[]>
function lull.list.group_by(x, by) end

--- How many elements there are by what `by` gives, as text; otherwise as `group_by`.
---
--- ```lua
--- print(lull.list.count_by{ "a", "b", "a" }.a)                   --> 2
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return table<string, integer>
function lull.list.count_by(x, by) end

--- The elements without those for which `by` gives what it has given before.
---
--- Lists and records are equal if they are the same JSON; all that is missing is one value.
---
--- ```lua
--- print(#lull.list.unique{ 1, 2, 1, { a = 1 }, { a = 1 } })      --> 3
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return any[]
function lull.list.unique(x, by) end

--- How many elements there are; or for how many `by` gives neither nil, false nor `lull.null`.
---
--- ```lua
--- print(lull.list.count{ a = 1, b = 2 })     --> 2
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return integer
function lull.list.count(x, by) end

--- The sum of numbers; 0 of none.
---
--- What is missing and `lull.null` are left out; anything else but a number raises, a text of digits
--- too. Beyond 64 bits a sum of integers goes on as a float.
---
--- ```lua
--- print(lull.list.sum({ { n = 1 }, {}, { n = 2 } }, "n"))        --> 3
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return number
function lull.list.sum(x, by) end

--- The sum by how many numbers there are; `lull.null` of none.
---
--- ```lua
--- print(lull.list.average{ 1, lull.null, 2 })                    --> 1.5
--- ```
---@param x any
---@param by? lull.FieldOrFunction
---@return number
function lull.list.average(x, by) end

--- URLs taken apart and put together, by the rules that requests are made by.
---@class lull.url
lull.url = {}

--- A URL, or a reference such as `/a?b=1`, taken apart; nil and why if it is none.
---
--- Nothing of it is asked for. A `+` in a query stays a plus sign.
---
--- ```lua
--- local url = assert(lull.url.parse("https://ann@Example.com/a%20b?tag=x&tag=y&q=1%2B1#top"))
--- print(url.scheme, url.user, url.host, url.port)  --> https ann example.com 443
--- print(url.path, url.query, url.fragment)         --> /a%20b tag=x&tag=y&q=1%2B1 top
--- print(url.params.q, #url.params.tag)             --> 1+1 2
--- ```
---@param text string
---@return lull.URLParts?
---@return string?
function lull.url.parse(text) end

--- What a reference means on a page at that URL (RFC 3986, section 5); nil and why if it is none.
---
--- As `resource:relative(href)` resolves it; dot segments go.
---
--- ```lua
--- print(lull.url.join("https://example.com/a/b?c", "../d"))  --> https://example.com/d
--- ```
---@param base string
---@param reference string
---@return string?
---@return string?
function lull.url.join(base, reference) end

--- A text as one part of a URL: `%XX` for every byte but letters, digits and `-._~`.
---
--- For a segment of a path, or a name or value of a query; a whole URL would lose its slashes.
---
--- ```lua
--- print(lull.url.encode("50 % & more/less"))  --> 50%20%25%20%26%20more%2Fless
--- ```
---@param text string
---@return string
function lull.url.encode(text) end

--- The text again, which may be any bytes; nil and where if an escape is none.
---
--- A `+` stays: where it is a space, as in forms, `gsub` it before.
---
--- ```lua
--- print(lull.url.decode("caf%C3%A9"))       --> café
--- print(select(2, lull.url.decode("50%")))  --> '%' is no escape (at byte 3)
--- ```
---@param text string
---@return string?
---@return string?
function lull.url.decode(text) end

--- Bytes as text of 64 letters (RFC 4648).
---@class lull.base64
lull.base64 = {}

--- Base64 of any bytes, without line breaks; of a secret it is one itself.
---
--- ```lua
--- print(lull.base64.encode("ann:pass"))                --> YW5uOnBhc3M=
--- print(lull.base64.encode("\255\254", { url = true }))  --> __4
--- ```
---@param text string|lull.Secret
---@param options? lull.Base64Options
---@return string|lull.Secret
function lull.base64.encode(text, options) end

--- The bytes again; nil and where if it is no base64.
---
--- Takes either alphabet, with padding or without, and skips white space. What would lose a bit is
--- refused: a text that ends inside a byte, and bits behind the last one.
---
--- ```lua
--- print(lull.base64.decode("YW5uOnBhc3M="))    --> ann:pass
--- print(lull.base64.decode("__4") == "\255\254")  --> true
--- print(select(2, lull.base64.decode("YW*u")))   --> '*' is no letter of base64 (at byte 3)
--- ```
---@param text string
---@return string?
---@return string?
function lull.base64.decode(text) end

--- Dates of APIs and of HTTP, as seconds since 1970 and back.
---
--- `lull.now()` is the time it is; what is between two times is a subtraction.
---@class lull.time
lull.time = {}

--- The time a text says, an integer unless it has a fraction; nil and why if it is no date.
---
--- ISO 8601 and RFC 3339: a day, or a day with a time behind `T` or a space; hyphens and colons,
--- seconds and the offset may be missing. A day alone is its beginning, and without an offset a time is
--- UTC. And the three forms of HTTP headers (RFC 9110), whose day of the week does not count. A leap
--- second is the second after it.
---
--- ```lua
--- print(lull.time.parse("2024-05-01T12:11:12+02:00"))      --> 1714558272
--- print(lull.time.parse("2024-05-01T10:11:12.5Z"))         --> 1714558272.5
--- print(lull.time.parse("Wed, 01 May 2024 10:11:12 GMT"))  --> 1714558272
--- print(select(2, lull.time.parse("2023-02-29")))
--- --> '2023-02-29' is no date: that month has no day 29
--- ```
---@param text string
---@return number?
---@return string?
function lull.time.parse(text) end

--- The time as RFC 3339 writes it, in UTC.
---
--- Raises outside of the years 0 to 9999.
---
--- ```lua
--- print(lull.time.iso(1714558272))                            --> 2024-05-01T10:11:12Z
--- print(lull.time.iso(1714558272.25))                         --> 2024-05-01T10:11:12.250Z
--- print(lull.time.iso(1714558272, { offset = "+02:00" }))     --> 2024-05-01T12:11:12+02:00
--- ```
---@param seconds number
---@param options? lull.ISOOptions
---@return string
function lull.time.iso(seconds, options) end

--- The time as HTTP headers have it, in whole seconds, of which a fraction is cut off.
---
--- Raises outside of the years 0 to 9999.
---
--- ```lua
--- print(lull.time.http(1714558272))          --> Wed, 01 May 2024 10:11:12 GMT
--- ```
---@param seconds number
---@return string
function lull.time.http(seconds) end

--- Tables as text for spreadsheets and other programs (RFC 4180).
---
--- Fields are bytes and stay what they are. A spreadsheet takes a field that begins with `=`, `+`, `-`
--- or `@` for a formula, quoted or not. If a spreadsheet will open the text and others have written the
--- fields, pass `guard = true`: such fields then begin with `'`.
---@class lull.csv
lull.csv = {}

--- Rows as CSV with a header, one line each, lines ending in CR LF.
---
--- Rows are tables by names, or lists, or a document of these. Without `columns` all names there are
--- come in the order they come up, those of one table sorted; with it only these, in that order: other
--- fields are ignored, whatever they hold. A column such as `owner.login` is the field `login` of the
--- field `owner`, if there is none of its name as it stands. Lists have a header only if there are
--- `columns`. nil and `lull.null` are empty, numbers are as JSON has them, a table is JSON text;
--- anything else that is no text raises, with row and column.
---
--- ```lua
--- local users = assert(api("/users"):load():await()).content
--- for line in lull.csv.encode(users, { "name", "id" }):gmatch("[^\r\n]+") do
---   print(line)                            --> name,id
--- end                                      --> Ann,7
--- --> Ben,8
--- ```
---@param rows table[]|lull.Document
---@param columns? string[]
---@param options? lull.CSVOptions
---@return string
function lull.csv.encode(rows, columns, options) end

--- The rows of CSV as tables by the names of its header, and these names; nil and why if it is none.
---
--- Values are strings, empty ones too. Lines may end in LF or CR as well, empty ones do not count, and
--- a byte-order mark is skipped. A row with more or fewer fields than the header is a failure, so that
--- a text that was cut off is seen; with `header = false` all rows are lists, however long.
---
--- ```lua
--- local rows, columns = assert(lull.csv.decode('id,note\r\n7,"a ""b"" c"\r\n'))
--- print(rows[1].id, rows[1].note, #columns)  --> 7 a "b" c 2
--- print(lull.csv.decode("1;2", { header = false, delimiter = ";" })[1][2])  --> 2
--- ```
---@param text string
---@param options? lull.CSVOptions
---@return table[]?
---@return string[]|string|nil
function lull.csv.decode(text, options) end

--- What Lull says about its work; nothing unless enabled.
---
--- The environment variable `LULL_LOG=network,staleness` enables categories from outside.
---@class lull.log
---@field enabled? lull.LogCategory[]|lull.LogCategory|boolean # The categories to log: a list, a name, a preset, or true for `"common"`; nil for none.
---@field handler? (fun(category: lull.LogCategory, message: string)) # The function that receives messages in place of standard error.
lull.log = {}

--- For tests of scripts.
---@class lull.testing
lull.testing = {}

--- A networking function that answers from a table in place of the network.
---
--- A key is a method and a path such as `"GET /users/7"`, or a method and a whole URL; of several paths
--- that fit the end of a URL the longest counts. A request without a stub fails with kind `network`;
--- the message names it and the stubs there are.
---
--- ```lua
--- local fake = lull.service{ base_url = "https://x.test",
---   networking = lull.testing.stub{ ["GET /a"] = { json = { n = 1 } } } }
--- print(assert(fake("/a"):load():await()).content.n)     --> 1
--- print(select(2, fake("/b"):load():await()).user_message)
--- --> unstubbed request GET https://x.test/b; the stubs are: GET /a
--- ```
---@param answers table<string, lull.StubAnswer>
---@return lull.NetworkingFunction
function lull.testing.stub(answers) end

--- Entity caches, for the stages of a pipeline.
---
--- A cache belongs to one stage: it keeps what that stage put out. Successful GET loads write it; the
--- first look at an untouched resource reads it.
---@class lull.cache
lull.cache = {}

--- A cache in memory, keyed by stage and URL.
---
--- Given to several stages or services it is shared by all of them. It ends with the last of its users.
---
--- ```lua
--- api:configure("/users/*", { pipeline = { parsing = { cache = lull.cache.memory() } } })
--- assert(user:load():await())
--- user:wipe()
--- print(assert(user:load_if_needed():await()).content.name)  --> Ann
--- ```
---@return lull.Cache
function lull.cache.memory() end

--- A cache in a file, which scripts, calls from the shell and sessions share.
---
--- Keeps bytes, text and JSON with headers, age and validators; tables that a transformer has made are
--- not kept. A later process finds them: fresh data needs no request, stale data is asked for with
--- `If-None-Match` or `If-Modified-Since`. What came with `Cache-Control: no-store`, or was asked for
--- with it, is never written, and removes what is there; the log says so. Entries are told apart by
--- URL, stage, `version`, the headers that are configured, the credentials in the URL, and the names of
--- `client_cert` and `client_key`; the file has a digest of these only. Headers that say nothing of who
--- asks do not count: `Accept*`, `Content-*`, `User-Agent`, `X-Request-ID`, `traceparent`,
--- `Idempotency-Key`, `Cache-Control`, `Range` and conditions such as `If-Match`. Headers of answers
--- that are called like credentials, such as `Set-Cookie`, are left out. Whose entries they are is not
--- seen where credentials come from a command (a `lull.secret` with `command` or `shell` counts by its
--- words, not by what they print), from `mutate_requests` or from `cookies`: say it with `identity`.
---
--- Reading and writing happen beside the script; several processes may use one file, and one that is
--- killed loses at most what it is writing. A file that is damaged is renamed to `….corrupt-<time>`,
--- one of an older Lull to `….version-<number>`; one that cannot be used is done without, with one
--- warning on standard error. `lull cache` shows and clears it. Not available in the sandbox.
---
--- ```lua
--- api:configure { pipeline = { parsing = { cache = lull.cache.file { version = 2 } } } }
--- ```
---@param options? lull.FileCacheOptions
---@return lull.Cache
function lull.cache.file(options) end

--- A cache on the server of `lull.share`, for all hosts that share by it.
---
--- Keeps what `lull.cache.file` keeps, told apart by the same, and leaves out the same. Whatever it
--- keeps is in a file of this machine too, which is read while there is no server, or it cannot be
--- used: nobody waits for it then. An older entity takes the place of no newer one. What comes from the
--- server is believed when it is whole and belongs where it was found; anything else is a miss. With
--- `secret` entries are sealed (AES-256-GCM), and the server knows neither what nor whose they are;
--- without it entries of an identity stay in the file, as do all while no server is named, and the
--- others can be read on the server. Without `identity`, entries of requests with cookies, with
--- credentials that a command prints or with such as a mutation adds stay in the file. What nobody uses
--- for 30 days, or is older than `max_age`, the server removes by itself.
---
--- Of all that need the same stale entity by `load_if_needed()`, on whatever hosts, one asks for it;
--- the others wait for what it brings, which comes as `new_data` from `cache`, or as `not_modified`
--- where it has the same `ETag`. When who asks is cancelled, fails or is killed they go on; nobody
--- waits longer than 30 seconds, or for what is known not to be kept. `load()` waits for nobody.
---
--- Resources in memory that have data or are observed, and load nothing now, take what another host has
--- written, if it is newer: observers hear `new_data` from `shared`. A write is told by a digest and
--- its time, on a connection of its own. Not available in the sandbox.
---
--- ```lua
--- lull.share { url = "rediss://cache.internal:6380", namespace = "team-a" }
--- api:configure { pipeline = { parsing = {
---   cache = lull.cache.shared { secret = lull.secret { env = "TEAM_SECRET" } } } } }
--- ```
---@param options? lull.SharedCacheOptions
---@return lull.Cache
function lull.cache.shared(options) end

--- Ways to prove who sends a request, for the setting `auth`.
---
--- They are put on when everything else of a request is there, unless it has a header, or a parameter,
--- of that name. A string in place of a secret is masked like one. `auth = false` takes them away from
--- a pattern.
---@class lull.auth
lull.auth = {}

--- Sends `Authorization: Bearer …`.
---
--- ```lua
--- api:configure{ auth = lull.auth.bearer(lull.secret{ env = "TOKEN" }) }
--- print(api:configuration_for(user).auth)   --> authorization: Bearer ‹secret TOKEN›
--- api:configure("/login", { auth = false })
--- print(api:configuration_for(api("/login")).auth)       --> nil
--- ```
---@param token lull.Secret|string
---@return lull.Auth
function lull.auth.bearer(token) end

--- Sends `Authorization: Basic …`, made of a user and a password.
---
--- A user with a colon in it raises. Beside a user that is a secret the password may be empty, as APIs
--- want it that take a key in the user's place: `lull.auth.basic(lull.secret{ env = "KEY" }, "")`.
---
--- ```lua
--- api:configure{ auth = lull.auth.basic("ann", lull.secret{ file = "~/.password" }) }
--- print(api:configuration_for(user).auth)   --> authorization: Basic ‹secret .password›
--- ```
---@param user string|lull.Secret
---@param password lull.Secret|string
---@return lull.Auth
function lull.auth.basic(user, password) end

--- Answers a server that asks for a digest: the password is never sent.
---
--- MD5, SHA-256 and SHA-512-256, of the strongest that the server offers, and of whole bodies too where
--- it wants that (RFC 7616). The first request goes out without; the server's 401 says what to answer,
--- and the request is sent once more, its body too. All after it, to that origin, carry an answer of
--- their own. Make it once, outside of settings functions: what was made anew has been asked for
--- nothing yet. A server that asks for no digest is answered nothing: its 401 stands.
---
--- ```lua
--- api:configure{ auth = lull.auth.digest("ann", lull.secret{ file = "~/.password" }) }
--- print(api:configuration_for(user).auth)   --> authorization: Digest ‹secret .password›
--- ```
---@param user string|lull.Secret
---@param password lull.Secret|string
---@return lull.Auth
function lull.auth.digest(user, password) end

--- Sends `Authorization: Basic …` with the login that a netrc file has for the host.
---
--- The file is the one that the variable `NETRC` names, else `~/.netrc`; it is read when the first
--- request needs it, and again once it has changed. One that others may read is not used. Without a
--- file, or a login for the host in it, the request fails with kind `secret_unavailable`, unless
--- `optional` says otherwise. Not available in the sandbox.
---
--- ```lua
--- api:configure{ auth = lull.auth.netrc{ path = "/etc/api.netrc" } }
--- print(api:configuration_for(user).auth)   --> authorization: Basic ‹netrc /etc/api.netrc›
--- ```
---@param options? lull.NetrcOptions
---@return lull.Auth
function lull.auth.netrc(options) end

--- Signs each request for Amazon's services, and those that work like them (version 4).
---
--- Signed are the method, the URL, the body, and all headers but those that change on their way.
--- Service and region are told by names such as `s3.eu-central-1.amazonaws.com`; elsewhere say them. A
--- body from a file is read twice, once to be signed; for S3 by https it is not, and goes as
--- `UNSIGNED-PAYLOAD`. Every attempt and every redirect within the origin is signed anew. Where the
--- service's clock differs by more than four minutes, requests are signed by that.
---
--- ```lua
--- api:configure{ auth = lull.auth.aws_sigv4{ service = "s3", region = "eu-central-1",
---   access_key = lull.secret{ env = "S3_KEY" }, secret_key = lull.secret{ env = "S3_SECRET" } } }
--- print(api:configuration_for(user).auth)
--- --> authorization: AWS4-HMAC-SHA256 ‹secret S3_SECRET›
--- ```
---@param credentials lull.AWSCredentials
---@return lull.Auth
function lull.auth.aws_sigv4(credentials) end

--- Sends a header of your own.
---
--- A name that is no HTTP token raises.
---
--- ```lua
--- api:configure{ auth = lull.auth.header("X-API-Key", lull.secret{ env = "KEY" }) }
--- print(api:configuration_for(user).auth)   --> x-api-key: ‹secret KEY›
--- ```
---@param name string
---@param value lull.Secret|string
---@return lull.Auth
function lull.auth.header(name, value) end

--- Sends a parameter of the query, or several.
---
--- They are put behind the query that the request has, except where that has one of the name. The
--- resource's URL, by which it is cached, shown and found, has none of them, and a link of the server's
--- to a next page that has them is taken without. A redirect goes where the server says, and gets none.
--- Several stand in a table, and are sent sorted by name.
---
--- ```lua
--- api:configure{ auth = lull.auth.query("api_key", lull.secret{ env = "KEY" }) }
--- print(api:configuration_for(user).auth)   --> ?api_key=‹secret KEY›
--- ```
---@param name string|table<string, lull.Secret|string>
---@param value? lull.Secret|string
---@return lull.Auth
function lull.auth.query(name, value) end

--- Tokens that a function of yours gets, for logins that are not OAuth.
---
--- `fetch(service, old)` is called when the first request needs a token; all others wait for that one.
--- It may wait, and gives the token, a string or a Secret, and for how many seconds it is good if that
--- is known; or nil and an error, which fails the requests with kind `auth_failed`. A token that ends
--- soon, or that the service answers 401 to, is fetched again, with the old one as second argument, and
--- the request is sent once more. Requests that `fetch` itself makes go without the token. Make it
--- once, outside of settings functions: what was made anew knows no token.
---
--- ```lua
--- api:configure{ auth = lull.auth.token{
---   header = "X-Session",
---   fetch = function(service)
---     local entity, err = service("/users"):post{ json = { name = "Cid" } }:await()
---     if not entity then return nil, err end
---     return "session-" .. entity.content.id, 3600
---   end } }
--- print(assert(user:load():await()).content.name)      --> Ann
--- print(api:configuration_for(user).auth)  --> x-session: ‹token›
--- ```
---@param options lull.TokenOptions
---@return lull.Auth
function lull.auth.token(options) end

--- Bearer tokens that a token endpoint gives to the client itself.
---
--- Asks for nothing before a request needs a token; all others wait for that answer. A token that ends
--- soon, or that the service answers 401 to, is renewed, and the request is sent once more. Make it
--- once, outside of settings functions: what was made anew knows no token. Without a token the request
--- fails with kind `auth_failed`.
---
--- ```lua
--- local auth = lull.auth.oauth2_client_credentials{
---   token_url = "https://login.example.com/token", client_id = "me",
---   client_secret = lull.secret{ env = "CLIENT_SECRET" } }
--- api:configure{ auth = auth }
--- print(auth)  --> Auth(authorization: Bearer ‹token of https://login.example.com/token›)
--- ```
---@param client lull.OAuth2Client
---@return lull.Auth
function lull.auth.oauth2_client_credentials(client) end

--- Bearer tokens that a token endpoint gives for a refresh token.
---
--- As above. A new refresh token takes the place of the old one; with a `token_file` it outlives the
--- script.
---
--- ```lua
--- api:configure{ auth = lull.auth.oauth2_refresh{
---   token_url = "https://login.example.com/token", client_id = "me",
---   refresh_token = lull.secret{ file = "~/.refresh-token" }, token_file = "~/.tokens.json" } }
--- ```
---@param client lull.OAuth2RefreshClient
---@return lull.Auth
function lull.auth.oauth2_refresh(client) end

--- Bearer tokens that a person gets for the script, by a browser on this machine.
---
--- The tokens are fetched by `lull login API`, once, and renewed as above; they stand in
--- `lull/tokens/NAME.json` in `$XDG_STATE_HOME` or `~/.local/state`. A request without any fails with
--- kind `auth_failed` and says what to run: no script asks a person by itself. `lull login` listens on
--- 127.0.0.1 for the answer to its one request, with PKCE (S256) and a `state`; `lull logout API` takes
--- the tokens away. Not available in the sandbox.
---
--- ```lua
--- api:configure{ auth = lull.auth.oauth2_code{
---   authorization_url = "https://login.example.com/authorize",
---   token_url = "https://login.example.com/token", client_id = "me", name = "shop" } }
--- ```
---@param client lull.OAuth2CodeLogin
---@return lull.Auth
function lull.auth.oauth2_code(client) end

--- Bearer tokens that a person gets for the script, by a code typed into a browser anywhere.
---
--- As above, for machines without a browser: `lull login API` shows a URL and a code, and waits.
---
--- ```lua
--- api:configure{ auth = lull.auth.oauth2_device{
---   device_url = "https://login.example.com/device", name = "shop",
---   token_url = "https://login.example.com/token", client_id = "me" } }
--- ```
---@param client lull.OAuth2DeviceLogin
---@return lull.Auth
function lull.auth.oauth2_device(client) end

--- A web API: a base URL, configuration by URL pattern, and the resources in memory.
---
--- The same URL always gives the same resource of a service; two services share none.
---@class lull.Service
---@field base_url? string # The base URL, its path ending in one slash; nil if there is none.
---@field name? string # The name it was made with, for logs and `tostring`.
---@overload fun(path: string): lull.Resource
---@field [string] fun(api: lull.Service, ...: any): any
---@field cached_resource_count_limit integer # How many resources may be in memory before unused ones are evicted; default 2048.
---@field cached_resource_byte_limit integer # How many bytes unused resources may hold before they are evicted; default 256 MB.
---@field is_offline boolean # Whether loads are answered by memory and caches only, whatever the age of what they have.
local Service = {}

--- The resource at a path below the base URL.
---
--- Slashes are joined, everything else is path: `?` is escaped, and so is each byte that is no UTF-8;
--- dots stay, and are sent: what leads above the base URL is told in the log when it is requested.
--- Sends nothing and runs no configure function. Without a base URL it gives an invalid resource, whose
--- requests fail.
---
--- ```lua
--- print(api:resource("users/7") == api:resource("/users/7"))   --> true
--- ```
---@param path string
---@return lull.Resource
function Service:resource(path) end

--- The resource with exactly that absolute URL.
---
--- The base is ignored. An empty path becomes `/`, and an international host name its A-labels:
--- `http://bücher.example` is `http://xn--bcher-kva.example/`. nil, null and what is no URL give an
--- invalid resource; nothing is raised.
---
--- ```lua
--- print(api:resource_at("https://other.example.com/x").url)  --> https://other.example.com/x
--- ```
---@param url? string
---@return lull.Resource
function Service:resource_at(url) end

--- The resource at a path below another base URL than the service's.
---
--- ```lua
--- print(api:resource_under("https://a.test", "b").url)     --> https://a.test/b
--- ```
---@param base_url string
---@param path string
---@return lull.Resource
function Service:resource_under(base_url, path) end

--- Sets headers, times, limits and the pipeline for the resources a pattern names.
---
--- Nothing is computed now: each resource computes its configuration when it needs it, by running the
--- matching entries in the order they were added; later ones see and override earlier ones. Two
--- functions, or a function and a table, are a predicate and its settings; a function for every
--- resource with options is `configure(nil, fn, options)`. A settings function must answer at once; if
--- it raises, requests it applies to fail with kind `script_error` and are not sent.
---
--- Of a service with a base, headers that are set without a pattern go to the base's origin only, but
--- for `Accept*`, `Content-*` and `User-Agent`: a link or a page that leads elsewhere is asked for
--- without them. A pattern that names the other origin, as `"https://files.example/**"` does, sends
--- headers there; `explain` says which stay off. A secret, `auth` too, fails there unless its own
--- `origins` name the place.
---
--- ```lua
--- api:configure{ headers = { Accept = "application/json" } }
--- api:configure("/users/*", { expiration_time = 300 })
--- api:configure("/**", function(config) config.headers["X-Token"] = "secret" end,
---   { methods = { "GET" }, description = "auth token" })
--- print(api:configuration_for(user).headers["x-token"])    --> secret
--- ```
---@param pattern lull.Pattern
---@param settings lull.Settings|lull.SettingsFunction
---@param options? lull.ConfigureOptions
---@return lull.Service
---@overload fun(self: lull.Service, settings: lull.Settings|lull.SettingsFunction): lull.Service
function Service:configure(pattern, settings, options) end

--- Adds a function to the pipeline that turns content into other content.
---
--- It is called once per response with the content and the whole entity and returns the new content;
--- nil fails the request. It may wait; its request waits with it. A request error it raises becomes the
--- response; anything else fails the request with kind `script_error` and is reported. It replaces what
--- the stage held for matching URLs and methods, unless appended.
---
--- ```lua
--- api:transform("/users/*", function(content) return content.name:upper() end)
--- print(assert(user:load():await()).content) --> ANN
--- ```
---@param pattern lull.Pattern
---@param fn lull.Transformer
---@param options? lull.TransformOptions
---@return lull.Service
---@overload fun(self: lull.Service, fn: lull.Transformer, options?: lull.TransformOptions): lull.Service
function Service:transform(pattern, fn, options) end

--- The settings that apply to a resource, for GET or another method: a read-only table.
---
--- A string is a path below the base URL, as for `service:resource`, unless it is a URL with scheme and
--- host.
---
--- ```lua
--- print(api:configuration_for(user, "POST").timeout)   --> 60.0
--- print(api:configuration_for("/users/7").timeout)     --> 60.0
--- ```
---@param resource lull.Resource|string
---@param method? string
---@return lull.Settings
function Service:configuration_for(resource, method) end

--- Makes every resource compute its configuration anew when it next needs it.
---
--- For settings functions that read variables which have changed. Runs none of them now.
---
--- ```lua
--- local token = "old"
--- api:configure(function(config) config.headers["X-Token"] = token end)
--- token = "new"
--- api:invalidate_configuration()
--- print(api:configuration_for(user).headers["x-token"])    --> new
--- ```
---@return lull.Service
function Service:invalidate_configuration() end

--- Wipes the resources in memory that a pattern names, or all.
---
--- Unused resources are dropped first. An error in a predicate is raised here.
---
--- ```lua
--- assert(user:load():await())
--- api:wipe_resources("/users/*")
--- print(user.latest_data)                    --> nil
--- ```
---@param pattern? lull.Pattern
---@return lull.Service
function Service:wipe_resources(pattern) end

--- Invalidates the resources in memory that a pattern names, or all.
---
--- Keeps their data, starts no request. What caches keep of them is stale too. An error in a predicate
--- is raised here.
---@param pattern? lull.Pattern
---@return lull.Service
function Service:invalidate_resources(pattern) end

--- Iterates over the resources in memory.
---
--- Neither creates nor loads anything, and does not count as use.
---
--- ```lua
--- for resource in api:resources() do print(resource) end   --> Resource(/users/7 [])
--- ```
---@return fun(): lull.Resource?
function Service:resources() end

--- Drops the resources nobody uses, after a full collection of Lua's garbage.
---
--- In use is what a script refers to, what has an observer, and what has a request in flight.
---@return lull.Service
function Service:flush_unused_resources() end

--- One URL of a service, and what was last heard from it.
---
--- State changes only through loads, overrides, caches and `wipe`, and observers hear of each change.
--- `==` compares: the same URL is the same object. `tostring` shows L while loading, D with data, E
--- with an error.
---@class lull.Resource
---@field service lull.Service # The service it belongs to.
---@field url string # Its absolute URL; `":"` if it is invalid.
---@field latest_data? lull.Entity # The last data: an entity, or nil.
---@field latest_error? lull.RequestError # The error of the last load, nil once anything newer succeeded.
---@field timestamp number # When data or error last changed, the later of the two; 0 if never.
---@field is_loading boolean # Whether a load is in progress.
---@field is_requesting boolean # Whether any request of it is in progress, loads included.
---@field is_up_to_date boolean # Whether `load_if_needed` would start nothing, loads in progress aside.
---@field load_requests lull.Request[] # Loads in progress, in the order they began.
---@field all_requests lull.Request[] # All requests in progress, in the order they began.
---@field content any # The content: JSON as plain tables, text and bytes as strings; nil if none.
---@field text string # The content if it is text, else `""`.
---@field json_dict table # The content if it is a JSON object or a table, else an empty table.
---@field json_array table # The content if it is a JSON array or a table, else an empty table.
---@field document? lull.Document # The same JSON as a read-only view that builds no tables; nil for other content.
local Resource = {}

--- The content if it has the default's Lua type, else the default; without one, the content.
---@param default? any
---@return any
function Resource:typed_content(default) end

--- Sends a GET whose outcome becomes the resource's state.
---
--- Always goes to the network, even while another load runs. In this call the request is built and
--- started and observers hear `requested`; then exactly one of `new_data`, `not_modified`, `error`,
--- `request_cancelled`; then the hooks of the returned request. Data with an `ETag` or `Last-Modified`
--- makes it conditional; a 304 keeps the data and renews its timestamp.
---
--- ```lua
--- local entity, err = user:load():await()
--- print(entity.content.name, user.is_up_to_date)       --> Ann true
--- ```
---@return lull.Request
function Resource:load() end

--- Loads unless data is fresh; returns the request to wait for, or nil if up to date.
---
--- While a load is in progress it returns that one and starts none. Up to date is what is not
--- invalidated and whose age is at most `expiration_time`, or `retry_time` after an error. With a cache
--- configured the first call looks there first.
---
--- ```lua
--- assert(user:load_if_needed():await())
--- print(user:load_if_needed())               --> nil
--- ```
---@return lull.Request?
function Resource:load_if_needed() end

--- Gives the entity, loaded if that is needed; or nil and the error.
---
--- Fresh data comes at once, without a request. Otherwise it waits for the load that `load_if_needed`
--- returns: of several calls at a time one request goes out. While the last error is younger than
--- `retry_time`, it is that error. Offline, data of any age is fresh. If the data comes from a stream
--- that is followed, it waits for its first data.
---
--- ```lua
--- print(assert(user:fetch()).content.name)   --> Ann
--- print(user:fetch() == user.latest_data)    --> true
--- print(select(2, api("/users/9"):fetch()).http_status)  --> 404
--- ```
---@return lull.Entity?
---@return lull.RequestError?
function Resource:fetch() end

--- Says which settings apply, which line has set each, and what `load_if_needed` would do now.
---
--- A text for people, not for programs. Settings are those of requests with that method, GET unless
--- given; configure functions run once more for it. Credentials are not shown. It asks caches if nobody
--- has yet, and never the network.
---
--- ```lua
--- assert(user:load():await())
--- print(user:explain():match("would +([^:]+)"))        --> load nothing
--- ```
---@param method? string
---@return string
function Resource:explain(method) end

--- Makes any request a load of this resource: its outcome becomes the state. Returns the request.
---
--- Observers hear `requested` in this call. A completed request is applied one turn later; one not
--- started is not started by this.
---
--- ```lua
--- local users = api("/users")
--- assert(users:load_using(users:post{ json = { name = "Cid" } }):await())
--- print(users.content.id)                    --> 9
--- ```
---@param request lull.Request
---@return lull.Request
function Resource:load_using(request) end

--- Cancels the loads in progress if nobody observes the resource; after a delay, if one is given.
---
--- Without a delay it happens now and there is no callback. With one, the callback runs after the
--- attempt, whether or not anything was cancelled, and may wait; until then the timer keeps the script
--- alive. Other requests are left alone.
---
--- ```lua
--- local request = user:load()
--- user:cancel_load_if_unobserved()
--- print(request.state)                       --> completed
--- ```
---@param delay? number
---@param callback? fun()
---@return lull.Resource
function Resource:cancel_load_if_unobserved(delay, callback) end

--- Sends a request that leaves the resource's state alone.
---
--- In this call: headers of the configuration, the body's type and bytes, headers and timeout of the
--- options, their `mutate`, configured mutations, decorators; then it is listed and started. Observers
--- hear nothing. A body that cannot be encoded gives a request that has failed already and is not sent.
--- The method may be any HTTP token, in any letter case. A function in the place of the options is
--- their `mutate`; nil holds the body's place.
---
--- ```lua
--- local request = user:request("PUT", { json = { id = 7, name = "Anna" } }, function(http)
---   http.headers["If-Match"] = user.latest_data and user.latest_data.etag
--- end)
--- print(assert(request:await()).content.name)          --> Anna
--- ```
---@param method string
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:request(method, body, options) end

--- Sends a GET request; otherwise as `request`.
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:get(body, options) end

--- Sends a POST request; otherwise as `request`.
---
--- ```lua
--- local created = assert(api("/users"):post{ json = { name = "Cid" } }:await())
--- print(created.http_status, created.content.id)       --> 201 9
--- ```
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:post(body, options) end

--- Sends a PUT request; otherwise as `request`.
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:put(body, options) end

--- Sends a PATCH request; otherwise as `request`.
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:patch(body, options) end

--- Sends a DELETE request; otherwise as `request`.
---
--- ```lua
--- print(assert(user:delete():await()).http_status)     --> 204
--- ```
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:delete(body, options) end

--- Sends a HEAD request; otherwise as `request`.
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:head(body, options) end

--- Sends a OPTIONS request; otherwise as `request`.
---
--- ```lua
--- print(assert(user:options():await()):header("allow"))    --> GET, PUT, PATCH
--- ```
---@param body? lull.RequestBody
---@param options? lull.MutationOrOptions
---@return lull.Request
function Resource:options(body, options) end

--- Writes what a GET brings to a file, and leaves the resource's state alone.
---
--- The body goes to the disk as it arrives, so that it may be larger than memory, and no
--- `max_body_size` counts. The file appears when all of it is there, and replaces one of that path,
--- which keeps its mode; a failure leaves what was there. In a folder it is called as
--- `Content-Disposition` says, else as the URL ends, if that is a plain name, else `download`, and
--- replaces nothing. The entity has what was received but for the bytes: its content is the path. The
--- compressed forms of HTTP are not asked for, no transformer and no cache sees the answer, errors come
--- as of any other request. Retries go on where the one before ended, if the server can. No timeout
--- bounds it unless its options set one: silence does, see `idle_timeout`. Not available in the
--- sandbox.
---
--- ```lua
--- local path = os.tmpname()
--- local entity = assert(api("/users/7"):download(path):await())
--- print(entity.content == path, entity.content_type)   --> true application/json
--- print(lull.read_file(path):match("Ann"))             --> Ann
--- os.remove(path)
--- ```
---@param path string
---@param options? lull.DownloadOptions
---@return lull.Request
function Resource:download(path, options) end

--- Observes the resource: an iterator for `for` that yields what happens to it.
---
--- Each turn of the loop gets an event, as observers do, and of `new_data` its source; the first is
--- `observer_added`. It observes from this call on and loads nothing. Between two turns each kind of
--- event is kept once, at the place of its last time, so that a slow loop misses no kind. It comes
--- after observers and hooks.
---
--- Ends with `break` or `stop()`. It does not keep the script alive: when nothing else is left to do,
--- the loop ends. May wait.
---
--- ```lua
--- user:load()
--- for event, source in user:changes() do
---   if event == "new_data" then
---     print(source, user.content.name)       --> network Ann
---     break
---   end
--- end
--- ```
---@return lull.Changes
function Resource:changes() end

--- Polls the resource: an iterator for `for` that yields its content whenever it has changed.
---
--- Each turn of the loop gets content and resource. What is fresh comes at once; else the resource is
--- loaded first. A poll is due `every` seconds after the last load has ended, whoever asked for that
--- one: loads are shared with everybody else, those in progress too. While it is watched, `every`
--- counts in place of `expiration_time`. A 304, or content that holds the same, is no change; a local
--- override is one. If it changes several times while the loop's body runs, the last content is what
--- comes.
---
--- Ends after yielding a content for which `until_` returns true; otherwise with `break`. Polls only
--- while it is waited for, so that leaving the loop, in any way, leaves nothing behind.
---
--- Raises the RequestError of the first load if that fails. Later it rides out failures that may pass
--- (no answer, 408, 425, 429, 5xx), which are in `latest_error`, and raises any other. May wait;
--- cancelling the waiting task cancels a load that only the watch wanted.
---
--- ```lua
--- for job in api("/jobs/1"):watch{
---   every = 2, timeout = 60, until_ = function(job) return job.state == "done" end,
--- } do
---   print(job.state, job.progress)           --> done 100
--- end
--- ```
---@param options? lull.WatchOptions
---@return lull.Watch
function Resource:watch(options) end

--- Walks through a list that comes in pages: an iterator for `for`.
---
--- Each turn of the loop gets content and resource of one page, beginning with this one. The next page
--- is that of the `Link` header with `rel="next"` (RFC 8288), else the URL in `next`, `links.next`,
--- `_links.next`, `@odata.nextLink`, `nextLink`, `paging.next`, `next_url`, `next_page_url`,
--- `pagination.next_url` or their like: absolute or relative, or an object with `href`. `next`,
--- `cursor`, `page` and `offset` are other ways, one at a time. A page is loaded as by
--- `load_if_needed`, when the loop asks for it.
---
--- `has_more = false` ends the list, and so does null, `""`, 0 or false in place of a cursor, and a
--- page that is null or has no body. If a page shows that there is more, but not how to request it (a
--- cursor, `has_more`, `total_pages`, a count above the rows, also in the objects around the rows), the
--- next turn raises an error that names the field and the option.
---
--- Raises the RequestError of a load that fails; and a RequestError of kind `custom` where the way goes
--- on to another origin, to a page seen before, to more than 100 pages without `max`, or to what is no
--- URL, where what should tell the next page cannot be read, where a page is of another kind than the
--- first, such as an error among lists, where a counted page has the rows of the page before, and where
--- the content is JSON that was read as text. May wait; cancelling the waiting task cancels a load that
--- only this wanted.
---
--- ```lua
--- for content, page in api("/feed"):pages() do
---   print(page.url, #content)
---   --> https://api.example.com/v1/feed 2
---   --> https://api.example.com/v1/feed?page=2 1
--- end
--- ```
---@param options? lull.PagesOptions
---@return lull.Pages
function Resource:pages(options) end

--- Reads the resource as a stream: an iterator for `for` that yields each item as it comes.
---
--- Of `text/event-stream` a `StreamEvent`, of NDJSON (`application/x-ndjson`, `application/jsonl`) the
--- value on each line, of any other JSON (`application/json`, `application/json-seq`) the values that
--- follow each other. The resource's own content is left alone, and so is the pipeline; all else that
--- is configured for a GET counts, but for `timeout` and `max_body_size`: silence bounds a stream
--- (`idle_timeout`, 60 seconds unless set), and 16 MB an item. While items wait for the loop's body, no
--- more is read from the server than 256 KB ahead.
---
--- An event stream that ends or breaks off is asked for once more, with `Last-Event-ID`, after the time
--- that the server wants (3 seconds unless it says `retry`), and after each further failure twice as
--- long, up to a minute. It ends where the server answers 204, else with `break`. JSON ends with its
--- body.
---
--- Raises the RequestError of what cannot pass, such as another status than 200 (configure `retry` for
--- those that may) or another type; of any failure before the stream has been there once; and of a
--- break of JSON, after the rows that have come. Leaving the loop, in any way, closes the connection.
--- Only while it is waited for, a stream keeps the script alive. May wait; cancelling the waiting task
--- ends it.
---
--- ```lua
--- for event in api("/events"):events{ reconnect = false } do
---   print(event.id, event.event, event:json().celsius)
---   --> 1 message 21
---   --> 2 alarm 99
--- end
--- for row in api("/rows"):events() do
---   print(row.name)                          --> Ann
--- end
--- ```
---@param options? lull.StreamOptions
---@return lull.Events
function Resource:events(options) end

--- Makes what the items of a stream come to the content of the resource.
---
--- The stream is asked for at once, and read as by `events`. `reduce` is given the content so far and
--- an item, and returns the new content: one by one for all items that have come; then observers hear
--- `new_data` with the source `network`, once in a turn of the loop. Meanwhile the resource counts as
--- up to date, so that `load_if_needed` loads nothing.
---
--- What fails the stream becomes `latest_error`, and so does an error of `reduce`, which is reported
--- besides. It goes on until then, until the server has no more, or until `stop`, whether or not you
--- hold what this returns, and keeps the script alive.
---
--- ```lua
--- local weather = api("/events")
--- weather:observe(function(resource, event, source)
---   if event == "new_data" then print(source, resource.content.count, resource.content.last) end
--- end)
--- weather:follow{
---   reconnect = false, initial = { count = 0 },
---   reduce = function(content, event)
---     return { count = content.count + 1, last = event:json().celsius }
---   end,
--- }:await()                                  --> network 2 99
--- ```
---@param options lull.FollowOptions
---@return lull.Follow
function Resource:follow(options) end

--- Makes an entity the latest data, without network or pipeline.
---
--- Observers hear `new_data` with `local_override`. Clears the error and an invalidation; removes the
--- resource's cache entries. A load in flight goes on and will replace it. The entity's own timestamp
--- counts.
---@param entity lull.Entity
---@return lull.Resource
function Resource:override_local_data(entity) end

--- Replaces the content of the latest data and keeps its headers.
---
--- As `override_local_data`, with the timestamp now; without data it makes an entity of type
--- `application/binary`. The next load is unconditional.
---
--- ```lua
--- user:override_local_content{ id = 7, name = "Ann (edited)" }
--- print(user.content.name, user.is_up_to_date)         --> Ann (edited) true
--- ```
---@param content any
---@return lull.Resource
function Resource:override_local_content(content) end

--- Makes the next `load_if_needed` load, however fresh the data.
---
--- Sends nothing, tells nobody, keeps data, error and timestamps. A load in flight does not end it; the
--- next one does. What caches keep of the resource is stale too, also for other processes.
---
--- ```lua
--- assert(user:load():await())
--- user:invalidate()
--- print(user.is_up_to_date, user.content.name)         --> false Ann
--- ```
---@return lull.Resource
function Resource:invalidate() end

--- Forgets data and error and cancels every request of the resource.
---
--- Observers stay and hear `new_data` with `wipe` in this call; `request_cancelled` for loads comes
--- with the next turn. Cache entries stay, so that a configured cache may fill the resource again.
---@return lull.Resource
function Resource:wipe() end

--- The resource at a path below this one.
---
--- One slash joins; the rest is path: dots stay, `?` is escaped. The query is kept. From an invalid
--- resource this and its kin lead to an invalid one with the same cause.
---
--- ```lua
--- print(user:child("photo").url)             --> https://api.example.com/v1/users/7/photo
--- ```
---@param subpath string
---@return lull.Resource
function Resource:child(subpath) end

--- The resource an href on this one points to, resolved as a browser does.
---
--- By RFC 3986: dot segments are resolved, an empty href and one that begins with `#` keep the query.
--- Spaces around it, tabs and line breaks are left out, other spaces escaped. What cannot be resolved
--- gives an invalid resource.
---
--- ```lua
--- print(user:relative("8").url)              --> https://api.example.com/v1/users/8
--- ```
---@param href string
---@return lull.Resource
function Resource:relative(href) end

--- As `relative`; nil for nil and for JSON's null.
---
--- For links that a response may lack.
---
--- ```lua
--- print(user:optional_relative(nil))         --> nil
--- print(user:optional_relative(lull.null))   --> nil
--- ```
---@param href? string
---@return lull.Resource?
function Resource:optional_relative(href) end

--- The resource with a query parameter set, or removed for nil or false.
---
--- The whole query is written anew, so that the order of changes does not matter: parameters are sorted
--- by name, of several with one name the last stays, `foo=` becomes `foo`, and a plus sign `%2B`. An
--- empty value gives the bare name. A secret is masked in the URL. `relative("?…")` takes a query as it
--- is; `pages` changes one parameter and nothing else.
---
--- ```lua
--- print(api("/users"):with_param("page", 2))           --> Resource(/users?page=2 [])
--- ```
---@param name string
---@param value? string|number|boolean|lull.Secret
---@return lull.Resource
function Resource:with_param(name, value) end

--- The resource with several query parameters set; false removes one.
---
--- ```lua
--- local page = api("/users"):with_params{ page = 2, sort = "name" }
--- print(page:with_params{ sort = false })              --> Resource(/users?page=2 [])
--- ```
---@param params table<string, string|number|boolean|lull.Secret>
---@return lull.Resource
function Resource:with_params(params) end

--- Calls a function or table whenever the state changes, until the observation is stopped.
---
--- It hears `observer_added` in this call. It may wait, and then holds up nobody. Observers are called
--- in the order they were added; what one raises is reported and the next is called. An observed
--- resource stays in memory, but an observer does not keep the script alive.
---
--- ```lua
--- local heard = {}
--- local watch <close> = user:observe(function(resource, event, source)
---   heard[#heard + 1] = source and event .. " " .. source or event
--- end)
--- assert(user:load():await())
--- print(table.concat(heard, ", "))  --> observer_added, requested, new_data network
--- ```
---@param observer lull.Observer|lull.ObserverFunction
---@return lull.Observation
function Resource:observe(observer) end

--- Adds an observer that lives as long as its owner; returns the resource.
---
--- A table without an owner owns itself and is held weakly: a table literal is gone at the next
--- collection. A function without an owner lives as long as the service. With an owner, a table,
--- function or userdata, it is removed when the owner is collected. The same table added twice is one
--- observer; a function added twice is two.
---
--- ```lua
--- local view = { resource_changed = function(self, resource, event) self.last = event end }
--- user:add_observer(view):load():await()
--- print(view.last)                           --> new_data
--- ```
---@param observer lull.Observer|lull.ObserverFunction
---@param owner? any
---@return lull.Resource
function Resource:add_observer(observer, owner) end

--- Removes the observers of an owner; an ownerless function or table is removed by itself.
---
--- Nothing reaches them after this call, except `stopped_observing`. An observer with another owner
--- stays. nil does nothing.
---
--- ```lua
--- local heard = 0
--- local function count() heard = heard + 1 end
--- user:add_observer(count):remove_observers(count)
--- assert(user:load():await())
--- print(heard)                               --> 1
--- ```
---@param owner? any
---@return lull.Resource
function Resource:remove_observers(owner) end

--- One exchange, or what stands for one: in progress, and then with its response.
---
--- Hooks may be added at any time, before or after completion. They never run inside the call that adds
--- them, run in the order added, may wait, and return the request. What a hook raises is reported and
--- the next one runs.
---@class lull.Request
---@field state lull.RequestState # How far it is; it only moves forward.
---@field response? lull.Response # What it ended with; nil until it is completed.
---@field progress number # How far it is, from 0 to 1; 1 does not imply that it is completed.
---@field resource? lull.Resource # The resource it was made by; nil for hard-wired and custom ones.
---@field method? string # The HTTP method it is sent with, after mutations.
---@field url? string # The URL it is sent to.
---@field attempts lull.RequestAttempt[] # The times it was sent, the latest last.
local Request = {}

--- Calls a function with the response, whatever the outcome.
---
--- Called exactly once if the request completes, cancellation included.
---
--- ```lua
--- user:load():on_completion(function(response) print(response.is_success) end)  --> true
--- ```
---@param hook fun(response: lull.Response)
---@return lull.Request
function Request:on_completion(hook) end

--- Calls a function with the entity of any success, a 304 included.
---
--- ```lua
--- user:load():on_success(function(entity) print(entity.content.name) end)  --> Ann
--- ```
---@param hook fun(entity: lull.Entity)
---@return lull.Request
function Request:on_success(hook) end

--- Calls a function with the entity of a success that brought new data.
---
--- It comes from the server, or from a cache that answered while there was none.
---@param hook fun(entity: lull.Entity)
---@return lull.Request
function Request:on_new_data(hook) end

--- Calls a function when the server says that the data is still current.
---@param hook fun()
---@return lull.Request
function Request:on_not_modified(hook) end

--- Calls a function with the error of a failure; cancellation is one.
---
--- ```lua
--- api("/users/9"):load():on_failure(function(err) print(err) end)
--- --> Not found (GET https://api.example.com/v1/users/9 → 404)
--- ```
---@param hook fun(error: lull.RequestError)
---@return lull.Request
function Request:on_failure(hook) end

--- Calls a function as the request proceeds, finally with 1, before the completion hooks.
---
--- Looked at every `progress_reporting_interval`; called only when the value has changed.
---
--- ```lua
--- user:load():on_progress(function(fraction) print(fraction) end):await()  --> 1.0
--- ```
---@param hook fun(fraction: number)
---@return lull.Request
function Request:on_progress(hook) end

--- Waits for the request: its entity, or nil and the error.
---
--- Suspends the running Lull coroutine, also from inside a coroutine of the script's own; in the main
--- chunk of a stock interpreter it runs the event loop. It goes on after all hooks have run. Raises in
--- functions that must answer at once, where Lua cannot yield, and for the request one is part of
--- (`this would wait for itself`). It does not start a request. Where several coroutines wait and one
--- is cancelled, the others wait on; with the last one the request is cancelled. `assert(…)` around it
--- raises the error, whose text says what failed.
---
--- ```lua
--- local entity, err = api("/users/9"):load():await()
--- print(entity, err.http_status)             --> nil 404
--- ```
---@return lull.Entity?
---@return lull.RequestError?
function Request:await() end

--- Starts a request that was not started; else does nothing.
---
--- Requests of `load`, `request`, `get` and the like are started already.
---
--- ```lua
--- local again = user:get():repeated()
--- print(again.state, again:start().state)    --> not_started in_progress
--- ```
---@return lull.Request
function Request:start() end

--- Cancels the request: it is completed at once with a cancellation error.
---
--- Hooks and observers hear of it on the next turn. Data, error and invalidation of the resource stay.
--- A completed request is left as it is; one not started will never start.
---
--- ```lua
--- local request = user:load():cancel()
--- print(request.state, request.response.error.cause.kind)  --> completed request_cancelled
--- ```
---@return lull.Request
function Request:cancel() end

--- A new request for the same thing, not started.
---
--- Headers and mutations are evaluated anew, by this call; hooks and decorators are not carried over.
--- It updates no resource unless given to `load_using`. Hard-wired requests give themselves.
---
--- ```lua
--- local first = user:get()
--- local second = first:repeated():start()
--- print(assert(second:await()).content.name) --> Ann
--- ```
---@return lull.Request
function Request:repeated() end

--- A new request that ends as a function of this one's response decides.
---
--- The function is called once, success or failure. It returns nothing to keep the response, a Response
--- to use instead, or a Request to pass to, which is started. It may wait; what it raises fails the
--- chain with kind `script_error`. The chain has started if this request has. Cancelling the chain
--- cancels the part that runs, unless another chain that is not cancelled waits for that too;
--- cancelling the part does not cancel the chain.
---
--- ```lua
--- local request = api("/users/9"):get():chained(function(response)
---   if response.http_status == 404 then return api("/users/7"):get() end
--- end)
--- print(assert(request:await()).content.name)          --> Ann
--- ```
---@param fn fun(response: lull.Response): lull.Request|lull.Response|nil
---@return lull.Request
function Request:chained(fn) end

--- How a request ended: an entity or an error, never both.
---@class lull.Response
---@field is_success boolean # Whether it has an entity.
---@field is_failure boolean # Whether it has an error.
---@field entity? lull.Entity # What came, or nil.
---@field error? lull.RequestError # What went wrong, or nil.
---@field is_new boolean # False for a 304: the entity is the one that was there.
---@field http_status? integer # The HTTP status; nil for what did not come over the network.
---@field status? integer # The same as `http_status`.
---@field url? string # The URL that answered, after redirects.
---@field elapsed? number # How long the exchange took, in seconds.
---@field timings? lull.Timings # How long its parts took, if `record_timings` is set.

--- Content with its type, headers and age.
---
--- An entity of a resource, cache or response is read-only: assigning raises. `lull.copy(entity)` and
--- `lull.entity{…}` give one of your own, whose `content`, `headers`, `charset` and `timestamp` can be
--- assigned.
---@class lull.Entity
---@field content any # The content: JSON as plain tables, text and bytes as strings; nil if none.
---@field text string # The content if it is text, else `""`.
---@field json_dict table # The content if it is a JSON object or a table, else an empty table.
---@field json_array table # The content if it is a JSON array or a table, else an empty table.
---@field document? lull.Document # The same JSON as a read-only view that builds no tables; nil for other content.
---@field content_type string # The Content-Type header with its parameters; default `application/octet-stream`.
---@field charset? string # The charset parameter of the content type.
---@field etag? string # The ETag header, exactly.
---@field headers lull.Headers # The headers; a table can be assigned.
---@field timestamp number # When it was received or made; a 304 renews it.
---@field http_status? integer # The HTTP status; nil for what did not come over the network.
---@field status? integer # The same as `http_status`.
---@field url? string # The URL that answered, after redirects.
---@field elapsed? number # How long the exchange took, in seconds.
---@field timings? lull.Timings # How long its parts took, if `record_timings` is set.
local Entity = {}

--- The content if it has the default's Lua type, else the default; without one, the content.
---@param default? any
---@return any
function Entity:typed_content(default) end

--- A header by name, in any letter case.
---
--- Repeated ones are joined with `, `; of `set-cookie` it is the first.
---
--- ```lua
--- print(assert(user:load():await()):header("ETag"))    --> "a1"
--- ```
---@param name string
---@return string?
function Entity:header(name) end

--- Sets the timestamp of an entity of your own to now.
---
--- ```lua
--- local entity = lull.entity{ content = "x", timestamp = 0 }
--- print(entity:touch().timestamp > 0)        --> true
--- ```
---@return lull.Entity
function Entity:touch() end

--- JSON as a read-only view: nothing is built until it is looked at.
---
--- Made for large responses. Objects keep the order of their keys; nested objects and arrays are views
--- too. `next`, `rawlen` and `table.sort` do not work on a view; `ipairs`, `table.unpack` and
--- `table.concat` do. `lull.json.encode` writes it as it is, `lull.copy` makes plain tables.
---@class lull.Document
---@field [string] any
---@field [integer] any
---@operator len: integer

--- Why a request failed: a sentence for the user, and what is known besides.
---
--- Status, entity and cause may occur together. `tostring` is the message with method, URL and status.
--- The content accessors look at the body that came with the error.
---@class lull.RequestError
---@field user_message string # One sentence for the user.
---@field cause lull.Cause|any # What went wrong inside; nil for a plain HTTP error status.
---@field entity? lull.Entity # The body that came with the error, as far as it was transformed.
---@field attempts lull.RequestAttempt[] # The times the request was sent, as `request.attempts`.
---@field timestamp number # When it was made; `retry_time` counts from here.
---@field http_status? integer # The HTTP status; nil for what did not come over the network.
---@field status? integer # The same as `http_status`.
---@field url? string # The URL that answered, after redirects.
---@field elapsed? number # How long the exchange took, in seconds.
---@field timings? lull.Timings # How long its parts took, if `record_timings` is set.
---@field content any # The content: JSON as plain tables, text and bytes as strings; nil if none.
---@field text string # The content if it is text, else `""`.
---@field json_dict table # The content if it is a JSON object or a table, else an empty table.
---@field json_array table # The content if it is a JSON array or a table, else an empty table.
---@field document? lull.Document # The same JSON as a read-only view that builds no tables; nil for other content.
local RequestError = {}

--- The content if it has the default's Lua type, else the default; without one, the content.
---@param default? any
---@return any
function RequestError:typed_content(default) end

--- What `resource:observe` returns: it keeps the observer until it is stopped.
---
--- Letting go of it does not stop it.
---@class lull.Observation
---@field resource lull.Resource # The resource that is observed.
local Observation = {}

--- Stops observing; nothing more is heard. Again does nothing.
---
--- ```lua
--- local watch = user:observe(function(_, event) print(event) end)  --> observer_added
--- watch:stop()
--- assert(user:load():await())
--- ```
---@return lull.Observation
function Observation:stop() end

--- What `resource:watch` gives to `for`; it may be called by hand as well.
---@class lull.Watch
---@overload fun(): any, lull.Resource?
---@field resource? lull.Resource # What is watched; nil once it is over.
local Watch = {}

--- Ends it; a call that waits gets nil.
function Watch:stop() end

--- What `resource:changes` and `status:changes` give to `for`; it may be called by hand as well.
---@class lull.Changes
---@overload fun(): lull.ResourceEvent|lull.StatusState|nil, lull.DataSource?
---@field resource? lull.Resource # What is observed; nil once it is over, and of those of a status.
local Changes = {}

--- Ends it: a call that waits gets nil.
function Changes:stop() end

--- The combined state of several resources, computed whenever it is read: `lull.status{ … }`.
---@class lull.Status
---@field state lull.StatusState # By the first rule of `priority` that applies.
---@field is_loading boolean # Whether any of them is loading.
---@field error? lull.RequestError # That of the first resource that has one.
---@field has_any_data boolean # Whether any of them has data.
---@field has_all_data boolean # Whether all of them have data.
---@field resources lull.Resource[] # Those it is of, each once.
---@field failed lull.Resource[] # Those whose last load has failed.
local Status = {}

--- Loads those whose last load has failed, however recently.
---
--- Gives the loads, in the order of the resources; one that is being loaded is not loaded twice.
---
--- ```lua
--- local status = lull.status{ user, api("/users/9") }
--- user:load():await()
--- api("/users/9"):load():await()
--- print(status.state, status.error.http_status)        --> error 404
--- print(#status:retry(), (status:await()))             --> 1 error
--- ```
---@return lull.Request[]
function Status:retry() end

--- Waits until none of them is loading, and gives the state, and the error if there is one.
---
--- Starts no load. Gives them at once if none is loading. May wait.
---@return lull.StatusState
---@return lull.RequestError?
function Status:await() end

--- An iterator for `for` that yields the state, and then each state that is another one.
---
--- Otherwise as `resource:changes`.
---
--- ```lua
--- user:load()
--- for state in lull.status{ user }:changes() do
---   print(state)                           --> loading
---   if state == "success" then break end   --> success
--- end
--- ```
---@return lull.Changes
function Status:changes() end

--- What `resource:pages` gives to `for`; it may be called by hand as well.
---@class lull.Pages
---@overload fun(): any, lull.Resource?
---@field count integer # How many pages it has given so far.
local Pages = {}

--- Ends it; a call that waits gives nil once its page is there.
function Pages:stop() end

--- What `resource:events` gives to `for`; it may be called by hand as well.
---@class lull.Events
---@overload fun(): any
---@field resource lull.Resource # What is read.
---@field last_event_id string # The id of the last event given, to go on behind it another time; empty if there was none.
local Events = {}

--- Ends it, its connection at once; a call that waits gets nil.
function Events:stop() end

--- One event of a stream.
---@class lull.StreamEvent
---@field id string # The last id that the server has named, with this event or before; empty before the first.
---@field event string # Its name; `message` where none is named.
---@field data string # Its data as text, lines separated by line feeds.
local StreamEvent = {}

--- The value of data that is JSON.
---
--- Raises if it is none.
---@return any
function StreamEvent:json() end

--- A stream that makes the content of its resource.
---@class lull.Follow
---@field is_over boolean # Whether nothing is followed any more.
---@field resource lull.Resource # Whose content it makes.
---@field last_event_id string # The id of the last event taken, to go on behind it another time; empty if there was none.
local Follow = {}

--- Waits until it is over: the content, or nil and the error that has ended it.
---
--- May wait; cancelling the waiting task stops it.
---@return any
---@return lull.RequestError?
function Follow:await() end

--- Ends it, its connection at once; the content stays.
---@return lull.Follow
function Follow:stop() end

--- A function that runs beside the others, in a coroutine of its own.
---@class lull.Task
---@field state lull.TaskState # How far it is.
local Task = {}

--- Waits for the task and gives its results.
---
--- An error inside the task is raised here with its own traceback. A cancelled task gives nil and an
--- error of kind `request_cancelled`. A task that waits for itself, directly or through others, raises.
---
--- ```lua
--- local task = lull.spawn(function(a, b) return a + b, a * b end, 3, 4)
--- print(task:await())                      --> 7 12
--- ```
---@return any ...
function Task:await() end

--- Closes the task's coroutine, and cancels what it waits for if nobody else does.
---
--- Nothing after its wait runs and no `pcall` sees it; to-be-closed variables are closed, and their
--- handlers must not wait, as after an error (`lull.spawn` may). One that has not begun never does; one
--- that cancels itself ends at its next wait; a finished one stays as it is.
---
--- ```lua
--- local task = lull.spawn(function() lull.sleep(60) print("never") end)
--- lull.sleep(0)
--- task:cancel()
--- local value, err = task:await()
--- print(value, err.cause.kind)             --> nil request_cancelled
--- ```
---@return lull.Task
function Task:cancel() end

--- What `lull.progress` gives: how far something is.
---@class lull.Progress
---@field count number # How much is done.
---@field total? number # How much there is; nil if that is not known.
---@field label string # What stands before the bar.
local Progress = {}

--- Adds to what is done; 1 unless it is said.
---
--- Once it is finished, this and `set` change nothing.
---@param count? number
---@return lull.Progress
function Progress:advance(count) end

--- Says how much is done in all.
---
--- ```lua
--- local progress = lull.progress(nil, "rows")
--- print(progress:set(40):advance(2).count)     --> 42
--- progress:finish()
--- ```
---@param count number
---@return lull.Progress
function Progress:set(count) end

--- Takes the bar away, and leaves a line that says how much it was and how long it took.
---
--- Finishing twice does nothing. One that is dropped instead leaves nothing.
function Progress:finish() end

--- What a settings function changes; valid only inside it.
---
--- Its values are those that earlier entries have set. Using it later raises.
---@class lull.Configuration
---@field headers lull.Headers # Headers of each request; a table can be assigned.
---@field expiration_time number|"http" # How long data is up to date, in seconds; `"http"` takes what answers say by `Cache-Control`, `Expires` and `Age`.
---@field retry_time number # How long after an error no load is needed, in seconds.
---@field writes_invalidate boolean # Whether a successful POST, PUT, PATCH, DELETE or other unsafe request makes cached data of its URL stale.
---@field progress_reporting_interval number # How often progress is looked at, in seconds.
---@field timeout number # How long a whole exchange may take, in seconds.
---@field connect_timeout number # How long connecting may take, in seconds.
---@field max_body_size integer # How large a decoded response body may be, in bytes.
---@field connections_per_host integer # How many connections to one host.
---@field retry? lull.RetrySettings|integer|boolean # When a failed request is sent again; reads as a read-only table, nil for never.
---@field rate_limit? lull.RateLimitSettings|false # How many requests may be sent in a span of time; reads as a read-only table.
---@field concurrency? integer|false # How many requests may be under way at once.
---@field pipeline lull.Pipeline # The stages a response goes through.
---@field validate? "warn"|"fail"|false # What is done about answers that are not as the schema of their call says: `"warn"` takes them and says on standard error what is wrong, once; `"fail"` fails the request with kind `validation`.
---@field auth? lull.Auth|false # What proves who sends the requests.
---@field ca_file? string # A PEM file of certificates to trust, instead of the system's.
---@field insecure boolean # Whether whoever answers is taken for the host, its certificate not verified; for tests.
---@field client_cert? string # A PEM file with the certificate to show to servers that ask for one.
---@field client_key? string # A PEM file with the key of `client_cert`, if it is not in the same file.
---@field proxy? string|false # The URL of a proxy, or false for none whatever the environment says.
---@field no_proxy? string # Hosts that are asked without the proxy, separated by commas.
---@field resolve? table<string, string> # Where to connect to instead, by `host:port`.
---@field unix_socket? string|false # A socket of this machine to ask the service through, by its path.
---@field http_version? "1.1"|"2"|"3" # The newest version of HTTP to speak.
---@field first_byte_timeout? number # How long the first byte of an answer may take once the request is out, in seconds.
---@field idle_timeout? number|false # How long nothing may be sent or received on a connection, in seconds.
---@field response_type? "json"|"ndjson"|"text"|"csv"|false # What bodies are read as, whatever their Content-Type says; `"csv"` makes a list of records.
---@field redirects integer|false|"same_origin" # How many redirects are followed; false: they are answers.
---@field cookies boolean|string # Whether cookies are kept and sent, or the file to keep them in.
---@field allow_truncated boolean # Whether a body over TLS may end without the server's close_notify alert.
---@field record_timings boolean # Whether responses say how long their parts took.
local Configuration = {}

--- Adds a function that edits each request before it is sent.
---
--- It runs once for each request, after headers and the request's own mutation, and must answer at
--- once. If it raises, the request fails with kind `script_error` and is not sent.
---
--- ```lua
--- api:configure("/**", function(config)
---   config:mutate_requests(function(http) http.headers["X-Sent"] = lull.now() end)
--- end)
--- assert(user:load():await())
--- ```
---@param mutation lull.Mutation
---@return lull.Configuration
function Configuration:mutate_requests(mutation) end

--- Adds a function that may add hooks to each request, wrap it in a chain, or replace it.
---
--- It gets the request before it is started and returns the one to send; the caller gets what the last
--- decorator returned. A request that is not passed on never starts. It must answer at once; if it
--- raises or returns no request, the request fails and is not sent. It does not run for `repeated()`.
---
--- ```lua
--- api:configure("/**", function(config)
---   config:decorate_requests(function(resource, request)
---     return request:on_failure(function(err) print(err.http_status) end)  --> 404
---   end)
--- end)
--- api("/users/9"):load():await()
--- ```
---@param decorator lull.Decorator
---@return lull.Configuration
function Configuration:decorate_requests(decorator) end

--- The stages a response goes through, in order.
---
--- Stages mean nothing besides their order. The pipeline runs once per response, and not for a 304.
---@class lull.Pipeline
---@field order string[] # The names of the stages that run, in order.
---@field [string] lull.PipelineStage
local Pipeline = {}

--- Takes all transformers and caches away; content stays raw bytes.
---
--- ```lua
--- api:configure("/users/*", function(config) config.pipeline:clear() end)
--- print(type(assert(user:load():await()).content))   --> string
--- ```
---@return lull.Pipeline
function Pipeline:clear() end

--- One stage of a pipeline: its transformers in order, and at most one cache.
---@class lull.PipelineStage
---@field cache? lull.Cache|lull.CacheTable # The stage's cache; nil takes it away.
local PipelineStage = {}

--- Adds a transformer of content, as `service:transform` does.
---
--- ```lua
--- api:configure("/users/*", function(config)
---   config.pipeline.model:add(function(content) return content.name end)
--- end)
--- print(assert(user:load():await()).content) --> Ann
--- ```
---@param fn lull.Transformer
---@param options? lull.StageOptions
---@return lull.PipelineStage
function PipelineStage:add(fn, options) end

--- Adds a transformer of whole responses, successes and failures alike.
---
--- It may turn one into the other and change headers. It may wait. Returning no response fails the
--- request; raising is as in `service:transform`.
---
--- ```lua
--- api:configure("/users/9", function(config)
---   config.pipeline.cleanup:add_transformer(function(response)
---     return response.http_status == 404 and lull.success{ content = lull.null } or response
---   end)
--- end)
--- print(assert(api("/users/9"):load():await()).content == lull.null)   --> true
--- ```
---@param fn fun(response: lull.Response): lull.Response
---@return lull.PipelineStage
function PipelineStage:add_transformer(fn) end

--- Adds the standard parser `"json"` or `"text"`.
---
--- ```lua
--- api:configure("/users/*", function(config)
---   config.pipeline:clear()
---   config.pipeline.parsing:add_standard("json")
--- end)
--- print(assert(user:load():await()).content.name)    --> Ann
--- ```
---@param name "json"|"text"
---@return lull.PipelineStage
function PipelineStage:add_standard(name) end

--- Takes the stage's transformers away; its cache stays.
---@return lull.PipelineStage
function PipelineStage:remove_transformers() end

--- A text some parts of which are not to be seen: `lull.secret{…}`, or what `..` made of one.
---
--- Values of request headers, query parameters, forms and JSON bodies may be secrets. `tostring`,
--- `string.format`, `lull.json.encode`, logs and errors show its mask; it has no length, no order and
--- no methods of strings.
---@class lull.Secret
---@operator concat(string|number|lull.Secret): lull.Secret

--- What `lull.secret{…}` takes: one of `env`, `file` and `command`.
---@class lull.SecretSource
---@field env? string # The name of an environment variable; read for each request.
---@field file? string # A file, `~/` being the home folder; a line break at its end does not count.
---@field command? string|string[] # A line for the shell, or a program and its arguments: what it prints, without the line break at its end. It gets nothing to read and has a minute.
---@field name? string # What its mask says; by default what its source is called.
---@field origins? string[] # Where it may be sent besides the service's own origin, as `https://host:port`.

--- What a function of `lull.auth` gives.
---
--- It has no members; `tostring` masks it.
---@class lull.Auth

--- A client of a token endpoint, as in RFC 6749, section 4.4.
---@class lull.OAuth2Client
---@field token_url string # The token endpoint: secrets go to its origin, tokens come from there; no redirect leads away.
---@field client_id string # Who asks.
---@field scope? string # What the token is to be good for, by words with spaces between.
---@field audience? string # Whom it is for, where the endpoint wants to know.
---@field secret_in? "header"|"body" # Where the client's secret goes; default `"header"`.
---@field token_file? string # Where tokens are kept for other processes, for its owner alone; not in the sandbox.
---@field client_secret lull.Secret|string # What proves who asks.

--- A client with a refresh token, as in RFC 6749, section 6.
---@class lull.OAuth2RefreshClient
---@field token_url string # The token endpoint: secrets go to its origin, tokens come from there; no redirect leads away.
---@field client_id string # Who asks.
---@field scope? string # What the token is to be good for, by words with spaces between.
---@field audience? string # Whom it is for, where the endpoint wants to know.
---@field secret_in? "header"|"body" # Where the client's secret goes; default `"header"`.
---@field token_file? string # Where tokens are kept for other processes, for its owner alone; not in the sandbox.
---@field client_secret? lull.Secret|string # What proves who asks, if the endpoint wants it.
---@field refresh_token lull.Secret|string # The refresh token to begin with.

--- A client that a person lets in by a browser on this machine, as in RFC 6749, section 4.1, and RFC
--- 8252. Its URLs are https ones, or http ones of this machine.
---@class lull.OAuth2CodeLogin
---@field token_url string # The token endpoint: secrets go to its origin, tokens come from there; no redirect leads away.
---@field client_id string # Who asks.
---@field scope? string # What the token is to be good for, by words with spaces between.
---@field audience? string # Whom it is for, where the endpoint wants to know.
---@field secret_in? "header"|"body" # Where the client's secret goes; default `"header"`.
---@field token_file? string # Where tokens are kept for other processes, for its owner alone; not in the sandbox.
---@field client_secret? lull.Secret|string # What proves who asks, if the endpoint wants it.
---@field name? string # As the tokens' file is called; by default as the file that says it, without `.lua`. Two logins of one file need two.
---@field revocation_url? string # Where `lull logout` gives tokens back (RFC 7009); without it they are only removed here.
---@field authorization_url string # What the browser opens; parameters that stand in it already are sent as well.
---@field issuer? string # Who has to have sent the answer, as its `iss` says (RFC 9207); if not given that is not asked.
---@field port? integer # Where `lull login` listens, if the server wants to know; by default a free port.
---@field redirect_path? string # The path of that address; default `"/callback"`.

--- A client that a person lets in by a code, as in RFC 8628. Its URLs are https ones, or http ones of
--- this machine.
---@class lull.OAuth2DeviceLogin
---@field token_url string # The token endpoint: secrets go to its origin, tokens come from there; no redirect leads away.
---@field client_id string # Who asks.
---@field scope? string # What the token is to be good for, by words with spaces between.
---@field audience? string # Whom it is for, where the endpoint wants to know.
---@field secret_in? "header"|"body" # Where the client's secret goes; default `"header"`.
---@field token_file? string # Where tokens are kept for other processes, for its owner alone; not in the sandbox.
---@field client_secret? lull.Secret|string # What proves who asks, if the endpoint wants it.
---@field name? string # As the tokens' file is called; by default as the file that says it, without `.lua`. Two logins of one file need two.
---@field revocation_url? string # Where `lull logout` gives tokens back (RFC 7009); without it they are only removed here.
---@field device_url string # The endpoint that gives the code.

--- What `lull.auth.netrc{…}` takes.
---@class lull.NetrcOptions
---@field path? string # The file, `~/` being the home folder.
---@field login? string # The name to log in with, where there are several for a host.
---@field optional? boolean # Whether a host without a login, or without the file, is asked without; default false.

--- Who signs, and for which service: what `lull.auth.aws_sigv4{…}` takes.
---@class lull.AWSCredentials
---@field access_key? lull.Secret|string # The name of the key.
---@field secret_key? lull.Secret|string # The key itself, which is never sent.
---@field session_token? lull.Secret|string # What belongs to a key that ends some time.
---@field env? boolean # Takes all three, and perhaps the region, from the environment by their usual names, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION` and `AWS_DEFAULT_REGION`; not in the sandbox.
---@field service? string # As signatures call it, such as `s3`; default what the host says.
---@field region? string # Such as `eu-central-1`; default what the host says, then `env`.
---@field unsigned_payload? boolean # Whether bodies are not signed; default only from files, for S3 by https.

--- A request as it goes on the wire: what mutations edit and networking functions answer.
---
--- It can be changed only inside its mutation; later, assigning raises. So does assigning a text with
--- the mask of one of its secrets in it, except that more may be put behind the URL.
---@class lull.HTTPRequest
---@field method string # The HTTP method, in upper case.
---@field url string # The absolute URL, with masks for secrets.
---@field headers lull.Headers # The headers.
---@field body? string # The bytes to send, with masks for secrets; nil for none.

--- Headers by name, in any letter case.
---
--- Those of resources and responses are read-only; those of a closed configuration or request raise.
--- Values are bytes, sent and received as they are, whether or not they are UTF-8.
---@class lull.Headers
---@field [string] string|string[]|nil|number|lull.Secret|(string|lull.Secret)[]|false

--- A file that is to be sent, see `lull.file`.
---@class lull.File
---@field path string # Where it is.
---@field name string # What the receiver is told that it is called.
---@field type string # Its Content-Type.

--- A form to be sent, see `lull.multipart`.
---
--- It has no members.
---@class lull.Multipart

--- A regular expression of `lull.regex`, for patterns.
---
--- It has no members.
---@class lull.Regex

--- A cache that Lull brings, to be given to a stage.
---
--- It has no members.
---@class lull.Cache

--- What `lull.service{…}` takes.
---
--- Any of the `Settings` may stand beside these and applies to every resource.
---@class lull.ServiceOptions: lull.Settings
---@field base_url? string # What paths are appended to.
---@field functions? table<string, fun(api: lull.Service, ...: any): any> # Methods of your own: `api:profile(7)` calls `functions.profile` with the service and 7. A name that services have already raises.
---@field name? string # A name for logs and `tostring`.
---@field networking? lull.NetworkingFunction # A function called instead of the network.
---@field null? "nil"|"lull.null" # What JSON's null is in tables of content. With "nil" a member that is null is missing, and a null in a list leaves a hole; loops over events and a watch get `lull.null`. Default "lull.null".
---@field offline? boolean # What `service.is_offline` starts with; default false.
---@field standard_transformers? ("json"|"text")[] # Which of the parsers `"json"` and `"text"` it starts with; default both.

--- The settings of a configuration, as a table.
---
--- `service:configure` and `lull.service` take them; `service:configuration_for` gives them.
---@class lull.Settings
---@field headers? table<string, string|number|lull.Secret|(string|lull.Secret)[]|false> # Headers of each request; a list sends several, and with false there is none, not even one that would be sent unasked such as `User-Agent`.
---@field expiration_time? number|"http" # How long data is up to date, in seconds; `"http"` takes what answers say by `Cache-Control`, `Expires` and `Age`; default 30.
---@field retry_time? number # How long after an error no load is needed, in seconds; default 1.
---@field writes_invalidate? boolean # Whether a successful POST, PUT, PATCH, DELETE or other unsafe request makes cached data of its URL stale; default true.
---@field progress_reporting_interval? number # How often progress is looked at, in seconds; default 0.05.
---@field timeout? number # How long a whole exchange may take, in seconds; default 60.
---@field connect_timeout? number # How long connecting may take, in seconds; default 10.
---@field max_body_size? integer # How large a decoded response body may be, in bytes; default 100 MB.
---@field connections_per_host? integer # How many connections to one host; default 32.
---@field retry? lull.RetrySettings|integer|boolean # When a failed request is sent again; true: by default, an integer: that often; default never.
---@field rate_limit? lull.RateLimitSettings|false # How many requests may be sent in a span of time; shared by all this entry applies to.
---@field concurrency? integer|false # How many requests may be under way at once; shared by all this entry applies to.
---@field pipeline? lull.PipelineSettings # The order of stages, and their caches.
---@field validate? "warn"|"fail"|false # What is done about answers that are not as the schema of their call says: `"warn"` takes them and says on standard error what is wrong, once; `"fail"` fails the request with kind `validation`; default false.
---@field auth? lull.Auth|false # What proves who sends the requests; false for nothing.
---@field mutate_requests? lull.Mutation|lull.Mutation[] # A function, or a list of them, that edits each request before it is sent.
---@field decorate_requests? lull.Decorator|lull.Decorator[] # A function, or a list of them, that may wrap or replace each request.
---@field ca_file? string # A PEM file of certificates to trust, instead of the system's.
---@field insecure? boolean # Whether whoever answers is taken for the host, its certificate not verified; for tests; default false.
---@field client_cert? string # A PEM file with the certificate to show to servers that ask for one.
---@field client_key? string # A PEM file with the key of `client_cert`, if it is not in the same file.
---@field proxy? string|false # The URL of a proxy, or false for none whatever the environment says.
---@field no_proxy? string # Hosts that are asked without the proxy, separated by commas.
---@field resolve? table<string, string> # Where to connect to instead, by `host:port`.
---@field unix_socket? string|false # A socket of this machine to ask the service through, by its path.
---@field http_version? "1.1"|"2"|"3" # The newest version of HTTP to speak.
---@field first_byte_timeout? number # How long the first byte of an answer may take once the request is out, in seconds.
---@field idle_timeout? number|false # How long nothing may be sent or received on a connection, in seconds.
---@field response_type? "json"|"ndjson"|"text"|"csv"|false # What bodies are read as, whatever their Content-Type says; `"csv"` makes a list of records.
---@field redirects? integer|false|"same_origin" # How many redirects are followed; false: they are answers; default 10.
---@field cookies? boolean|string # Whether cookies are kept and sent, or the file to keep them in; default false.
---@field allow_truncated? boolean # Whether a body over TLS may end without the server's close_notify alert; default false.
---@field record_timings? boolean # Whether responses say how long their parts took; default false.

--- `pipeline` in a settings table: an order, and settings by stage name.
---@class lull.PipelineSettings
---@field order? string[] # The names of the stages to run, in order.
---@field [string] lull.StageSettings # What to set at a stage of the order, by its name.

--- A stage in a settings table.
---@class lull.StageSettings
---@field cache? lull.Cache|lull.CacheTable|false # The stage's cache; false takes it away.

--- `retry`: when a request that failed is sent again.
---
--- Each attempt has the whole `timeout` for itself. A wait is 0 to twice the one before, evenly ("full
--- jitter"), unless the answer has `Retry-After`, in seconds or as a date: then it is that. A server
--- that asks for more than `backoff.max` gets no further attempt, since sooner would be no use.
--- Cancelling the request ends the wait at once.
---@class lull.RetrySettings
---@field times? integer # How often it is sent again at most; default 3, so 4 attempts in all.
---@field on? (integer|string)[]|integer|string # HTTP statuses and kinds of failure: `timeout`, `dns`, `connection`, `truncated_body`, `tls`, `malformed_response`, and `network` for all that may be over a moment later; default `{ 429, 502, 503, 504, "network" }`.
---@field backoff? lull.BackoffSettings # How long to wait between.
---@field unsafe? boolean # Whether methods are sent again that are not idempotent, such as POST and PATCH; default false.

--- `retry.backoff`: how long to wait before a request is sent again.
---@class lull.BackoffSettings
---@field base? number # Before the first retry, doubled for each further one; default 0.5 s.
---@field max? number # The longest wait, also for `Retry-After`, in seconds; default 30.
---@field jitter? boolean # Whether the wait is a random part of that; default true.

--- `rate_limit`: at most so many requests in any span of so many seconds.
---
--- They may go out all at once; `{ requests = 1, per = 0.1 }` spaces them evenly. Each request that
--- goes out takes a place: retries, repeats with new credentials and redirects too. A place is released
--- `per` seconds after the last byte of its request went out, so that a slow connection cannot let more
--- arrive at the server; see also `strict`. What has to wait is sent in order, and leaves the line when
--- it is cancelled. The limit belongs to the entry that sets it: all resources and methods the entry
--- applies to share it. With `shared` it holds over all processes of this user on this machine, and
--- never lets more than `requests` through in any span of `per` seconds: they count in `lull/limits.db`
--- in `$XDG_STATE_HOME` or `~/.local/state`. What was let through and not sent by a process that has
--- ended is given back; limits that differ in number or span all hold. Where the file cannot be used, a
--- warning says so, and the limit holds within the process. Not available in the sandbox.
---@class lull.RateLimitSettings
---@field requests integer # How many requests.
---@field per number # In how many seconds.
---@field shared? boolean|string # Whether all processes of this user on this machine count together: true for requests to the same origin with the same credentials and pattern, a name for whatever has that name; default false.
---@field learn? boolean # Whether what the server says lowers the limit: `RateLimit`, `X-RateLimit-Remaining` and `-Reset`, and `Retry-After` of answers with status 403, 429 or 503; default false.
---@field free? integer|integer[] # Statuses of answers that the server does not count, such as 304; default none.
---@field strict? boolean # Whether a place is released `per` seconds after the head of the answer has arrived, or the request has failed, instead of after the last byte sent. No delay on the way can then let more than `requests` arrive; it costs one round trip per span. Default false.

--- An element of `request.attempts`.
---@class lull.RequestAttempt
---@field number integer # Counted from 1.
---@field started number # When it was sent; Unix epoch seconds.
---@field delay number # How long it had waited, for limits, credentials, or since the last one; seconds.
---@field elapsed? number # How long it took, in seconds; nil while it is under way.
---@field status? integer # The HTTP status it was answered with.
---@field http_status? integer # The same as `status`.
---@field error? string # The kind of failure, if there was no answer, as `CauseKind`.

--- Options of `service:configure`.
---@class lull.ConfigureOptions
---@field methods? string[] # Only for these HTTP methods; default all. What is for GET is for rarer ones than POST, PUT, PATCH, DELETE, HEAD and OPTIONS too, such as REPORT.
---@field description? string # What logs call the entry.

--- Options of `service:transform`.
---@class lull.TransformOptions
---@field stage? lull.StageName # The stage it is part of; default `"model"`.
---@field action? "replace"|"append" # `"replace"`, the default, takes the stage's other transformers away; `"append"` does not.
---@field methods? string[] # Default GET, PUT, POST, PATCH, DELETE.
---@field input? lull.InputType|(fun(content: any): boolean) # The content it takes: a word, or a predicate; default `"any"`.
---@field output? lull.InputType|(fun(content: any): boolean) # The type of the result, a word or a predicate; default `"any"`. A string made of bytes stays bytes: with `"text"` it becomes text, and must be UTF-8. A string made of other content is text if it is UTF-8: with `"data"` it is bytes.
---@field on_input_type_mismatch? lull.InputTypeMismatch # What to do with other content; default `"error"`.
---@field transform_errors? boolean # Whether bodies of errors are transformed too; default false.
---@field content_types? string[] # Only responses of these types, such as `"text/*"` or `"*/*+json"`; default all.

--- Options of `stage:add`.
---@class lull.StageOptions
---@field input? lull.InputType|(fun(content: any): boolean) # The content it takes: a word, or a predicate; default `"any"`.
---@field output? lull.InputType|(fun(content: any): boolean) # The type of the result, a word or a predicate; default `"any"`. A string made of bytes stays bytes: with `"text"` it becomes text, and must be UTF-8. A string made of other content is text if it is UTF-8: with `"data"` it is bytes.
---@field on_input_type_mismatch? lull.InputTypeMismatch # What to do with other content; default `"error"`.
---@field transform_errors? boolean # Whether bodies of errors are transformed too; default false.
---@field content_types? string[] # Only responses of these types, such as `"text/*"` or `"*/*+json"`; default all.

--- What `lull.entity{…}` takes.
---@class lull.EntityFields
---@field content? any # The content; none is zero bytes.
---@field content_type? string # Its type; goes before one in `headers`.
---@field headers? table<string, string|string[]> # Headers, in any letter case.
---@field timestamp? number # Default now.

--- What `lull.error{…}` takes.
---@class lull.ErrorFields
---@field user_message? string # The sentence for the user.
---@field http_status? integer # The HTTP status.
---@field status? integer # The same as `http_status`.
---@field cause? any # Any value, which `err.cause` gives back.
---@field entity? lull.Entity # The body.

--- What `lull.success{…}` takes.
---@class lull.SuccessFields
---@field content? any # The content; none is zero bytes.
---@field content_type? string # Its type; default `application/octet-stream`.
---@field headers? table<string, string|string[]> # Headers.
---@field is_new? boolean # Whether it counts as new data; default true.

--- How long the parts of an exchange took, in seconds.
---
--- There if `record_timings` is set. Looking up, connecting and waiting are those of the last hop, the
--- total is that of all; receiving the body is the part of the total that has no name.
---@class lull.Timings
---@field dns number # Looking up the host; 0 on a connection that was there already.
---@field connect number # Connecting; 0 as above.
---@field tls number # Securing the connection, a proxy's tunnel included; 0 as above, and without TLS.
---@field first_byte number # From sending the request to the first byte of the answer.
---@field total number # From leaving the queue to the last byte of the body, redirects included.
---@field is_reused boolean # Whether the connection had been used before.
---@field http_version? string # `"1.0"`, `"1.1"`, `"2"` or `"3"`.
---@field remote_address? string # Address and port at the other end of the connection, a proxy's if there is one.
---@field redirect_count integer # How many redirects were followed.

--- The body of a request: one of `json`, `form`, `text` and `data`.
---
--- Two of them, or none, raise; so does `encoding` without `text`.
---@class lull.Body
---@field json? any # Any JSON value, secrets in the place of strings too; an empty table is an object unless made with `lull.array`.
---@field form? table<string, string|number|boolean|lull.Secret> # Names and values, sent URL-encoded and sorted.
---@field text? string # Text, sent in UTF-8 or `encoding`.
---@field data? string # Bytes, sent as they are.
---@field content_type? string # The Content-Type, in place of the one the body brings.
---@field encoding? string # The charset of `text`: any name iconv knows; default utf-8.

--- Options of `lull.file`.
---@class lull.FileOptions
---@field type? string # The Content-Type; default the usual one for the ending of its name, else `application/octet-stream`.
---@field name? string # What the receiver is told that it is called; default its own name.

--- A value of a multipart form of which more is said.
---@class lull.MultipartPart
---@field value string|number|boolean|lull.Secret # The value.
---@field type? string # Its Content-Type; default none, which means text.
---@field name? string # What the receiver is told that it is called, as if it were a file; default none.

--- What a call says of its one request.
---
--- They hold for its repetitions too, and for no other request.
---@class lull.RequestOptions
---@field headers? table<string, string|number|lull.Secret|(string|lull.Secret)[]|false> # Headers of the request, set over configured ones and the body's type; a list sends several, and with false there is none.
---@field timeout? number # How long the whole exchange may take, in seconds, instead of what is configured.
---@field mutate? lull.Mutation # Edits the request after that. Must answer at once.

--- What a request that `lull.get` and its like send is told, its body included.
---
--- A body is one of `json`, `form`, `text`, `data`, `file` and `multipart`: two of them raise.
---@class lull.OneOffOptions: lull.RequestOptions
---@field query? table<string, string|number|boolean|lull.Secret> # Parameters that are set in the URL's query, or with false removed, as `with_params` does.
---@field auth? lull.Auth|false # What proves who sends it, to the URL's origin only: what a function of `lull.auth` gives.
---@field json? any # Any JSON value, as the field of `Body`.
---@field form? table<string, string|number|boolean|lull.Secret> # Names and values, sent URL-encoded and sorted.
---@field text? string # Text, sent in UTF-8 or `encoding`.
---@field data? string # Bytes, sent as they are.
---@field file? string|lull.File # A file, by its path or as `lull.file` gives it, read while it is sent. Not in the sandbox.
---@field multipart? table<string, lull.MultipartValue>|lull.MultipartValue[][]|lull.Multipart # A form whose values may be files: what `lull.multipart` takes, or gives.
---@field content_type? string # The Content-Type, in place of the one that `json`, `text` or `data` brings.
---@field encoding? string # The charset of `text`; default utf-8.

--- Options of `resource:download`.
---
--- All but `resume` and `progress` are those of any other request.
---@class lull.DownloadOptions
---@field resume? boolean # Whether what has come stays beside the file, as `NAME.part`, when the request or the process ends before all of it has, and is gone on with by the next download to that path. Default false.
---@field progress? boolean|string # Whether a terminal shows how far it is: true with the name of the file, or a label. Default false.
---@field headers? table<string, string|number|lull.Secret|(string|lull.Secret)[]|false> # Headers of the request, as in `RequestOptions`; a `Range` cannot be resumed.
---@field timeout? number # How long the whole exchange may take, in seconds; default as long as it moves.
---@field mutate? lull.Mutation # Edits the request after that. Must answer at once.

--- The functions of `lull.custom_request`.
---@class lull.CustomRequest
---@field start fun(complete: fun(response: lull.Response)) # Does the work and calls `complete` once. Called once, when the request starts; may wait.
---@field cancel? fun() # Told that the request was cancelled; later reports are ignored.
---@field progress? (fun(): number) # How far it is, from 0 to 1; without it 0 until completion.
---@field repeated? (fun(): lull.CustomRequest) # The functions of the repeated request; default the same.
---@field description? string # What logs and `tostring` call it.

--- What a networking function answers with.
---
--- `json` and `text` bring a content type of their own unless the headers name one.
---@class lull.NetworkAnswer
---@field status? integer # The HTTP status; default 200.
---@field http_status? integer # The same as `status`.
---@field headers? table<string, string|string[]> # The headers.
---@field body? string # The bytes; without any body there is none.
---@field json? any # A value to send as JSON.
---@field text? string # Text to send as UTF-8.

--- What a networking function reports of its progress, in bytes.
---@class lull.NetworkReport
---@field sent? integer # Sent so far.
---@field to_send? integer # To send in all, if known.
---@field received? integer # Received so far.
---@field to_receive? integer # To receive in all, if known.

--- One answer of `lull.testing.stub`.
---
--- `json` and `text` bring a content type of their own unless the headers name one.
---@class lull.StubAnswer
---@field status? integer # The HTTP status; default 200.
---@field http_status? integer # The same as `status`.
---@field headers? table<string, string|string[]> # The headers.
---@field body? string # The bytes; without any body there is none.
---@field json? any # A value to send as JSON.
---@field text? string # Text to send as UTF-8.

--- A table that observes resources: these of its methods are called.
---
--- It needs one of them at least. Each may wait. What one raises is reported.
---@class lull.Observer
---@field resource_changed? (fun(self: table, resource: lull.Resource, event: lull.ResourceEvent, source?: lull.DataSource)) # The state has changed.
---@field resource_request_progress? (fun(self: table, resource: lull.Resource, fraction: number)) # A load proceeds; its 1 comes before `new_data` or `error`.
---@field stopped_observing? (fun(self: table, resource: lull.Resource)) # It was removed, or its owner is gone; not after its own end.

--- What `lull.stats` counts.
---
--- A number that grows without end where the work does not is a leak: `resources_in_use` where
--- resources are held or observed for ever (a model of yours that refers to its own resource does),
--- `requests_in_flight` where requests never end, `handles` where objects pile up.
---@class lull.Stats
---@field services integer # Services that somebody holds, or that hold requests in flight.
---@field resources integer # Resources in memory, of all services.
---@field resources_in_use integer # Those of them that are held, observed or requested, and cannot be forgotten.
---@field observers integer # Observers of all resources.
---@field requests_in_flight integer # Requests that have begun and not ended; a chain and what it waits for are one.
---@field requests_queued integer # Exchanges among them that wait for a free connection.
---@field streams integer # Requests among those in flight that are connections of streams.
---@field handles integer # Objects of Lull's that Lua holds or has not collected yet; one of them is `lull.log`.
---@field pins integer # Functions and objects kept alive for work under way: hooks, requests, waiting coroutines.
---@field lua_bytes integer # Bytes of Lua's memory, as `collectgarbage("count")` says in KB.
---@field document_bytes integer # Bytes of parsed JSON outside of Lua's memory; of the whole process.
---@field body_bytes integer # Bytes of bodies and texts outside of Lua's memory, small ones left out; of the whole process.

--- Options of `resource:watch`.
---@class lull.WatchOptions
---@field every? number # Seconds from the end of one load to the next; default `expiration_time`, at least 1.
---@field until_? (fun(content: any, resource: lull.Resource): any) # Ends the watch after the content for which it returns true; must answer at once.
---@field timeout? number # After that many seconds it ends; with `until_` it raises a RequestError of kind `timeout`.

--- Options of `lull.status`.
---@class lull.StatusOptions
---@field priority? ("loading"|"error"|"any_data"|"all_data")[] # The rules for `state`, in their order; default `{ "loading", "error", "any_data" }`.

--- States of several resources.
---@alias lull.StatusState
---| "loading" # Any of them is loading.
---| "error" # The last load of any of them has failed.
---| "success" # Any of them has data, or all, as `priority` says.
---| "none" # No rule applies: nothing has been loaded.

--- What `lull.auth.token{…}` takes.
---@class lull.TokenOptions
---@field fetch fun(service: lull.Service, old?: string): string|lull.Secret|nil, number|lull.RequestError|string|nil # Gets a token: itself and for how many seconds it is good, or nil and an error.
---@field header? string # The header it is sent in; default `Authorization`.
---@field prefix? string # What stands before it there; default `"Bearer "` in `Authorization`, else nothing.
---@field token_file? string # Where it is kept for other processes, for its owner alone; not in the sandbox.
---@field name? string # Whose token it is: several can be in one file, and caches find what they have kept by it.

--- Options of `resource:events`.
---
--- `headers` and `mutate` hold for each of its requests; `timeout` is for all of it together.
---@class lull.StreamOptions: lull.RequestOptions
---@field reconnect? boolean # Whether an event stream that ends or breaks off is asked for once more; default true. With false the first ends the loop, and the second raises.
---@field last_event_id? string # The event to go on behind, by its id.

--- Options of `resource:follow`.
---@class lull.FollowOptions: lull.StreamOptions
---@field reduce fun(content: any, item: any): any # Returns the content that an item makes of the one before. Must answer at once.
---@field initial? any # What the first item is added to; default nil.

--- Options of `resource:pages`.
---@class lull.PagesOptions
---@field next? string|(fun(content: any, resource: lull.Resource): string|lull.Resource|nil) # `"link"`: the header only; another string: the field that holds the URL (`meta.next`, or a JSON Pointer); a function that gives URL or resource, nil at the end, and must answer at once.
---@field cursor? lull.CursorOptions # A field of each page goes into a parameter of the next; the rest of the query stays as it is written.
---@field page? lull.PageNumberOptions # A parameter that counts, until a page has no items; the rest of the query stays as it is written.
---@field offset? lull.OffsetOptions # A parameter that counts the rows before each page, until a page has no items; the rest of the query stays as it is written.
---@field max? integer # How many pages at most; default 100, beyond which it raises.
---@field cross_origin? boolean # Whether the next page may be on another origin; default false.

--- `cursor` of `resource:pages`.
---@class lull.CursorOptions
---@field param string # The query parameter to set.
---@field field string # Where its value is: a field such as `meta.cursor`, or a JSON Pointer; null, `""`, 0 and false end the list. A URL there is followed.
---@field items? string # The field that holds the list, if `field` is one of its last element; `""` if the content is the list. Empty ends it.
---@field more? string # The field that says whether there is a further page: true or false, as `has_more`.

--- `page` of `resource:pages`.
---@class lull.PageNumberOptions
---@field param string # The query parameter to set, such as `page` or `offset`.
---@field first? integer # Its value for the first page; default 1.
---@field step? integer # What is added for each page; default 1.
---@field items? string # The field that holds the list, if the content itself is none and has more than one; empty, or a 404, ends it.

--- `offset` of `resource:pages`.
---@class lull.OffsetOptions
---@field param string # The query parameter to set, such as `offset` or `skip`.
---@field first? integer # Its value for the first page; default 0.
---@field items? string # The field that holds the list, if the content itself is none and has more than one; empty, or a 404, ends it.

--- What `lull.args` is to understand: a list of arguments, and these.
---@class lull.ArgumentsSpec
---@field [integer] lull.ArgumentSpec|string # The arguments, in the order of the help; a string is an argument that has only a name.
---@field name? string # What messages call the script; default its file's name.
---@field description? string # What it does, for the help.
---@field notes? string # What stands at the end of the help.
---@field version? string # What `--version` prints; without it there is none.

--- One argument of `lull.args`.
---@class lull.ArgumentSpec
---@field [integer] string # Its names: `"--long"` and `"-s"`, with a word for the value (`"--limit N"`); or the one name of a positional argument, `"file"`, or of all that are left, `"files..."`.
---@field type? lull.ArgumentType|(fun(text: string): any, string?) # What its value is; default: as its default is, `"string"` if it takes a value, else `"flag"`. A function gives the value, or nil and what is wrong; it must answer at once.
---@field default? string|number|boolean|table # What it is when it is not given; of a repeated one a list, without it an empty one.
---@field choices? (string|number)[] # What texts are allowed.
---@field help? string # What it is for, in the help.
---@field value? string # What the help calls its value.
---@field required? boolean # Whether it must be given; default: positional ones without a default.
---@field repeated? boolean # Whether an option may be given several times: a list; default false.

--- What the value of an argument is.
---@alias lull.ArgumentType
---| "flag" # true if it is there, false if not, or taken back by `--no-`.
---| "count" # How often it is there.
---| "string" # The text.
---| "number" # An integer or a float.
---| "integer" # A whole number. Beyond 64 bits it keeps its digits.

--- Options of `lull.write_file`.
---@class lull.WriteOptions
---@field append? boolean # Adds to the end of the file instead, in place; default false.
---@field mode? string # The file's mode in octal digits, such as `"600"`; default: as it was, or as for any file.

--- A cache of your own: a table with these methods.
---
--- They are called as methods, one after the other in the order issued. What `key` raises or any of the
--- others counts as a miss, or as not written; the load goes on and the error is reported.
---@class lull.CacheTable
---@field key fun(self: table, resource: lull.Resource, stage: string): any # The key of a resource at a stage, a string for one of an API file's environment; nil: not cached here. Must answer at once.
---@field read fun(self: table, key: any): lull.Entity? # The entity under a key with its timestamp, or nil. May wait.
---@field write fun(self: table, key: any, entity: lull.Entity) # Keeps an entity; may ignore it. May wait.
---@field update_timestamp? (fun(self: table, key: any, timestamp: number)) # Sets the timestamp of a kept entity, after a 304, whatever it is. Without it: read, change, write, and only if it has the validators that the 304 is about. May wait.
---@field remove fun(self: table, key: any) # Removes an entry, also one that an invalidation or a write has made stale: later reads find nothing. May wait.

--- Options of `lull.cache.file`.
---@class lull.FileCacheOptions
---@field version? integer # To be raised when transformers change: entries of other versions are not found; default 1.
---@field path? string # The file; default `lull/cache.db` in `$XDG_CACHE_HOME`, or in `~/.cache`.
---@field max_size? integer # How large the file may be, in bytes; default 200 MB. What has not been used for longest goes; no entity may take more than an eighth. While it is in use there is a log beside it, of up to about a quarter of that and rarely more than 2 MB.
---@field max_age? number # How old an entity may be to be found, in seconds, also offline; default any age.
---@field identity? string # Whose the entries are, where configured headers do not tell, or a command prints who it is; the file has a digest of it.

--- Options of `lull.cache.shared`.
---@class lull.SharedCacheOptions
---@field version? integer # To be raised when transformers change: entries of other versions are not found; default 1.
---@field path? string # The file of this machine; default that of `lull.cache.file`.
---@field max_size? integer # How many bytes the namespace may have on the server, and how large the file may be; default 200 MB. What has not been used for longest goes. The server's are in eight parts of the same size, so that a cluster spreads them; no entity may take more than an eighth of a part, or 4 MB.
---@field max_age? number # How old an entity may be to be found, in seconds, also offline; default any age.
---@field identity? string # Whose the entries are, where configured headers do not tell, or a command prints who it is: without it such entries stay in the file.
---@field secret? lull.Secret|string # What only those have who share entries: long and random, and known without running a command. Only those find them who have the same.

--- Options of `lull.share`.
---@class lull.ShareOptions
---@field url string # `redis://[user:password@]host[:port][/db]`, `rediss://…` for TLS, or `unix:///path[?db=2]`; `valkey://` and `valkeys://` are the same. `?namespace=team-a` says what `namespace` says, as in `LULL_SHARE=redis://host/0?namespace=team-a`.
---@field password? lull.Secret|string # Instead of one in the URL.
---@field namespace? string # What separates those who share one server; letters, digits and `-_.:/`; default `lull`.
---@field secret? lull.Secret|string # What only those have who share: without it the server could try out what credentials are.
---@field ca_file? string # A PEM file of certificates to trust instead of the system's.

--- Options of `lull.inspect`.
---@class lull.InspectOptions
---@field depth? integer # How many levels of tables are shown; default 8, at most 100.

--- Options of `lull.json.encode`.
---@class lull.EncodeOptions
---@field pretty? boolean # Line breaks and indentation; default false.

--- What `lull.url.parse` gives; what a URL does not have is nil.
---@class lull.URLParts
---@field scheme? string # In lower case.
---@field user? string # Before the host's `@`, escapes resolved.
---@field password? string # Behind the user's colon, escapes resolved.
---@field host? string # In its one form: lower case, an international name as `xn--`, an IPv6 address in brackets.
---@field port? integer # As written, else the scheme's own: 80, 443, 21.
---@field path string # As written; `/` where a URL with a host has none.
---@field query? string # As written, without the question mark.
---@field fragment? string # As written, without the number sign.
---@field params table<string, string|string[]> # The query's names and values, escapes resolved; of a name that comes repeatedly a list.

--- Options of `lull.base64.encode`.
---@class lull.Base64Options
---@field url? boolean # `-` and `_` in place of `+` and `/`, for URLs; default false.
---@field padding? boolean # `=` up to a whole group; default true, with `url` false.

--- Options of `lull.sha256` and `lull.hmac`.
---@class lull.DigestOptions
---@field raw? boolean # The bytes themselves in place of digits; default false.

--- Options of `lull.time.iso`.
---@class lull.ISOOptions
---@field digits? integer # How many digits of the second's fraction, 0 to 9, rounded; default 3 if it has a fraction, else 0.
---@field offset? string # Ahead of UTC or behind, as `"+02:00"`; default `"Z"`.

--- Options of `lull.csv.encode` and `lull.csv.decode`.
---@class lull.CSVOptions
---@field header? boolean # Whether the first line has the names of the columns; default true.
---@field delimiter? string # What stands between fields, one ASCII character; default `","`.
---@field guard? boolean # Of `encode`: put a `'` before fields that a spreadsheet takes for a formula; default false.

--- Options of `lull.map`.
---@class lull.MapOptions
---@field concurrency? integer # How many calls run at once; default 8.
---@field progress? boolean|string # Whether a terminal shows how many have ended, under that label; default false.

--- Options of `lull.wait_until`.
---@class lull.WaitOptions
---@field every? number # Seconds from the end of one call to the next; default 0.5.
---@field timeout? number # Seconds after which to give up; default never.

--- `err.cause`: what went wrong inside.
---@class lull.Cause
---@field kind lull.CauseKind # A word to compare with.
---@field message string # What happened, in words.
---@field source? string # Of `invalid_url`: what was no URL.
---@field encoding? string # Of `unencodable_text`, `undecodable_text`: the charset.
---@field text? string # Of `unencodable_text`: the text.
---@field path? string # Of `invalid_json_object` and `wrong_content`: where the offending value is.
---@field type? string # Of `wrong_content`: what a Swift program wanted.
---@field setting? string # Of `invalid_setting`: its name in Swift.
---@field schema? string # Of `validation`: whose schema it is, such as `call 'users'`.
---@field errors? lull.ValidationError[] # Of `validation`: what does not fit, in the order of the content, at most 20.
---@field byte? integer # Of `malformed_json`: where in the body, from 1, if that is known; the message says so too.
---@field string? string # Of `not_url_encodable`: the string.
---@field name? string # Of `invalid_text_encoding`: the charset nobody knows.
---@field expected? string # Of `wrong_input_type_in_transformer_pipeline`: a word of `InputType`, or `"predicate"`.
---@field actual? string # Of the same: a word of `InputType`, else Lua's `type()` of the content.
---@field transformer? string # Of the same and of `transformer_returned_nil`: which one.
---@field error? lull.RequestError # Of `request_cancelled`: the error of another request, which `networking` has answered with.
---@field traceback? string # Of `script_error`: the stack when it was raised.
---@field stage? string # Of `script_error` in a transformer: its stage.
---@field value? any # Of `script_error`: what was raised, of any type.

--- A place where content is not as its schema says.
---@class lull.ValidationError
---@field pointer string # A JSON Pointer, such as `/items/3/price`; empty for all of it.
---@field keyword string # The keyword of the schema, such as `type`.
---@field message string # What was expected and what is there: `must be a number, got "12"`.

--- Kinds of causes.
---@alias lull.CauseKind
---| "invalid_url" # There is no URL, or what was given is none.
---| "unencodable_text" # The text has no form in the charset, or is invalid UTF-8.
---| "invalid_json_object" # The JSON body holds what JSON cannot.
---| "not_url_encodable" # A form's name or value is invalid UTF-8.
---| "request_cancelled" # The request or task was cancelled.
---| "no_local_data_for_304" # A 304 came, but there is no data here; `http_status` is 304 if the condition was yours.
---| "invalid_text_encoding" # The response names a charset nobody knows.
---| "undecodable_text" # The body is not valid in its charset.
---| "wrong_input_type_in_transformer_pipeline" # A transformer met content it does not take.
---| "transformer_returned_nil" # A transformer returned nothing.
---| "malformed_json" # The body is not JSON.
---| "network" # The exchange failed for a reason not named below.
---| "timeout" # It took too long.
---| "tls" # The connection could not be secured.
---| "dns" # The host's name could not be resolved.
---| "connection" # The host could not be reached.
---| "truncated_body" # The connection ended before the body did, or the body is cut.
---| "malformed_response" # What came is not HTTP, or its body not in its coding.
---| "body_too_large" # The decoded body exceeds `max_body_size`.
---| "secret_origin" # A secret would have been sent to an origin it is not bound to.
---| "secret_unavailable" # A secret's variable, file or command gave nothing.
---| "auth_failed" # A token endpoint gave no token.
---| "file_unavailable" # A file to be sent is missing or cannot be read, or one to be received cannot be written.
---| "file_changed" # A file to be sent is not what it was when the request was made.
---| "event_stream" # A GET for the whole of it was answered by an event stream: use `events`.
---| "not_a_stream" # What `events` was to read is neither an event stream nor NDJSON.
---| "offline" # The service is offline, and no cache has it.
---| "unconfirmed" # A write to an environment that has `confirm_writes`, which nobody has confirmed.
---| "too_many_redirects" # The server redirects without end.
---| "redirect_refused" # The server redirects to another origin, which `redirects` forbids.
---| "wrong_content" # Content was not of the type that a Swift program wants.
---| "validation" # The answer is not as the schema of its call says.
---| "invalid_setting" # A setting of a Swift program has a value that it cannot have, named by `setting`.
---| "chain_too_long" # Chains passed on from request to request without end.
---| "script_error" # A function of the script raised.
---| "custom" # A Swift program's own error; scripts get the very value they gave.

--- What observers hear.
---@alias lull.ResourceEvent
---| "observer_added" # To the new observer alone, inside the call that adds it.
---| "requested" # A load has begun.
---| "request_cancelled" # A load was cancelled; data and error stay.
---| "new_data" # The data has changed; the third argument is its source.
---| "not_modified" # The data is still current.
---| "error" # A load has failed; the data stays.

--- Where new data comes from.
---@alias lull.DataSource
---| "network" # A load.
---| "cache" # An entity cache; `is_loading` may still be true.
---| "shared" # Another host or process, by `lull.cache.shared()`; what `is_loading` says stays.
---| "local_override" # `override_local_data` or `override_local_content`.
---| "wipe" # `wipe`: there is no data any more.

--- How far a request is.
---@alias lull.RequestState
---| "not_started" # Nothing is sent until `start()`.
---| "in_progress" # Started, and not answered.
---| "completed" # It has its response; hooks run on the next turn.

--- How far a task is.
---@alias lull.TaskState
---| "running" # Not begun, running or waiting.
---| "finished" # It has its results.
---| "failed" # It has raised an error.
---| "cancelled" # It was cancelled.

--- The stages there are by default, in order; `order` may name others.
---@alias lull.StageName
---| "raw_data" # Bytes as received.
---| "decoding" # Bytes, decrypted or unpacked.
---| "parsing" # JSON and text; the standard parsers are here.
---| "model" # Values of your own.
---| "cleanup" # What comes last.

--- Kinds of content, as transformers name them.
---@alias lull.InputType
---| "any" # Every content.
---| "json" # Any parsed JSON value.
---| "table" # Any Lua table, JSON's too.
---| "text" # Text.
---| "data" # Raw bytes.

--- What a transformer does with content it does not take.
---@alias lull.InputTypeMismatch
---| "error" # The request fails with kind `wrong_input_type_in_transformer_pipeline`.
---| "skip" # The response passes unchanged.
---| "skip_if_output_type_matches" # It passes if it is of the output type already, else the request fails.

--- What can be logged, and three presets.
---@alias lull.LogCategory
---| "network" # Each request with its outcome.
---| "network_details" # Headers and bodies of requests and responses.
---| "pipeline" # What each transformer does to a response.
---| "state_changes" # Changes of resources' data and errors.
---| "observers" # Observers that come, go and are notified.
---| "staleness" # Why `load_if_needed` loads or does not.
---| "cache" # Reads and writes of entity caches.
---| "configuration" # Configurations computed, and what contributed.
---| "common" # Preset: network, state_changes, staleness.
---| "detailed" # Preset: all but network_details.
---| "all" # Preset: everything.

--- Which resources are meant.
---
--- A string is a wildcard pattern: without a scheme it is resolved against the base URL; `*` matches
--- within a path segment, `**` across segments, `?` one character. It must match the whole URL up to
--- its query. A regular expression matches anywhere in the URL. A resource means its URL. A function
--- gets the URL and must answer at once.
---@alias lull.Pattern string|lull.Regex|lull.Resource|fun(url: string): boolean

--- What to take of an element: a field, by its name or the way to it, or what a function gives.
---
--- `"owner.login"` goes deeper, `"tags.1"` is the first element. A function may wait.
---@alias lull.FieldOrFunction string|fun(value: any): any

--- Changes a configuration; run whenever one is computed. Must answer at once.
---@alias lull.SettingsFunction fun(config: lull.Configuration)

--- Turns content into other content. May wait.
---
--- The entity is the whole of what came; only its content changes.
---@alias lull.Transformer fun(content: any, entity: lull.Entity): any

--- The body of a request: a table, a file, or a multipart form.
---@alias lull.RequestBody lull.Body|lull.File|lull.Multipart

--- A value of a multipart form.
---@alias lull.MultipartValue string|number|boolean|lull.Secret|lull.File|lull.MultipartPart

--- Edits a request before it is sent. Must answer at once.
---@alias lull.Mutation fun(http: lull.HTTPRequest)

--- What a call says of its one request: a function that edits it, or a table that may have one.
---@alias lull.MutationOrOptions lull.Mutation|lull.RequestOptions

--- Wraps or replaces a request before it is sent. Must answer at once.
---@alias lull.Decorator fun(resource: lull.Resource, request: lull.Request): lull.Request

--- Hears what happens to a resource; the source comes with `new_data`. May wait.
---@alias lull.ObserverFunction fun(resource: lull.Resource, event: lull.ResourceEvent, source?: lull.DataSource)

--- Answers requests in place of the network.
---
--- It is called when a request starts, in a coroutine that is closed if the request is cancelled, and
--- may wait. It answers once: by returning a table, or nil and an error, or by calling `complete` with
--- the same; a status and an error may come together. The request fails with that error: its cause,
--- status and entity come first, and the answer beside it says the rest. What comes after the first
--- answer is ignored and logged. If it raises, or ends without an answer nobody can give any more, the
--- request fails with kind `script_error`; a request error it raises is the answer.
---@alias lull.NetworkingFunction fun(http: lull.HTTPRequest, complete: lull.Completion, report: fun(metrics: lull.NetworkReport)): lull.NetworkAnswer?, lull.RequestError?

--- Answers a request, once.
---@alias lull.Completion fun(answer?: lull.NetworkAnswer, error?: lull.RequestError|string)

--- What `lull.api` gives: an API as a file describes it.
---
--- local github = lull.api("github")
--- local repos = assert(github.calls.repos{ user = "octocat" }:await())
--- local user = github("/users/octocat")
---@class lull.API
---@overload fun(path: string): lull.Resource
---@field calls lull.APICalls # Its calls, by name.
---@field description? string # What the file says it is.
---@field environment? string # The name of the environment it is used in.
---@field environments string[] # Those that the file declares, in its order.
---@field name string # The name of its file, without `.lua`.
---@field path string # Where its file is.
---@field service lull.Service # The service that the file has made.
local API = {}

--- Lets requests go out that an environment with `confirm_writes` holds back.
---
--- For this object, until the process ends; of other environments nothing changes.
---@return lull.API
function API:confirm_writes() end

--- The same as `api(path)`.
---@param path string
---@return lull.Resource
function API:resource(path) end

--- The calls of an API; `pairs` walks through them.
---@class lull.APICalls
---@field [string] lull.APICall

--- A call as an API file declares it.
---
--- Parameters are given as a table by name and checked: a missing one, an unknown one, or one of
--- another type raises, naming the call. Those of the path stand there as one segment each, escaped;
--- the others go into the query, or, of POST, PUT and PATCH, into the body, unless the file says
--- otherwise.
---@class lull.APICall
---@overload fun(params?: table): lull.Request
---@field description? string # What the file says it does.
---@field method string # The HTTP method.
---@field name string # Its name.
---@field params lull.APICallParam[] # Its parameters: those of the path first, then the others in the order of the file.
---@field path string # The path below the base URL, with `{name}` for parameters.
local APICall = {}

--- Walks through the pages of the answer, as `resource:pages` does.
---
--- In the way the file declares with `pages`; raises if it declares none.
---@param params? table
---@return lull.Pages
function APICall:pages(params) end

--- The resource the call is about, without sending anything.
---@param params? table
---@return lull.Resource
function APICall:resource(params) end

--- What an API file returns, if it returns more than a service.
---@class lull.APIFileFields
---@field service lull.Service # The service, with its configuration.
---@field calls? table<string, lull.APICallFields> # Calls by name: any text that can be printed and does not begin with `-`.
---@field description? string # What it is, for lists and help.
---@field environments? table<string, lull.APIEnvironmentFields> # What is otherwise in one environment or another, such as `staging` and `prod`, by name.
---@field schemas? string # The name of a file beside this one with the JSON Schemas of answers, by the names of calls: for `validate`. It is read when the first answer is validated.
---@field mock? (fun(request: lull.MockRequest, state: table): lull.MockAnswer?) # What `lull mock` answers requests with for which no call is declared, whatever their method and path. The response is sent as it is, without a validator. Nil leaves it to recordings.

--- An environment in an API file.
---
--- Any of the `Settings` may stand beside these; they are laid over those of the file.
---@class lull.APIEnvironmentFields: lull.Settings
---@field base_url? string # The base URL of the service there; patterns that the file has registered are below it.
---@field confirm_writes? boolean # Whether requests other than GET, HEAD and OPTIONS are held back until somebody confirms them.
---@field env_file? string # A file of variables beside the API file, `NAME=text` a line, that `lull.env` and `lull.secret` of this file see.
---@field offline? boolean # What `service.is_offline` starts with.

--- A call in an API file.
---@class lull.APICallFields
---@field path string # The path below the base URL; `{name}` stands for a parameter, which is required. A query may follow. A brace that is meant as such is written `%7B` or `%7D`.
---@field method? string # The HTTP method; default `GET`.
---@field params? table<string, string|string[]|integer[]|lull.APIParamFields> # Its parameters: a type (`string`, `number`, `integer`, `boolean`, `object` for names with single values, `json` for any value as JSON text, `file`), with `[]` behind it of a list, a list of the words or integers that it may be, or a table of both and more.
---@field description? string # What it does, for lists and help.
---@field columns? string[] # The fields that tables on the command line show.
---@field rows? string # Where the rows are in the answer, as names of fields with dots between them, such as `data.items`: for tables, CSV and lines on the command line, and for pages there, of which they make one list. Otherwise the answer is shown whole.
---@field response_type? "json"|"ndjson"|"text"|"csv" # What its answer is read as, whatever its Content-Type says, as the setting of that name.
---@field pages? boolean|lull.PagesOptions # Whether its answer comes in pages: true, or how to go on from one to the next.
---@field headers? table<string, string|false> # Headers of this call only; false: not sent, also if it would be sent by itself.
---@field body? "json"|"form"|"multipart"|"raw" # The form of a body; default `json`. `multipart` is a form whose values may be files, `raw` one parameter with `whole`, as it is.
---@field body_required? boolean # Whether a request without any field in its body sends an empty one: `{}`, or a form without fields. Default false: no body.
---@field content_type? string # What a JSON or raw body is said to be, such as `text/csv`; default what it is.
---@field schema? table|string|boolean # What its answers of a status of 200 to 299 are: a JSON Schema (draft 2020-12), or the name of one under `$defs` of the file of schemas. For `validate`; it counts before what that file says of the call.
---@field mock? (fun(request: lull.MockRequest, state: table): lull.MockAnswer?) # What `lull mock` answers it with: a function, which may wait. `state` is one table for all calls, for as long as the mock runs. Nil leaves the answer to recordings and examples; an error is a status of 500.
---@field examples? lull.MockExample[] # Answers of `lull mock`; the first that fits counts.
---@field example? any # Content that `lull mock` answers with where nothing else does, as JSON: status 200, or 201 of a POST.

--- A parameter of a call in an API file.
---@class lull.APIParamFields
---@field type? string|string[]|integer[] # As in `params`; default `string`.
---@field list? boolean # Whether it is a list of values of that type, as `[]` behind it says; words need it.
---@field place? "path"|"query"|"header"|"cookie"|"body" # Where it goes; default the path if that has its name in braces, the body of POST, PUT, PATCH and further methods that have one, else the query. `body` gives any method a body.
---@field name? string # What it is called there; default its key.
---@field style? string # How it is written there, as OpenAPI 3.1 has it: in a path `simple`, `label` or `matrix`, in a query and a form `form`, `spaceDelimited`, `pipeDelimited` or `deepObject`, in a header `simple`, in a cookie `form`; default the first. Of `json` there is `deepObject` alone: lists and tables in brackets, to any depth.
---@field explode? boolean # Whether each element and field is written for itself; default true of `form` and `deepObject`.
---@field reserved? boolean # Whether characters that URLs reserve stand for themselves, as far as they do not end what they stand in; a path then takes slashes.
---@field whole? boolean # Whether it is the body itself, JSON or raw.
---@field default? any # What it is if it is not given.
---@field required? boolean # Whether it must be given, if it has no default; those of the path always.
---@field option? string # What it is called by `lull call`, such as `--page-size`; default its name with `-` for `_`, but at the beginning. One that is called like an option of `lull call` itself gets `--param-` before its name there. Of a boolean there are `--name`, `--no-name` and `--name=false`.
---@field description? string # What it is for, for help.

--- An element of `call.params`.
---@class lull.APICallParam
---@field name string # Its name.
---@field type string # What it must be, in words.
---@field place "path"|"query"|"header"|"cookie"|"body" # Where it goes.
---@field required boolean # Whether it must be given.
---@field description? string # What the file says of it.

--- What a function `mock` of an API file is given.
---@class lull.MockRequest
---@field call? string # The name of the call; nil for the function of the file.
---@field method string # The HTTP method as it was sent: of a GET also `HEAD`.
---@field path string # The path that was asked for, with its escapes.
---@field url string # The whole URL, by which the mock can be asked.
---@field params table<string, any> # The declared parameters, checked and of their types, with defaults for those that were not given.
---@field query table<string, string> # All of the query, declared or not; of several of one name the last.
---@field headers table<string, string> # The headers, by names in small letters; of several of one name all, with commas between.
---@field lines string[][] # The header lines in the order of the request: name in small letters, and value.
---@field other_origin? string # The URL of the second port of `--other-origin`, for redirects between origins.
---@field body string # The body, byte for byte; empty where there is none.
---@field json? any # What the body says, if it is JSON.

--- An answer of `lull mock`.
---
--- The status is 200 unless given, of examples of a POST 201, and one of a whole answer, from 200 to
--- 599.
---@class lull.MockAnswer: lull.StubAnswer
---@field delay? number # Seconds until it is sent; default 0.
---@field body? string|(fun(): string?, string?) # The body; from a function `mock` also a function that returns it piece by piece. It is called when the client has taken the last piece, and may wait. Nil is the end of the body. Nil and a text end the connection in the middle of it, as does an error. With a header `content-length` the body has that length; otherwise it is sent in chunks.
---@field close? fun() # Only with such a function: called once, when the body has been sent or the client has gone.

--- An element of `examples` of a call.
---@class lull.MockExample: lull.MockAnswer
---@field when? table<string, any> # Parameters, of all of which it takes these values; any values, unless given.

--- What `require "lull.test"` gives in a file that `lull test` runs.
---
--- Anywhere else `require "lull.test"` raises. The file is run once to see which tests it declares,
--- then once for each of them, in a state and a host of its own: what the file makes itself, each test
--- has anew.
---
--- Meanwhile `os.time()`, `os.date()` and `lull.now()` tell the test's time, and `math.random` gives
--- the same numbers each time. There is no `before_all`: tests share nothing.
---@class lull.TestModule
---@overload fun(name: string, body: fun(t: lull.Test))
local TestModule = {}

--- Declares a test for each element of a list, which its function gets as second argument.
---
--- In the name `{}` stands for the element, and `{key}` for a field of it; where nothing stands for
--- anything, a number is added.
---@param cases any[]
---@param name string
---@param body fun(t: lull.Test, case: any)
function TestModule.each(cases, name, body) end

--- Declares a test that is not run, but told of.
---@param name string
---@param body fun(t: lull.Test)
function TestModule.skip(name, body) end

--- Declares a test beside which those are not run that are declared otherwise.
---
--- Where the environment variable `CI` is set, it fails.
---@param name string
---@param body fun(t: lull.Test)
function TestModule.only(name, body) end

--- Has a function called before each test of the file, in its host; several in their order.
---@param body fun(t: lull.Test)
function TestModule.before_each(body) end

--- Has a function called after each test of the file, whether it has failed or not; the last one first.
---@param body fun(t: lull.Test)
function TestModule.after_each(body) end

--- What the function of a test is given.
---@class lull.Test
---@field clock lull.TestClock # The time of the test.
---@field network lull.TestNetwork # The network of the test.
---@field exchanges lull.TestExchange[] # What has been sent so far, below retries and limits, in order; each time a new list.
---@field name string # What the test is called.
---@field output string # What has been printed so far, on standard output and error, up to a megabyte.
local Test = {}

--- Something that is to be so, as the next call says.
---@param value any
---@return lull.Expectation
function Test.expect(value) end

--- An API file, as `lull.api` finds it: below the folder of the command.
---
--- With `cassette`, requests are answered from a recording.
---@param name string
---@param options? lull.TestAPIOptions
---@return lull.API
function Test:api(name, options) end

--- A service at a URL, with more of what `lull.service` takes.
---
--- With `cassette`, requests are answered from a recording.
---@param base_url string
---@param options? lull.TestServiceOptions
---@return lull.Service
function Test:service(base_url, options) end

--- Has requests of any service answered from `cassettes/NAME.har` beside the file of tests.
---
--- With `match`, a list of names of headers that count, and `hide`, one of fields that it hides. `lull
--- test --record` writes the recording.
---@param name string
---@param options? table
function Test:cassette(name, options) end

--- The time of a test, which stands still.
---
--- All that has a time goes by it: staleness, retries, limits, watching, sleeps, timeouts, tokens, ages
--- of caches. It begins with the first second of 2026 (UTC), with a recording at its time. Where all
--- that runs waits for a timer, it moves on to the next one by itself.
---@class lull.TestClock
---@field now number # Seconds since 1970.
local TestClock = {}

--- Moves it on, past all that becomes due meanwhile, in order; waits.
---@param seconds number
function TestClock:advance(seconds) end

--- Sets the time, as an administrator would: nothing becomes due by that.
---
--- A number of seconds since 1970, or a text that `lull.time.parse` takes.
---@param moment number|string
function TestClock:set(moment) end

--- The network of a test: what nobody has given an answer for fails the test.
---
--- A path begins with `/` and is for every URL whose path ends so; a whole URL is for that. `*` stands
--- for anything within one part of a path, `**` for anything. The query counts only where it is given.
--- Of several that fit, the longest counts. Redirects are not followed, and cookies neither kept nor
--- sent: an answer is what the service gets.
---@class lull.TestNetwork
local TestNetwork = {}

--- Gives the answers to such requests, in turn; the last one stays.
---
--- They take the place of those that were given for the same method and path before.
---@param method string
---@param path string
---@param answer lull.TestAnswer|lull.NetworkingFunction
---@param ... lull.TestAnswer|lull.NetworkingFunction
function TestNetwork:on(method, path, answer, ...) end

--- Has such requests fail as a network does.
---
--- With `delay` in seconds; `timeout` takes as long as the request may take.
---@param method string
---@param path string
---@param kind "refused"|"reset"|"cut"|"timeout"
---@param options? table
function TestNetwork:fail(method, path, kind, options) end

--- What is expected of a value.
---
--- What is not met raises at the line that expects it, and fails the test also where the error is
--- caught. `t.expect(x).never:to_equal(y)` expects the opposite.
---@class lull.Expectation
---@field never lull.Expectation # The opposite of what follows.
local Expectation = {}

--- To be the same value all the way down; tells the paths that differ.
---
--- Documents equal tables with the same in them.
---@param expected any
function Expectation:to_equal(expected) end

--- To be this very value, as `==` has it without metamethods.
---@param expected any
function Expectation:to_be(expected) end

--- To be of a type of Lua's, or an object of Lull's such as `Resource`.
---@param type string
function Expectation:to_be_a(type) end

--- To be a list, record or string with so many parts.
---@param count integer
function Expectation:to_have_count(count) end

--- To be a string that a pattern of Lua's fits.
---@param pattern string
function Expectation:to_match(pattern) end

--- To be a string with that in it, a list with such an element, or a record with all these fields.
---@param part any
function Expectation:to_contain(part) end

--- To be a number not farther than that from this one; a billionth part, unless given.
---@param number number
---@param tolerance? number
function Expectation:to_be_near(number, tolerance) end

--- To be a function that raises when it is called, with that in its message; gives what it raised.
---@param text? string
---@return any
function Expectation:to_raise(text) end

--- To be a request that succeeds, for which it waits; gives what came.
---@return lull.Entity
function Expectation:to_succeed() end

--- To be a request that fails so, for which it waits; gives the error.
---@param expected lull.ExpectedFailure
---@return lull.RequestError
function Expectation:to_fail_with(expected) end

--- To be what it was the last time, as `snapshots/FILE.snap` beside the file of tests has it.
---
--- The first time it is written there, and by `lull test --update` each time; where `CI` is set it is
--- never written, and fails without. Content, tables and texts can be kept so.
---@param options? lull.SnapshotOptions
function Expectation:to_match_snapshot(options) end

--- An answer of `t.network:on`.
---@class lull.TestAnswer: lull.StubAnswer
---@field delay? number # Seconds of the test's time until it comes; default 0.
---@field fail? "refused"|"reset"|"cut"|"timeout" # In place of an answer: how the network fails, as in `t.network:fail`.

--- An element of `t.exchanges`.
---@class lull.TestExchange
---@field method string # The HTTP method.
---@field url string # Where it was sent; secrets are masked.
---@field headers table<string, string> # What it was sent with, by names in small letters.
---@field body? string # Its body.
---@field status? integer # The status of the answer.
---@field http_status? integer # The same as `status`.
---@field error? string # Why there is none.
---@field sent_at number # When it was sent, in the test's time.
---@field seconds? number # How long it took; nil as long as it is under way.

--- What `to_fail_with` expects.
---@class lull.ExpectedFailure
---@field status? integer # The HTTP status.
---@field http_status? integer # The same as `status`.
---@field kind? lull.CauseKind # The kind of the cause.
---@field message? string # What is in the message for users.

--- Options of `to_match_snapshot`.
---@class lull.SnapshotOptions
---@field name? string # What it is called besides the test's name; needed for several in one test.
---@field mask? string[] # JSON Pointers to what is different each time, such as `"/*/id"`, where `*` stands for any key or element.

--- Options of `t:service`.
---@class lull.TestServiceOptions: lull.ServiceOptions
---@field cassette? string # A recording, `cassettes/NAME.har` beside the file of tests, that answers what `t.network:on` has no answer for.
---@field match? string[] # Names of headers by which its requests are told apart, besides method, URL and body.
---@field hide? string[] # Names of fields, parameters and headers that let somebody in and are not called so: their values are hidden in it as tokens are.

--- Options of `t:api`.
---@class lull.TestAPIOptions
---@field cassette? string # A recording, `cassettes/NAME.har` beside the file of tests, that answers what `t.network:on` has no answer for.
---@field match? string[] # Names of headers by which its requests are told apart, besides method, URL and body.
---@field hide? string[] # Names of fields, parameters and headers that let somebody in and are not called so: their values are hidden in it as tokens are.

return lull
