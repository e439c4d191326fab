// A stub of the part of CloudKit's interface that generated code uses, so that it can be type-checked on Linux.
@_exported import Foundation

public protocol CKRecordValueProtocol {}
extension String: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension CLLocation: CKRecordValueProtocol {}

public struct CLLocationCoordinate2D {
  public var latitude: Double
  public var longitude: Double
  public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

open class CLLocation {
  public let coordinate: CLLocationCoordinate2D
  public let altitude, horizontalAccuracy, verticalAccuracy, course, speed: Double
  public let timestamp: Date
  public init(
    coordinate: CLLocationCoordinate2D, altitude: Double, horizontalAccuracy: Double,
    verticalAccuracy: Double, course: Double, speed: Double, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.speed = speed
    self.timestamp = timestamp
  }
}

open class CKAsset: CKRecordValueProtocol {
  public var fileURL: URL?
  public init(fileURL: URL) { self.fileURL = fileURL }
}

public protocol CKRecordKeyValueSetting: AnyObject {
  subscript(key: String) -> (any CKRecordValueProtocol)? { get set }
}

open class CKRecord: CKRecordKeyValueSetting {
  public typealias RecordType = String
  open class ID {
    public let recordName: String
    public init(recordName: String, zoneID: CKRecordZone.ID = CKRecordZone.ID()) {
      self.recordName = recordName
    }
  }
  open class Reference: CKRecordValueProtocol {
    public let recordID: ID
    public let action: ReferenceAction
    public init(recordID: ID, action: ReferenceAction) {
      self.recordID = recordID
      self.action = action
    }
  }
  public enum ReferenceAction: UInt { case none = 0, deleteSelf = 1 }

  public let recordType: String
  public let recordID: ID
  private var values: [String: any CKRecordValueProtocol] = [:]
  private final class Encrypted: CKRecordKeyValueSetting {
    var values: [String: any CKRecordValueProtocol] = [:]
    subscript(key: String) -> (any CKRecordValueProtocol)? {
      get { values[key] }
      set { values[key] = newValue }
    }
  }
  private let encrypted = Encrypted()

  public init(recordType: String, recordID: ID) {
    self.recordType = recordType
    self.recordID = recordID
  }

  open subscript(key: String) -> (any CKRecordValueProtocol)? {
    get { values[key] }
    set { values[key] = newValue }
  }
  open var encryptedValues: any CKRecordKeyValueSetting { encrypted }
}

open class CKRecordZone {
  open class ID { public init() {} }
  public let zoneID = ID()
  public static func `default`() -> CKRecordZone { CKRecordZone() }
}

open class CKQuery {
  public let recordType: String
  public let predicate: NSPredicate
  open var sortDescriptors: [NSSortDescriptor]?
  public init(recordType: String, predicate: NSPredicate) {
    self.recordType = recordType
    self.predicate = predicate
  }
}

// Foundation on Linux has no predicates with a format: `CKQueryWords` keeps what one is made from.
extension NSPredicate {
  public convenience init(format: String, argumentArray: [Any]?) {
    self.init { _, _ in true }
    CKQueryWords.last = "\(format) \(argumentArray ?? [])"
  }
}
extension NSSortDescriptor {
  public convenience init(key: String?, ascending: Bool) {
    self.init(keyPath: \CKQueryWords.count, ascending: ascending)
    CKQueryWords.last += " by \(key ?? "") \(ascending)"
  }
}
public final class CKQueryWords: NSObject {
  nonisolated(unsafe) public static var last = ""
  public var count = 0
}
