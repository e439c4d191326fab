public import CloudKitModel
public import Cryptography
public import Diagnostics
internal import FoundationEssentials
public import HTTPTransport
public import Logging
public import WebServicesWire

/// The rate limit and retry policy of a client.
public struct RequestPipelineSettings: Sendable, Hashable {
  /// The maximum number of requests a second to Apple's service (Documentation/reference/web-services.md#limits,
  /// L).
  public static let ceiling = 40.0

  /// The number of requests a second of all tasks together; `nil` for no limit.
  public var requestsPerSecond: Double?
  /// The maximum number of requests without a response.
  public var maximumInFlight: Int
  public var retry: RetryPolicy

  public init(
    requestsPerSecond: Double? = 8, maximumInFlight: Int = 12, retry: RetryPolicy = .requests
  ) {
    self.requestsPerSecond = requestsPerSecond
    self.maximumInFlight = maximumInFlight
    self.retry = retry
  }

  /// The requests a second that a service may get. Only an emulator on this machine may get more than Apple's service.
  public static func permittedRates(for baseURL: String) -> ClosedRange<Double> {
    0.001...(baseURL.isLoopbackURL ? 1_000_000 : ceiling)
  }

  /// The settings with the rate limited to ``ceiling``, unless the service runs on this machine.
  public func bounded(for baseURL: String) -> RequestPipelineSettings {
    guard !baseURL.isLoopbackURL else { return self }
    let rates = Self.permittedRates(for: baseURL)
    var settings = self
    settings.requestsPerSecond = max(
      rates.lowerBound, min(requestsPerSecond ?? rates.upperBound, rates.upperBound))
    return settings
  }
}

/// The dependencies of a client, which tests can replace.
public struct ClientDependencies: Sendable {
  public var transport: any HTTPTransport
  public var time: any ClientClocks
  /// A random number from 0 to 1, evenly distributed.
  public var randomShare: @Sendable () -> Double
  public var logger: Logger
  /// Where the client says what it waits for.
  public var waits = WaitReporter.silent

  public init(
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

/// The container, environment and credentials of a client.
public struct ClientSettings: Sendable {
  public static let appleBaseURL = "https://api.apple-cloudkit.com"

  /// The credentials of requests.
  public enum Authentication: Sendable {
    /// A server-to-server key: the public database, all but `users/*`
    /// (Documentation/reference/web-services.md#credentials-and-databases).
    case serverKey(RequestSigner)
    /// An app's token: `_world`, or a user with a web-auth token
    /// (Documentation/reference/web-services.md#api-tokens-and-users).
    case apiToken(Secret, webAuthToken: Secret?)
  }

  /// `iCloud.com.example.App`.
  public var container: String
  public var environment: Environment
  public var authentication: Authentication
  /// The base URL: scheme, host and optional port.
  public var baseURL: String
  public var pipeline: RequestPipelineSettings
  /// The time limit of one attempt.
  public var timeout: Duration

  public init(
    container: String, environment: Environment, authentication: Authentication,
    baseURL: String = ClientSettings.appleBaseURL,
    pipeline: RequestPipelineSettings = RequestPipelineSettings(),
    timeout: Duration = .seconds(60)
  ) {
    self.container = container
    self.environment = environment
    self.authentication = authentication
    self.baseURL = baseURL
    self.pipeline = pipeline
    self.timeout = timeout
  }
}

extension String {
  /// Whether the URL's host is this machine, so that requests never leave it.
  public var isLoopbackURL: Bool { URLParts(self)?.isLoopback ?? false }
}

/// The clocks of a client, which tests can replace.
public protocol ClientClocks: MonotonicClock {
  /// The date of requests.
  var wallTime: Timestamp { get }
}

extension SystemClock: ClientClocks {
  public var wallTime: Timestamp { Timestamp(Date()) }
}
