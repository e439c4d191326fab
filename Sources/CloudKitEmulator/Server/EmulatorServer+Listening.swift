internal import Platform

extension EmulatorServer {
  /// The address, limits and timeouts of the server.
  public struct Listening: Sendable, Hashable {
    /// The address to listen on. Addresses other than loopback need ``allowsOtherHosts``.
    public var host = "127.0.0.1"
    /// The port; 0 selects a free one.
    public var port = 0
    public var allowsOtherHosts = false
    /// Required for a container id that could be a real app's: it begins with `iCloud.` and has no part that begins
    /// with "demo".
    public var allowsRealContainer = false
    /// The maximum time to wait for the head of the first or next request on a connection.
    public var idleTimeout = Duration.seconds(120)
    /// The maximum time from a request's head to the end of its body, even if data keeps arriving; after it, 408.
    public var requestTimeout = Duration.seconds(60)
    /// The maximum time to finish requests after a stop; then connections whose client does not send or read are
    /// closed.
    public var stopTimeout = Duration.seconds(5)
    /// The maximum number of open connections; lower if the system allows fewer files. A new connection above it
    /// replaces the one that has been idle longest. If none is idle, the new one gets 503 and is closed.
    public var maximumConnections = 1000

    public init(port: Int = 0) { self.port = port }
  }
}

extension EmulatorServer.Listening {
  /// The connection limit, which leaves file descriptors for the store and other files of the process.
  var connectionLimit: Int {
    let reserve = 64
    let files = FileDescriptorLimit.raise(to: maximumConnections + reserve)
    return max(1, min(maximumConnections, files - reserve))
  }
}

extension EmulatorConfiguration {
  /// Throws ``EmulatorServerError`` if other machines could reach the emulator, or if it could be taken for a real
  /// container, and no setting allows it.
  func checkListening() throws {
    let loopback = ["127.0.0.1", "::1", "localhost"]
    guard loopback.contains(listening.host) || listening.allowsOtherHosts else {
      throw EmulatorServerError.reachableByOthers(listening.host)
    }
    let looksReal = container.hasPrefix("iCloud.") && !isMarkedAsDemo
    guard !looksReal || listening.allowsRealContainer else {
      throw EmulatorServerError.mayBeReal(container: container)
    }
  }
}

extension Duration {
  var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
