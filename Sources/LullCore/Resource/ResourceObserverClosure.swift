/// An observer that is a function: what `addObserver(owner:closure:)` takes. Called on the home thread with the
/// resource and what has happened to it. (OBS-15) Lua: the function of `resource:add_observer`.
public typealias ResourceObserverClosure = (Resource, ResourceEvent) -> Void
