internal import ArgumentParser

/// The command group `container`.
struct ContainerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container", abstract: "Create, inspect, verify, back up and restore containers.",
    discussion:
      "init, backup and restore work on local containers only: CloudKit's are created in the Apple developer account.",
    subcommands: [
      ContainerInit.self, ContainerInfo.self, ContainerVerify.self, ContainerBackup.self,
      ContainerRestore.self,
    ])
}
