import CCurl
import CurlShim

/// One hop on its way through libcurl.
///
/// Sendable although it changes: before it is submitted only its maker has it, afterwards only the driver's
/// thread touches anything but `id`, and the hand-over goes through the driver's lock.
final class CurlTransfer: @unchecked Sendable {
  let id: UInt64
  let request: HTTPRequest
  private let completion: (Result<HTTPResponse, HTTPFailure>) -> Void
  private(set) var body: [UInt8] = []
  /// Of the body, kept or not.
  private var bodyBytes = 0
  /// Of the body as it is sent: chunked, compressed.
  private var arrivedBytes = 0
  private var headers = HTTPHeaders()
  private var headerBytes = 0
  private var isHeadComplete = false
  /// Why a callback stopped the transfer: libcurl itself only knows that one did.
  private var refusal: HTTPFailure?

  /// Far over what any honest server sends.
  private static let maxHeaderBytes = 256 << 10
  /// What may be sent for a body beyond one and a half times its bytes. The framing of tiny chunks, chunk extensions
  /// and codings that come to nothing could go on for ever with hardly a byte for the body's own limit to count.
  private static let maxFramingBytes = 1 << 20

  init(id: UInt64, _ request: HTTPRequest, completion: @escaping (Result<HTTPResponse, HTTPFailure>) -> Void)
  {
    self.id = id
    self.request = request
    self.completion = completion
  }

  /// The body is then whoever's the result is; others may hold the transfer for longer.
  func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
    body = []
    completion(result)
  }

  func finish(_ code: CURLcode, _ handle: CurlHandle) {
    finish(failure(code, handle).map(Result.failure) ?? .success(response(handle)))
  }

  private func response(_ handle: CurlHandle) -> HTTPResponse {
    handle.response(headers: headers, body: body, to: request)
  }

  private func failure(_ code: CURLcode, _ handle: CurlHandle) -> HTTPFailure? {
    if let refusal { return refusal }
    switch code {
    case CURLE_OK:
      // libcurl takes the end of the connection for the end of the head.
      return isHeadComplete ? nil : HTTPFailure(.truncated, "the answer ended within its headers")
    case CURLE_OUT_OF_MEMORY where handle.isAnswered:
      return HTTPFailure(.tooLarge, "a line of the headers is longer than libcurl takes")
    default: return handle.failure(code)
    }
  }

  // MARK: - Called by libcurl

  func receiveBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bodyBytes += bytes.count
    guard bodyBytes <= request.limits.maxBodyBytes else {
      refusal = HTTPFailure(.tooLarge, "the body is over \(request.limits.maxBodyBytes) bytes")
      return false
    }
    if body.isEmpty { reserveBody() }
    body.append(contentsOf: bytes.prefix(request.limits.keptBodyBytes - body.count))
    return true
  }

  func noteArrival(of count: Int) -> Bool {
    arrivedBytes += count
    guard arrivedBytes <= bodyBytes + bodyBytes / 2 + Self.maxFramingBytes else {
      refusal = HTTPFailure(.tooLarge, "\(arrivedBytes) bytes were sent for \(bodyBytes) bytes of body")
      return false
    }
    return true
  }

  /// Room for what was announced: a body that grows takes up to twice its size.
  private func reserveBody() {
    guard let length = headers["Content-Length"].flatMap({ Int($0) }), length > 0 else { return }
    body.reserveCapacity(min(length, request.limits.maxBodyBytes, 1 << 20))
  }

  func receiveHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    headerBytes += bytes.count
    guard headerBytes <= Self.maxHeaderBytes else {
      refusal = HTTPFailure(.tooLarge, "the headers are over \(Self.maxHeaderBytes) bytes")
      return false
    }
    switch HeaderLine(bytes) {
    case .status:
      // An interim response may have come before.
      headers = HTTPHeaders()
      isHeadComplete = false
    case .field(let name, let value): headers.append(name, value)
    case .end: isHeadComplete = true
    case .other: break
    }
    return true
  }

  func mayConnect(to address: UnsafeBufferPointer<UInt8>) -> Bool {
    guard request.addressPolicy.allows(address) else {
      refusal = HTTPFailure(.addressForbidden, "the host's address is not on the public internet")
      return false
    }
    // Another of the host's addresses may have been refused before: this one counts.
    refusal = nil
    return true
  }
}

/// One line of a response's head.
private enum HeaderLine {
  case status
  case field(name: String, value: String)
  case end
  case other

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    if bytes.starts(with: "HTTP/".utf8) {
      self = .status
    } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
      self = .field(name: Self.text(bytes[..<colon]), value: Self.text(bytes[(colon + 1)...]))
    } else {
      self = bytes.allSatisfy(Self.isSpace) ? .end : .other
    }
  }

  /// Trimmed; as Latin-1 when it is not UTF-8, which some servers still send.
  private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    guard let first = bytes.firstIndex(where: { !isSpace($0) }),
      let last = bytes.lastIndex(where: { !isSpace($0) })
    else { return "" }
    let trimmed = UnsafeBufferPointer(rebasing: bytes[first...last])
    return String(validating: trimmed, as: UTF8.self)
      ?? String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// The way from libcurl's callbacks to their transfer.
enum CurlCallbacks {
  /// Without a context yet.
  static var receiver: curl_shim_receiver {
    curl_shim_receiver(
      context: nil,
      body: { transfer($0)?.receiveBody(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      header: { transfer($0)?.receiveHeader(UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      address: { transfer($0)?.mayConnect(to: UnsafeBufferPointer(start: $1, count: $2)) ?? false },
      arrival: { transfer($0)?.noteArrival(of: $1) ?? false }, is_stopped: false, socket_error: 0)
  }
}

/// Free, as a C function pointer cannot be made from a closure that captures anything, a type included.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

extension HTTPFailure {
  /// libcurl's result in this module's terms.
  init(_ code: CURLcode, _ detail: String) {
    if code == CURLE_WRITE_ERROR {
      // Not ours, which leave a refusal: the last one to write is the decoder of the content coding.
      self.init(.encoding, "something else follows the compressed body")
    } else {
      let message = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
      self.init(Self.kinds[code.rawValue] ?? .protocol, message)
    }
  }

  private static let kinds: [UInt32: Kind] = [
    CURLE_COULDNT_RESOLVE_HOST.rawValue: .dns,
    CURLE_COULDNT_CONNECT.rawValue: .connect,
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
