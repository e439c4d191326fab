internal import CommandLine

extension SettingKey {
  static let container = SettingKey(
    name: "container", summary: "where the records are", pathPrefix: "local:")
  static let aggregates = SettingKey(
    name: "aggregates", summary: "the file that declares the aggregates", pathPrefix: "")
  static let stateDirectory = SettingKey(
    name: "stateDirectory", summary: "where the history and locks are kept", pathPrefix: "")
  static let schema = SettingKey(
    name: "schema", summary: "the schema file, used if the container's schema cannot be read", pathPrefix: "")
  static let leaseLifetime = SettingKey(
    name: "leaseLifetime",
    summary: "how long the lease of a run without renewal blocks other runs: for tests",
    isOfProcess: true)
  static let contact = SettingKey(name: "contact", summary: "the contact address that feed servers see")
  static let cloudKitContainer = SettingKey(name: "cloudkit.containerID", summary: "the CloudKit container")
  static let cloudKitTeam = SettingKey(name: "cloudkit.teamID", summary: "the ten-character team id")
  static let cloudKitEnvironment = SettingKey(
    name: "cloudkit.environment", summary: "development or production")
  static let cloudKitKeyID = SettingKey(name: "cloudkit.keyID", summary: "the server-to-server key's id")
  static let cloudKitKeyPath = SettingKey(
    name: "cloudkit.privateKeyPath", summary: "the key's PEM file", pathPrefix: "")
  static let cloudKitKey = SettingKey(
    name: "cloudkit.privateKey", summary: "the key's PEM text", isSecret: true)
  static let cloudKitAPIToken = SettingKey(name: "cloudkit.apiToken", summary: "an API token", isSecret: true)
  static let cloudKitWebAuthToken = SettingKey(
    name: "cloudkit.webAuthToken", summary: "a user's web-auth token", isSecret: true)
  static let managementToken = SettingKey(
    name: "cloudkit.managementToken", summary: "the token for schema work", isSecret: true)
  static let baseURL = SettingKey(name: "cloudkit.baseURL", summary: "the web services' address")
  static let managementBaseURL = SettingKey(
    name: "cloudkit.managementBaseURL", summary: "the management service's address")
  static let schemaRoute = SettingKey(
    name: "cloudkit.schemaVia", summary: "how schemas are reached: web, or Apple's cktool")
  static let rateLimit = SettingKey(name: "cloudkit.rateLimit", summary: "requests a second, at most 40")

  static let all: [SettingKey] =
    [
      container, schema, aggregates, stateDirectory, clock, leaseLifetime, contact, cloudKitContainer,
      cloudKitTeam,
      cloudKitEnvironment,
      cloudKitKeyID, cloudKitKeyPath, cloudKitKey, cloudKitAPIToken, cloudKitWebAuthToken, managementToken,
      baseURL,
      managementBaseURL, schemaRoute, rateLimit, settle, httpHosts, pingURL,
    ] + HealthCheckSettings.rows.map(\.key) + FeedRecordSettings.keys
    + ArticleSettings.keys
}
