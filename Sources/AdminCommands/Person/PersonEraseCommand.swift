internal import ArgumentParser
internal import Catalog
internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import People
internal import RecordChanges
internal import SchemaLanguage

struct PersonEraseCommand: AdminCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase", abstract: "Delete a person's records from the public database.",
    discussion: """
      Deletes what the person created, what is named after the person, and what names the person in a field; then waits \
      for records.settle and looks again. The history keeps counts only, so it cannot be undone, and the named risk is data-loss. A run that is stopped is \
      finished by running the command again. Counts are not recomputed: numbers that fall together would show what this \
      person read; the next scheduled recount publishes them. A block of the person stays.

      Status 5 while records are left, or kept with a value that may be another name of the person, and 3 when a type could \
      not be searched, as when the key may not read it.

      Example: celestra-admin person erase --person person.txt --dry-run
      """)

  @OptionGroup var mutation: MutationOptions
  @OptionGroup(title: "Other runs of the job") var lease: LeaseOptions
  @OptionGroup var options: PersonOptions
  @Flag(
    help: """
      Keep sessions that the person hosts, with the messages of others, and only clear the fields that name the person. \
      The person stays their creator. Sessions are what moderation.json names as a thread's record type.
      """)
  var keepSessions = false
  @OptionGroup(title: sharedOptionsTitle) var shared: SharedOptions<PersonEraseCommand>

  func perform(in context: CommandContext) async throws -> any Report {
    var person = try options.read()
    let handle = try await context.openContainer(writing: !mutation.dryRun, ownRecords: .shown)
    let runner = JobRunner(context, handle, writing: !mutation.dryRun, lease: lease)
    let (schema, relations, standIns) = try await context.personSearch(in: handle)
    person.standIns = standIns
    let erasure = try erasure(of: person, runner.container, schema, relations, context)
    let job = WritingJob(Self.title, kind: .job, lease: LeaseName(Self.title))
    return try await runner.run(job, schema: schema) { writer in
      var plan = try await erasure.plan()
      plan.mirrors = try context.mirrorsOfPersons(in: handle)
      guard let writer else { return plan }
      if plan.foundCount > 0 {
        let cleared = plan.clearedFields.map { ", and clear \($0)" } ?? ""
        try await context.confirm(
          "Erase \(counted(plan.erasableCount, "record")) of this person from \(context.target.inWords)\(cleared). This cannot be undone.",
          details: plan.body, deleting: .permanent, options: mutation)
      }
      return try await erasure.apply(plan, through: writer)
    }
  }

  private func erasure(
    of person: Person, _ container: any Container, _ schema: Schema,
    _ relations: [DeclaredRelation], _ context: CommandContext
  ) throws -> PersonErasure {
    var options = PersonErasure.Options()
    options.pseudonyms = self.options.pseudonyms
    options.relations = relations
    if keepSessions { options.sessions = try context.moderationDeclaration() }
    options.isByUser =
      try context.settings.lookup(.cloudKitKeyID, .cloudKitAPIToken)?.key == .cloudKitAPIToken
    options.settle = try context.settleTime()
    return PersonErasure(
      of: person, in: container, schema, references: ReferenceFields(CatalogReferences.all, in: schema),
      options: options
    ) { duration in
      let wait = Wait(
        "waiting for the indexes", detail: "waiting until the indexes show what was deleted", pause: duration,
        next: "looking again")
      try await context.waits.during(wait) { try await context.process.wait(duration) }
    }
  }
}
