package import CloudKitModel
internal import HTTPTransport
internal import WebServicesWire

/// Fetches the files of assets from the addresses that a service gives for them. The requests carry no credentials.
package struct AssetDownloads: Sendable {
  /// The largest file that is fetched, in bytes (Documentation/reference/web-services.md#limits, A).
  package static let maxSize: Int64 = 50_000_000
  /// The slowest transfer that is waited for, in bytes a second.
  private static let leastSpeed: Int64 = 1 << 16

  private let service: URLParts?
  private let pipeline: RequestPipeline
  private let timeout: Duration

  package init(_ settings: ClientSettings, dependencies: ClientDependencies) {
    service = URLParts(settings.baseURL)
    timeout = settings.timeout
    var limits = settings.pipeline.bounded(for: settings.baseURL)
    limits.retry = RetryPolicy(attempts: 3, patience: .seconds(30))
    pipeline = RequestPipeline(limits, dependencies: dependencies)
  }

  /// The file of an asset that was just read. Throws `AssetProblem` if the address may not be asked or its answer is
  /// not the file, and `ContainerFailure` if nothing answers.
  package func file(of asset: Asset) async throws -> [UInt8] {
    guard (0...Self.maxSize).contains(asset.size) else {
      throw AssetProblem("the file has \(asset.size) bytes, more than \(Self.maxSize)")
    }
    let request = try request(asset)
    let bytes: [UInt8]
    do {
      bytes = try await pipeline.send(
        RequestPipeline.Call(name: "the file of an asset", isRepeatable: true, request: { _ in request }) {
          // Other refusals may pass.
          (400..<500).contains($0.status) && ![421, 429].contains($0.status)
            ? ServerError(.notFound, "the file is refused with HTTP status \($0.status)") : nil
        }
      ).body
    } catch let refusal as ServerError {
      throw AssetProblem(refusal.reason)
    } catch let failure as ContainerFailure where [.tooLarge, .unusableAnswer].contains(failure.kind) {
      throw AssetProblem("the answer is not the file: \(failure.message)")
    }
    guard bytes.count == asset.size else {
      throw AssetProblem("the answer has \(bytes.count) bytes, and the file \(asset.size)")
    }
    guard AssetChecksum.allCases.contains(where: { $0.text(of: bytes) == asset.fileChecksum }) else {
      throw AssetProblem("the checksum of the answer is not the file's")
    }
    return bytes
  }

  private func request(_ asset: Asset) throws(AssetProblem) -> HTTPRequest {
    // The service leaves a place for a file name (Documentation/Fidelity.md).
    guard let text = asset.downloadURL?.replacing("${f}", with: "asset"), let url = URLParts(text) else {
      throw AssetProblem("the service gives no address for the file")
    }
    guard url.scheme == "https" || isOwn(url) else {
      throw AssetProblem("the address of the file has no https, and is not the service's own")
    }
    let seconds = asset.size / Self.leastSpeed
    return HTTPRequest(
      url: url.text,
      limits: HTTPLimits(
        totalTimeout: timeout + .seconds(seconds), maxBodyBytes: Int(clamping: asset.size)),
      acceptCompressed: false)
  }

  /// Whether plain http may go there: to the host of the service, which was allowed already, and from an emulator on this
  /// machine to this machine.
  private func isOwn(_ url: URLParts) -> Bool {
    guard let service, service.scheme == "http" else { return false }
    return url.host == service.host || url.isLoopback && service.isLoopback
  }
}
