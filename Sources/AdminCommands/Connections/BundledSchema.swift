/// A schema of this project, embedded in the binary from the files of `schema/` (through the links in `Resources`).
struct BundledSchema {
  let name: String
  /// The record type by which a container with this schema is recognized.
  let mainType: String
  let text: String

  static let all = [
    BundledSchema("celestra.ckdb", mainType: "PublicFeed", PackageResources.celestra_ckdb),
    BundledSchema("celestra-feed.ckdb", mainType: "Feed", PackageResources.celestra_feed_ckdb),
    BundledSchema("live-sessions.ckdb", mainType: "LiveSession", PackageResources.live_sessions_ckdb),
  ]

  private init(_ name: String, mainType: String, _ bytes: [UInt8]) {
    self.name = name
    self.mainType = mainType
    text = String(decoding: bytes, as: UTF8.self)
  }
}
