import LullArguments

/// Options of curl, HTTPie, xh and wget that are called otherwise here, and what to type instead.
enum Habits {
  static let hints: [String: String] = [
    "-X": "the method is the first word: lull PUT URL",
    "--request": "the method is the first word: lull PUT URL",
    "-u": "-a USER[:PASSWORD] says who asks",
    "--user": "-a USER[:PASSWORD] says who asks",
    "--bearer": "-A bearer -a TOKEN says who asks",
    "-k": "--insecure believes any certificate",
    "--verify": "--insecure believes any certificate, --ca-file FILE those in a file",
    "--cacert": "it is called --ca-file",
    "-L": "redirects are followed in any case; --no-follow makes answers of them",
    "--location": "redirects are followed in any case; --no-follow makes answers of them",
    "-F": "form fields are items: name=text name@file, with --form",
    "-s": "nothing but data goes to standard output; 2>/dev/null hides the rest",
    "--silent": "nothing but data goes to standard output; 2>/dev/null hides the rest",
    "-q": "nothing but data goes to standard output; 2>/dev/null hides the rest",
    "--quiet": "nothing but data goes to standard output; >/dev/null hides it",
    "--watch": "lull watch URL shows changes as they come",
    "-S": "--stream writes events and rows as they come",
    "-I": "lull head URL asks for the head",
    "--head": "lull head URL asks for the head",
    "-p": "-i writes the head, -v shows the exchange",
    "--print": "-i writes the head, -v shows the exchange",
    "--headers": "lull head URL asks for the head, -i writes it too",
    "-b": "the body alone is written in any case",
    "--body": "the body alone is written in any case",
    "--boundary": "what stands between the parts of a form is made anew each time",
    "--cookie": "a header Cookie:name=value sends one; --session NAME keeps them",
    "-c": "-C goes on with a download, --session NAME keeps cookies",
    "--continue": "it is called -C",
    "--cookie-jar": "--session NAME keeps cookies",
    "--data-raw": "-d BODY is the body as it is",
    "--data-binary": "-d @FILE is the body as it is",
    "--json-data": "-d BODY is the body as it is",
    "-G": "name==text puts it into the query",
    "-x": "it is called --proxy",
    "--check-status": "the exit code tells an HTTP status in any case: 4 or 5",
    "--fail": "the exit code tells an HTTP status in any case: 4 or 5",
    "--max-time": "it is called --timeout",
    "-m": "it is called --timeout",
    "--pretty": "output is coloured and indented on a terminal; -o says otherwise",
    "--http1.1": "it is called --http 1.1",
    "--http2": "it is called --http 2",
    "--cert-key": "it is called --key",
    "--https": "a URL begins with https://",
    "--chunked": "a body that is read while it is sent goes out in chunks by itself",
    "--compress":
      "bodies are not compressed: send one that is, with -d @FILE and Content-Encoding:gzip",
    "--data-urlencode": "form fields are items: name=text, with --form",
    "--get": "name==text puts it into the query",
    "--default-scheme": "a URL begins with https://",
  ]

  /// What is said of an option that a request does not have.
  static func hint(for name: String) -> String? { hints[name] }
}
