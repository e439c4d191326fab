import Foundation
import Synchronization

/// An HTTP proxy on this machine. It opens tunnels to one port of this machine, whatever host a client names, and keeps
/// the heads of the requests that it received.
final class ConnectProxy: Sendable {
  struct CannotListen: Error { let code: Int32 }

  let port: Int
  private let socket: Int32
  private let target: Int
  private let answer: String
  private let received = Mutex<[String]>([])

  /// - Parameter refusal: a status line, such as `407 Proxy Authentication Required`, to answer with in place of a tunnel.
  init(to target: Int, refusal: String? = nil) throws {
    self.target = target
    answer = refusal.map { "HTTP/1.1 \($0)\r\nContent-Length: 0\r\n\r\n" } ?? ""
    socket = Self.newSocket()
    var address = Self.address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { [socket] pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && listen(socket, 16) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard bound else { throw CannotListen(code: errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [weak self, socket] in
      while case let connection = accept(socket, nil, nil), connection >= 0 {
        guard let self else { return }
        Thread.detachNewThread { self.serve(connection) }
      }
    }
  }

  deinit { shutdown(socket, Int32(SHUT_RDWR)) }

  var heads: [String] { received.withLock { $0 } }

  private func serve(_ client: Int32) {
    defer { close(client) }
    let head = readHead(client)
    received.withLock { $0.append(head) }
    guard answer.isEmpty, head.hasPrefix("CONNECT ") else {
      return write(Array(answer.utf8)[...], to: client)
    }
    let server = Self.newSocket()
    defer { close(server) }
    var address = Self.address(port: target)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { return write(Array("HTTP/1.1 502 Bad Gateway\r\n\r\n".utf8)[...], to: client) }
    write(Array("HTTP/1.1 200 OK\r\nProxy-Agent: test\r\n\r\n".utf8)[...], to: client)
    relay(client, server)
  }

  private func readHead(_ client: Int32) -> String {
    var head = ""
    var byte: UInt8 = 0
    while !head.hasSuffix("\r\n\r\n"), recv(client, &byte, 1, 0) == 1 {
      head.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return head
  }

  /// Copies both ways until one side ends.
  private func relay(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      var ends = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&ends, 2, -1) > 0 else { return }
      for (index, end) in ends.enumerated() where end.revents != 0 {
        let count = recv(end.fd, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        write(buffer[..<count], to: index == 0 ? server : client)
      }
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
    var bytes = bytes
    while !bytes.isEmpty {
      #if canImport(Glibc)
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      #else
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
      #endif
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func newSocket() -> Int32 {
    #if canImport(Glibc)
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
