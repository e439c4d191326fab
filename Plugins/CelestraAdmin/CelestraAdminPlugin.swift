import Foundation
import PackagePlugin

/// `swift package celestra-admin ARGUMENTS` runs the installed celestra-admin in the package's folder. Nothing of it is
/// built with the package.
@main struct CelestraAdminPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["celestra-admin"] + arguments
    process.currentDirectoryURL = context.package.directoryURL
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
  }

  struct Failure: Error, CustomStringConvertible {
    let status: Int32

    var description: String {
      status == 127
        ? "celestra-admin is not installed, or not in the PATH" : "celestra-admin ended with status \(status)"
    }
  }
}
