internal import Cryptography

/// Checks record names that are digests of what a record is about and of who made it
/// (Documentation/reference/subscriptions.md#names-that-prove-themselves).
///
/// The service stamps the creator, so each record proves or disproves its name. Neither creators nor record names leave
/// this check: it returns classes only.
package struct CreatorNames: Sendable, Hashable {
  package enum Class: String, Sendable, Hashable, CaseIterable {
    /// The name is the digest of the record's group and its creator.
    case verified
    /// Another name of a record that one of the tool's own keys made: an import or a restored record.
    case own
    /// A name that its creator cannot have.
    case madeUp
    /// The record came without its creator.
    case unknown
  }

  /// SHA-256 digests of the user record names of the tool's keys.
  package var ownKeys: Set<String>

  package init(ownKeys: Set<String>) { self.ownKeys = ownKeys }

  package static func keyDigest(of userRecordName: String) -> String {
    SHA256.hex("key of \(userRecordName)")
  }

  /// What stands for a creator in a mirror: a digest, which verifies no name, and what the record's name said when it was
  /// copied. Names of users begin with another letter.
  package static func standIn(_ digest: String, _ kind: Class) -> String {
    "mirror.\(kind.rawValue).\(digest)"
  }

  private static func copiedClass(_ creator: UnsafeRawBufferPointer) -> Class? {
    guard creator.starts(with: "mirror.".utf8) else { return nil }
    let parts = String(decoding: creator, as: UTF8.self).split(separator: ".")
    return parts.count == 3 ? Class(rawValue: String(parts[1])) : nil
  }

  /// A check of many records, one after the other.
  package final class Checker {
    private let names: CreatorNames
    private let context = DigestContext()
    /// The last creator of a name that does not verify: an import has one for all records.
    private var last: (creator: String, isOwn: Bool)?

    package init(_ names: CreatorNames) { self.names = names }

    /// - Parameter creator: as the container stamps it; empty when it does not.
    package func check(_ recordName: String, group: String, creator: String) -> Class {
      var (recordName, group, creator) = (recordName, group, creator)
      return recordName.withUTF8 { name in
        group.withUTF8 { group in
          creator.withUTF8 {
            check(
              UnsafeRawBufferPointer(name), group: UnsafeRawBufferPointer(group),
              creator: UnsafeRawBufferPointer($0))
          }
        }
      }
    }

    package func check(
      _ recordName: UnsafeRawBufferPointer, group: UnsafeRawBufferPointer, creator: UnsafeRawBufferPointer
    ) -> Class {
      guard !creator.isEmpty else { return .unknown }
      if let copied = CreatorNames.copiedClass(creator) { return copied }
      let isVerified = Self.hyphen.withUnsafeBytes {
        context.isDigest(recordName, of: (group, $0, creator))
      }
      switch isVerified {
      case true?: return .verified
      case false?: return isOwn(String(decoding: creator, as: UTF8.self)) ? .own : .madeUp
      case nil: return .unknown
      }
    }

    private static let hyphen: [UInt8] = [UInt8(ascii: "-")]

    private func isOwn(_ creator: String) -> Bool {
      if let last, last.creator == creator { return last.isOwn }
      let isOwn = names.ownKeys.contains(CreatorNames.keyDigest(of: creator))
      last = (creator, isOwn)
      return isOwn
    }
  }
}

package struct NameTally: Sendable, Hashable {
  package var verified: Int64
  package var own: Int64
  package var madeUp: Int64
  package var unknown: Int64

  package init(verified: Int64 = 0, own: Int64 = 0, madeUp: Int64 = 0, unknown: Int64 = 0) {
    self.verified = verified
    self.own = own
    self.madeUp = madeUp
    self.unknown = unknown
  }

  package mutating func add(_ kind: CreatorNames.Class) {
    switch kind {
    case .verified: verified += 1
    case .own: own += 1
    case .madeUp: madeUp += 1
    case .unknown: unknown += 1
    }
  }

  package mutating func add(_ other: NameTally) {
    verified += other.verified
    own += other.own
    madeUp += other.madeUp
    unknown += other.unknown
  }

  /// Fewer than half of the records that the tool did not make itself verify: then the names are probably made in
  /// another way than this check expects.
  package var isDoubtful: Bool { verified < madeUp + unknown }
}
