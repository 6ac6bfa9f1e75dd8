import LullCore

/// Siesta: Resource
func resource(_ resource: Resource, _ owner: AnyObject) throws {  // Resource
  _ = resource.service  // Resource.service
  _ = resource.url  // Resource.url
  _ = resource.configuration  // Resource.configuration
  _ = resource.configuration(for: .post)  // Resource.configuration(for:)
  _ = resource.latestData  // Resource.latestData
  _ = resource.latestError  // Resource.latestError
  _ = resource.timestamp  // Resource.timestamp
  _ = resource.isLoading  // Resource.isLoading
  _ = resource.isRequesting  // Resource.isRequesting
  _ = resource.isUpToDate  // Resource.isUpToDate
  _ = resource.loadRequests  // Resource.loadRequests
  _ = resource.allRequests  // Resource.allRequests
  let mutation: Resource.RequestMutation = { $0.headers["X"] = "1" }  // Resource.RequestMutation
  // Resource.request(_:requestMutation:)
  let request = resource.request(.delete, requestMutation: mutation)
  _ = resource.loadIfNeeded()  // Resource.loadIfNeeded()
  _ = resource.load()  // Resource.load()
  _ = resource.load(using: request)  // Resource.load(using:)
  resource.cancelLoadIfUnobserved()  // Resource.cancelLoadIfUnobserved()
  // Resource.cancelLoadIfUnobserved(afterDelay:then:)
  resource.cancelLoadIfUnobserved(afterDelay: 0.1, then: {})
  // Resource.overrideLocalData(with:)
  resource.overrideLocalData(with: Entity(content: .text("x"), contentType: "text/plain"))
  resource.overrideLocalContent(with: .text("x"))  // Resource.overrideLocalContent(with:)
  resource.invalidate()  // Resource.invalidate()
  resource.wipe()  // Resource.wipe()
  print(resource.description)  // Resource.description
  _ = resource.child("1")  // Resource.child(_:)
  _ = resource.relative("../x")  // Resource.relative(_:)
  _ = resource.optionalRelative(nil)  // Resource.optionalRelative(_:)
  _ = resource.withParam("a", "b")  // Resource.withParam(_:_:)
  _ = resource.withParams(["a": nil])  // Resource.withParams(_:)
  let observer = Observer()
  resource.addObserver(observer)  // Resource.addObserver(_:)
  resource.addObserver(observer, owner: owner)  // Resource.addObserver(_:owner:)
  let closure: ResourceObserverClosure = { _, event in print(event) }  // ResourceObserverClosure
  // Resource.addObserver(owner:file:line:closure:)
  resource.addObserver(owner: owner, closure: closure)
  resource.addObserver(owner: owner, identity: "mine", closure: closure)
  let label = Label(title: "mine")
  resource.addObserver(label, owner: owner)
  print(resource.observer(identity: label.observerIdentity) is Label)
  resource.removeObserver(identity: "mine")
  resource.removeObservers(ownedBy: owner)  // Resource.removeObservers(ownedBy:)
}

/// An observer that is a value, as Siesta allows.
struct Label: ResourceObserver {
  let title: String
  var observerIdentity: AnyHashable { title }  // ResourceObserver.observerIdentity
  func resourceChanged(_ resource: Resource, event: ResourceEvent) { print(title, event) }
}

/// The partial update of Siesta's guide.
func rename(_ resource: Resource, to newName: String) throws {
  let update = resource.request(.patch, json: ["name": .string(newName)])
  update.onSuccess { partialEntity in
    guard resource.latestData != nil else {
      resource.load()
      return
    }
    var updatedContent = resource.jsonDict
    updatedContent["name"] = partialEntity.jsonDict["name"]
    resource.overrideLocalContent(with: updatedContent)
  }
}

/// Siesta: requests with bodies
func bodies(_ resource: Resource) {
  // Resource.request(_:data:contentType:requestMutation:)
  resource.request(.put, data: [1], contentType: "image/png", requestMutation: { _ in })
  // Resource.request(_:text:contentType:encoding:requestMutation:)
  resource.request(.put, text: "x", contentType: "text/plain", encoding: "utf-8")
  let json: JSONValue = ["a": 1]  // JSONConvertible
  // Resource.request(_:json:contentType:requestMutation:)
  resource.request(.put, json: json, contentType: "application/json")
  resource.request(.put, urlEncoded: ["a": "b"])  // Resource.request(_:urlEncoded:requestMutation:)
}

/// Siesta: ResourceObserver, ResourceEvent
final class Observer: ResourceObserver {  // ResourceObserver
  // ResourceObserver.resourceChanged(_:event:), ResourceEvent
  func resourceChanged(_ resource: Resource, event: ResourceEvent) {
    switch event {
    case .observerAdded: break  // ResourceEvent.observerAdded
    case .requested: break  // ResourceEvent.requested
    case .requestCancelled: break  // ResourceEvent.requestCancelled
    // ResourceEvent.newData, ResourceEvent.NewDataSource.description
    case .newData(let source): print(name(source), source.rawValue)
    case .notModified: break  // ResourceEvent.notModified
    case .error: break  // ResourceEvent.error
    }
  }

  // ResourceObserver.resourceRequestProgress(for:progress:)
  func resourceRequestProgress(for resource: Resource, progress: Double) {}
  func stoppedObserving(resource: Resource) {}  // ResourceObserver.stoppedObserving(resource:)

  // ResourceEvent.NewDataSource
  private func name(_ source: ResourceEvent.NewDataSource) -> String {
    switch source {
    case .network: "network"  // ResourceEvent.NewDataSource.network
    case .cache: "cache"  // ResourceEvent.NewDataSource.cache
    case .localOverride: "override"  // ResourceEvent.NewDataSource.localOverride
    case .wipe: "wipe"  // ResourceEvent.NewDataSource.wipe
    case .shared: "shared"
    }
  }
}

/// Siesta: Entity, TypedContentAccessors
func entity(_ given: Entity) {  // Entity
  var entity = Entity(  // Entity.init(content:contentType:charset:headers:)
    content: given.content,  // Entity.content
    contentType: given.contentType,  // Entity.contentType
    charset: given.charset,  // Entity.charset
    headers: given.headers)  // Entity.headers
  _ = Entity(content: .text("x"), headers: given.headers)  // Entity.init(response:content:)
  // Entity.init(content:charset:headers:timestamp:)
  _ = Entity(content: .text("x"), headers: Headers(), timestamp: 0)
  _ = entity.etag  // Entity.etag
  _ = entity.header(forKey: "ETag")  // Entity.header(forKey:)
  _ = entity.timestamp  // Entity.timestamp
  entity.touch()  // Entity.touch()
  _ = entity.withContentRetyped(as: String.self)  // Entity.withContentRetyped()
}

struct Wrapper: TypedContentAccessors {  // TypedContentAccessors
  // TypedContentAccessors.entityForTypedContentAccessors
  let entityForTypedContentAccessors: Entity?
}

func contents(_ resource: Resource, _ entity: Entity, _ error: RequestError) {
  _ = Wrapper(entityForTypedContentAccessors: entity).text  // TypedContentAccessors.text
  _ = resource.jsonDict  // TypedContentAccessors.jsonDict
  _ = resource.jsonArray  // TypedContentAccessors.jsonArray
  // TypedContentAccessors.typedContent(ifNone: value)
  let required = resource.typedContent(ifNone: "none")
  // TypedContentAccessors.typedContent(ifNone: optional)
  let fallback: String? = resource.typedContent(ifNone: nil)
  let number: Int? = resource.typedContent()  // TypedContentAccessors.typedContent()
  print(required, fallback ?? "", number ?? 0)
  _ = resource.entityForTypedContentAccessors  // Resource.entityForTypedContentAccessors
  _ = entity.entityForTypedContentAccessors  // Entity.entityForTypedContentAccessors
  _ = error.entityForTypedContentAccessors  // RequestError.entityForTypedContentAccessors
}

/// Siesta: EntityCache
final class Cache: EntityCache {  // EntityCache
  typealias Key = String  // EntityCache.Key
  private var entities: [String: Entity] = [:]

  // EntityCache.key(for:)
  func key(for resource: Resource, at stage: PipelineStageKey) -> String? { resource.url.text }

  // EntityCache.readEntity(forKey:)
  func readEntity(forKey key: String, completion: @escaping (Entity?) -> Void) {
    completion(entities[key])
  }

  // EntityCache.writeEntity(_:forKey:)
  func writeEntity(_ entity: Entity, forKey key: String, completion: @escaping () -> Void) {
    entities[key] = entity
    completion()
  }

  // EntityCache.removeEntity(forKey:)
  func removeEntity(forKey key: String, completion: @escaping () -> Void) {
    entities[key] = nil
    completion()
  }

  func refresh(_ key: String) {
    updateEntityTimestamp(0, forKey: key) {}  // EntityCache.updateEntityTimestamp(_:forKey:)
  }
}
