import ATSEvaluation
public import ByteParsing
public import ExceptionPlanning
public import InfoPlistReading
public import PolicyResolution
import SessionModel
public import SessionRecords

/// A recommendation for programs: an object of the form `atscope.recommendation/1`.
public enum RecommendationJSON {
  /// A program with a plan of its own.
  public struct Program: Sendable {
    /// Its Info.plist as it was named; nil for the defaults of ATS.
    public var infoPlist: String?
    /// The first process that the captures show of it; nil where they name none.
    public var process: String?
    /// The settings.
    public var plan: ExceptionPlan
    /// What the captures show of its present settings.
    public var findings: [LintFinding]

    /// Names a program.
    public init(infoPlist: String?, process: String?, plan: ExceptionPlan, findings: [LintFinding] = []) {
      self.infoPlist = infoPlist
      self.process = process
      self.plan = plan
      self.findings = findings
    }
  }

  /// The object, ending with a line feed: the first program's settings, and those of others in a list.
  public static func rendered(
    _ programs: [Program], release: SystemRelease, context: LoadContext, run: RunRecord
  ) -> Bytes {
    var output = Bytes()
    output.appendRaw("{\"schema\":\"atscope.recommendation/1\",\"os\":")
    output.appendJSONString(release.name)
    output.appendRaw(",\"context\":")
    output.appendJSONString(context.rawValue)
    output.appendRaw(",\n\"run\":")
    output.appendJSON(run)
    output.appendRaw(",\n")
    if let first = programs.first { append(first, to: &output) }
    if programs.count > 1 {
      output.append("otherPrograms", Array(programs.dropFirst())) { output, program in
        output.appendRaw("{\"process\":")
        output.appendJSONText(program.process)
        output.append(0x2C)
        append(program, to: &output)
        output.append(0x7D)
      }
    }
    output.appendRaw("}\n")
    return output
  }

  private static func append(_ program: Program, to output: inout Bytes) {
    let plan = program.plan
    output.appendRaw("\"infoPlist\":")
    output.appendJSONText(program.infoPlist)
    output.appendRaw(",\n\"settings\":")
    output.appendJSONSettings(plan.dictionary.propertyList)
    output.append(plan.counts)
    output.append("keys", plan.keys) { output, key in output.append(key) }
    output.append("impossible", plan.impossible) { output, item in output.append(item) }
    output.append("mayHelp", plan.mayHelp) { output, item in output.append(item) }
    output.append("changeURL", plan.upgradable) { output, item in
      output.appendRaw("{\"host\":")
      output.appendJSONText(item.host)
      output.appendRaw(",\"sessions\":")
      output.appendJSON(item.sessions)
      output.appendPlace(item.example)
      output.appendRaw(",\"passing\":")
      output.appendPlaceObject(item.passing)
      output.append(0x7D)
    }
    output.appendRaw(",\n\"webContentHosts\":")
    output.appendJSONTexts(plan.webContentHosts)
    output.append("givenUp", plan.givenUp) { output, item in
      output.appendRaw("{\"entry\":")
      output.appendJSONText(item.entry)
      output.appendRaw(",\"key\":")
      output.appendJSONText(item.key)
      output.append(0x7D)
    }
    output.append("unneeded", plan.unneeded) { output, item in
      output.appendRaw("{\"entry\":")
      output.appendJSONText(item.entry)
      output.appendRaw(",\"key\":")
      output.appendJSONText(item.key)
      output.appendRaw(",\"reason\":")
      output.appendJSONString(item.reason)
      output.append(0x7D)
    }
    output.append("alternatives", plan.alternatives) { output, item in
      output.appendRaw("{\"domain\":")
      output.appendJSONText(item.domain)
      output.appendRaw(",\"hosts\":")
      output.appendJSONTexts(item.hosts)
      output.append(0x7D)
    }
    if program.infoPlist != nil {
      output.append("findings", program.findings) { output, finding in output.append(finding) }
    }
  }
}

extension ContiguousArray where Element == UInt8 {
  fileprivate mutating func append<Item>(
    _ key: String, _ items: [Item], _ write: (inout ContiguousArray<UInt8>, Item) -> Void
  ) {
    appendRaw(",\n")
    appendRaw("\"\(key)\":[")
    for (index, item) in items.enumerated() {
      if index > 0 { append(0x2C) }
      append(0x0A)
      write(&self, item)
    }
    append(0x5D)
  }

  fileprivate mutating func append(_ counts: ExceptionPlan.Counts) {
    appendRaw(",\n\"sessions\":{\"withoutKeys\":")
    appendJSON(counts.withoutKeys)
    appendRaw(",\"byKeys\":")
    appendJSON(counts.byKeys)
    appendRaw(",\"impossible\":")
    appendJSON(counts.impossible)
    appendRaw(",\"mayHelp\":")
    appendJSON(counts.mayHelp)
    appendRaw(",\"changeURL\":")
    appendJSON(counts.upgradable)
    appendRaw(",\"undecided\":")
    appendJSON(counts.undecided)
    appendRaw(",\"leftOut\":")
    appendJSON(counts.leftOut)
    append(0x7D)
  }

  fileprivate mutating func append(_ key: ExceptionPlan.Key) {
    appendRaw("{\"entry\":")
    appendJSONText(key.entry)
    appendRaw(",\"key\":")
    appendJSONText(key.key)
    appendRaw(",\"value\":")
    append(key.value)
    appendRaw(",\"rules\":")
    appendJSONTexts(key.rules)
    appendRaw(",\"observed\":")
    appendJSONTexts(key.observed)
    appendRaw(",\"fixes\":")
    appendJSONTexts(key.fixes)
    appendRaw(",\"sessions\":")
    appendJSON(key.sessions)
    appendPlace(key.example)
    appendRaw(",\"justification\":")
    // The draft is safe to show already.
    appendJSONString(Justification.draft(for: key))
    append(0x7D)
  }

  fileprivate mutating func append(_ item: ExceptionPlan.Impossible) {
    appendRaw("{\"host\":")
    appendJSONText(item.host)
    appendRaw(",\"rules\":")
    appendJSONTexts(item.findings.map(\.id))
    appendRaw(",\"reason\":")
    appendJSONText(item.reason)
    appendRaw(",\"fixes\":")
    let fixes = item.findings.compactMap(\.fix)
    appendJSONTexts(
      fixes.enumerated().filter { !fixes[..<$0.offset].contains($0.element) }.map(\.element))
    appendRaw(",\"sessions\":")
    appendJSON(item.sessions)
    appendPlace(item.example)
    append(0x7D)
  }

  private mutating func append(_ value: ExceptionPlan.Value) {
    switch value {
    case .boolean(let value): appendJSON(value)
    case .string(let text): appendJSONText(text)
    }
  }

  fileprivate mutating func append(_ item: ExceptionPlan.MayHelp) {
    appendRaw("{\"host\":")
    appendJSONText(item.host)
    appendRaw(",\"rules\":")
    appendJSONTexts(item.rules)
    appendRaw(",\"reason\":")
    appendJSONText(item.reason)
    appendRaw(",\"options\":[")
    for (index, option) in item.options.enumerated() {
      if index > 0 { append(0x2C) }
      append(0x5B)
      for (place, setting) in option.settings.enumerated() {
        if place > 0 { append(0x2C) }
        appendRaw("{\"entry\":")
        appendJSONText(setting.entry)
        appendRaw(",\"key\":")
        appendJSONText(setting.key)
        appendRaw(",\"value\":")
        append(setting.value)
        append(0x7D)
      }
      append(0x5D)
    }
    appendRaw("],\"sessions\":")
    appendJSON(item.sessions)
    appendPlace(item.example)
    append(0x7D)
  }

  /// Appends where the first of some sessions is.
  fileprivate mutating func appendPlace(_ session: ObservedSession?) {
    appendRaw(",\"first\":")
    appendPlaceObject(session)
  }

  fileprivate mutating func appendPlaceObject(_ session: ObservedSession?) {
    guard let session else {
      appendRaw("null")
      return
    }
    appendRaw("{\"file\":")
    let place = session.place(of: session.firstFrame)
    appendJSONText(place.file)
    appendRaw(",\"frame\":")
    appendJSON(place.frame)
    append(0x7D)
  }
}
