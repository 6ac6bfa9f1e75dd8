import LullClients
import LullCore
import LullHost
import LullImport

/// Asks for documents by Lull's own network, within limits.
enum DocumentFetcher {
  private static let largest = 64 << 20

  static func fetch(
    _ url: ResourceURL, by host: LuaHost
  ) throws(DocumentProblem) -> (bytes: [UInt8], url: ResourceURL) {
    let api: APIFile
    do throws(APIFileProblem) {
      api = try host.part(APIFiles.self).api(atURL: url.text)
    } catch {
      throw DocumentProblem("it is no URL", file: url.text)
    }
    api.service.configure(
      nil, requestMethods: nil, description: "lull import",
      source: SourcePlace(file: "lull import", line: 0)
    ) { settings in
      settings.pipeline.clear()
      settings.limits.maxBodySize = DocumentFetcher.largest
      settings.headers["Accept"] = "application/json, application/yaml, */*;q=0.8"
    }
    let resource = api.service.resource(absoluteURL: url.text)
    guard let response = host.loop.finish(resource.load()) else {
      throw DocumentProblem("it was interrupted", file: url.text)
    }
    if let error = response.error { throw DocumentProblem(error.summary, file: url.text) }
    guard let entity = response.entity, case .bytes(let bytes) = entity.content else {
      throw DocumentProblem("nothing came", file: url.text)
    }
    let final = entity.exchange?.url.flatMap { ResourceURL(absolute: $0) }
    return (bytes, final ?? url)
  }
}
