import FlyingFox
import Foundation

/// Work that is begun by one request and watched by others.
struct JobRoutes: Sendable {
  let state: DemoState

  var all: [Route] {
    [
      Route("POST", "/jobs", "{name?, milliseconds?} begins a job: 202 and its Location") { call in
        let object = try call.jsonObject()
        let pace = object["milliseconds"]?.int ?? 100
        guard (0...60_000).contains(pace) else {
          throw Problem.badRequest("milliseconds must be a whole number from 0 to 60000")
        }
        let name = object["name"]?.string ?? "a job"
        let job = await state.update { $0.jobs.begin(name, milliseconds: pace) }
        let location = "/jobs/\(job["id"]?.int ?? 0)"
        return Reply.json(job, status: 202, headers: [("Location", location)])
      },
      Route("GET", "/jobs/{id}", "how far it is: queued, running, done") { call in
        let id = call.parameters["id"] ?? ""
        guard
          let job = await state.update({ contents in Int(id).flatMap { contents.jobs.look(at: $0) }
          })
        else { throw Problem.notFound("there is no job \(id)") }
        return Reply.json(job, headers: [("Cache-Control", "no-store")])
      },
    ]
  }
}
