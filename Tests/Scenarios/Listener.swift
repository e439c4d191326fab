import Foundation
import Synchronization

/// Listens on loopback, answers each request in the same way and keeps every byte that arrives.
final class Listener: Sendable {
  let port: Int
  private let socket: Int32
  private let bytes = Mutex<[UInt8]>([])

  struct CannotListen: Error { let code: Int32 }

  private let beforeAnswer: @Sendable () -> Void

  /// - Parameters:
  ///   - answer: the status line and the headers, each line without its end.
  ///   - body: what follows the headers.
  ///   - onAllAddresses: listens on every address of this machine, of IPv4 and IPv6.
  ///   - beforeAnswer: is run for each connection, before it is answered.
  init(
    answering answer: [String] = ["HTTP/1.1 404 Not Found"], body: String = "", onAllAddresses: Bool = false,
    beforeAnswer: @escaping @Sendable () -> Void = {}
  ) throws {
    self.beforeAnswer = beforeAnswer
    (socket, port) = try onAllAddresses ? Self.listenOnAllAddresses() : Self.listenOnLoopback()
    let head = answer + ["Content-Length: \(body.utf8.count)", "Connection: close", "", body]
    Thread.detachNewThread { [weak self, socket] in
      while case let connection = accept(socket, nil, nil), connection >= 0 {
        self?.serve(connection, head.joined(separator: "\r\n"))
      }
    }
  }

  private static func listenOnLoopback() throws -> (socket: Int32, port: Int) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    try listen(socket, &address)
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func listenOnAllAddresses() throws -> (socket: Int32, port: Int) {
    let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    var isOnlyIPv6: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    guard setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &isOnlyIPv6, size) == 0 else {
      throw CannotListen(code: errno)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    try listen(socket, &address)
    return (socket, Int(UInt16(bigEndian: address.sin6_port)))
  }

  /// Binds the socket and writes the address with its port into `address`.
  private static func listen<Address>(_ socket: Int32, _ address: inout Address) throws {
    var length = socklen_t(MemoryLayout<Address>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && Glibc.listen(socket, 64) == 0
          && getsockname(socket, $0, &length) == 0
      }
    }
    guard bound else { throw CannotListen(code: errno) }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  var url: String { "http://127.0.0.1:\(port)" }
  var received: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

  /// One piece is enough: a request's head comes in it.
  private func serve(_ connection: Int32, _ answer: String) {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(connection, &piece, piece.count, 0)
    bytes.withLock { $0 += piece.prefix(max(0, count)) }
    beforeAnswer()
    _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
    close(connection)
  }
}
