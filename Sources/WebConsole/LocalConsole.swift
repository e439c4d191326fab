package import CloudKitEmulator
package import CloudKitModel
package import Diagnostics
package import FeedState
package import LocalContainer
package import People
internal import Platform
internal import Reporting
package import SchemaLanguage

/// The web console for one environment of a local container: maps requests to pages and forms without using the
/// network.
package struct LocalConsole: Sendable {
  package struct Options: Sendable {
    package var environment: Environment
    package var isReadOnly = false
    /// The state folder, which gets a folder `snapshots`; `nil` removes the form for snapshots.
    package var stateFolder: String?
    package var mapping = FeedRecordMapping.celestra
    /// `nil` where the schema has nothing to moderate. Called for each request, because the schema can change.
    package var moderation: @Sendable () async throws -> ConsoleModeration? = { nil }
    /// `schema.relations` of the project, which say which fields name a person.
    package var relations: [DeclaredRelation] = []
    /// The types of a schema whose grants mean nothing, because the project says that they are in the private database.
    package var privateTypes: @Sendable (Schema) throws -> Set<String> = { _ in [] }
    /// Adds the container to the commands of a text, as the tool does in what it prints.
    package var completed: @Sendable (String) -> String = { $0 }
    /// The time that is shown and that `-30d` in a filter counts from.
    package var now: @Sendable () -> Timestamp

    package init(environment: Environment, now: @escaping @Sendable () -> Timestamp) {
      self.environment = environment
      self.now = now
    }
  }

  let store: LocalStore
  let options: Options
  /// `nil` where no emulator runs beside it.
  let monitor: EmulatorActivity?
  let callers: ConsoleAccessCheck
  /// The queue of reports while a request is answered; the failure if it cannot be shown.
  private(set) var moderation: Result<ConsoleModeration?, CommandFailure> = .success(nil)

  var container: LocalContainer { LocalContainer(store: store, environment: options.environment) }

  package init(store: LocalStore, monitor: EmulatorActivity? = nil, options: Options) {
    self.store = store
    self.monitor = monitor
    self.options = options
    callers = ConsoleAccessCheck()
  }

  /// From now on requests for this port are answered.
  package func listens(on port: Int) { callers.listens(on: port) }

  /// The path of the first page, `/0123…/`. Nothing is answered outside of it, so that only who knows it can use the console.
  package var path: String { "\(callers.root)/" }

  /// The answer to a request that may not use the console, whatever its body is; `nil` if it may.
  package func refusal(of request: ConsoleRequest) -> EmulatorReply? {
    do {
      _ = try callers.page(of: request)
      return nil
    } catch {
      return refusal(error)
    }
  }

  package func reply(to request: ConsoleRequest) async -> EmulatorReply {
    var reply = await fullReply(to: request)
    if request.method == "HEAD" { reply.body = [] }
    return reply
  }

  private func fullReply(to request: ConsoleRequest) async -> EmulatorReply {
    var console = self
    do {
      let path = try callers.page(of: request)
      if request.isForm { try callers.checkForm(request) }
      do { console.moderation = .success(try await options.moderation()) } catch {
        console.moderation = .failure(CommandFailure(error))
      }
      var reply = try await console.answer(request, path)
      if path.isEmpty { reply.headers.append(("Set-Cookie", callers.cookie)) }
      return reply
    } catch let refused as ConsoleAccessCheck.Refused {
      return refusal(refused)
    } catch let failure as FileFailure {
      return console.page(
        "Not possible", words(CommandFailure(failure.message, hint: failure.hint)), status: 400)
    } catch {
      let isKnown = error is CommandFailure || error is any CommandFailureConvertible
      return console.page("Not possible", words(CommandFailure(error)), status: isKnown ? 400 : 500)
    }
  }

  private func answer(_ request: ConsoleRequest, _ path: [String]) async throws -> EmulatorReply {
    if request.isForm {
      guard !options.isReadOnly else { throw CommandFailure("This console is read-only.") }
      if path == ["moderation"], let desk = try moderation.get() {
        return try await decide(desk, request.form)
      }
      guard path.count == 1, let form = ConsoleForm(rawValue: path[0]) else { return notFound }
      return page("Done", try await submit(form, request.form))
    }
    switch (path.first, path.count) {
    case (nil, _): return try await home()
    case ("records", 2):
      return page(path[1], try await records(of: path[1], request.query), script: PackageResources.console_js)
    case ("record", 1), ("record", 2):
      let (title, content) = try await record(path.count == 2 ? path[1] : request.query["name"] ?? "")
      return page(title, content, script: PackageResources.console_js)
    case ("schema", 1): return page("Schema", try await schema(), at: "schema")
    case ("moderation", 1):
      guard let desk = try moderation.get() else { return notFound }
      return page(
        "Reports", try await queue(desk, request.query), at: "moderation", script: PackageResources.console_js
      )
    case ("requests", 1) where monitor != nil:
      return page("Requests", requests(request.query), at: "requests", script: PackageResources.console_js)
    case ("forms", 1) where !options.isReadOnly:
      return page(monitor == nil ? "Snapshots" : "Snapshots and faults", forms(), at: "forms")
    case ("reset", 1) where !options.isReadOnly: return page("Delete all records", resetForm())
    default: return notFound
    }
  }

  private var notFound: EmulatorReply {
    page("No such page", "<p>The console has no such page.</p>\n", status: 404)
  }

  private func words(_ failure: CommandFailure) -> HTML {
    let failure = failure.mappingTexts(options.completed)
    let details = failure.details.map { "<li>\($0)</li>\n" as HTML }.joined()
    let list: HTML = details.isEmpty ? "" : "<ul>\n\(details)</ul>\n"
    let hint: HTML = failure.hint.map { "<p>\($0)</p>\n" } ?? ""
    return "<p>\(failure.message)</p>\n\(list)\(hint)"
  }
}

/// The queue of reports of the console's container, and what carries out an action through the tool's one write path, with
/// the lease of moderation.
package typealias ConsoleModeration = (
  moderation: Moderation, decide: @Sendable (ModerationAction, _ reason: String?) async throws -> any Report
)
