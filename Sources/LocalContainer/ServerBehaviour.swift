public import CloudKitModel

/// Every point where the service's behaviour is unknown, one setting each, and the choice made here.
///
/// The numbers name the sections of web-services.md that leave the question open.
public struct ServerBehaviour: Sendable, Hashable {
  public enum Choice: Sendable, Hashable { case accept, refuse }
  public enum Unreadable: Sendable, Hashable { case refuse, empty }
  public enum MissingRecord: Sendable, Hashable { case conflict, notFound }
  public enum LimitRefusal: Sendable, Hashable { case badRequest, quotaExceeded }
  public enum UnindexedType: Sendable, Hashable { case field, type }
  public enum GrantlessType: Sendable, Hashable { case defaultGrants, nobody }

  /// 3.2: the index a range comparator needs.
  public var ranges = RangeIndexRule.queryableOrSortable
  /// 3.2: whether NOT_EQUALS and its kin find records that have no value in the field.
  public var negationFindsMissing = false
  /// 3.2: a `resultsLimit` above 200 is lowered, or refused.
  public var largeResultsLimit = Choice.accept
  /// 3.2: values of one IN filter. The figure is the native API's.
  public var filterValues = 250
  /// 3.4: whether the refusal of a query of a type without any index names the field or the type.
  public var unindexedType = UnindexedType.field
  /// 2.1: a second operation on a record in one request.
  public var repeatedRecord = Choice.refuse
  /// 4.1: the code for more operations, names or bytes of a record than there may be.
  public var overLimit = LimitRefusal.badRequest
  /// 5: a query of a type that the caller may not read.
  public var unreadableQuery = Unreadable.refuse
  /// 5: an update without a change tag.
  public var updateWithoutTag = Choice.refuse
  /// 5: an update of a record that is gone.
  public var updateOfMissing = MissingRecord.conflict
  /// 5: whether a write that changes nothing makes a new change tag.
  public var writeWithoutChangeMakesTag = true
  /// 5: whether development creates unknown fields and types from what is written.
  public var justInTimeSchema = false
  /// 5: how long a new record stays invisible to queries, in milliseconds.
  public var indexDelay: Int64 = 0
  /// schema-language.md 1.1: what a type without any grant allows.
  public var typeWithoutGrants = GrantlessType.defaultGrants
  /// schema-language.md 3.1: changing the type of a field that production does not have; its values are lost.
  public var fieldTypeChange = Choice.accept
  /// schema-language.md 3.1: a schema without `Users` keeps it, or is refused.
  public var omittedUsersType = Choice.accept
  /// Sources of DELETE_SELF references to one record (4.1, documented).
  public var deleteSelfSources = 750
  /// Bytes of a record name (`CKRecord.ID` documents 255 ASCII characters).
  public var recordNameLength = 255

  public init() {}

  /// What ``overLimit`` chooses.
  public var overLimitCode: ServerError.Code {
    switch overLimit {
    case .badRequest: .badRequest
    case .quotaExceeded: .quotaExceeded
    }
  }
}
