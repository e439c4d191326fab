import Diagnostics
import Foundation
import Logging
import Synchronization
import Testing

@testable import CommandLine

@Suite struct JSONLogLineTests {
  private let noon = Date(timeIntervalSince1970: 1_769_860_800.25)

  /// What is written to standard error when a console logs JSON.
  private func logged(_ body: (ProcessContext) throws -> Void) throws -> [JSONValue] {
    let written = Mutex("")
    let console = Console(
      output: .init(write: { _ in }), errors: .init(write: { text in written.withLock { $0 += text } }))
    let noon = noon
    try body(
      ProcessContext(
        environment: [:], directory: "/", console: console.loggingJSON { noon }, now: { noon }, wait: { _ in }
      ))
    return try written.withLock(\.self).split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
  }

  @Test(
    "everything on standard error is a line of JSON with its time and level",
    arguments: [
      ("error: no such file\n", "error"), ("error[CK0101]: bad\n", "error"),
      ("warning: old key\n", "warning"),
      ("12 of 30\n", "info"), ("errors: 3\n", "info"),
    ] as [(PrintableText, String)])
  func lines(text: PrintableText, level: String) throws {
    let lines = try logged { $0.console.writeError(text) }
    #expect(lines.count == 1)
    #expect(lines.first?["level"]?.string == level)
    #expect(lines.first?["time"]?.string == "2026-01-31T12:00:00.250Z")
    #expect(lines.first?["message"]?.string.map { $0 + "\n" } == text.description)
  }

  @Test("a logger's numbers stay numbers, and what is long is cut")
  func logger() throws {
    var common = SharedOptionValues()
    common.logFormat = .json
    common.verbose = true
    let lines = try logged { process in
      let settings = Settings(sources: [], warnings: [], projectDirectory: nil)
      let logger = CommandContext(common: common, format: .text, settings: settings, process: process).logger(
        "test")
      logger.info(
        "sent",
        metadata: ["status": .stringConvertible(200), "seconds": .stringConvertible(1.5), "path": "/x"])
      logger.info("\(String(repeating: "x", count: 1_001))")
    }
    #expect(lines.first?["status"] == .integer(200))
    #expect(lines.first?["seconds"] == .double(1.5))
    #expect(lines.first?["path"] == .string("/x"))
    #expect(lines.last?["message"]?.string?.hasSuffix("… (1001 bytes in all)") == true)
  }
}
