/// The kinds of userdata.
package enum HandleKind: Int32, CustomStringConvertible {
  case module = 0
  case service, resource, request, observation, entity, response, error, task, configuration
  case httpRequest, headers, regex, log, completion, stub, pipeline, stage, cache
  case iterator, handler
  case watch, pages
  case secret, auth
  case api, apiCalls, apiCall

  package var description: String {
    switch self {
    case .module: "lull"
    case .service: "Service"
    case .resource: "Resource"
    case .request: "Request"
    case .observation: "Observation"
    case .entity: "Entity"
    case .response: "Response"
    case .error: "RequestError"
    case .task: "Task"
    case .configuration: "Configuration"
    case .httpRequest: "HTTPRequest"
    case .headers: "Headers"
    case .regex: "Regex"
    case .log: "Log"
    case .completion: "Completion"
    case .stub: "Stub"
    case .pipeline: "Pipeline"
    case .stage: "PipelineStage"
    case .cache: "Cache"
    case .iterator: "Iterator"
    case .handler: "Handler"
    case .watch: "Watch"
    case .pages: "Pages"
    case .secret: "Secret"
    case .auth: "Auth"
    case .api: "API"
    case .apiCalls: "APICalls"
    case .apiCall: "APICall"
    }
  }
}
