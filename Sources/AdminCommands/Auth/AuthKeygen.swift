internal import ArgumentParser
internal import CommandLine
internal import Cryptography
internal import Diagnostics
internal import Platform

struct AuthKeygen: AdminCommand {
  static let usesContainer = false
  static let configuration = CommandConfiguration(
    commandName: "keygen", abstract: "Create a server-to-server key.",
    discussion: """
      Writes the private key to a new file that only its owner can read, and prints the public key, to be pasted in \
      the CloudKit Console under Tokens & Keys, Server-to-Server Keys. The Console then shows the key's id.

      Example: celestra-admin auth keygen --key-file key.pem
      """)

  @Option("The file to write; it must not exist yet.", value: "file", completion: .file()) var keyFile: String
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<AuthKeygen>

  func validate() throws {
    try InputFile.requireNamed(keyFile, "--key-file", because: "a private key is never printed")
  }

  func perform(in context: CommandContext) async throws -> any Report {
    try RunFiles.use(keyFile, as: "the key file")
    // The public key is printed once: its file must be writable before the private key is made.
    try context.results.open()
    let key = try P256PrivateKey.generate()
    let publicKey = try key.publicKey.pem()
    try PrivateFile.create(keyFile, key.secretPEM())
    let json: JSONValue = ["privateKeyPath": keyFile.json, "publicKey": publicKey.json]
    if context.format == .text {
      context.note("The private key is in \(keyFile). Paste this public key in the CloudKit Console:")
    }
    return PlainReport(json: json) { ReportBody.document(publicKey) }
  }
}
