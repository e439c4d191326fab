import CloudKitModel
import FeedState
import RecordChanges
import SchemaLanguage

@testable import Aggregates

extension AggregateDeclaration {
  /// Subscribers of feeds and collections.
  static let subscribers = subscribers(of: .celestra)
}

extension Recount {
  /// A recount with a write session, or a dry run.
  init(
    _ subject: Subject, schema: Schema, container: any Container, options: RecountOptions = RecountOptions(),
    dependencies: WriteSessionDependencies, dryRun: Bool = false
  ) {
    let container: any Container = dryRun ? ReadOnlyContainer(container) : container
    let session = WriteSession(
      Self.job(subject.name, options.shard), container: container, dependencies: dependencies)
    self.init(
      subject, schema: schema, container: container, options: options, session: dryRun ? nil : session,
      now: dependencies.now, clock: dependencies.clock, progress: dependencies.progress)
  }

  init(
    _ declaration: AggregateDeclaration, schema: Schema, container: any Container,
    options: RecountOptions = RecountOptions(), dependencies: WriteSessionDependencies, dryRun: Bool = false
  ) {
    self.init(
      .count(declaration), schema: schema, container: container, options: options, dependencies: dependencies,
      dryRun: dryRun)
  }
}
