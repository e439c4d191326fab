import CCurl
internal import Cryptography
import CurlShim
internal import Platform

/// One easy handle and the memory it points to. Handles are reused, always on the driver's thread.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  private let receiver: UnsafeMutablePointer<curl_shim_receiver>
  private let errorBuffer: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// Keeps the receiver's context alive.
  private(set) var transfer: CurlTransfer?

  /// `nil` when libcurl runs out of memory.
  init?() {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    receiver = .allocate(capacity: 1)
    receiver.initialize(to: CurlCallbacks.receiver)
    errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    receiver.deallocate()
    errorBuffer.deallocate()
  }

  /// Prepares the handle for one transfer. Throws when the request cannot be sent.
  ///
  /// - Parameter bufferSize: bytes read at once.
  func load(
    _ transfer: CurlTransfer, _ configuration: CurlTransport.Configuration, bufferSize: Int
  ) throws(HTTPFailure) {
    self.transfer = transfer
    receiver.pointee = CurlCallbacks.receiver
    receiver.pointee.context = Unmanaged.passUnretained(transfer).toOpaque()
    errorBuffer.pointee = 0
    curl_shim_set_receiver(easy, receiver)
    curl_shim_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer)
    setFixedOptions()
    curl_shim_set_long(easy, CURLOPT_BUFFERSIZE, bufferSize)
    if let certificateAuthorities = configuration.certificateAuthorities {
      curl_shim_set_string(easy, CURLOPT_CAINFO, certificateAuthorities)
    }
    set(transfer.request.limits)
    try set(configuration.proxies.proxy(for: transfer.request))
    try set(transfer.request)
  }

  /// Detaches the transfer. Connections belong to the multi handle and stay open.
  func unload() {
    curl_easy_reset(easy)
    // A reset keeps the cookies, and another transfer is another site's.
    curl_shim_set_string(easy, CURLOPT_COOKIELIST, "ALL")
    curl_slist_free_all(headerList)
    headerList = nil
    receiver.pointee.context = nil
    transfer = nil
  }

  private func setFixedOptions() {
    curl_shim_set_long(easy, CURLOPT_NOSIGNAL, 1)
    curl_shim_set_web_only(easy)
    curl_shim_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    curl_shim_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    curl_shim_set_long(easy, CURLOPT_NETRC, 0)
    // libcurl scans its whole DNS cache for every request, so with thousands of hosts the cache must stay small.
    curl_shim_set_long(easy, CURLOPT_DNS_CACHE_TIMEOUT, 1)
  }

  /// Both options are always set: libcurl would read the environment for one that is not.
  private func set(_ proxy: (address: String, directHosts: String)?) throws(HTTPFailure) {
    let options = [(CURLOPT_PROXY, proxy?.address), (CURLOPT_NOPROXY, proxy?.directHosts)]
    guard options.allSatisfy({ curl_shim_set_string(easy, $0, $1 ?? "") == CURLE_OK }) else {
      throw HTTPFailure(.resources, "out of memory for a request")
    }
    // The request's headers hold credentials for the server, and none of them is for the proxy.
    curl_shim_set_long(easy, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    curl_shim_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  private func set(_ limits: HTTPLimits) {
    curl_shim_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(limits.connectTimeout.milliseconds)))
    curl_shim_set_long(easy, CURLOPT_TIMEOUT_MS, max(1, Int(limits.totalTimeout.milliseconds)))
  }

  private func set(_ request: HTTPRequest) throws(HTTPFailure) {
    guard curl_shim_set_string(easy, CURLOPT_URL, request.url) == CURLE_OK else {
      throw HTTPFailure(.resources, "out of memory for a request")
    }
    // An empty list means all codings that this libcurl supports.
    if request.acceptCompressed { curl_shim_set_string(easy, CURLOPT_ACCEPT_ENCODING, "") }
    // With thousands of idle connections, libcurl's search for the oldest one costs more than a transfer.
    let isKept = request.keepsConnection && !request.needsFreshConnection
    let reuse = isKept ? CURLOPT_TCP_KEEPALIVE : CURLOPT_FORBID_REUSE
    curl_shim_set_long(easy, reuse, 1)
    if request.needsFreshConnection { curl_shim_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
    setMethod(request)
    if let cookies = request.cookies {
      curl_shim_set_string(easy, CURLOPT_COOKIEFILE, "")
      for cookie in cookies { curl_shim_set_string(easy, CURLOPT_COOKIELIST, cookie) }
    }
    for line in try request.headerLines() {
      guard let longer = line.withUnsafeBufferPointer({ curl_slist_append(headerList, $0.baseAddress) })
      else { throw HTTPFailure(.resources, "out of memory for a request") }
      headerList = longer
    }
    curl_shim_set_pointer(easy, CURLOPT_HTTPHEADER, headerList)
  }

  private func setMethod(_ request: HTTPRequest) {
    if request.method == "HEAD" { curl_shim_set_long(easy, CURLOPT_NOBODY, 1) }
    if let body = request.body {
      curl_shim_set_long(easy, CURLOPT_POSTFIELDSIZE, body.count)
      body.withUnsafeBytes { bytes in
        // libcurl copies the body. With a null pointer it would read the body from standard input.
        var nothing: UInt8 = 0
        let start = bytes.baseAddress.map(UnsafeMutableRawPointer.init(mutating:))
        withUnsafeMutableBytes(of: &nothing) { empty in
          _ = curl_shim_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start ?? empty.baseAddress)
        }
      }
    }
    if !["GET", "HEAD"].contains(request.method) || request.body != nil {
      curl_shim_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
    }
  }

  // MARK: - Results

  /// The failure of a transfer. When this process has no file descriptor left, libcurl reports a failed connection;
  /// that is not the server's fault.
  func failure(_ code: CURLcode) -> HTTPFailure {
    guard receiver.pointee.socket_error == 0 else {
      return HTTPFailure(
        .resources, "the system could not open a socket (error \(receiver.pointee.socket_error))")
    }
    let status = curl_shim_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
    // No byte was sent to the server.
    if status > 0, !(200..<300).contains(status) {
      return HTTPFailure(
        status >= 500 ? .connect : .proxy, "the proxy refused the connection with HTTP status \(status)")
    }
    return HTTPFailure(code, String(cString: errorBuffer))
  }

  func trace(of transfer: CurlTransfer, _ code: CURLcode) -> ConnectionTrace {
    var trace = ConnectionTrace(step: step(of: transfer, code))
    trace.network = transfer.triedAddress.map { IPNetwork($0) }
    trace.elapsed = .microseconds(curl_shim_get_offset(easy, CURLINFO_TOTAL_TIME_T))
    let verdict = curl_shim_get_long(easy, CURLINFO_SSL_VERIFYRESULT)
    trace.hasCertificate = code == CURLE_PEER_FAILED_VERIFICATION
    trace.isSecure = transfer.request.url.hasPrefix("https:")
    if trace.hasCertificate, Self.untrusted.contains(verdict) {
      trace.untrustedIssuer =
        transfer.topmostCertificate.flatMap(CertificateIssuer.digest(ofTopmost:)) ?? "unknown"
    } else if trace.hasCertificate, Self.notRefused.contains(verdict) {
      trace.foreignCertificate = transfer.hostCertificate?.hashValue
    }
    return trace
  }

  private func step(of transfer: CurlTransfer, _ code: CURLcode) -> ConnectionTrace.Step {
    func passed(_ moment: CURLINFO) -> Bool { curl_shim_get_offset(easy, moment) > 0 }
    // For libcurl the end of a connection begins an answer, too.
    let hasBegun = passed(CURLINFO_STARTTRANSFER_TIME_T) && code != CURLE_GOT_NOTHING
    if transfer.hasAnswer || hasBegun { return .answered }
    if receiver.pointee.is_ready { return .ready }
    // libcurl has no time of a connection whose TLS handshake failed.
    if receiver.pointee.is_securing || passed(CURLINFO_CONNECT_TIME_T) { return .connected }
    return transfer.triedAddress != nil || passed(CURLINFO_NAMELOOKUP_TIME_T) ? .resolved : .started
  }

  /// OpenSSL's results for a chain that ends at no trusted root: X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
  /// DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
  /// UNABLE_TO_VERIFY_LEAF_SIGNATURE and CERT_UNTRUSTED.
  private static let untrusted: Set<Int> = [2, 18, 19, 20, 21, 27]

  /// OpenSSL has accepted the chain, or libcurl has not asked for its verdict: it compares the names first.
  private static let notRefused: Set<Int> = [0, 1]

  /// True when the request was sent, so that the response ended the transfer.
  var isSent: Bool { curl_shim_get_long(easy, CURLINFO_REQUEST_SIZE) > 0 }

  func response(headers: HTTPHeaders, body: [UInt8], to request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(
      status: curl_shim_get_long(easy, CURLINFO_RESPONSE_CODE), headers: headers, body: body,
      finalURL: request.url,
      totalTime: .microseconds(curl_shim_get_offset(easy, CURLINFO_TOTAL_TIME_T)),
      remoteAddress: curl_shim_get_string(easy, CURLINFO_PRIMARY_IP).map { String(cString: $0) })
  }

  /// The cookies of the transfer, before it and after it, as libcurl lists them.
  var cookies: [String] {
    guard let list = curl_shim_get_list(easy, CURLINFO_COOKIELIST) else { return [] }
    defer { curl_slist_free_all(list) }
    return sequence(first: list, next: \.pointee.next).map { String(cString: $0.pointee.data) }
  }
}

extension HTTPRequest {
  /// The headers in libcurl's notation: `Name: value`, `Name;` for an empty value, `Name:` to send none. Each line ends with
  /// a NUL. Throws when a name or value could inject another line (RFC 9110, section 5.5).
  func headerLines() throws(HTTPFailure) -> [[CChar]] {
    // By default libcurl waits a second for "100 Continue" before a long body and sends every body as a form.
    var lines = [Array("Expect:".utf8)]
    if headers["Content-Type"] == nil { lines.append(Array("Content-Type:".utf8)) }
    for field in headers.fields {
      guard !field.name.isEmpty, field.name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }),
        !field.value.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D })
      else { throw HTTPFailure(.invalidRequest, "the header \(field.name.debugDescription) cannot be sent") }
      let value =
        (ValidatorHeader.isSent(field.name) ? ValidatorHeader.bytes(field.value) : nil)
        ?? Array(field.value.utf8)
      lines.append(Array(field.name.utf8) + (value.isEmpty ? ";" : ": ").utf8 + value)
    }
    return lines.map { line in line.map { CChar(bitPattern: $0) } + [0] }
  }
}
