internal import Articles
internal import CloudKitModel
internal import FeedState
internal import RecordChanges

/// Stores the articles of checked feeds before the state of these feeds, which says that they are stored.
struct ArticleBatchRecorder: Sendable {
  private(set) var recorder: ArticleRecorder
  private let options: ArticleOptions
  private let keepsCoverage: Bool

  /// - Parameter keepsCoverage: see ``FeedRecordMapping/keepsArticleCoverage``.
  init(_ recorder: ArticleRecorder, options: ArticleOptions, keepsCoverage: Bool) {
    self.recorder = recorder
    self.options = options
    self.keepsCoverage = keepsCoverage
  }

  /// The schema has no field for it, although no other program's validators say it.
  var lacksCoverage: Bool { !keepsCoverage && !options.mapping.isShared }

  /// Stores the documents. An error of reading is an interruption in the report.
  mutating func record(_ documents: [ArticleDocument], through writer: LeasedJobWriter?) async
    -> ArticleRecorder.Batch
  {
    guard !documents.isEmpty else { return ArticleRecorder.Batch() }
    do {
      return try await recorder.record(documents, through: writer)
    } catch {
      var batch = ArticleRecorder.Batch()
      batch.report.interruption = error
      return batch
    }
  }

  /// The update of a feed's state, with which document its articles cover.
  func completed(_ update: FeedStateUpdate, after batch: ArticleRecorder.Batch) -> FeedStateUpdate {
    guard let stored = batch.documents[update.target.recordName],
      !stored.isRecorded(in: update.next, after: update.target.metadata)
    else { return update }
    return update.adding { [options, keepsCoverage] next, previous in
      stored.record(in: &next, after: previous, keepsCoverage: keepsCoverage, options)
    }
  }
}
