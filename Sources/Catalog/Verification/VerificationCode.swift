public import Diagnostics

/// The codes of findings in a container's records. Codes are never reused.
public enum VerificationCode: String, RuleCode {
  case danglingReference = "CV0101"
  case orphan = "CV0102"

  case duplicateFeedURL = "CV0201"
  case duplicateMetadata = "CV0202"
  case repeatedFeed = "CV0203"
  case cyclicParent = "CV0204"

  case malformedSubscription = "CV0301"

  case privateSession = "CV0401"
  case privateMessages = "CV0402"
  case impossibleTimes = "CV0403"
  case overCapacity = "CV0404"
  case activePastEnd = "CV0405"

  func finding(_ message: String, help: String? = nil) -> Diagnostic {
    Diagnostic(self, message, help: help)
  }
}
