/// A schema of this project. The build embeds the files of `schema/` through the links in `Resources`, so that the
/// binary needs no files.
struct BundledSchema {
  let name: String
  /// The type that identifies a container with this schema.
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
