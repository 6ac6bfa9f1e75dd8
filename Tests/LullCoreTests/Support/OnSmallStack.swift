import LullLibC

/// What `body` gives on a thread of its own with a stack of 256 KB.
func onSmallStack(_ body: @escaping @Sendable () -> Bool) -> Bool {
  final class Job {
    let body: () -> Bool
    var result = false
    init(_ body: @escaping () -> Bool) { self.body = body }
  }
  let job = Job(body)
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setstacksize(&attributes, 256 << 10)
  var thread = pthread_t()
  let status = pthread_create(
    &thread, &attributes,
    { pointer in
      guard let pointer else { return nil }
      // Held by the function below, which waits for this thread.
      let job = Unmanaged<Job>.fromOpaque(pointer).takeUnretainedValue()
      job.result = job.body()
      return nil
    }, Unmanaged.passUnretained(job).toOpaque())
  precondition(status == 0, "no thread could be made")
  pthread_join(thread, nil)
  return job.result
}
