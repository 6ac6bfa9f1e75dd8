import CLullBridge
import LullCore

extension APIOwner {
  static let resourceDownloads: [APIEntry] = [
    .method(
      "download", "(path: string, options?: DownloadOptions): Request",
      """
      Sends a GET and writes the response body to a file. The state of the resource does not \
      change.
      """,
      """
      The body is written to disk as it arrives, so it may be larger than memory; `max_body_size` \
      does not apply. The file appears when it is complete. It replaces an existing file at that \
      path and keeps its mode. A failure leaves the existing file unchanged.

      If the path is a folder, the file is named by `Content-Disposition`, else by the end of the \
      URL if that is a plain name, else `download`. An existing file is then not replaced. The \
      entity describes the response without its bytes: its content is the path. Compressed \
      responses are not requested, and no transformer or cache sees the response; errors are like \
      those of other requests. Retries resume where the previous attempt ended, if the server \
      supports it. A download has no `timeout` unless its options set one: `idle_timeout` limits \
      the download instead. Not available in the sandbox.
      """,
      example: """
        local path = os.tmpname()
        local entity = assert(api("/users/7"):download(path):await())
        print(entity.content == path, entity.content_type)   --> true application/json
        print(lull.read_file(path):match("Ann"))             --> Ann
        os.remove(path)
        """,
      swift: "Resource.download(to:resume:requestMutation:)",
      rules: "DWN-01 DWN-02 DWN-03 DWN-04 DWN-11 DWN-12 DWN-13 DWN-14 DWN-16"
    ) { call throws(Misuse) in try call.sendDownload() }
  ]

  static let downloadOptions = APIOwner.table(
    "DownloadOptions", "Options of `resource:download`.",
    "All options except `resume` and `progress` are the same as for other requests.",
    entries: [
      .field(
        "resume", "boolean?",
        """
        Whether to keep a partial download as `NAME.part` in the same folder if the request or the \
        process ends early, and to resume it with the next download to that path. Default false.
        """,
        """
        A second file, `NAME.part.lull`, identifies the response by its strong `ETag`, or by a \
        `Last-Modified` at least a minute old. If the response has changed, or if it cannot be \
        determined whether it has changed, the download starts again. Only one download at a time \
        can use the partial file.
        """,
        swift: "Resource.download(to:resume:requestMutation:)",
        rules: "DWN-04 DWN-05 DWN-06 DWN-07 DWN-10"
      ),
      .field(
        "progress", "boolean|string|nil",
        """
        Whether a terminal shows the progress: true, with the name of the file, or a label. \
        Default false.
        """,
        rules: "DWN-120"),
      .field(
        "headers", "table<string, string|number|Secret|(string|Secret)[]|false>?",
        """
        Headers of the request, as in `RequestOptions`. A download with a `Range` cannot be \
        resumed.
        """,
        rules: "REQ-26 REQ-27 DWN-18"),
      .field(
        "timeout", "number?",
        "How long the whole exchange may take, in seconds; default no limit while data arrives.",
        swift: "TransferLimits.timeout", rules: "DWN-14"),
      .field(
        "mutate", "Mutation?",
        "Edits the request after `headers` and `timeout` are applied. Must return at once.",
        rules: "REQ-26 MUT-05 MUT-07"),
    ])
}
