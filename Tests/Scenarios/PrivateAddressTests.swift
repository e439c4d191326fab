import Foundation
import Synchronization
import Testing

/// An address of this machine is not asked, however it is written.
@Suite struct PrivateAddressTests {
  private static let spellings = [
    "127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0x7f.0.0.1", "0177.0.0.1",
    "017700000001",
    "127.0.0.1.", "localhost", "LocalHost", "localhost.", "x.localhost", "0.0.0.0", "0", "0x0",
    "127.255.255.254",
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]",
    "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "user@127.0.0.1", "public.example@127.0.0.1",
    "%31%32%37.0.0.1",
    "\u{FF11}\u{FF12}\u{FF17}.0.0.1", "127\u{3002}0\u{3002}0\u{3002}1", "\u{2460}\u{2461}\u{2466}.0.0.1",
  ]

  @Test(
    "no spelling of this machine's addresses is connected to, where a server listens on all of them",
    arguments: [["feed", "inspect"], ["feed", "find"]])
  func spellings(_ command: [String]) async throws {
    try await withScratchFolder { folder in
      let connections = Mutex(0)
      let listener = try Listener(onAllAddresses: true) { connections.withLock { $0 += 1 } }
      let tool = Tool(directory: folder)
      let addresses = Self.spellings.map { "http://\($0):\(listener.port)/feed.xml" }
      let run = try await tool.run(command + addresses + ["--format", "json"])
      #expect(run.status == 1, "\(run.out) \(run.err)")
      #expect(connections.withLock(\.self) == 0 && listener.received.isEmpty, "\(listener.received)")
      // The server is there.
      for address in ["127.0.0.1", "[::1]"] {
        _ = try await tool.run(
          command + ["http://\(address):\(listener.port)/feed.xml", "--allow-private-addresses"])
        #expect(listener.received.contains("Host: \(address):\(listener.port)"))
      }
    }
  }
}
