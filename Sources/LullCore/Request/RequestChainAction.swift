/// What a chain does once it knows the response of the request it wraps. (CHN-01 to CHN-06)
public enum RequestChainAction {
  /// The chain ends with the wrapped request's response, `isNew` included.
  case useThisResponse
  /// The chain ends with this response.
  case useResponse(Response)
  /// The chain ends as that request does; it is started if nobody has.
  case passTo(Request)
}
