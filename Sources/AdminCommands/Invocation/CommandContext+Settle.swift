internal import CloudKitModel
internal import CommandLine

extension SettingKey {
  static let settle = SettingKey(
    name: "records.settle", .duration, default: "2m",
    summary: "how long an index of a service may lag behind its records")
}

extension CommandContext {
  /// How long after a change a query may miss it (Documentation/reference/web-services.md#index-delay): 2 minutes on a
  /// service, nothing in a local container, or what `records.settle` says. Throws a usage error for an invalid value.
  func settleTime() throws -> Duration {
    guard let setting = try settings.lookup(.settle) else {
      return try hasLocalContainer ? .zero : ContainerLimits.settleTime
    }
    if ["0", "0s"].contains(setting.value) { return .zero }
    return try setting.duration(mustBe: "a time such as 2m, at most a day") { $0 <= .seconds(86_400) }
  }
}
