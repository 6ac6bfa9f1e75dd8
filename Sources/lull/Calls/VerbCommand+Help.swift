extension VerbCommand {
  static func description(_ verb: String) -> String {
    switch verb {
    case "get":
      """
      Loads a resource and prints its content.

      The settings of the API file apply: headers, transformers, caches. A fresh cache
      entry is used without a request, unless --fresh is given.
      """
    case "query":
      """
      Loads the response to a query: a safe request with a body and the method QUERY.

      The response is cached, paged and filtered as with lull get. Use
      --query-method POST if the server does not support QUERY.
      """
    case "head": "Requests a resource without its body; prints the status and the headers."
    case "options":
      "Requests the allowed methods; prints the status, the headers and any content."
    case "":
      """
      Sends a request and prints the response: POST with a body, otherwise GET.

      Items, -d and standard input make a body. lull COMMAND --help shows the options
      of a command.
      """
    case "delete": "Deletes a resource and prints the response."
    case _ where !["post", "put", "patch"].contains(verb):
      "Sends a request with the method \(verb) and prints the response."
    default:
      """
      Sends a \(verb.uppercased()) request and prints the response.

      Items name=text and name:=json make a JSON body, or a form with --form.
      user[name]=Ann and tags[]=a make objects and lists. Otherwise the body is the
      file of @FILE, the text of -d, or standard input if it is a pipe or a file.
      Standard input is sent as JSON or text, unless -H sets another type. In loops
      and cron jobs, where standard input belongs to something else, give
      --ignore-stdin.
      """
    }
  }

  static func examples(_ verb: String) -> [String] {
    switch verb {
    case "get":
      return [
        "lull get https://api.github.com/users/octocat -f x.name",
        "lull get :8080/users per_page==3 -o table --columns id,name",
        "lull get ./apis/shop.lua /report.pdf -O report.pdf",
      ]
    case "query":
      return [
        "lull query :8080/search term=tea page:=1",
        "lull query https://example.com/search -d @search.json --all -o table",
        "lull query shop /search term=tea --query-method POST",
      ]
    case "options": return ["lull options :8080/users"]
    case "":
      return [
        "lull example.com", #"lull :8080/users name="Ann Lee" age:=40"#,
        "lull PURGE https://example.com/page",
      ]
    case "head": return ["lull head https://example.com/"]
    case "delete":
      return ["lull delete :8080/users/7", #"lull delete shop /orders/7 reason="bought twice""#]
    case _ where !["post", "put", "patch"].contains(verb): return ["lull \(verb) :8080/users/7"]
    default:
      let target = verb == "post" ? ":8080/users" : ":8080/users/7"
      return [
        #"lull \#(verb) \#(target) name="Ann Lee" age:=40 admin:=false"#,
        "lull \(verb) \(target) address[city]=Oslo tags[]=a tags[]=b",
        "generate | lull \(verb) :8080/rows -H 'Content-Type: text/csv'",
      ]
    }
  }

  static let notes = "See lull help items, lull help output and lull help exit-codes.\n"
}
