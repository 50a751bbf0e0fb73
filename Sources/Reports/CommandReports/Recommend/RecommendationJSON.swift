import ATSEvaluation
import ATSRules
package import ByteParsing
package import ExceptionPlanning
public import InfoPlistReading
public import PolicyResolution
import ReportFormats
import SessionModel
package import SessionRecords
import Values

/// The recommended settings of one program.
public struct RecommendedSettings: Sendable {
  /// The name of its Info.plist as given; nil for the ATS defaults.
  public let infoPlist: String?

  /// The first process of the program in the captures; nil if they do not name it.
  public let process: String?

  /// DTSDKName of the Info.plist; nil if it names no known SDK.
  package let sdkName: String?

  /// The settings, with the reason for each key.
  package let plan: ExceptionPlan

  /// The findings on the present settings that require the captures, which `atscope lint` does not read.
  public let findings: [LintFinding]

  /// The recommended settings.
  public var settings: ATSDictionary { plan.dictionary }

  package init(infoPlist: String?, process: String?, sdkName: String? = nil, plan: ExceptionPlan, findings: [LintFinding]) {
    self.infoPlist = infoPlist
    self.process = process
    self.sdkName = sdkName
    self.plan = plan
    self.findings = findings
  }
}

/// A recommendation as an object of the schema `atscope.recommendation/1`.
package enum RecommendationJSON {
  /// Returns the object and a line feed: the settings of the first program, and those of others in a list.
  package static func rendered(_ programs: [RecommendedSettings], release: SystemRelease, context: LoadContext, run: RunRecord) -> Bytes {
    Bytes.jsonDocument { json in
      json.string("schema", "atscope.recommendation/1")
      json.string("os", release.name)
      json.string("context", context.rawValue)
      json.newLine()
      json.object("run", run)
      json.newLine()
      if let first = programs.first { json.members(of: first) }
      if programs.count > 1 {
        json.lines("otherPrograms", programs.dropFirst()) { json, program in
          json.text("process", program.process)
          json.members(of: program)
        }
      }
    }
  }
}

extension JSONObject {
  /// Writes an array on a separate line, with each object on a line.
  fileprivate mutating func lines<Item>(_ key: String, _ items: some Sequence<Item>, _ write: (inout JSONObject, Item) -> Void) {
    newLine()
    array(key) { json in
      for item in items {
        json.newLine()
        json.object { write(&$0, item) }
      }
    }
  }

  fileprivate mutating func members(of program: RecommendedSettings) {
    let plan = program.plan
    text("infoPlist", program.infoPlist)
    newLine()
    settings("settings", plan.dictionary.propertyList)
    newLine()
    object("sessions", plan.counts)
    lines("keys", plan.keys) { $1.writeMembers(to: &$0) }
    lines("entriesWithoutKeys", plan.bareEntries) { json, item in
      json.text("entry", item.entry)
      json.text("reason", item.reason)
    }
    lines("impossible", plan.impossible) { $1.writeMembers(to: &$0) }
    lines("mayHelp", plan.mayHelp) { $1.writeMembers(to: &$0) }
    lines("changeURL", plan.upgradable) { json, item in
      json.text("host", item.host)
      json.number("sessions", item.sessions)
      json.packet("first", item.example)
      json.packet("passing", item.passing)
    }
    newLine()
    texts("webContentHosts", plan.webContentHosts)
    lines("abandoned", plan.abandoned) { json, item in
      json.text("entry", item.entry)
      json.text("key", item.key)
      json.boolean("dependsOnOffer", item.dependsOnOffer)
    }
    lines("unneeded", plan.unneeded) { json, item in
      json.text("entry", item.entry)
      json.text("key", item.key)
      json.string("kind", item.kind.rawValue)
      json.string("reason", item.reason)
    }
    lines("alternatives", plan.alternatives) { json, item in
      json.text("domain", item.domain)
      json.texts("hosts", item.hosts)
    }
    if program.infoPlist != nil { lines("findings", program.findings) { $1.writeMembers(to: &$0) } }
  }

  /// Writes the first packet of a session.
  fileprivate mutating func packet(_ key: String, _ session: ObservedSession?) {
    guard let session else { return null(key) }
    let location = session.location(of: session.firstFrame)
    packet(key, file: location.file, frame: location.frame)
  }
}

extension ExceptionPlan.Counts: JSONRecord {
  /// Writes the numbers of sessions of each kind.
  package func writeMembers(to json: inout JSONObject) {
    json.number("withoutKeys", withoutKeys)
    json.number("byKeys", byKeys)
    json.number("impossible", impossible)
    json.number("mayHelp", mayHelp)
    json.number("changeURL", upgradable)
    json.number("undecided", undecided)
    json.number("leftOut", leftOut)
  }
}

extension ExceptionPlan.Key {
  fileprivate func writeMembers(to json: inout JSONObject) {
    json.text("entry", entry)
    json.text("key", key)
    json.value(value)
    json.texts("rules", rules)
    json.texts("observed", observed)
    json.texts("fixes", fixes.map(\.text))
    json.number("sessions", sessions)
    json.packet("first", example)
    // The draft is escaped for display already.
    json.string("justification", Justification.draft(for: self))
  }
}

extension ExceptionPlan.Impossible {
  fileprivate func writeMembers(to json: inout JSONObject) {
    json.text("host", host)
    json.texts("rules", findings.map(\.id))
    json.text("reason", reason)
    json.texts("fixes", findings.compactMap(\.fix?.text).distinct())
    json.number("sessions", sessions)
    json.packet("first", example)
  }
}

extension ExceptionPlan.MayHelp {
  fileprivate func writeMembers(to json: inout JSONObject) {
    json.text("host", host)
    json.texts("rules", rules)
    json.text("reason", reason)
    json.array("options") { json in
      for option in options {
        json.array { json in
          json.objects(option.settings) { $0.setting($1) }
        }
      }
    }
    json.number("sessions", sessions)
    json.packet("first", example)
  }
}
