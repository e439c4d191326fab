import CCurl
import CurlShim

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
