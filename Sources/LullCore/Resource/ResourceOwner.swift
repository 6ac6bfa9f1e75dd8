/// What a resource knows of its service: where it finds other resources, what they are configured to, and
/// what they are loaded through.
package protocol ResourceOwner: AnyObject {
  var pump: Pump { get }
  /// What logs call it; nil: by its base.
  var name: String? { get }
  var baseURL: ResourceURL? { get }
  var networking: any NetworkingProvider { get }
  /// What is known of its answers; nil: nothing.
  var schemas: (any AnswerSchemas)? { get }
  /// Whether loads are answered by memory and caches only.
  var isOffline: Bool { get }
  /// The environment of an API file that it is for; nil: none.
  var environment: ServiceEnvironment? { get }
  /// Changes with each configuration that is registered, and when what is computed is to be forgotten.
  var configurationVersion: Int { get }
  /// The number a script's host knows this object by; 0 if none.
  var hostHandle: UInt64 { get }

  /// The settings in force for a method of a resource.
  func resolvedConfiguration(for record: ResourceRecord, method: RequestMethod)
    -> ResolvedConfiguration
  /// Where requests of a resource wait for their limits; nil without any.
  func limitLane(_ rules: Policies.Rules, for resource: Resource) -> LimitLane?
  /// The one resource with that URL.
  func resource(at url: ResourceURL) -> Resource
  /// The one resource that stands for a record.
  func resource(of record: ResourceRecord) -> Resource
  /// The resource of what is no URL, whose requests fail. (SVC-16 to SVC-22)
  func invalidResource(_ source: ResourceRecord.InvalidSource) -> Resource
  /// Whether anything is remembered of that URL.
  func knows(_ url: ResourceURL) -> Bool
  /// What is remembered of that URL.
  func record(for url: ResourceURL) -> ResourceRecord
  /// Nobody holds the resource of that record any more.
  func resourceReleased(_ record: ResourceRecord)
}
