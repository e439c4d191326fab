/// A complete response; after redirects, the last one.
package struct HTTPResponse: Sendable {
  package var status: Int
  package var headers: HTTPHeaders = []
  /// After decoding, when the request asked for compression.
  package var body: [UInt8] = []
  package var finalURL: String
  package var redirects: [Redirect] = []
  /// The addresses reached through permanent redirects alone. A temporary redirect ends the chain, because its target
  /// may change.
  package var permanentTargets: [String] { redirects.prefix { $0.isPermanent }.map(\.to) }
  package var permanentTarget: String? { permanentTargets.last }
  /// From the first connection attempt to the last byte, over all hops.
  package var totalTime = Duration.zero
  package var remoteAddress: String?
  package var network: IPNetwork? { remoteAddress.flatMap(IPNetwork.init) }
  /// What a lenient request accepted; see ``HTTPRequest/isLenient``.
  package var flaws: Set<Flaw> = []

  /// See ``HTTPRequest/cookies``.
  var cookies: [String] = []

  /// A deviation that does not keep the body from being read.
  package enum Flaw: Sendable, Hashable, CaseIterable {
    /// The transfer broke off before its announced end.
    case endedEarly
    /// The transfer did not end within the time limit. The body is what arrived until then.
    case timedOut
    /// Only the first bytes were read, up to the request's own limits.
    case cut
    /// The body is not in the content coding that its header declares.
    case wrongCoding
  }

  package struct Redirect: Sendable, Hashable {
    /// 301, 302, 303, 307 or 308.
    package var status: Int
    package var from: String
    package var to: String

    /// True when the server asks clients to use the new URL from now on (RFC 9110, sections 15.4.2 and 15.4.9).
    package var isPermanent: Bool { status == 301 || status == 308 }
  }
}
