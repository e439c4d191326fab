internal import ArgumentParser

struct ContainerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "container", abstract: "Create, inspect, verify and back up containers.",
    discussion:
      "All but verify work on local containers only: CloudKit's are made in the Apple developer account.",
    subcommands: [ContainerInit.self, ContainerInfo.self, ContainerVerify.self, ContainerBackup.self])
}
