internal import CloudKitClient
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import HTTPTransport
internal import Logging

extension CommandContext {
  /// Opens a CloudKit container with the configured credentials.
  func cloudKit(_ id: String, _ environment: Environment, writing: Bool) throws -> ContainerHandle {
    let client = ReadProgressContainer(try cloudKitClient(id, environment), onRead: readingProgress())
    return ContainerHandle(
      container: writing ? client : ReadOnlyContainer(client),
      schema: try managementContainer(id, environment))
  }

  /// The client of the command's CloudKit container, for operations that other containers do not have, such as
  /// asset uploads.
  func cloudKitClient() throws -> CloudKitClient {
    guard case .cloudKit(let id) = try spec else {
      throw CommandFailure.usage("this command needs a CloudKit container, not \(try spec)")
    }
    return try cloudKitClient(id, try environment)
  }

  private func cloudKitClient(_ id: String, _ environment: Environment) throws -> CloudKitClient {
    CloudKitClient(try clientSettings(id, environment), dependencies: try clientDependencies())
  }

  func clientSettings(_ id: String, _ environment: Environment) throws -> ClientSettings {
    let (authentication, credentials) = try authentication()
    var settings = ClientSettings(
      container: id, environment: environment, authentication: authentication,
      baseURL: try address(.baseURL).text(for: credentials), pipeline: try pipeline())
    settings.plainHTTPHosts = plainHTTPHosts
    return settings
  }

  func clientDependencies() throws -> ClientDependencies {
    let proxies = ProxySettings(process.environment)
    var dependencies = ClientDependencies(
      transport: try CurlTransport(CurlTransport.Configuration(proxies: proxies)), logger: logger("cloudkit"))
    dependencies.onWait = waitingNotice()
    return dependencies
  }

  /// The rate limit of the client in requests a second; `nil` if there is no limit.
  var requestsPerSecond: Double? {
    get throws {
      try pipeline().bounded(for: try address(.baseURL).url.text).requestsPerSecond
    }
  }

  private func pipeline() throws -> RequestPipelineSettings {
    guard let setting = try settings.lookup(.rateLimit) else { return RequestPipelineSettings() }
    let rates = RequestPipelineSettings.permittedRates(for: try address(.baseURL).url.text)
    guard let rate = Double(setting.value), rates.contains(rate) else {
      throw setting.refused(mustBe: "0.001 to \(Int(rates.upperBound)) requests a second")
    }
    return RequestPipelineSettings(requestsPerSecond: rate)
  }
}
