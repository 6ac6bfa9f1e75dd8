package import CLullBridge
package import LullCore

/// An entity as Lua holds it: its own copy of a value, read-only unless made by the script.
final class EntityBox {
  var entity: Entity
  let isOwn: Bool
  let service: Service?
  /// Those of its content; nil: those that all share.
  let tables: OwnTables?

  init(
    _ entity: Entity, isOwn: Bool = false, service: Service? = nil, tables: OwnTables? = nil
  ) {
    self.entity = entity
    self.isOwn = isOwn
    self.service = service
    self.tables = tables
  }

  /// The entity with what was changed in its content, to be handed on.
  var settled: Entity {
    guard let tables else { return entity }
    var settled = entity
    settled.content = tables.settled(entity.content)
    return settled
  }
}

/// An error as Lua holds it.
package final class ErrorBox {
  package let error: RequestError
  let service: Service?
  /// Those of its content; nil: those that all share.
  let tables: OwnTables?

  init(_ error: RequestError, service: Service? = nil, tables: OwnTables? = nil) {
    self.error = error
    self.service = service
    self.tables = tables
  }

  /// The error with what was changed in its content, to be handed on.
  var settled: RequestError { tables?.settled(error) ?? error }
}

/// A response as Lua holds it.
final class ResponseBox {
  let response: Response
  let service: Service?
  /// Those of its content; nil: those that all share.
  let tables: OwnTables?

  init(_ response: Response, service: Service? = nil, tables: OwnTables? = nil) {
    self.response = response
    self.service = service
    self.tables = tables
  }

  /// The response with what was changed in its content, to be handed on.
  var settled: Response { tables?.settled(response) ?? response }
}

/// Headers as Lua edits them, in the object that owns them.
final class HeadersBox {
  let read: () -> Headers
  /// nil: read-only. False: their owner is closed.
  let write: ((HeaderEdit) -> Bool)?
  /// Whether they are a request's, so that secrets may stand there.
  let allowsSecrets: Bool
  /// Of a request: raises if a text holds the mask of one of its secrets.
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

/// A request being built, as mutations edit it and `networking` functions read it.
final class HTTPRequestBox {
  var http: HTTPRequest
  /// False once the function it was made for has returned.
  var isOpen = true
  /// What it began with: their masks may have been read.
  private let secrets: [Secret]

  init(_ http: HTTPRequest) {
    self.http = http
    secrets = http.secretPlaces.map(\.secret)
  }

  /// Makes it the body, with the type it brings.
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

  /// Raises if `bytes` hold the mask of one of its secrets, which would be sent as it is.
  func checkText(_ bytes: [UInt8], _ place: String) throws(Misuse) {
    for secret in secrets + http.secretPlaces.map(\.secret) {
      for mask in [Array(secret.mask.utf8), SecretEscaping.json.escaped(secret.mask.utf8)]
      where bytes.firstRange(of: mask) != nil {
        throw .message(
          "\(place) would be sent with the text '\(secret.mask)' in it, which only stands for the "
            + "secret: use the value of lull.secret itself, where it is to be sent")
      }
    }
  }
}

/// A configuration being computed, as configure functions edit it.
final class ConfigurationBox {
  var settings: Configuration
  /// False once the function it was made for has returned.
  var isOpen = true
  let service: Service

  init(_ settings: Configuration, service: Service) {
    self.settings = settings
    self.service = service
  }
}

/// A file that is to be sent, `lull.file`.
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

/// A text with secrets in it, as Lua holds it: `lull.secret{…}`, or what `..` made of one.
final class SecretBox {
  let text: SecretText

  init(_ text: SecretText) {
    self.text = text
  }
}

/// What `lull.auth.…` gives, for the setting `auth`.
final class AuthBox {
  let auth: Auth
  /// The kept function that it calls, if it does.
  let function: Int64?

  init(_ auth: Auth, function: Int64? = nil) {
    self.auth = auth
    self.function = function
  }
}

extension ObjectHandles {
  /// The secret a value is; nil for anything else.
  package func secret(_ value: lull_value) -> SecretText? {
    object(value, .secret, as: SecretBox.self)?.text
  }

  /// The file that `lull.file` has made; nil for anything else.
  package func uploadFile(_ value: lull_value) -> UploadFile? {
    object(value, .file, as: FileBox.self)?.file
  }
}
