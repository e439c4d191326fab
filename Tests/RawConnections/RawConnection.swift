internal import Dispatch

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// A connection to a server on this machine, to send on it what no HTTP client would.
package final class RawConnection: Sendable {
  package struct Refused: Error {}

  private let descriptor: Int32

  package init(port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = descriptor
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Refused() }
  }

  deinit { close(descriptor) }

  /// Sends the text, and then a byte at a time until the server answers or has enough. Returns what it answered.
  package func drip(after text: String, _ byte: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        send(text)
        var answer = ""
        while true {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
          guard poll(&waiting, 1, 20) > 0 else {
            send(byte)
            continue
          }
          guard let more = receive() else { break }
          answer += more
        }
        continuation.resume(returning: answer)
      }
    }
  }

  /// Sends a request without a body, and returns the answer, whose body is a JSON object; empty without a body.
  package func ask(_ path: String) async -> String {
    await answer(to: "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
  }

  /// Sends the text of a request, and returns the answer, whose body is a JSON object; empty if the server has closed.
  package func answer(to request: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        send(request)
        var answer = ""
        while !answer.hasSuffix("}"), let more = receive() { answer += more }
        continuation.resume(returning: answer)
      }
    }
  }

  /// Sends the text, and returns the first bytes of what the server answers.
  package func beginning(after text: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { [self] in
        send(text)
        continuation.resume(returning: receive() ?? "")
      }
    }
  }

  package func send(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }

  /// `nil` when the server has closed.
  private func receive() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }
}
