/// Recognizes fields with data about a person's health or body, by their names, in English and in the most frequent words
/// of a few other languages.
enum HealthNames {
  /// Words, or up to three words as one, at the end of a name that mean it in any type.
  private static let anywhere: Set<String> = [
    // Heart and blood
    "heartrate", "heartratevariability", "hrv", "rhr", "bloodpressure", "systolic", "diastolic", "bloodtype",
    "bloodgroup", "bloodsugar", "bloodglucose", "bloodoxygen", "oxygensaturation", "oxygenlevel", "spo",
    "glucose", "cholesterol", "hemoglobin", "ecg", "ekg", "eeg",
    // Sleep
    "sleepduration", "sleephour", "sleepminute", "sleepquality", "sleepscore", "sleepstage", "sleepstate",
    "sleepstart",
    "sleepend", "sleepefficiency", "hoursleep", "hourslept", "minuteasleep", "deepsleep", "remsleep",
    // Body and activity
    "bmi", "bmr", "bodyfat", "bodymass", "bodyweight", "bodytemperature", "bodymeasurement", "stepcount",
    "dailystep", "respiratoryrate", "respirationrate", "breathingrate", "vomax", "calorieburned",
    "caloriesburned", "activeenergy",
    // Reproduction
    "menstruation", "menstrualcycle", "menstrualflow", "cyclelength", "cyclephase", "ovulation", "pregnancy",
    "lastperiod", "sexualactivity", "hiv",
    // Illness and treatment
    "diagnosis", "diagnose", "symptom", "medication", "prescription", "disability", "healthcondition",
    "medicalcondition", "healthnote", "medicalnote", "healthhistory", "medicalhistory", "healthrecord",
    "medicalrecord", "healthdata", "medicaldata", "healthissue", "chronicillness", "mentalhealth",
    "mentalhealthnote", "depression", "anxiety", "stresslevel", "painlevel", "painscore", "allergy",
    "allergie", "vaccination", "immunization", "insulin", "insulindose", "addiction", "seizure", "migraine",
    "therapynote",
    // Biometric data
    "faceprint", "voiceprint", "palmprint", "thumbprint", "facedata", "facescan", "facialscan",
    "faceembedding", "facetemplate", "facevector", "faceencoding", "facedescriptor", "facialfeature",
    "voicetemplate", "fingerprinttemplate", "fingerprintscan", "fingerprintimage", "fingerprintdata",
    "irisscan", "irispattern", "iristemplate", "retinascan", "dnasequence", "dnaprofile", "dnasample",
    "genome", "genotype", "geneticdata",
    // German, French, Spanish
    "herzfrequenz", "blutdruck", "blutzucker", "medikament", "schwangerschaft", "frequencecardiaque",
    "tensionarterielle", "frecuenciacardiaca", "presionarterial",
  ]

  /// Words that mean it only in a type about health: a product has a weight too, and music has a BPM.
  private static let inHealthTypes: Set<String> = [
    "weight", "height", "step", "calorie", "mood", "pulse", "temperature", "sleep", "waist", "dose", "dosage",
    "condition", "fingerprint", "rate", "cycle", "pain", "heartbeat", "hr", "bp", "bpm", "treatment",
    "period", "flow", "therapy", "energy", "fertility", "stress", "hydration", "protein", "carb", "ketone",
  ]

  private static let topics: Set<String> = [
    "health", "medical", "wellness", "vital", "biometric", "patient", "symptom", "sleep", "workout",
    "fitness", "medication", "menstrual", "pregnancy", "clinical", "therapy", "diabete", "glucose",
  ]

  /// Words at the end that say how something was measured or kept.
  private static let measures: Set<String> = [
    "value", "reading", "level", "sample", "avg", "average", "mean", "median", "min", "max", "minimum",
    "maximum", "bpm", "kg", "lb", "mg", "dl", "ml", "mmol", "mmhg", "percent", "percentage", "status",
    "result", "history", "log", "list", "date", "baseline", "today",
  ]

  /// Words at the beginning of settings, which are not the data itself.
  private static let settings: Set<String> = [
    "show", "hide", "display", "enable", "disable", "use", "support", "allow", "include", "track", "can",
    "should",
  ]

  private static let ofBiometrics: Set<String> = [
    "biometric", "data", "template", "signature", "hash", "scan", "image", "sample", "vector", "embedding",
    "profile",
  ]

  /// Words of types whose records are about no person's body: the steps of a tutorial, the weight of a horse.
  private static let things: Set<String> = [
    "recipe", "tutorial", "guide", "workflow", "task", "project", "lesson", "course", "wizard", "quest",
    "process", "instruction", "walkthrough", "procedure", "pet", "dog", "cat", "horse", "animal", "plant",
    "soil", "dish", "food", "product", "ingredient", "car", "vehicle", "server", "service",
  ]

  private static let endings = NameEndingFilter(anywhere.union(measures).union(ofBiometrics).union(["spo2"]))

  static func isAboutHealth(_ type: RecordTypeDeclaration) -> Bool {
    IdentifierWords(type.name).contains(topics)
  }

  static func isOne(_ field: FieldDeclaration, of type: RecordTypeDeclaration, isAboutHealth: Bool) -> Bool {
    guard isAboutHealth || endings.mayEnd(field.name), !field.isSystem else { return false }
    let words = IdentifierWords(field.name).words
    guard let first = words.first, let last = words.last, !settings.contains(first) else { return false }
    if words.contains("biometric"), ofBiometrics.contains(last) { return true }
    if isAboutHealth, inHealthTypes.contains(last) { return true }
    // Also without what says how it was measured: `heartRateAvgBPM`.
    let named = words.dropLast(words.reversed().prefix { measures.contains($0) }.count)
    return (means(words[...]) || means(named)) && !IdentifierWords(type.name).contains(things)
  }

  private static func means(_ words: ArraySlice<String>) -> Bool {
    (1...3).contains { anywhere.contains(words.suffix($0).joined()) }
  }
}
