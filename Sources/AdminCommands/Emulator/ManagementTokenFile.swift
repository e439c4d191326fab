internal import Cryptography
internal import Diagnostics
internal import FoundationEssentials
internal import Platform

/// The file that keeps an emulator's management token from one start to the next. Only its owner may access it.
enum ManagementTokenFile {
  private static let sizeLimit = 1 << 12

  /// The token in the file, which is made with a new token if it does not exist. Of two emulators that start at the same
  /// time, one makes the file and both accept its token.
  ///
  /// Throws ``FileFailure`` for a file that other users can access, and ``CommandFailure`` for one without a token.
  static func token(in path: String) throws -> Secret {
    if !FileManager.default.fileExists(atPath: path) { try make(path) }
    let text = String(decoding: try PrivateFile.read(path, upTo: sizeLimit, content: "token"), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map(String.init)
    guard lines.count == 1, TokenFormat.isToken(lines[0]) else {
      throw CommandFailure(
        "\(path) does not hold a management token: it must be one word of visible ASCII characters",
        code: "bad-token",
        hint: "Remove the file to have a new token made.")
    }
    return Secret(lines[0])
  }

  /// The file appears whole and is never replaced.
  private static func make(_ path: String) throws {
    let partial = "\(path).\(UUID().uuidString).partial"
    try PrivateFile.create(partial, Array("\(UUID().uuidString)\n".utf8))
    if try !PrivateFile.publish(partial, as: path) { try PrivateFile.removeIfPresent(partial) }
  }
}
