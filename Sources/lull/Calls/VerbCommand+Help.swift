extension VerbCommand {
  static func description(_ verb: String) -> String {
    switch verb {
    case "get":
      """
      Loads a resource and writes its content.

      What has been configured for it in the API's file applies: headers, transformers, caches. A
      resource that a cache has fresh is not asked for again, unless --fresh is given.
      """
    case "head": "Asks for a resource without its body; writes status and headers."
    case "options":
      "Asks what may be done with a resource; writes status, headers, and content if there is any."
    case "":
      """
      Makes a request and writes what comes of it: a POST if items, -d or standard input make a body,
      else a GET. lull COMMAND --help tells about each method and the other commands.
      """
    case "delete": "Deletes a resource; writes what the server says to that."
    case _ where !["post", "put", "patch"].contains(verb):
      "Makes a request with the method \(verb); writes what the server says to that."
    default:
      """
      Sends \(verb == "post" ? "something to" : "a change of") a resource; writes what the server says to that.

      The body is JSON of the items name=text and name:=json, where user[name]=Ann and tags[]=a lead
      into it, a form of them with --form, the file of @file, what -d gives, or what a pipe or a file
      on standard input holds: JSON or text, unless -H says what it is. Scripts and loops whose
      standard input is not meant give --ignore-stdin.
      """
    }
  }

  static func notes(_ verb: String) -> String {
    let examples =
      switch verb {
      case "get":
        """
          lull get https://api.github.com/users/octocat
          lull get github /search/repositories q==lua per_page==5 -f 'map(x.items, "full_name")'
          lull get :8080/users -o table --columns id,name
          lull get ./apis/shop.lua /report.pdf -O report.pdf
        """
      case "options": "  lull options :8080/users"
      case "":
        """
          lull example.com
          lull :8080/users name="Ann Lee" age:=40
          lull PURGE https://example.com/page
        """
      case "head": "  lull head https://example.com/"
      case "delete":
        """
          lull delete :8080/users/7
          lull delete shop /orders/7 reason="bought twice"
        """
      case _ where !["post", "put", "patch"].contains(verb): "  lull \(verb) :8080/users/7"
      default:
        """
          lull \(verb) :8080/users\(verb == "post" ? "" : "/7") name="Ann Lee" age:=40 admin:=false
          lull \(verb) :8080/users\(verb == "post" ? "" : "/7") address[city]=Oslo tags[]=a tags[]=b
          lull \(verb) :8080/users\(verb == "post" ? "" : "/7") @user.json
          generate | lull \(verb) :8080/rows -H 'Content-Type: text/csv'
          lull \(verb) https://example.com/login --form user=ann password=@secret.txt
        """
      }
    return """
      Examples:
      \(examples)

      Items are HTTPie's. A backslash makes : = @ ; [ and ] plain, and stands for itself before
      anything else. Data goes to standard output, everything else to standard error. Exit codes: 0
      fine, 1 a script error, 2 wrong usage, 3 an API file that cannot be read, 4 and 5 an HTTP
      status 4xx and 5xx, 6 no answer.

      """
  }
}
