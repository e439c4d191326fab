internal import ArgumentParser

/// The command group `moderation`.
struct ModerationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moderation", abstract: "Decide about what users reported, and enforce the decisions.",
    discussion: """
      moderation.json declares which record types users write, and how their records are hidden; without the file, that \
      of live sessions is used, which 'schema init --template sessions' writes. The key's user record needs the role that \
      the file names, else Moderator: the CloudKit Console gives it. No output names a person: a block is known by the id \
      of its decision.
      """,
    subcommands: [
      ModerationList.self, ModerationShow.self, ModerationHide.self, ModerationRestore.self,
      ModerationDecide.self, ModerationRemove.self, ModerationBlock.self, ModerationUnblock.self,
      ModerationSweepCommand.self,
    ])
}
