/// What kept a whole response from arriving.
public struct HTTPFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The request itself cannot be sent: a bad URL, a header with a line break.
    case invalidRequest
    /// The host name has no address.
    case dns
    /// Nothing listens there, or the way there is broken.
    case connect
    case tls
    case timeout
    /// The body or the headers are over their limit.
    case tooLarge
    /// Every address of the host is one the request's policy forbids.
    case addressForbidden
    /// Too many redirects, one from https to http, or one that leads nowhere.
    case redirect
    /// The server broke HTTP, or the connection off.
    case `protocol`
    /// The body ended before its announced length.
    case truncated
    /// The content coding is damaged.
    case encoding
    case cancelled
    /// This machine could not: memory, descriptors, threads.
    case resources
  }

  public var kind: Kind
  /// What happened, in words; never holds a header or a body.
  public var message: String

  public init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }

  /// No byte was exchanged with the server: it may be our own network that is at fault.
  public var isConnectionFailure: Bool { kind == .dns || kind == .connect }
}
