import CLullBridge
import LullCore

extension APIOwner {
  static let resourceDownloads: [APIEntry] = [
    .method(
      "download", "(path: string, options?: DownloadOptions): Request",
      "Writes what a GET brings to a file, and leaves the resource's state alone.",
      """
      The body goes to the disk as it arrives, so that it may be larger than memory, and no \
      `max_body_size` counts. The file appears when all of it is there, and replaces one of that path, \
      which keeps its mode; a failure leaves what was there. In a folder it is called as \
      `Content-Disposition` says, else as the URL ends, if that is a plain name, else `download`, and \
      replaces nothing. The entity has what was received but for the bytes: its content is the path. \
      The compressed forms of HTTP are not asked for, no transformer and no cache sees the answer, errors \
      come as of any other request. Retries go on where the one before ended, if the server can. No \
      timeout bounds it unless its options set one: silence does, see `idle_timeout`. Not available in \
      the sandbox.
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
    "All but `resume` and `progress` are those of any other request.",
    entries: [
      .field(
        "resume", "boolean?",
        """
        Whether what has come stays beside the file, as `NAME.part`, when the request or the process ends \
        before all of it has, and is gone on with by the next download to that path. Default false.
        """,
        """
        A note beside it, `NAME.part.lull`, says which file it is a part of: one with a strong `ETag`, or a \
        `Last-Modified` a minute old, that has not changed since. What has, or cannot be told, begins anew. \
        While somebody downloads to it, nobody else can.
        """,
        swift: "Resource.download(to:resume:requestMutation:)",
        rules: "DWN-04 DWN-05 DWN-06 DWN-07 DWN-10"
      ),
      .field(
        "progress", "boolean|string|nil",
        "Whether a terminal shows how far it is: true with the name of the file, or a label. Default false.",
        rules: "DWN-120"),
      .field(
        "headers", "table<string, string|number|Secret|(string|Secret)[]|false>?",
        "Headers of the request, as in `RequestOptions`; a `Range` cannot be resumed.",
        rules: "REQ-26 REQ-27 DWN-18"),
      .field(
        "timeout", "number?",
        "How long the whole exchange may take, in seconds; default as long as it moves.",
        swift: "TransferLimits.timeout", rules: "DWN-14"),
      .field(
        "mutate", "Mutation?", "Edits the request after that. Must answer at once.",
        rules: "REQ-26 MUT-05 MUT-07"),
    ])
}
