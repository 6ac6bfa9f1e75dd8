extension APIOwner {
  static let task = APIOwner.object(
    .task, receiver: "task",
    "A function that runs beside the others, in a coroutine of its own.",
    entries: [
      .property("state", "TaskState", "How far it is."),
      .method(
        "await", "(): ...", "Waits for the task and gives its results.",
        """
        An error inside the task is raised here with its own traceback. A cancelled task gives \
        nil and an error of kind `request_cancelled`. A task that waits for itself, directly or \
        through others, raises.
        """,
        example: """
          local task = lull.spawn(function(a, b) return a + b, a * b end, 3, 4)
          print(task:await())                      --> 7 12
          """),
      .method(
        "cancel", "(): Task",
        "Closes the task's coroutine, and cancels what it waits for if nobody else does.",
        """
        Nothing after its wait runs and no `pcall` sees it; to-be-closed variables are closed, \
        and their handlers must not wait, as after an error (`lull.spawn` may). One that has not begun never does; one that cancels \
        itself ends at its next wait; a finished one stays as it is.
        """,
        example: """
          local task = lull.spawn(function() lull.sleep(60) print("never") end)
          lull.sleep(0)
          task:cancel()
          local value, err = task:await()
          print(value, err.cause.kind)             --> nil request_cancelled
          """),
    ])

  static let taskStates = APIOwner.words(
    "TaskState", "How far a task is.",
    entries: [
      .word("running", "Not begun, running or waiting."),
      .word("finished", "It has its results."),
      .word("failed", "It has raised an error."),
      .word("cancelled", "It was cancelled."),
    ])
}
