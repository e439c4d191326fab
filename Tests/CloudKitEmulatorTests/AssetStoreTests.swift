import CloudKitModel
import Testing
import WebServicesWire

@testable import CloudKitEmulator

@Suite struct AssetStoreTests {
  private static let origin = "http://127.0.0.1:1"
  private static let purpose = AssetStore.Purpose(recordName: "r", field: "f")

  private func store(_ change: (inout EmulatorConfiguration) -> Void = { _ in }) -> AssetStore {
    var configuration = EmulatorConfiguration(container: Fixture.container)
    configuration.clock = .fixed(Timestamp(milliseconds: 0))
    change(&configuration)
    return AssetStore(configuration)
  }

  private func place(_ store: AssetStore, _ purpose: AssetStore.Purpose = purpose) -> String {
    String(store.openPlace(Self.origin, for: purpose).dropFirst("\(Self.origin)/assets/upload/".count))
  }

  private func upload(
    _ bytes: [UInt8], to store: AssetStore, for purpose: AssetStore.Purpose = purpose
  ) throws -> Asset {
    try store.store(bytes, at: place(store, purpose))
  }

  private func code(_ body: () throws -> Void) -> ServerError.Code? {
    do { try body() } catch { return (error as? ServerError)?.code }
    return nil
  }

  @Test("a place takes one upload, or any number where that is chosen, and none after its time")
  func places() throws {
    for (once, second) in [(true, ServerError.Code.notFound), (false, nil)] {
      let store = store { $0.uploadsOnce = once }
      let place = place(store)
      #expect(code { _ = try store.store([1], at: "elsewhere") } == .notFound)
      #expect(code { _ = try store.store([1], at: place) } == nil)
      #expect(code { _ = try store.store([2], at: place) } == second)
    }
    // The clock does not run: a lifetime of nothing ends at this moment.
    for (lifetime, refusal) in [(1, nil), (0, nil), (-1, ServerError.Code.notFound)] {
      let store = store { $0.uploadLifetime = .seconds(lifetime) }
      #expect(code { _ = try upload([1], to: store) } == refusal, "\(lifetime)")
    }
  }

  @Test("10,000 places are open at the same time, and a new one takes the place of another")
  func openPlaces() {
    let store = store()
    let names = (0...10_000).map { _ in place(store) }
    #expect(names.count { name in code { _ = try store.store([1], at: name) } == .notFound } == 1)
  }

  @Test("a file has its own limit, and all files with 256 bytes for each receipt have another")
  func limits() throws {
    for (count, refusal) in [(0, nil), (4, nil), (5, nil), (6, ServerError.Code.quotaExceeded)] {
      let store = store { $0.assetLimit = 5 }
      #expect(code { _ = try upload([UInt8](repeating: 7, count: count), to: store) } == refusal, "\(count)")
    }
    for (quota, first, second, copied) in [
      (258, false, false, false), (259, true, false, false), (514, true, false, false),
      (515, true, true, false), (771, true, true, true),
    ] {
      let store = store { $0.assetQuota = quota }
      let asset = try? upload([1, 2, 3], to: store)
      #expect((asset != nil) == first, "\(quota)")
      // The same file counts once.
      #expect((code { _ = try upload([1, 2, 3], to: store) } == nil) == second, "\(quota)")
      if let asset { #expect((store.rereference(asset) != nil) == copied, "\(quota)") }
    }
  }

  @Test("the reply to an upload has the file's checksum and size, and a key of 16 bytes")
  func receipts() throws {
    let (store, sha) = (store(), store { $0.fileChecksum = .sha256 })
    let asset = try upload(Array("abc".utf8), to: store)
    #expect(
      asset.fileChecksum == "AYnnoj1r4lMYTs3JP/g7mjGaDCgO" && asset.referenceChecksum == asset.fileChecksum)
    #expect(
      asset.size == 3 && asset.receipt?.count == 36 && asset.wrappingKey?.count == 24
        && asset.downloadURL == nil)
    #expect(try upload([], to: sha).fileChecksum == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
    #expect(store.rereference(Asset(fileChecksum: "x", size: 3)) == nil)
    let copy = try #require(store.rereference(asset))
    #expect(copy.receipt != asset.receipt && copy.fileChecksum == asset.fileChecksum)
    #expect(store.accepts(.asset(copy), in: "any", of: "other"))
  }

  @Test(
    "a receipt is good for its file and size, and for its record and field unless another behavior is chosen")
  func accepted() throws {
    for isBound in [true, false] {
      let store = store { $0.receiptsAreBound = isBound }
      let asset = try upload([1, 2, 3], to: store)
      let other = try upload([4], to: store)
      let unnamed = try upload([1, 2, 3], to: store, for: .init(recordName: nil, field: "f"))
      func changed(_ change: (inout Asset) -> Void) -> FieldValue {
        var copy = asset
        change(&copy)
        return .asset(copy)
      }
      let rows: [(FieldValue?, String, String?, Bool)] = [
        (.asset(asset), "f", "r", true), (.asset(asset), "g", "r", !isBound),
        (.asset(asset), "f", "s", !isBound),
        (.asset(asset), "f", nil, !isBound), (.asset(unnamed), "f", "s", true),
        (.asset(unnamed), "f", nil, true),
        (.asset(unnamed), "g", "s", !isBound), (changed { $0.size = 4 }, "f", "r", false),
        (changed { $0.receipt = nil }, "f", "r", false), (changed { $0.receipt = "x" }, "f", "r", false),
        (changed { $0.fileChecksum = other.fileChecksum }, "f", "r", false),
        (changed { $0.receipt = other.receipt }, "f", "r", false), (.list(of: .asset, []), "f", "r", true),
        (.list(of: .asset, [.asset(asset), .asset(other)]), "f", "r", true),
        (.list(of: .asset, [.asset(asset), changed { $0.receipt = nil }]), "f", "r", false),
        (.string("x"), "f", "r", true),
        (nil, "f", "r", true),
      ]
      for (index, (value, field, name, isAccepted)) in rows.enumerated() {
        #expect(store.accepts(value, in: field, of: name) == isAccepted, "row \(index), \(isBound)")
      }
    }
  }

  @Test("a file is found again by the name in its download URL", arguments: AssetChecksum.allCases)
  func downloads(checksum: AssetChecksum) throws {
    for isNamed in [true, false] {
      let store = store {
        $0.fileChecksum = checksum
        $0.downloadsAreNamed = isNamed
      }
      for number in UInt8(0)..<40 {
        let asset = try upload([number], to: store)
        let record = Record(
          recordType: "T", recordName: "r",
          fields: ["f": .asset(asset), "l": .list(of: .asset, [.asset(asset)]), "s": .string("x")])
        let shown = store.withURLs(record, Self.origin)
        guard case .asset(let read)? = shown["f"] else {
          Issue.record("no asset")
          return
        }
        let url = try #require(read.downloadURL)
        #expect(read == Asset(fileChecksum: asset.fileChecksum, size: 1, downloadURL: url))
        #expect(shown["l"] == .list(of: .asset, [.asset(read)]) && shown["s"] == .string("x"))
        #expect(url.hasPrefix("\(Self.origin)/assets/download/") && url.hasSuffix("/${f}") == isNamed)
        let name = url.dropFirst("\(Self.origin)/assets/download/".count).prefix { $0 != "/" }
        #expect(name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        #expect(store.bytes(name: String(name)) == [number])
      }
      #expect(store.bytes(name: "x") == nil && store.bytes(name: "") == nil)
      let plain = Record(recordType: "T", recordName: "r", fields: ["s": .string("x")])
      #expect(store.withURLs(plain, Self.origin) == plain)
    }
  }
}
