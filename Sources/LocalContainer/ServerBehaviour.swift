public import CloudKitModel

/// Every point where the service's behaviour is unknown, one setting each, and the choice made here.
///
/// `Documentation/Fidelity.md` lists each of them.
public struct ServerBehaviour: Sendable, Hashable {
  public enum Choice: Sendable, Hashable { case accept, refuse }
  public enum Unreadable: Sendable, Hashable { case refuse, empty }
  public enum MissingRecord: Sendable, Hashable { case conflict, notFound }
  public enum LimitRefusal: Sendable, Hashable { case badRequest, quotaExceeded }
  public enum UnindexedType: Sendable, Hashable { case field, type }
  public enum GrantlessType: Sendable, Hashable { case defaultGrants, nobody }

  /// The index a range comparator needs.
  public var ranges = RangeIndexRule.queryableOrSortable
  /// Whether NOT_EQUALS and its kin find records that have no value in the field.
  public var negationFindsMissing = false
  /// A `resultsLimit` above 200 is lowered, or refused.
  public var largeResultsLimit = Choice.accept
  /// Values of one IN filter. The figure is the native API's.
  public var filterValues = 250
  /// Whether the refusal of a query of a type without any index names the field or the type.
  public var unindexedType = UnindexedType.field
  /// A second operation on a record in one request.
  public var repeatedRecord = Choice.refuse
  /// The code for more operations, names or bytes of a record than there may be.
  public var overLimit = LimitRefusal.badRequest
  /// A query of a type that the caller may not read.
  public var unreadableQuery = Unreadable.refuse
  /// An update without a change tag.
  public var updateWithoutTag = Choice.refuse
  /// An update of a record that is gone.
  public var updateOfMissing = MissingRecord.conflict
  /// Whether a write that changes nothing makes a new change tag.
  public var writeWithoutChangeMakesTag = true
  /// Whether development creates unknown fields and types from what is written.
  public var justInTimeSchema = false
  /// How long a new record stays invisible to queries, in milliseconds.
  public var indexDelay: Int64 = 0
  /// What a type without any grant allows.
  public var typeWithoutGrants = GrantlessType.defaultGrants
  /// Changing the type of a field that production does not have; its values are lost.
  public var fieldTypeChange = Choice.accept
  /// A schema without `Users` keeps it, or is refused.
  public var omittedUsersType = Choice.accept
  /// Sources of DELETE_SELF references to one record (4.1, documented).
  public var deleteSelfSources = 750
  /// Bytes of a record name (`CKRecord.ID` documents 255 ASCII characters).
  public var recordNameLength = 255

  /// Whether EQUALS compares text without regard to the case of ASCII letters.
  public var equalsIgnoresCase = false

  public init() {}

  /// What ``overLimit`` chooses.
  public var overLimitCode: ServerError.Code {
    switch overLimit {
    case .badRequest: .badRequest
    case .quotaExceeded: .quotaExceeded
    }
  }
}
