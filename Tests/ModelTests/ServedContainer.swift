import CloudKitClient
import CloudKitEmulator
import CloudKitModel
import Cryptography
import HTTPTransport
import LocalContainer
import WebServicesWire

/// A container behind an emulator, over real HTTP.
final class ServedContainer {
  let client: CloudKitClient
  private let server: EmulatorServer

  init(_ container: LocalContainer) async throws {
    let key = try P256PrivateKey.generate()
    var configuration = EmulatorConfiguration(container: "iCloud.demo.model")
    configuration.keys = ["key": key.publicKey]
    server = try await EmulatorServer(configuration, store: container.store)
    client = CloudKitClient(
      ClientSettings(
        container: configuration.container, environment: .development,
        authentication: .serverKey(RequestSigner(keyID: "key", key: key)), baseURL: server.url,
        pipeline: RequestPipelineSettings(requestsPerSecond: nil)),
      dependencies: ClientDependencies(transport: try CurlTransport()))
  }

  func stop() async { await server.stop() }
}
