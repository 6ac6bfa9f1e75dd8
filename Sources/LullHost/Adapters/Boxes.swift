package import CLullBridge
package import LullCore

/// An entity held by Lua: its own copy of a value, read-only unless the script created it.
final class EntityBox {
  var entity: Entity
  let isOwn: Bool
  let service: Service?
  /// The private tables of its content; nil for the shared ones.
  let tables: OwnTables?

  init(
    _ entity: Entity, isOwn: Bool = false, service: Service? = nil, tables: OwnTables? = nil
  ) {
    self.entity = entity
    self.isOwn = isOwn
    self.service = service
    self.tables = tables
  }

  /// The entity with the script's changes to its content, to be passed on.
  var settled: Entity {
    guard let tables else { return entity }
    var settled = entity
    settled.content = tables.settled(entity.content)
    return settled
  }
}

/// An error held by Lua.
package final class ErrorBox {
  package let error: RequestError
  let service: Service?
  /// The private tables of its content; nil for the shared ones.
  let tables: OwnTables?

  init(_ error: RequestError, service: Service? = nil, tables: OwnTables? = nil) {
    self.error = error
    self.service = service
    self.tables = tables
  }

  /// The error with the script's changes to its content, to be passed on.
  var settled: RequestError { tables?.settled(error) ?? error }
}

/// A response held by Lua.
final class ResponseBox {
  let response: Response
  let service: Service?
  /// The private tables of its content; nil for the shared ones.
  let tables: OwnTables?

  init(_ response: Response, service: Service? = nil, tables: OwnTables? = nil) {
    self.response = response
    self.service = service
    self.tables = tables
  }

  /// The response with the script's changes to its content, to be passed on.
  var settled: Response { tables?.settled(response) ?? response }
}

/// Headers that Lua edits, inside the object that owns them.
final class HeadersBox {
  let read: () -> Headers
  /// nil if they are read-only. Returns false if their owner is closed.
  let write: ((HeaderEdit) -> Bool)?
  /// Whether they belong to a request, so that they may contain secrets.
  let allowsSecrets: Bool
  /// For a request: throws if a text contains the mask of one of its secrets.
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

/// A request being built: mutations edit it, and `networking` functions read it.
final class HTTPRequestBox {
  var http: HTTPRequest
  /// False once the function it was created for has returned.
  var isOpen = true
  /// The secrets it began with, whose masks the script may have read.
  private let secrets: [Secret]

  init(_ http: HTTPRequest) {
    self.http = http
    secrets = http.secretPlaces.map(\.secret)
  }

  /// Sets the request body and its content type.
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

  /// Throws if `bytes` contain the mask of one of its secrets, because the mask would be sent
  /// unchanged.
  func checkText(_ bytes: [UInt8], _ place: String) throws(Misuse) {
    for secret in secrets + http.secretPlaces.map(\.secret) {
      for mask in [Array(secret.mask.utf8), SecretEscaping.json.escaped(secret.mask.utf8)]
      where bytes.firstRange(of: mask) != nil {
        throw .message(
          "\(place) contains '\(secret.mask)', which is only a placeholder for the secret: "
            + "use the value of lull.secret itself where it is sent")
      }
    }
  }
}

/// A configuration being computed, edited by configure functions.
final class ConfigurationBox {
  var settings: Configuration
  /// False once the function it was created for has returned.
  var isOpen = true
  let service: Service

  init(_ settings: Configuration, service: Service) {
    self.settings = settings
    self.service = service
  }
}

/// A file to be sent, `lull.file`.
final class FileBox {
  let file: UploadFile

  init(_ file: UploadFile) {
    self.file = file
  }
}

/// A form whose values may be files, `lull.multipart`.
final class MultipartBox {
  let form: MultipartForm

  init(_ form: MultipartForm) {
    self.form = form
  }
}

/// A text with secrets, held by Lua: `lull.secret{…}`, or a concatenation with one.
final class SecretBox {
  let text: SecretText

  init(_ text: SecretText) {
    self.text = text
  }
}

/// The result of `lull.auth.…`, for the setting `auth`.
final class AuthBox {
  let auth: Auth
  /// The stored function that it calls, if any.
  let function: Int64?

  init(_ auth: Auth, function: Int64? = nil) {
    self.auth = auth
    self.function = function
  }
}

extension ObjectHandles {
  /// Returns the secret in a value; nil for anything else.
  package func secret(_ value: lull_value) -> SecretText? {
    object(value, .secret, as: SecretBox.self)?.text
  }

  /// Returns the file created by `lull.file`; nil for anything else.
  package func uploadFile(_ value: lull_value) -> UploadFile? {
    object(value, .file, as: FileBox.self)?.file
  }
}
