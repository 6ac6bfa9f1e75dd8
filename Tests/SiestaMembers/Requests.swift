import LullCore

/// Siesta: Request, RequestMethod, RequestState
func request(_ request: Request) {  // Request
  request.onCompletion { _ in }  // Request.onCompletion(_:)
  request.onSuccess { _ in }  // Request.onSuccess(_:)
  request.onNewData { _ in }  // Request.onNewData(_:)
  request.onNotModified {}  // Request.onNotModified(_:)
  request.onFailure { _ in }  // Request.onFailure(_:)
  request.onProgress { _ in }  // Request.onProgress(_:)
  request.start()  // Request.start()
  let state: RequestState = request.state  // Request.state, RequestState
  switch state {
  case .notStarted: break  // RequestState.notStarted
  case .inProgress: break  // RequestState.inProgress
  case .completed: break  // RequestState.completed
  }
  _ = request.progress  // Request.progress
  request.cancel()  // Request.cancel()
  _ = request.repeated()  // Request.repeated()
  _ = request.chained { response in  // Request.chained(whenCompleted:)
    let action: RequestChainAction =  // RequestChainAction
      // RequestChainAction.useThisResponse, .useResponse
      response.isNew ? .useThisResponse : .useResponse(response)
    return response.isSuccess ? action : .passTo(request.repeated())  // RequestChainAction.passTo
  }
  let methods: [RequestMethod] = [  // RequestMethod
    .options,  // RequestMethod.options
    .get,  // RequestMethod.get
    .head,  // RequestMethod.head
    .post,  // RequestMethod.post
    .put,  // RequestMethod.put
    .patch,  // RequestMethod.patch
    .delete,  // RequestMethod.delete
  ]
  print(methods == RequestMethod.allCases)
}

/// Siesta: Response, ResponseInfo
func response(_ entity: Entity) {
  let response: Response = .success(entity)  // Response
  print(response.isCancellation)  // Response.isCancellation
  print(response.description)  // Response.description
  // ResponseInfo, ResponseInfo.init(response:isNew:), ResponseInfo.response
  let info = Response(response.outcome, isNew: true)
  print(info.isNew)  // ResponseInfo.isNew
}

/// Siesta: requests of nobody's, RequestDelegate
func requests(_ error: RequestError) {
  _ = Resource.failedRequest(returning: error)  // Resource.failedRequest(returning:)
  // Resource.hardWiredRequest(returning:)
  _ = Resource.hardWiredRequest(returning: .failure(error))
  _ = Resource.prepareRequest(using: Work())  // Resource.prepareRequest(using:)
}

final class Work: RequestDelegate {  // RequestDelegate
  // RequestDelegate.startUnderlyingOperation(passingResponseTo:), RequestCompletionHandler
  func startUnderlyingOperation(passingResponseTo handler: RequestCompletionHandler) {
    guard !handler.willIgnore else { return }  // RequestCompletionHandler.willIgnore(_:)
    // RequestCompletionHandler.broadcastResponse(_:)
    handler.broadcastResponse(.failure(RequestError(userMessage: "no")))
  }

  func cancelUnderlyingOperation() {}  // RequestDelegate.cancelUnderlyingOperation()
  func repeated() -> any RequestDelegate { Work() }  // RequestDelegate.repeated()
  func computeProgress() -> Double { 0.5 }  // RequestDelegate.computeProgress()
  var progressReportingInterval: Double { 1 }  // RequestDelegate.progressReportingInterval
  var requestDescription: String { "work" }  // RequestDelegate.requestDescription
}

/// Siesta: RequestError
func error(_ entity: Entity, _ error: RequestError) {  // RequestError
  // RequestError.init(userMessage:cause:entity:)
  _ = RequestError(userMessage: "No", entity: entity, cause: .requestCancelled)
  // RequestError.init(response:content:cause:userMessage:)
  _ = RequestError(userMessage: "No", httpStatusCode: 500, entity: entity)
  _ = error.userMessage  // RequestError.userMessage
  _ = error.httpStatusCode  // RequestError.httpStatusCode
  _ = error.entity  // RequestError.entity
  _ = error.timestamp  // RequestError.timestamp
  let cause: RequestError.Cause? = error.cause  // RequestError.cause, RequestError.Cause
  switch cause {
  case .invalidURL(let source)?: print(source ?? "")  // RequestError.Cause.InvalidURL, .urlSource
  // RequestError.Cause.UnencodableText, .encoding, .text
  case .unencodableText(let encoding, let text)?: print(encoding, text)
  case .invalidJSONObject?: break  // RequestError.Cause.InvalidJSONObject
  // RequestError.Cause.NotURLEncodable, .offendingString
  case .notURLEncodable(let string)?: print(string)
  case .requestCancelled?: break  // RequestError.Cause.RequestCancelled
  case .noLocalDataFor304?: break  // RequestError.Cause.NoLocalDataFor304
  // RequestError.Cause.InvalidTextEncoding, .encodingName
  case .invalidTextEncoding(let name)?: print(name)
  // RequestError.Cause.UndecodableText, .encoding
  case .undecodableText(let encoding)?: print(encoding)
  // RequestError.Cause.WrongInputTypeInTranformerPipeline
  case .wrongInputTypeInTransformerPipeline(let expected, let actual, let transformer)?:
    // RequestError.Cause.WrongInputTypeInTranformerPipeline.expectedType, .actualType, .transformer
    print(expected, actual, transformer)
  // RequestError.Cause.TransformerReturnedNil, .transformer
  case .transformerReturnedNil(let transformer)?: print(transformer)
  default: break
  }
}

/// Siesta: NetworkingProvider, RequestNetworking, RequestTransferMetrics
final class Network: NetworkingProvider {  // NetworkingProvider
  func startRequest(  // NetworkingProvider.startRequest(_:completion:)
    _ request: HTTPRequest, completion: NetworkCompletion  // RequestNetworkingCompletionCallback
  ) -> any RequestNetworking {
    completion(NetworkResult(response: HTTPResponse(status: 200), body: []))
    return Transfer()
  }
}

final class Transfer: RequestNetworking {  // RequestNetworking
  func cancel() {}  // RequestNetworking.cancel()
  // RequestNetworking.transferMetrics, RequestTransferMetrics
  var transferMetrics: RequestTransferMetrics {
    RequestTransferMetrics(
      requestBytesSent: 1,  // RequestTransferMetrics.requestBytesSent
      requestBytesTotal: 2,  // RequestTransferMetrics.requestBytesTotal
      responseBytesReceived: 3,  // RequestTransferMetrics.responseBytesReceived
      responseBytesTotal: 4)  // RequestTransferMetrics.responseBytesTotal
  }
}
