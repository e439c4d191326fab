import Foundation
import Testing

/// Every command that deletes records of a container, in both environments, with each way in which a script may confirm it:
/// what the history does not keep goes only with `--yes --accept-risk data-loss`.
@Suite("Confirming deletions") struct DeletionConfirmationTests {
  /// Whether a deletion happens: without options, with `--no-input`, with `--yes`, and with the risk accepted besides.
  enum Rule: String {
    /// Undo restores it, and the caller named it.
    case namedAndKept
    /// Undo restores it, but the command chose it; or nothing restores it.
    case dataLoss
    /// It takes back what a run created.
    case undo

    func deletes(_ flags: Flags, inProduction: Bool) -> Bool {
      switch (self, flags) {
      case (_, .noInput): false
      case (_, .both): true
      case (.namedAndKept, _): !inProduction
      case (.undo, .none): !inProduction
      case (.undo, .yes): true
      case (.dataLoss, _): false
      }
    }
  }

  enum Flags: String, CaseIterable {
    case none = ""
    case noInput = "--no-input"
    case yes = "--yes"
    case both = "--yes --no-input --accept-risk data-loss"
  }

  struct Deletion: CustomTestStringConvertible {
    /// For a shell.
    let command: String
    /// The records that it deletes: the names end with these words.
    let type: String
    let rule: Rule
    /// Deletes in development only, whatever the environment.
    var isOfDevelopment = false

    var testDescription: String { command }
  }

  private static let subscription = String(repeating: "0", count: 63) + "3"

  static let deletions = [
    Deletion(command: "records delete extra", type: "PublicFeed", rule: .namedAndKept),
    Deletion(
      command: "records delete FeedCategory --filter 'name == Spare'", type: "FeedCategory",
      rule: .namedAndKept),
    Deletion(
      command: "records delete \(subscription)", type: "FeedSubscription",
      rule: .dataLoss),
    Deletion(
      command: "records delete FeedSubscription --filter 'feedRecordName == gone'", type: "FeedSubscription",
      rule: .dataLoss),
    Deletion(command: "seed apply seeds --prune", type: "PublicFeed", rule: .dataLoss),
    Deletion(command: "articles purge", type: "PublicArticle", rule: .dataLoss),
    Deletion(command: "recount subscribers --prune-orphans", type: "FeedSubscription", rule: .dataLoss),
    Deletion(command: "container verify --fix", type: "FeedMetadata", rule: .dataLoss),
    Deletion(command: "container restore empty.sqlite", type: "FeedCategory", rule: .dataLoss),
    Deletion(command: "schema reset", type: "FeedCategory", rule: .dataLoss, isOfDevelopment: true),
    Deletion(command: "undo $(cat run)", type: "FeedCategory", rule: .undo),
  ]

  private static let records = """
    {"recordType":"PublicFeed","recordName":"extra","fields":{"feedURL":{"type":"STRING","value":"https://extra.example/feed"},"title":{"type":"STRING","value":"Extra"},"slug":{"type":"STRING","value":"extra"}}}
    {"recordType":"FeedMetadata","recordName":"orphan","fields":{}}
    {"recordType":"FeedSubscription","recordName":"\(subscription)","fields":{"feedRecordName":{"type":"STRING","value":"gone"}}}
    {"recordType":"PublicArticle","recordName":"old","fields":{"title":{"type":"STRING","value":"Old"},"expiresAt":{"type":"TIMESTAMP","value":1000}}}
    {"recordType":"FeedCategory","recordName":"spare","fields":{"name":{"type":"STRING","value":"Spare"}}}

    """
  private static let another =
    #"{"recordType":"FeedCategory","recordName":"other","fields":{"name":{"type":"STRING","value":"Other"}}}"#
  private static let environments = ["development", "production"]

  /// A project with a container that has something for each command to delete, in both environments, in `base.sqlite`.
  private func withContainers(_ body: (Tool) async throws -> Void) async throws {
    try await withProjectFolder { folder in
      for name in ["base", "empty"] {
        _ = try await folder.place("\(name) for deletions", at: "\(name).sqlite") { tool in
          _ = try await tool.makeContainer("container.sqlite")
          try await tool.succeed("schema", "promote", "--yes", "--accept-risk", "permission-widening")
          guard name == "base" else { return }
          try Data(Self.records.utf8).write(to: URL(filePath: "\(tool.directory)/records.jsonl"))
          for environment in Self.environments {
            try await tool.succeed("seed", "apply", "seeds", "--yes", "--environment", environment)
            try await tool.succeed(
              "records", "import", "records.jsonl", "--yes", "--environment", environment)
          }
        }
      }
      try await body(folder)
    }
  }

  @Test("nothing that history does not keep is deleted without --yes and the risk", arguments: deletions)
  func table(_ deletion: Deletion) async throws {
    try await withContainers { folder in
      for environment in Self.environments {
        for flags in Flags.allCases {
          let file = "\(environment)-\(flags).sqlite"
          let container = try folder.copy("base.sqlite", to: file)
          let tool = folder.on(file: file)
          if deletion.rule == .undo {
            let imported = try await tool.run(
              ["records", "import", "-", "--yes", "--environment", environment], stdin: Self.another + "\n")
            let run = try #require(
              imported.err.firstMatch(of: /celestra-admin undo (?:--environment \S+ )?(\S+)/)?.1,
              "\(imported)")
            try Data(run.utf8).write(to: URL(filePath: "\(folder.directory)/run"))
          }
          let before = try container.count(deletion.type, environment)
          let done = try await tool.shell(
            "celestra-admin \(deletion.command) --environment \(environment) \(flags.rawValue)")
          let deletes =
            deletion.rule.deletes(flags, inProduction: environment == "production")
            && !(deletion.isOfDevelopment && environment == "production")
          let deleted = try before - container.count(deletion.type, environment)
          #expect(
            (deleted > 0) == deletes, "\(environment) \(flags): \(deleted) deleted\n\(done.out)\(done.err)")
          #expect(!"\(done.out)\(done.err)".contains(Self.subscription), "digest of a person")
          guard !deletes, !(deletion.isOfDevelopment && environment == "production") else { continue }
          #expect(done.status == 1, "\(environment) \(flags): \(done.status)\n\(done.out)\(done.err)")
          #expect(done.err.contains(flags == .yes ? "--accept-risk data-loss" : "--yes"), "\(done.err)")
        }
      }
    }
  }

  @Test("a person at a terminal accepts data-loss with the answer to a prompt that names it")
  func prompt() async throws {
    try await withContainers { folder in
      let tool = folder.on(file: "base.sqlite")
      for (answer, left) in [("n", 1), ("y", 0)] {
        let terminal = try Terminal()
        _ = try await terminal.run(tool, ["articles", "purge"]) { _ in
          try await terminal.waitFor("[y/N]")
          terminal.type("\(answer)\n")
        }
        #expect(terminal.shown.contains("data-loss"), "\(terminal.shown)")
        let container = ContainerFile(path: "\(folder.directory)/base.sqlite")
        #expect(try container.count("PublicArticle", "development") == left, "\(terminal.shown)")
      }
    }
  }
}
