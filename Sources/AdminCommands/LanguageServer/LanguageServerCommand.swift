internal import ArgumentParser
internal import CommandLine
internal import Diagnostics
internal import LanguageServer
internal import Platform
internal import SchemaLanguage
internal import Synchronization

struct LanguageServerCommand: AdminCommand {
  static let usesContainer = false
  static let isService = true
  // Each file's settings are read when it is checked, and the editor shows what is wrong with them.
  static let readsSettings = false
  static let formats: [OutputFormat] = [.text]
  static let configuration = CommandConfiguration(
    commandName: "lsp", abstract: "Serve an editor that has a .ckdb file open (Language Server Protocol).",
    discussion: """
      An editor starts this command and speaks with it over standard input and output. It shows the findings of \
      'schema lint' as you type, explains what the cursor stands on, completes, formats, renames and fixes. \
      Documentation/EditorSupport.md has the lines for each editor.

      Example: celestra-admin lsp
      """)

  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<LanguageServerCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    let inbox = LanguageServerInbox()
    // A thread of its own reads, because it must see a cancellation while an answer is made.
    let reader = Task.detached { inbox.read() }
    defer { reader.cancel() }
    var server = LanguageServer(version: AdminTool.version) { [process = context.process] path in
      Self.settings(for: path, working: process.directory)
    }
    for try await message in inbox.messages {
      inbox.taken()
      try Self.send(server.handle(message, cancelled: inbox.takeCancellation))
      if let ended = server.ended {
        guard ended.isOrderly else {
          throw CommandFailure("the editor ended the server without shutting it down", code: "failed")
        }
        return PlainReport()
      }
      if server.hasWork, inbox.isEmpty { try Self.send(server.findings()) }
    }
    throw CommandFailure("the input ended before the editor shut the server down", code: "failed")
  }

  private static func send(_ messages: [JSONValue]) throws {
    for message in messages { try StandardStream.output.write(MessageFrames.framed(message.text())) }
  }

  /// The settings of the nearest project file above the schema, or above the working directory.
  private static func settings(for schema: String?, working: String) -> (LintOptions, [Diagnostic]) {
    var (options, problems) = (LintOptions(), [Diagnostic]())
    guard let file = Settings.projectFile(above: schema.map(FileKind.folder(of:)) ?? working) else {
      return (options, [])
    }
    do {
      (options.configuration, problems) = try LintConfiguration.read(projectFile: file, named: file)
    } catch {
      return (options, [SchemaInputRules.unreadable(file, CommandFailure(error).message)])
    }
    options.place = { schema == nil ? nil : SchemaPaths.place($0) }
    options.elsewhere = {
      do {
        let others = try SchemaFiles.others(
          than: [schema].compactMap(\.self), below: FileKind.folder(of: file))
        return (Set(others.flatMap(\.recordTypes).map(\.name)), nil)
      } catch { return ([], CommandFailure(error).message) }
    }
    if let path = options.configuration.queries.map({ InputFile.path($0, beside: file) }) {
      do { options.queries = try QueryManifest(ofSettings: path) } catch {
        problems.append(SchemaInputRules.unreadable(path, CommandFailure(error).message))
      }
    }
    return (options, problems)
  }
}

/// The messages that an editor has sent, in their order.
private final class LanguageServerInbox: Sendable {
  private struct State {
    var waiting = 0
    var cancelled: Set<JSONValue> = []
  }

  /// Ends with the failure to read, if there is one.
  let messages: AsyncThrowingStream<[UInt8], any Error>
  private let source: AsyncThrowingStream<[UInt8], any Error>.Continuation
  private let state = Mutex(State())

  init() { (messages, source) = AsyncThrowingStream.makeStream() }

  func read() {
    var frames = MessageFrames()
    do {
      try InputFile.readPieces("-", isConversation: true) { piece in
        for message in try frames.append(piece) { add(message) }
        return !Task.isCancelled
      }
      source.finish()
    } catch let failure as MessageFrames.Failure {
      source.finish(
        throwing: CommandFailure(
          failure == .tooLong
            ? "a message of the editor is longer than 64 MB"
            : "a message of the editor has no Content-Length", code: "bad-input"))
    } catch {
      source.finish(throwing: error)
    }
  }

  private func add(_ message: [UInt8]) {
    let cancelled =
      message.firstRange(of: #""$/cancelRequest""#.utf8) == nil ? nil : Self.cancelledID(message)
    state.withLock { state in
      state.waiting += 1
      if let cancelled { state.cancelled.insert(cancelled) }
    }
    source.yield(message)
  }

  private static func cancelledID(_ message: [UInt8]) -> JSONValue? {
    guard let json = try? JSONValue(parsing: message), json["method"]?.string == "$/cancelRequest" else {
      return nil
    }
    return json["params"]?["id"]
  }

  /// Whether a request was canceled before its turn.
  func takeCancellation(of id: JSONValue) -> Bool { state.withLock { $0.cancelled.remove(id) != nil } }

  /// Whether no message waits behind the one that was taken last.
  var isEmpty: Bool { state.withLock { $0.waiting == 0 } }

  func taken() { state.withLock { $0.waiting -= 1 } }
}
