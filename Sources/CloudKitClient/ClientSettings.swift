public import CloudKitModel
public import Cryptography
public import HTTPTransport
public import Logging
public import WebServicesWire

/// How fast and how patiently a client sends.
public struct PipelineSettings: Sendable, Hashable {
  /// Requests a second that Apple's service is never asked for more of (Documentation/reference/web-services.md#limits,
  /// L).
  public static let ceiling = 40.0

  /// All tasks together; `nil` sets no limit.
  public var requestsPerSecond: Double?
  /// Requests sent and not yet answered.
  public var maximumInFlight: Int
  public var retry: RetryPolicy

  public init(
    requestsPerSecond: Double? = 8, maximumInFlight: Int = 12, retry: RetryPolicy = .requests
  ) {
    self.requestsPerSecond = requestsPerSecond
    self.maximumInFlight = maximumInFlight
    self.retry = retry
  }

  /// The same with the ceiling kept, unless the service runs on this machine.
  public func bounded(for baseURL: String) -> PipelineSettings {
    guard !baseURL.isLoopbackURL else { return self }
    var settings = self
    settings.requestsPerSecond = max(0.001, min(requestsPerSecond ?? Self.ceiling, Self.ceiling))
    return settings
  }
}

/// What a client takes from outside, so that tests can replace it.
public struct ClientDependencies: Sendable {
  public var transport: any HTTPTransport
  public var time: any ClientTime
  /// Evenly from 0...1.
  public var randomShare: @Sendable () -> Double
  public var logger: Logger

  public init(
    transport: any HTTPTransport, time: any ClientTime = SystemTime(),
    randomShare: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    logger: Logger = Logger(label: "cloudkit", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    self.transport = transport
    self.time = time
    self.randomShare = randomShare
    self.logger = logger
  }
}

/// Which container a client talks to, and as whom.
public struct ClientSettings: Sendable {
  public static let appleBaseURL = "https://api.apple-cloudkit.com"

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
  /// Scheme and host, perhaps a port; what follows is left alone.
  public var baseURL: String
  /// Hosts beside this machine that may be reached over plain http.
  public var plainHTTPHosts: Set<String> = []
  public var pipeline: PipelineSettings
  /// For one attempt.
  public var timeout: Duration

  public init(
    container: String, environment: Environment, authentication: Authentication,
    baseURL: String = ClientSettings.appleBaseURL, pipeline: PipelineSettings = PipelineSettings(),
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
  /// Names this machine: what is sent there never leaves it.
  public var isLoopbackURL: Bool { URLText(self)?.isLoopback ?? false }
}
