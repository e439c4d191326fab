internal import ArgumentParser
internal import BuildShim
internal import Diagnostics

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version, and where this binary comes from.",
    discussion: """
      The first line is the version alone, as --version prints it. The lines after it are the commit and the tag of the \
      sources, the kind of build, and the platform, for reports of problems.

      Example: celestra-admin version
      """)

  @OptionGroup var ignored: IgnoredOptions

  func run() { print(Self.text(.current).description, terminator: "") }

  static func text(_ origin: BuildOrigin) -> PrintableText {
    """
    \(AdminTool.version)
    commit: \(origin.commit ?? "not recorded by this build")
    build: \(origin.tag.map { "release \($0)" } ?? "no release")\(origin.isOptimized ? "" : ", not optimized")
    platform: \(origin.platform)

    """
  }
}

struct BuildOrigin: Hashable {
  /// The commit of the sources; `nil` if the build did not record it. Ends with `-modified` if the sources had changes that
  /// were not committed.
  var commit: String?
  /// The tag of the commit, such as `v0.2.0`, for a release; `nil` for other builds.
  var tag: String?
  var isOptimized: Bool
  /// The processor and the system, such as `x86_64 Linux`.
  var platform: String

  static var current: BuildOrigin {
    BuildOrigin(
      commit: text(BuildShim_commit()), tag: text(BuildShim_tag()), isOptimized: BuildShim_isOptimized() != 0,
      platform: text(BuildShim_platform()) ?? "unknown")
  }

  private static func text(_ value: UnsafePointer<CChar>?) -> String? {
    let text = value.map { String(cString: $0) } ?? ""
    return text.isEmpty ? nil : text
  }
}
