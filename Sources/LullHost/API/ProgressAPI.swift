extension APIOwner {
  static let progress = APIOwner.object(
    .progress, receiver: "progress",
    "What `lull.progress` gives: how far something is.",
    entries: [
      .method(
        "advance", "(count?: number): Progress", "Adds to what is done; 1 unless it is said.",
        "Once it is finished, this and `set` change nothing."),
      .method(
        "set", "(count: number): Progress", "Says how much is done in all.",
        example: """
          local progress = lull.progress(nil, "rows")
          print(progress:set(40):advance(2).count)     --> 42
          progress:finish()
          """),
      .method(
        "finish", "()",
        "Takes the bar away, and leaves a line that says how much it was and how long it took.",
        "Finishing twice does nothing. One that is dropped instead leaves nothing."),
      .operation(
        "__close", "()", shown: "local progress <close> = lull.progress(…)",
        "Finishes it when the block is left."),
      .property("count", "number", "How much is done."),
      .property("total", "number?", "How much there is; nil if that is not known."),
      .property("label", "string", "What stands before the bar.", writable: true),
    ])
}
