package import Diagnostics
package import SchemaLanguage
internal import Synchronization

package import struct SchemaLanguage.LintOptions

/// The Language Server Protocol 3.17 for `.ckdb` files: what an editor sends, and what is sent back. It reads and writes
/// no stream.
package struct LanguageServer: Sendable {
  /// Where the server stands between `initialize` and `exit`.
  private enum Phase { case waiting, running, stopped }

  private var phase = Phase.waiting
  private var encoding = TextDocument.Encoding.utf16
  private var documents: [String: Open] = [:]
  /// The documents whose findings were not sent since they changed.
  private var changed: [String] = []
  /// What is wrong with settings, which the editor shows once, and what of it was not sent yet.
  private var notices: (known: Set<String>, unsent: [String]) = ([], [])
  /// Whether the editor says when the settings were changed.
  private var watchesFiles = false
  private let settings: Settings
  private let version: String

  /// The settings of checks for a file, by its path, and what is wrong with them; `nil` for a text that is in no file.
  package typealias Settings =
    @Sendable (_ path: String?) -> (options: LintOptions, problems: [Diagnostic])

  /// A document, and its findings from the first question for them to the next change.
  private struct Open {
    let document: SchemaDocument
    var findings: [Diagnostic]?
    /// What these follow.
    var options = LintOptions()
    /// What the linter said of the last valid text.
    var known: Set<String> = []
    var others = KnownSchemas()
  }

  /// The other schemas of a project, for which its folders are searched once while a text is typed.
  private final class KnownSchemas: Sendable {
    private let found = Mutex<LintOptions.OtherTypes?>(nil)

    func value(_ search: () -> LintOptions.OtherTypes) -> LintOptions.OtherTypes {
      found.withLock { known in
        let value = known ?? search()
        known = value
        return value
      }
    }
  }

  package init(version: String, settings: @escaping Settings) {
    self.version = version
    self.settings = settings
  }

  /// Whether the editor asked to end, and whether it did so in good order.
  package private(set) var ended: (isOrderly: Bool, Void)?

  /// Whether findings are to be sent, when no other message waits.
  package var hasWork: Bool { !changed.isEmpty }

  /// The numbers of the protocol's errors.
  private enum ErrorCode: Int64 {
    case parseError = -32700
    case invalidRequest = -32600
    case methodNotFound = -32601
    case invalidParams = -32602
    case notInitialized = -32002
    case cancelled = -32800
  }

  /// Handles one message and returns the answers, if any.
  ///
  /// - Parameter cancelled: whether the editor canceled the request with this id meanwhile.
  package mutating func handle(_ bytes: [UInt8], cancelled: (JSONValue) -> Bool = { _ in false })
    -> [JSONValue]
  {
    let message: JSONValue
    do { message = try JSONValue(parsing: bytes) } catch {
      return [Self.failure(.null, .parseError, "the message is not JSON")]
    }
    guard let method = message["method"]?.string else {
      // The answer to ``registration``, or one without a request.
      let isAnswer = message["id"] == nil || message["id"] == Self.registration["id"]
      return isAnswer || message["result"] != nil || message["error"] != nil
        ? [] : [Self.failure(message["id"] ?? .null, .invalidRequest, "the request has no method")]
    }
    let parameters = message["params"] ?? .null
    guard let id = message["id"] else {
      notify(method, parameters)
      return method == "initialized" && watchesFiles ? [Self.registration] : []
    }
    if cancelled(id) { return [Self.failure(id, .cancelled, "the request was canceled")] }
    let answer = answer(to: method, parameters, id)
    return takeNotices() + [answer]
  }

  /// The findings of the documents that changed.
  package mutating func findings() -> [JSONValue] {
    defer { changed = [] }
    let found = changed.map { uri in
      guard let document = documents[uri]?.document else { return Self.findings(uri, [], version: nil) }
      let list = findings(of: uri).map { document.json($0, uri: uri) } + remaining(of: uri)
      return Self.findings(uri, list, version: document.text.version)
    }
    return takeNotices() + found
  }

  /// While a mistake is typed in one record type, the findings of the others that were shown before stay.
  private mutating func remaining(of uri: String) -> [JSONValue] {
    guard let open = documents[uri], let found = open.findings else { return [] }
    let identity = { (finding: Diagnostic) in "\(finding.code) \(finding.message)" }
    let errors = found.filter { SchemaRules.rule($0.code)?.isOfValidity ?? false }
    guard !errors.isEmpty else {
      documents[uri]?.known = Set(found.map(identity))
      return []
    }
    guard !open.known.isEmpty else { return [] }
    let rest = open.document.findings(open.options, without: errors)
    return rest.filter { open.known.contains(identity($0)) }.map { open.document.json($0, uri: uri) }
  }

  private mutating func takeNotices() -> [JSONValue] {
    defer { notices.unsent = [] }
    return notices.unsent.map { text in
      // 2: a warning.
      ["jsonrpc": "2.0", "method": "window/showMessage", "params": ["type": 2, "message": .string(text)]]
    }
  }

  /// What is wrong with an open document, its queries and its settings.
  private mutating func findings(of uri: String) -> [Diagnostic] {
    guard let open = documents[uri] else { return [] }
    if let known = open.findings { return known }
    let (given, problems) = settings(Self.path(of: uri))
    var options = given
    options.elsewhere = { [others = open.others, search = given.elsewhere] in others.value(search) }
    for problem in problems where problem.severity == .error {
      let text = "\(open.document.message(problem)). The default applies until this is corrected."
      if notices.known.insert(text).inserted { notices.unsent.append(text) }
    }
    let found = problems + (options.queries?.diagnostics ?? []) + open.document.findings(options)
    documents[uri]?.findings = found
    documents[uri]?.options = options
    return found
  }

  private static func findings(_ uri: String, _ list: [JSONValue], version: Int64?) -> JSONValue {
    [
      "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics",
      "params": .object([
        "uri": .string(uri), "version": version.map(JSONValue.integer), "diagnostics": .array(list),
      ]),
    ]
  }

  private static func failure(_ id: JSONValue, _ code: ErrorCode, _ message: String) -> JSONValue {
    ["jsonrpc": "2.0", "id": id, "error": ["code": .integer(code.rawValue), "message": .string(message)]]
  }

  // MARK: Notifications

  private mutating func notify(_ method: String, _ parameters: JSONValue) {
    let uri = parameters["textDocument"]?["uri"]?.string ?? ""
    switch method {
    case "exit": ended = (phase == .stopped, ())
    case "textDocument/didOpen":
      let opened = parameters["textDocument"]
      guard !uri.isEmpty, let text = opened?["text"]?.string else { return }
      open(
        TextDocument(
          name: Self.path(of: uri) ?? uri, text: text, version: opened?["version"]?.integer ?? 0,
          encoding: encoding),
        uri)
    case "textDocument/didChange":
      guard var text = documents[uri]?.document.text else { return }
      for change in parameters["contentChanges"]?.array ?? [] {
        text.replace(change["range"], with: change["text"]?.string ?? "")
      }
      text.version = parameters["textDocument"]?["version"]?.integer ?? text.version + 1
      open(text, uri)
    case "textDocument/didClose":
      documents[uri] = nil
      markChanged(uri)
    case "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles", "textDocument/didSave":
      for uri in documents.keys.sorted() {
        documents[uri]?.findings = nil
        documents[uri]?.others = KnownSchemas()
        markChanged(uri)
      }
    default: break
    }
  }

  private mutating func open(_ text: TextDocument, _ uri: String) {
    let former = documents[uri]
    documents[uri] = Open(
      document: SchemaDocument(text), known: former?.known ?? [], others: former?.others ?? KnownSchemas())
    markChanged(uri)
  }

  private mutating func markChanged(_ uri: String) { if !changed.contains(uri) { changed.append(uri) } }

  // MARK: Requests

  private mutating func answer(to method: String, _ parameters: JSONValue, _ id: JSONValue) -> JSONValue {
    func success(_ result: JSONValue) -> JSONValue { ["jsonrpc": "2.0", "id": id, "result": result] }
    switch (phase, method) {
    case (.waiting, "initialize"):
      phase = .running
      watchesFiles =
        parameters["capabilities"]?["workspace"]?["didChangeWatchedFiles"]?["dynamicRegistration"] == true
      let encodings =
        parameters["capabilities"]?["general"]?["positionEncodings"]?.array?.compactMap(\.string) ?? []
      encoding = encodings.contains("utf-8") ? .utf8 : .utf16
      return success(capabilities)
    case (.waiting, _): return Self.failure(id, .notInitialized, "the server was not initialized")
    case (_, "initialize"): return Self.failure(id, .invalidRequest, "the server was initialized already")
    case (.stopped, _): return Self.failure(id, .invalidRequest, "the server was shut down")
    case (.running, "shutdown"):
      phase = .stopped
      return success(.null)
    case (.running, _): break
    }
    let unknown = Self.failure(id, .methodNotFound, "the server has no method '\(method)'")
    let uri = parameters["textDocument"]?["uri"]?.string ?? ""
    guard let document = documents[uri]?.document else {
      return uri.isEmpty ? unknown : Self.failure(id, .invalidParams, "the document was not opened")
    }
    let offset = document.text.offset(of: parameters["position"])
    switch method {
    case "textDocument/hover": return success(document.hover(at: offset))
    case "textDocument/completion":
      return success(
        document.completion(at: offset, isTyping: parameters["context"]?["triggerCharacter"] == " "))
    case "textDocument/definition": return success(document.definition(at: offset, uri: uri))
    case "textDocument/references": return success(document.references(at: offset, uri: uri))
    case "textDocument/prepareRename":
      return success(document.renamable(at: offset).map(document.text.range) ?? .null)
    case "textDocument/rename":
      guard let edit = document.rename(at: offset, to: parameters["newName"]?.string ?? "", uri: uri) else {
        return Self.failure(
          id, .invalidParams,
          document.renamable(at: offset) == nil
            ? "only a record type or a role that the file declares can be renamed"
            : "give a name that is not in use, begins with a letter, and has only letters, digits and _")
      }
      return success(edit)
    case "textDocument/documentSymbol": return success(document.symbols())
    case "textDocument/foldingRange": return success(document.folding())
    case "textDocument/semanticTokens/full": return success(document.semanticTokens())
    case "textDocument/formatting", "textDocument/rangeFormatting":
      if let error = document.parsed.diagnostics.first(where: { $0.severity == .error }) {
        notices.unsent.append(
          "Not formatted: correct the errors first, such as \(document.message(error)).")
      }
      return success(document.formatting(parameters["range"].map(document.text.offsets)))
    case "textDocument/codeAction":
      let found = findings(of: uri)
      return success(
        document.actions(
          for: found, documents[uri]?.options ?? LintOptions(),
          in: document.text.offsets(of: parameters["range"]), uri: uri))
    default: return unknown
    }
  }

  private static let registration: JSONValue = [
    "jsonrpc": "2.0", "id": "settings", "method": "client/registerCapability",
    "params": [
      "registrations": [
        [
          "id": "settings", "method": "workspace/didChangeWatchedFiles",
          "registerOptions": [
            "watchers": [["globPattern": "**/celestra-admin.json"], ["globPattern": "**/*.ckdb"]]
          ],
        ]
      ]
    ],
  ]

  private var capabilities: JSONValue {
    [
      "capabilities": [
        "positionEncoding": .string(encoding.rawValue),
        // 2: changes come as edits.
        "textDocumentSync": ["openClose": true, "change": 2, "save": true],
        "hoverProvider": true, "definitionProvider": true, "referencesProvider": true,
        "renameProvider": ["prepareProvider": true], "documentSymbolProvider": true,
        "foldingRangeProvider": true,
        "documentFormattingProvider": true, "documentRangeFormattingProvider": true,
        "completionProvider": ["triggerCharacters": [" ", "\"", ">", ":"]],
        "codeActionProvider": ["codeActionKinds": ["quickfix"]],
        "semanticTokensProvider": [
          "legend": [
            "tokenTypes": .array(SchemaDocument.tokenKinds.map(JSONValue.string)), "tokenModifiers": [],
          ],
          "full": true,
        ],
      ],
      "serverInfo": ["name": "celestra-admin", "version": .string(version)],
    ]
  }

  /// The path of a `file:` address, with its escapes read; `nil` for another address.
  static func path(of uri: String) -> String? {
    guard uri.hasPrefix("file://") else { return nil }
    let text = PercentEncoding.decodeAny(uri.dropFirst("file://".count))
    return text.hasPrefix("/") ? text : nil
  }
}
