internal import CloudKitModel
internal import Cryptography
internal import FoundationEssentials
internal import Platform
internal import Synchronization
internal import WebServicesWire

/// Keeps assets in memory while the emulator runs, with their upload URLs, receipts and download URLs.
final class AssetStore: Sendable {
  static let root = "/assets/"
  private static let openPlaces = 10_000
  private static let receiptSize = 256

  struct Purpose: Sendable, Hashable {
    /// `nil` if the service chooses the record name.
    var recordName: String?
    var field: String
  }

  private struct Receipt {
    var checksum: String
    /// `nil` if the receipt is valid for every record and field.
    var purpose: Purpose?
  }

  private struct Contents {
    /// Open upload URLs by their secret name, with their expiry and purpose.
    var uploads: [String: (end: Timestamp, purpose: Purpose)] = [:]
    var files: [String: [UInt8]] = [:]
    var receipts: [String: Receipt] = [:]
    var size = 0
  }

  private let configuration: EmulatorConfiguration
  private let identifiers: IdentifierGenerator
  private let contents = Mutex(Contents())

  init(_ configuration: EmulatorConfiguration) {
    self.configuration = configuration
    identifiers = IdentifierGenerator(seed: configuration.seed.map { $0 &+ 2 })
  }

  // MARK: Upload

  func openPlace(_ origin: String, for purpose: Purpose) -> String {
    let name = identifiers.next()
    let now = configuration.now()
    let end = now + configuration.uploadLifetime
    contents.withLock { contents in
      // Limit the number of unused upload URLs: remove expired ones first, then any.
      if contents.uploads.count >= Self.openPlaces {
        contents.uploads = contents.uploads.filter { now <= $0.value.end }
        while contents.uploads.count >= Self.openPlaces { _ = contents.uploads.popFirst() }
      }
      contents.uploads[name] = (end, purpose)
    }
    return "\(origin)\(Self.root)upload/\(name)"
  }

  /// Stores an uploaded file and returns its receipt. Throws the error that the asset host would return.
  func store(_ bytes: [UInt8], at place: String) throws(ServerError) -> Asset {
    guard bytes.count <= configuration.assetLimit else {
      throw ServerError(.quotaExceeded, "asset is too large")
    }
    let checksum = configuration.fileChecksum.text(of: bytes)
    let receipt = identifiers.next()
    let now = configuration.now()
    let quota = configuration.assetQuota
    let error: ServerError? = contents.withLock { contents in
      guard let open = contents.uploads[place], now <= open.end else {
        return ServerError(.notFound, "upload URL is unknown, used or expired")
      }
      if configuration.uploadsOnce { contents.uploads[place] = nil }
      let size = Self.receiptSize + (contents.files[checksum] == nil ? bytes.count : 0)
      guard contents.size + size <= quota else { return ServerError(.quotaExceeded, "quota exceeded") }
      contents.size += size
      contents.files[checksum] = bytes
      contents.receipts[receipt] = Receipt(checksum: checksum, purpose: open.purpose)
      return nil
    }
    if let error { throw error }
    return Asset(
      fileChecksum: checksum, size: Int64(bytes.count), receipt: receipt,
      wrappingKey: Data(SHA256.digest(receipt).prefix(16)).base64EncodedString(), referenceChecksum: checksum)
  }

  /// A new receipt for a file that is stored already; `nil` if the file is unknown or the quota is used up.
  func rereference(_ asset: Asset) -> Asset? {
    let receipt = identifiers.next()
    let quota = configuration.assetQuota
    let isHere = contents.withLock { contents in
      guard contents.files[asset.fileChecksum] != nil, contents.size + Self.receiptSize <= quota else {
        return false
      }
      contents.size += Self.receiptSize
      contents.receipts[receipt] = Receipt(checksum: asset.fileChecksum)
      return true
    }
    guard isHere else { return nil }
    var copy = asset
    copy.receipt = receipt
    copy.downloadURL = nil
    return copy
  }

  /// Whether every asset in the value has a receipt for its file, this field and this record, and states the file's
  /// size.
  func accepts(_ value: FieldValue?, in field: String, of recordName: String?) -> Bool {
    switch value {
    case .asset(let asset)?:
      contents.withLock { contents in
        guard let receipt = contents.receipts[asset.receipt ?? ""], receipt.checksum == asset.fileChecksum,
          contents.files[asset.fileChecksum].map({ Int64($0.count) }) == asset.size
        else { return false }
        guard configuration.receiptsAreBound, let purpose = receipt.purpose else { return true }
        return purpose.field == field && (purpose.recordName ?? recordName) == recordName
      }
    case .list(_, let elements)?: elements.allSatisfy { accepts($0, in: field, of: recordName) }
    default: true
    }
  }

  // MARK: Download

  /// - Parameter name: the checksum as URLs contain it.
  func bytes(name: String) -> [UInt8]? {
    contents.withLock { $0.files[Self.checksum(named: name)] }
  }

  /// The checksum in base64url without padding, which needs no escaping in a URL.
  private static func name(of checksum: String) -> String {
    String(checksum.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  private static func checksum(named name: String) -> String {
    let text = String(name.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    return text + String(repeating: "=", count: (4 - text.count % 4) % 4)
  }

  /// The record as a client reads it: assets have download URLs and no receipts.
  func withURLs(_ record: Record, _ origin: String) -> Record {
    guard record.fields.values.contains(where: { $0.type.element == .asset }) else { return record }
    var record = record
    record.fields = record.fields.mapValues { withURL($0, origin) }
    return record
  }

  private func withURL(_ value: FieldValue, _ origin: String) -> FieldValue {
    switch value {
    case .asset(let asset):
      let name = Self.name(of: asset.fileChecksum)
      return .asset(
        Asset(
          fileChecksum: asset.fileChecksum, size: asset.size,
          downloadURL:
            "\(origin)\(Self.root)download/\(name)\(configuration.downloadsAreNamed ? "/${f}" : "")"))
    case .list(let type, let elements): return .list(of: type, elements.map { withURL($0, origin) })
    default: return value
    }
  }
}

/// Generates ids in the form of UUIDs: random, or reproducible from a seed.
final class IdentifierGenerator: Sendable {
  private let state: Mutex<SeededGenerator?>

  init(seed: UInt64?) { state = Mutex(seed.map(SeededGenerator.init)) }

  func next() -> String {
    let high = number() & ~0xF000 | 0x4000
    let low = number() & ~(3 << 62) | 2 << 62
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString
    }
  }

  private func number() -> UInt64 { state.withLock { $0?.next() ?? .random(in: .min ... .max) } }
}
