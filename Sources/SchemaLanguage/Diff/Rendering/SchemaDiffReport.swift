public import Diagnostics

/// The report of `schema diff`.
public struct SchemaDiffReport: Report {
  private let changes: [SchemaChange]
  private let new: ParsedSchema
  private let policy: SchemaChangePolicy
  private let title: MarkdownText
  private let countsDifferences: Bool
  /// The maximum number of annotations in GitHub's format; `nil` for all.
  public var maxAnnotations: Int?

  /// - Parameters:
  /// - names: the names of the two schemas.
  /// - countsDifferences: whether differences lead to exit status 2.
  public init(
    _ changes: [SchemaChange], to new: ParsedSchema, names: (from: String, to: String),
    policy: SchemaChangePolicy,
    countsDifferences: Bool
  ) {
    self.changes = changes
    self.new = new
    self.policy = policy
    title = "Schema: \(code: names.from) → \(code: names.to)"
    self.countsDifferences = countsDifferences
  }

  public var status: ExitStatus {
    if !policy.violations(in: changes).isEmpty { return .findings }
    return countsDifferences && !changes.isEmpty ? .differences : .done
  }

  public var isConfirmation: Bool { changes.isEmpty }
  public var json: JSONValue { SchemaDiffJSON.render(changes) }
  public var findings: [Diagnostic] { policy == .none ? [] : diagnostics }
  public func text(_ style: TerminalStyle) -> PrintableText { SchemaDiffText.render(changes, style) }

  public func rendered(as format: OutputFormat, _ style: TerminalStyle) -> PrintableText {
    switch format {
    case .github: GitHubRenderer().render(diagnostics, limit: maxAnnotations)
    case .markdown: PrintableText(SchemaDiffMarkdown.render(changes, title: title))
    default: text(style)
    }
  }

  private var diagnostics: [Diagnostic] {
    SchemaDiffDiagnostics.diagnostics(for: changes, in: new, policy: policy)
  }
}
