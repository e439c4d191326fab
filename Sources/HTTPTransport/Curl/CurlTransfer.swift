import CCurl
import CurlShim

/// One request while libcurl carries it out. Sendable although it changes: before it is submitted only its creator has
/// it, afterwards only the driver's thread accesses anything but `id`, and the driver's lock orders the two.
final class CurlTransfer: @unchecked Sendable {
  let id: UInt64
  let request: HTTPRequest
  private let completion: (Result<HTTPResponse, HTTPFailure>) -> Void
  private(set) var body: [UInt8] = []
  /// Decoded bytes of the body, kept or not.
  private var bodyBytes = 0
  /// Bytes of the body as sent: chunked, compressed.
  private var arrivedBytes = 0
  private var ends = CompressedEnds()
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var isHeadComplete = false
  /// Why a callback stopped the transfer; libcurl only reports that one did.
  private var refusal: HTTPFailure?
  private var flaws: Set<HTTPResponse.Flaw> = []
  private(set) var triedAddress: [UInt8]?
  /// The first certificate that the server sent, its own, as DER.
  private(set) var hostCertificate: [UInt8]?
  /// The last certificate that the server sent, as DER.
  private(set) var topmostCertificate: [UInt8]?
  var hasAnswer: Bool { headerBytes > 0 }

  /// Far more than ordinary servers send.
  private static let maxHeaderBytes = 256 << 10
  /// Bytes that may arrive in addition to one and a half times the body. Tiny chunks, chunk extensions and codings
  /// that decode to nothing could otherwise go on for ever without reaching the body's limit.
  private static let maxFramingBytes = 1 << 20

  init(id: UInt64, _ request: HTTPRequest, completion: @escaping (Result<HTTPResponse, HTTPFailure>) -> Void)
  {
    self.id = id
    self.request = request
    self.completion = completion
  }

  /// Reports the result. Releases what is large first, because others may hold the transfer for longer.
  func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
    body = []
    (hostCertificate, topmostCertificate) = (nil, nil)
    completion(result)
  }

  func finish(_ code: CURLcode, _ handle: CurlHandle) {
    guard var failure = failure(code, handle) else { return finish(.success(response(handle))) }
    failure.trace = handle.trace(of: self, code)
    finish(.failure(failure))
  }

  private func response(_ handle: CurlHandle) -> HTTPResponse {
    var response = handle.response(headers: headers, body: body, to: request)
    response.flaws = flaws
    if request.cookies != nil { response.cookies = handle.cookies }
    return response
  }

  private func failure(_ code: CURLcode, _ handle: CurlHandle) -> HTTPFailure? {
    if let refusal { return refusal }
    if flaws.contains(.cut) { return nil }
    if request.isLenient, isHeadComplete, !body.isEmpty, let flaw = Self.brokenEnds[code.rawValue] {
      flaws.insert(flaw)
      return nil
    }
    switch code {
    case CURLE_OK:
      // libcurl treats the end of the connection as the end of the headers.
      guard isHeadComplete else { return HTTPFailure(.truncated, "the response ended within its headers") }
      let mayBeCut = request.isLenient && request.acceptCompressed && body.count == bodyBytes
      return mayBeCut && ends.areCut(body, headers.contentCodings)
        ? HTTPFailure(.encoding, "the compressed body has no end") : nil
    case CURLE_OUT_OF_MEMORY where handle.isSent:
      return HTTPFailure(.tooLarge, "a header line is longer than libcurl accepts")
    case CURLE_BAD_CONTENT_ENCODING where !headers.contentCodings.allSatisfy(ContentCoding.isInUse):
      let coding = headers.values("Content-Encoding").joined(separator: ", ")
      return HTTPFailure(
        .unknownCoding, "the body is in the content coding '\(coding)', which is not supported")
    default: return handle.failure(code)
    }
  }

  /// What a lenient request accepts after a part of the body.
  private static let brokenEnds: [UInt32: HTTPResponse.Flaw] = [
    CURLE_PARTIAL_FILE.rawValue: .endedEarly, CURLE_RECV_ERROR.rawValue: .endedEarly,
    CURLE_HTTP2_STREAM.rawValue: .endedEarly, CURLE_HTTP2.rawValue: .endedEarly,
    CURLE_OPERATION_TIMEDOUT.rawValue: .timedOut,
  ]

  // MARK: - Called by libcurl

  /// At the limit a lenient transfer ends without a failure.
  func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let most = request.limits.maxBodyBytes
    let limit = min(request.limits.keptBodyBytes, most)
    bodyBytes += bytes.count
    if body.isEmpty { reserveBody() }
    body.append(contentsOf: bytes.prefix(limit - body.count))
    guard bodyBytes > (request.isLenient ? limit : most) else { return true }
    if request.isLenient {
      flaws.insert(.cut)
    } else {
      refusal = HTTPFailure(.tooLarge, "the body is larger than \(most) bytes")
    }
    return false
  }

  func noteArrival(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    arrivedBytes += bytes.count
    ends.add(bytes)
    guard arrivedBytes <= bodyBytes + bodyBytes / 2 + Self.maxFramingBytes else {
      refusal = HTTPFailure(.tooLarge, "\(arrivedBytes) bytes were sent for \(bodyBytes) bytes of body")
      return false
    }
    return true
  }

  /// Reserves the announced length, because an array that grows takes up to twice its size.
  private func reserveBody() {
    guard let length = headers["Content-Length"].flatMap({ Int($0) }), length > 0 else { return }
    body.reserveCapacity(min(length, request.limits.maxBodyBytes, 1 << 20))
  }

  func receiveHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= Self.maxHeaderBytes else {
      refusal = HTTPFailure(.tooLarge, "the headers are larger than \(Self.maxHeaderBytes) bytes")
      return false
    }
    if bytes.starts(with: "HTTP/".utf8) {
      // An interim response may have arrived before.
      headers = HTTPHeaders()
      isHeadComplete = false
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      let name = Self.text(bytes[..<colon])
      headers.append(
        name, Self.text(bytes[(colon + 1)...], isOpaque: ValidatorHeader.isReceived(name)))
    } else if bytes.allSatisfy(Self.isSpace) {
      isHeadComplete = true
    }
    return true
  }

  /// Trimmed; read as Latin-1 when it is not UTF-8, because some servers still send it, or when it is opaque.
  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, isOpaque: Bool = false) -> String {
    guard let first = bytes.firstIndex(where: { !isSpace($0) }),
      let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    let trimmed = UnsafeBufferPointer(rebasing: bytes[first...last])
    if trimmed.allSatisfy({ $0 < 0x80 }) { return String(decoding: trimmed, as: UTF8.self) }
    return (isOpaque ? nil : String(validating: trimmed, as: UTF8.self))
      ?? String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  func mayConnect(to address: UnsafeBufferPointer<UInt8>) -> Bool {
    guard request.addressPolicy.allows(address) else {
      refusal = HTTPFailure(.addressForbidden, "the host's address is not on the public internet")
      return false
    }
    // Another of the host's addresses may have been refused before; this one is allowed.
    refusal = nil
    triedAddress = Array(address)
    return true
  }

  /// - Parameter message: a Certificate message of TLS (RFC 5246, section 7.4.2; RFC 8446, section 4.4.2).
  func noteCertificates(_ message: UnsafeBufferPointer<UInt8>) {
    func length(at index: Int) -> Int {
      message.dropFirst(index).prefix(3).reduce(0) { $0 << 8 | Int($1) }
    }
    // After its type and length, a message of TLS 1.3 has a context, which is empty for servers.
    let isNewer = message.count > 8 && message[4] == 0 && length(at: 5) == message.count - 8
    var next = isNewer ? 8 : 7
    hostCertificate = nil
    while next + 3 < message.count {
      let end = next + 3 + length(at: next)
      guard end > next + 3, end <= message.count else { return }
      topmostCertificate = Array(message[(next + 3)..<end])
      hostCertificate = hostCertificate ?? topmostCertificate
      // TLS 1.3 has extensions after each certificate.
      let extensions =
        isNewer && end + 1 < message.count ? 2 + Int(message[end]) << 8 + Int(message[end + 1]) : 0
      next = end + extensions
    }
  }
}

enum CurlCallbacks {
  /// The context is not set yet.
  static var receiver: curl_shim_receiver {
    curl_shim_receiver(
      context: nil,
      body: { transfer($0)?.receiveBody(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      header: { transfer($0)?.receiveHeader(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      address: { transfer($0)?.mayConnect(to: UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      arrival: { transfer($0)?.noteArrival(of: UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      certificates: { transfer($0)?.noteCertificates(UnsafeBufferPointer(start: $1, count: $2)) },
      is_stopped: false, is_securing: false, is_ready: false, socket_error: 0)
  }
}

/// A free function, because a C function pointer cannot be made from a closure that captures anything, not even a type.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

extension HTTPFailure {
  init(_ code: CURLcode, _ detail: String) {
    if code == CURLE_WRITE_ERROR {
      // Our callbacks record a refusal, so this comes from the decoder of the content coding.
      self.init(.extraBytes, "there are more bytes after the compressed body")
    } else {
      let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
      self.init(Self.kinds[code.rawValue] ?? .protocol, message)
    }
  }

  private static let kinds: [UInt32: Kind] = [
    CURLE_COULDNT_RESOLVE_HOST.rawValue: .dns,
    CURLE_COULDNT_CONNECT.rawValue: .connect,
    CURLE_COULDNT_RESOLVE_PROXY.rawValue: .proxy,
    CURLE_PROXY.rawValue: .proxy,
    CURLE_OPERATION_TIMEDOUT.rawValue: .timeout,
    CURLE_PARTIAL_FILE.rawValue: .truncated,
    CURLE_BAD_CONTENT_ENCODING.rawValue: .encoding,
    CURLE_FILESIZE_EXCEEDED.rawValue: .tooLarge,
    CURLE_OUT_OF_MEMORY.rawValue: .resources,
    CURLE_FAILED_INIT.rawValue: .resources,
    CURLE_URL_MALFORMAT.rawValue: .invalidRequest,
    CURLE_SSL_CONNECT_ERROR.rawValue: .tls,
    CURLE_PEER_FAILED_VERIFICATION.rawValue: .tls,
    CURLE_SSL_CERTPROBLEM.rawValue: .tls,
    CURLE_SSL_CIPHER.rawValue: .tls,
    CURLE_SSL_CACERT_BADFILE.rawValue: .tls,
    CURLE_SSL_ISSUER_ERROR.rawValue: .tls,
    CURLE_SSL_INVALIDCERTSTATUS.rawValue: .tls,
  ]
}
