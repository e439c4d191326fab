package struct HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The request itself cannot be sent: a bad URL, a header with a line break.
    case invalidRequest
    case dns
    /// Nothing listens at the address, or it cannot be reached.
    case connect
    /// The proxy has no address, or refuses to connect to the server.
    case proxy
    case tls
    case timeout
    /// The body or the headers exceed their limit.
    case tooLarge
    /// The request's ``IPAddressPolicy`` forbids every address of the host.
    case addressForbidden
    /// The redirects go in a circle, one leads from https to http, or one has no valid target.
    case redirect
    /// There are more redirects than ``HTTPLimits/maxRedirects``.
    case tooManyRedirects
    /// The server broke the rules of HTTP or closed the connection.
    case `protocol`
    /// The body ended before its announced length.
    case truncated
    /// The body is not in the content coding that its header declares.
    case encoding
    /// The header declares a content coding that does not exist, or that libcurl does not have.
    case unknownCoding
    /// More bytes follow the compressed body.
    case extraBytes
    case cancelled
    /// This machine lacks memory, file descriptors or threads.
    case resources
  }

  package var kind: Kind
  /// What happened. Never contains a header, a body or a URL's query.
  package var message: String
  package var trace: ConnectionTrace

  /// - Parameter trace: `nil` derives it from the kind.
  package init(_ kind: Kind, _ message: String, trace: ConnectionTrace? = nil) {
    self.kind = kind
    self.message = message
    self.trace = trace ?? ConnectionTrace(kind)
  }

  package var description: String { message }

  /// True when no byte was exchanged with the server, so that the local network may be the cause.
  package var isConnectionFailure: Bool { kind == .dns || kind == .connect }
}
