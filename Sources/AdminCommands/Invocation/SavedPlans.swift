internal import CloudKitModel
internal import CommandLine
internal import Diagnostics
internal import RecordChanges

extension CommandContext {
  /// Reads a saved plan. Throws if it was made by another command or for another container.
  func savedPlan(_ path: String, for command: String) throws -> PlanFile {
    let file: PlanFile
    do {
      file = try PlanFile(parsing: InputFile.read(path))
    } catch let error as ChangeCodingError {
      throw CommandFailure("cannot use the plan \(InputFile.displayName(path)): \(error)", code: "bad-plan")
    }
    guard file.command == command else {
      throw CommandFailure(
        "the plan was made by '\(file.command) plan'; this command applies plans of '\(command) plan'",
        code: "bad-plan")
    }
    let target = try target
    guard file.target == target else {
      throw CommandFailure(
        "the plan was made for \(file.target.name) (\(file.target.environment.rawValue)), not for "
          + "\(target.name) (\(target.environment.rawValue))",
        code: "bad-plan")
    }
    return file
  }

  /// Throws if records of the plan changed since it was made.
  func checkUnmoved(_ plan: PlanFile, in container: some Container) async throws {
    let drift = try await plan.drift(in: container)
    guard !drift.isEmpty else { return }
    let names = drift.prefix(5).map { "\($0.change.label ?? $0.change.recordName): \($0.reason)" }
    throw CommandFailure(
      "the plan is out of date: these records changed since; nothing was written", details: names,
      code: "plan-moved", hint: "Make the plan again and review it.")
  }
}
