import LullCore

// Each line names the member of Siesta's that it uses.

/// Siesta: Service, URLConvertible
func service(_ networking: any NetworkingProvider) -> Service {
  let url: any URLConvertible = "https://api.example.com"  // URLConvertible
  let parsed: ResourceURL? = url.url  // URLConvertible.url, String.url, URL.url
  let service = Service(  // Service, Service.init(baseURL:standardTransformers:networking:)
    baseURL: url, standardTransformers: [.json, .text], networking: networking)
  _ = Service()
  _ = service.baseURL  // Service.baseURL
  _ = service.resource("/volcanos")  // Service.resource(_:)
  // Service.resource(baseURL:path:)
  _ = service.resource(baseURL: "https://b.example.com", path: "x")
  _ = service.resource(absoluteURL: parsed)  // Service.resource(absoluteURL:)
  // Service.configure(_:requestMethods:description:configurer:)
  service.configure("/volcanos/*", requestMethods: [.get], description: "volcanos") { _ in }
  // Service.configure(whenURLMatches:requestMethods:description:configurer:)
  service.configure(whenURLMatches: { $0.path.hasSuffix("x") }, configurer: { _ in })
  // Service.configureTransformer(_:requestMethods:atStage:action:onInputTypeMismatch:transformErrors:description:contentTransform:)
  service.configureTransformer(
    "/names", requestMethods: [.get, .post], atStage: .model, action: .appendToExisting,
    onInputTypeMismatch: .skip, transformErrors: true, description: "names",
    contentTransform: { (text: String, _) in text.uppercased() })
  service.invalidateConfiguration()  // Service.invalidateConfiguration()
  // Service.wipeResources(matching: predicate)
  service.wipeResources(matching: { $0.latestError != nil })
  service.wipeResources(matching: "/secure/**")  // Service.wipeResources(matching: pattern)
  // Service.wipeResources(withURLsMatching:)
  service.wipeResources(withURLsMatching: { $0.host == "b.example.com" })
  service.cachedResourceCountLimit = 200  // Service.cachedResourceCountLimit
  service.flushUnusedResources()  // Service.flushUnusedResources()
  return service
}

/// Siesta: subclasses of Service
final class VolcanoService: Service {  // Service
  init() {
    super.init(
      baseURL: "https://api.example.com", standardTransformers: [.json], surroundings: .current)
    configure { $0.expirationTime = 60 }
  }

  var volcanos: Resource { resource("/volcanos") }
}

/// Siesta: ConfigurationPatternConvertible
struct Everything: ConfigurationPatternConvertible {  // ConfigurationPatternConvertible
  // ConfigurationPatternConvertible.configurationPattern(for:)
  func configurationPattern(for service: Service) -> ConfigurationPattern { .all }
}

func patterns(_ service: Service, _ resource: Resource) -> [String] {
  [
    // String.configurationPattern(for:), String.configurationPatternDescription
    "/a/*".configurationPattern(for: service).description,
    // Resource.configurationPattern(for:), Resource.configurationPatternDescription
    resource.configurationPattern(for: service).description,
    // NSRegularExpression.configurationPattern(for:), .configurationPatternDescription
    /a+/.configurationPattern(for: service).description,
    // ConfigurationPatternConvertible.configurationPatternDescription
    Everything().configurationPattern(for: service).description,
  ]
}

/// Siesta: Configuration
func configure(_ service: Service, _ cache: some EntityCache) {
  service.configure("/all") { configuration in
    var other = Configuration()  // Configuration
    other.expirationTime = 30  // Configuration.expirationTime
    configuration.retryTime = 1  // Configuration.retryTime
    configuration.headers = ["X-Own": "1"]  // Configuration.headers
    // Configuration.mutateRequests(with:)
    configuration.mutateRequests(with: { $0.headers["X"] = "2" })
    // Configuration.decorateRequests(with:)
    configuration.decorateRequests(with: { _, request in request })
    configuration.pipeline = other.pipeline  // Configuration.pipeline
    configuration.progressReportingInterval = 0.05  // Configuration.progressReportingInterval
    pipeline(&configuration.pipeline, cache)
  }
}

/// Siesta: Pipeline, PipelineStage, PipelineStageKey
func pipeline(_ pipeline: inout Pipeline, _ cache: some EntityCache) {  // Pipeline
  // Pipeline.order, PipelineStageKey.rawData, .decoding, .parsing, .model, .cleanup
  pipeline.order = [.rawData, .decoding, .parsing, .model, .cleanup]
  pipeline.removeAllTransformers()  // Pipeline.removeAllTransformers()
  pipeline.removeAllCaches()  // Pipeline.removeAllCaches()
  pipeline.clear()  // Pipeline.clear()
  pipeline.add(.json)  // Pipeline.add(_: StandardTransformer), StandardTransformer.json
  pipeline.add(StandardTransformer.text)  // StandardTransformer, StandardTransformer.text
  // PipelineStageKey, PipelineStageKey.init(description:)
  let own = PipelineStageKey(description: "own")
  // PipelineStageKey.description, PipelineStageKey.==, PipelineStageKey.hash(into:)
  print(own.description, own == .model, Set([own]).count)
  var stage: PipelineStage = pipeline[.model]  // PipelineStage, Pipeline.subscript(_:)
  stage.add(Loud())  // PipelineStage.add(_:)
  stage.add(Loud(), contentTypes: ["text/*"])  // PipelineStage.add(_:contentTypes:)
  stage.removeTransformers()  // PipelineStage.removeTransformers()
  stage.cacheUsing(cache)  // PipelineStage.cacheUsing(_:)
  stage.doNotCache()  // PipelineStage.doNotCache()
  // PipelineStage.MutationAction, .replaceExisting
  let action: PipelineStage.MutationAction = .replaceExisting
  print(action == .appendToExisting)  // PipelineStage.MutationAction.appendToExisting
}

/// Siesta: ResponseTransformer, ResponseContentTransformer, the standard ones
final class Loud: ResponseTransformer {  // ResponseTransformer
  let description = "loud"  // ResponseTransformer.debugDescription
  // ResponseTransformer.process(_:)
  func process(_ response: Response, in run: PipelineRun) -> Response? { response }
}

func name(_ transformer: ResponseContentTransformer) -> String {
  transformer.description  // ResponseContentTransformer.debugDescription
}

func transformers() -> [any ResponseTransformer] {
  [
    JSONResponseTransformer(),  // JSONResponseTransformer(_:)
    TextResponseTransformer(),  // TextResponseTransformer(_:)
    // ResponseContentTransformer, .init(onInputTypeMismatch:transformErrors:processor:)
    // ResponseContentTransformer.Processor, .process(_:)
    ResponseContentTransformer(
      // InputTypeMismatchAction, .error
      onInputTypeMismatch: InputTypeMismatchAction.error, transformErrors: false,
      processor: { (text: String, _) -> Int? in Int(text) }),
    ResponseContentTransformer(
      onInputTypeMismatch: .skip,  // InputTypeMismatchAction.skip
      processor: { (text: String, _) -> Int? in Int(text) }),
    ResponseContentTransformer(
      // InputTypeMismatchAction.skipIfOutputTypeMatches
      onInputTypeMismatch: .skipIfOutputTypeMatches,
      processor: { (text: String, _) -> Int? in Int(text) }),
  ]
}

/// Siesta: SiestaLog
func logging(_ log: Log) {  // SiestaLog
  log.enabled = .common  // SiestaLog.Category.enabled, Set<Category>.common
  log.enabled = .detailed  // Set<Category>.detailed
  log.enabled = .all  // Set<Category>.all
  // SiestaLog.Category, .common, .detailed, .all
  log.enabled = Log.Category.common.union(Log.Category.detailed).union(Log.Category.all)
  let all: [Log.Category] = [
    .network,  // SiestaLog.Category.network
    .networkDetails,  // SiestaLog.Category.networkDetails
    .pipeline,  // SiestaLog.Category.pipeline
    .stateChanges,  // SiestaLog.Category.stateChanges
    .observers,  // SiestaLog.Category.observers
    .staleness,  // SiestaLog.Category.staleness
    .cache,  // SiestaLog.Category.cache
    .configuration,  // SiestaLog.Category.configuration
  ]
  // SiestaLog.messageHandler
  log.messageHandler = { category, message in print(category, message) }
  log.log(all[0], "something")  // SiestaLog.log(_:_:)
}
