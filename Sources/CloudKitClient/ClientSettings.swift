package import CloudKitModel
package import Cryptography
package import Diagnostics
internal import FoundationEssentials
package import HTTPTransport
package import Logging
package import WebServicesWire

package struct RequestPipelineSettings: Sendable, Hashable {
  /// The maximum number of requests a second to Apple's service (Documentation/reference/web-services.md#limits,
  /// L).
  package static let ceiling = 40.0

  /// The number of requests a second of all tasks together; `nil` for no limit.
  package var requestsPerSecond: Double?
  /// The maximum number of requests without a response.
  package var maximumInFlight: Int
  package var retry: RetryPolicy

  package init(
    requestsPerSecond: Double? = 8, maximumInFlight: Int = 12, retry: RetryPolicy = .requests
  ) {
    self.requestsPerSecond = requestsPerSecond
    self.maximumInFlight = maximumInFlight
    self.retry = retry
  }

  /// The requests a second that a service may get. Only an emulator on this machine may get more than Apple's service.
  package static func permittedRates(for baseURL: String) -> ClosedRange<Double> {
    0.001...(baseURL.isLoopbackURL ? 1_000_000 : ceiling)
  }

  /// The settings with the rate limited to ``ceiling``, unless the service runs on this machine.
  package func bounded(for baseURL: String) -> RequestPipelineSettings {
    guard !baseURL.isLoopbackURL else { return self }
    let rates = Self.permittedRates(for: baseURL)
    var settings = self
    settings.requestsPerSecond = max(
      rates.lowerBound, min(requestsPerSecond ?? rates.upperBound, rates.upperBound))
    return settings
  }
}

package struct ClientDependencies: Sendable {
  package var transport: any HTTPTransport
  package var time: any ClientClocks
  /// A random number from 0 to 1, evenly distributed.
  package var randomShare: @Sendable () -> Double
  package var logger: Logger
  package var waits = WaitReporter.silent

  package init(
    transport: any HTTPTransport, time: any ClientClocks = SystemClock(),
    randomShare: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    logger: Logger = Logger(label: "cloudkit", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.transport = transport
    self.time = time
    self.randomShare = randomShare
    self.logger = logger
  }
}

package struct ClientSettings: Sendable {
  package static let appleBaseURL = "https://api.apple-cloudkit.com"

  package enum Authentication: Sendable {
    /// A server-to-server key: the public database, all but `users/*`
    /// (Documentation/reference/web-services.md#credentials-and-databases).
    case serverKey(RequestSigner)
    /// An app's token: `_world`, or a user with a web-auth token
    /// (Documentation/reference/web-services.md#api-tokens-and-users).
    case apiToken(Secret, webAuthToken: Secret?)
  }

  /// `iCloud.com.example.App`.
  package var container: String
  package var environment: Environment
  package var authentication: Authentication
  package var baseURL: String
  /// See ``ContainerIdentity/id``.
  package var identity: String?
  package var pipeline: RequestPipelineSettings
  /// The time limit of one attempt.
  package var timeout = Duration.seconds(60)

  package init(
    container: String, environment: Environment, authentication: Authentication,
    baseURL: String = ClientSettings.appleBaseURL,
    pipeline: RequestPipelineSettings = RequestPipelineSettings()
  ) {
    self.container = container
    self.environment = environment
    self.authentication = authentication
    self.baseURL = baseURL
    self.pipeline = pipeline
  }
}

extension String {
  /// Whether the URL's host is this machine, so that requests never leave it.
  package var isLoopbackURL: Bool { URLParts(self)?.isLoopback ?? false }
}

package protocol ClientClocks: MonotonicClock {
  var wallTime: Timestamp { get }
}

extension SystemClock: ClientClocks {
  package var wallTime: Timestamp { Timestamp(Date()) }
}
