package import CLullBridge
package import LullCore

/// An entity that Lua code holds. The entity is a copy, and is read-only unless the script created
/// it.
final class EntityBox {
  var entity: Entity
  let isOwn: Bool
  let service: Service?
  /// The Lua tables of the content that belong to this entity alone; nil if the entity uses the
  /// tables that all readers share.
  let tables: OwnTables?

  init(
    _ entity: Entity, isOwn: Bool = false, service: Service? = nil, tables: OwnTables? = nil
  ) {
    self.entity = entity
    self.isOwn = isOwn
    self.service = service
    self.tables = tables
  }

  /// The entity to pass on, which includes the script's changes to its content.
  var settled: Entity {
    guard let tables else { return entity }
    var settled = entity
    settled.content = tables.settled(entity.content)
    return settled
  }
}

/// An error that Lua code holds.
package final class ErrorBox {
  package let error: RequestError
  let service: Service?
  /// The Lua tables of the content that belong to this error alone; nil if the error uses the
  /// tables that all readers share.
  let tables: OwnTables?

  init(_ error: RequestError, service: Service? = nil, tables: OwnTables? = nil) {
    self.error = error
    self.service = service
    self.tables = tables
  }

  /// The error to pass on, which includes the script's changes to its content.
  var settled: RequestError { tables?.settled(error) ?? error }
}

/// A response that Lua code holds.
final class ResponseBox {
  let response: Response
  let service: Service?
  /// The Lua tables of the content that belong to this response alone; nil if the response uses the
  /// tables that all readers share.
  let tables: OwnTables?

  init(_ response: Response, service: Service? = nil, tables: OwnTables? = nil) {
    self.response = response
    self.service = service
    self.tables = tables
  }

  /// The response to pass on, which includes the script's changes to its content.
  var settled: Response { tables?.settled(response) ?? response }
}

/// The headers of a request, response or other object. Lua code reads them and may edit them in
/// place.
final class HeadersBox {
  let read: () -> Headers
  /// Applies an edit to the headers. Returns false if the object that owns the headers is closed.
  /// The property is nil if the headers are read-only.
  let write: ((HeaderEdit) -> Bool)?
  /// Whether the headers belong to a request, so that they may contain secrets.
  let allowsSecrets: Bool
  /// Throws if a text contains the mask of one of the request's secrets. The property is nil unless
  /// the headers belong to a request.
  let checkText: (([UInt8]) throws(Misuse) -> Void)?

  init(
    read: @escaping () -> Headers, write: ((HeaderEdit) -> Bool)?, allowsSecrets: Bool = false,
    checkText: (([UInt8]) throws(Misuse) -> Void)? = nil
  ) {
    self.read = read
    self.write = write
    self.allowsSecrets = allowsSecrets
    self.checkText = checkText
  }
}

/// An HTTP request while it is being built. Mutations edit it, and `networking` functions read it.
final class HTTPRequestBox {
  var http: HTTPRequest
  /// Whether the script may edit the request. False once the function for which this box was
  /// created has returned.
  var isOpen = true
  /// The secrets that the request contained when the box was created. The script may have read
  /// their masks.
  private let secrets: [Secret]

  init(_ http: HTTPRequest) {
    self.http = http
    secrets = http.secretPlaces.map(\.secret)
  }

  /// Sets the body of the HTTP request and its content type.
  func carry(_ body: RequestBody) throws(Misuse) {
    let encoded: EncodedBody
    do throws(RequestBodyFailure) {
      encoded = try body.encoded()
    } catch {
      throw .message(error.cause.message)
    }
    do throws(TransportError) {
      try encoded.put(into: &http)
    } catch {
      throw .message(error.message)
    }
  }

  /// Throws if `bytes` contain the mask of one of the request's secrets. Without this check, the
  /// mask would be sent instead of the secret.
  func checkText(_ bytes: [UInt8], _ place: String) throws(Misuse) {
    for secret in secrets + http.secretPlaces.map(\.secret) {
      for mask in [Array(secret.mask.utf8), SecretEscaping.json.escaped(secret.mask.utf8)]
      where bytes.firstRange(of: mask) != nil {
        throw .message(
          "\(place) contains '\(secret.mask)', which is only a placeholder for the secret: "
            + "pass the value of lull.secret itself")
      }
    }
  }
}

/// A configuration while it is being computed. Configure functions edit it.
final class ConfigurationBox {
  var settings: Configuration
  /// Whether the script may use the configuration. False once the function for which this box was
  /// created has returned.
  var isOpen = true
  let service: Service

  init(_ settings: Configuration, service: Service) {
    self.settings = settings
    self.service = service
  }
}

/// A file to be sent, created by `lull.file`.
final class FileBox {
  let file: UploadFile

  init(_ file: UploadFile) {
    self.file = file
  }
}

/// A form whose values may be files, created by `lull.multipart`.
final class MultipartBox {
  let form: MultipartForm

  init(_ form: MultipartForm) {
    self.form = form
  }
}

/// A text with secrets that Lua code holds: the result of `lull.secret{…}`, or the result of a
/// concatenation with a secret.
final class SecretBox {
  let text: SecretText

  init(_ text: SecretText) {
    self.text = text
  }
}

/// The result of a function `lull.auth.…`, which a script assigns to the setting `auth`.
final class AuthBox {
  let auth: Auth
  /// The ID of the stored function that the auth calls, or nil if it calls none.
  let function: Int64?

  init(_ auth: Auth, function: Int64? = nil) {
    self.auth = auth
    self.function = function
  }
}

extension ObjectHandles {
  /// Returns the secret in a value, or nil if the value is not a secret.
  package func secret(_ value: lull_value) -> SecretText? {
    object(value, .secret, as: SecretBox.self)?.text
  }

  /// Returns the file in a value that `lull.file` created, or nil for any other value.
  package func uploadFile(_ value: lull_value) -> UploadFile? {
    object(value, .file, as: FileBox.self)?.file
  }
}
