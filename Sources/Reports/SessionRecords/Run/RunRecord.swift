/// What a run was asked to do and under which assumptions: the record `atscope.run/1`.
package struct RunRecord: Hashable, Sendable {
  /// A file that is an input to judging: a property list, roots, a log list, revocations, chains, a key log.
  package struct Source: Hashable, Sendable {
    /// The path as it was given.
    package var file: String
    /// SHA-256 of the file's bytes, 64 hexadecimal digits; nil where it is not told, as for key logs.
    package var sha256: String?
    /// How many items it holds (anchors, logs, responses); nil where that says nothing.
    package var count: Int?
    /// The day that it is of, as `2025-07-20`; nil where it does not say.
    package var date: String?
    /// The process or host it stands for; nil for all.
    package var appliesTo: String?

    package init(
      file: String, sha256: String?, count: Int? = nil, date: String? = nil, appliesTo: String? = nil
    ) {
      self.date = date
      self.file = file
      self.sha256 = sha256
      self.count = count
      self.appliesTo = appliesTo
    }

    /// Among the chains of a run: those that sessions in its own inputs show.
    package static let captured = Source(file: "captured", sha256: nil)
  }

  /// The roots that are taken as the system's own.
  package struct Roots: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
      case apple
      /// The store of the machine.
      case machine
      /// A file that was named.
      case file
      case none
    }

    package var kind: Kind
    /// The version of Apple's store, such as `2024051500`; nil for other roots.
    package var version: String?
    package var count: Int
    /// SHA-256 over the roots, 64 hexadecimal digits; nil where there are none.
    package var sha256: String?

    package init(kind: Kind, version: String? = nil, count: Int, sha256: String?) {
      self.kind = kind
      self.version = version
      self.count = count
      self.sha256 = sha256
    }
  }

  /// An option or assumption in force.
  package struct Setting: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case boolean(Bool)
      case number(Int)
      /// Text, from the command line or ours.
      case text(String)
      case texts([String])
      /// Not given.
      case null
    }

    /// The name as on the command line, without dashes.
    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
      self.name = name
      self.value = value
    }
  }

  package var toolVersion: String
  /// The version of the policy: rules, weights and grades.
  package var policyVersion: String
  /// The command, such as `audit`.
  package var command: String
  /// Whether the records of sessions can be judged again; those of `--fields compact` lack the certificates.
  package var isRejudgeable = true
  package var inputs: [String] = []
  /// Every option in force, given or not, in a fixed order.
  package var options: [Setting] = []
  /// What is assumed of what no capture shows (policy text A.5), in a fixed order.
  package var assumptions: [Setting] = []
  /// The release judged by, for people, such as `iOS 26.5`; nil for commands that do not judge.
  package var releaseName: String?
  /// The roots for people, such as `Apple, iOS 18.2 (store 2024051500)`; nil for commands that do not judge.
  package var rootsName: String?
  /// The project file that options were taken from; nil where there is none.
  package var project: Source?
  /// The property lists; none for ATS's defaults. Those without a digest cannot be used.
  package var infoPlists: [Source] = []
  /// The roots taken as the system's own; nil where trust is not judged.
  package var roots: Roots?
  package var anchors: [Source] = []

  /// Files of intermediates that may complete every chain.
  package var intermediates: [Source] = []
  package var logList: Source?
  package var revocations: [Source] = []
  package var chains: [Source] = []

  package init(toolVersion: String, policyVersion: String, command: String) {
    self.toolVersion = toolVersion
    self.policyVersion = policyVersion
    self.command = command
  }
}

extension RunRecord: JSONRecord {
  /// Writes the members of an `atscope.run/1` object.
  package func writeMembers(to json: inout JSONObject) {
    json.string("schema", "atscope.run/1")
    json.string("tool", "atscope")
    json.string("toolVersion", toolVersion)
    json.string("policyVersion", policyVersion)
    json.string("command", command)
    if !isRejudgeable { json.boolean("rejudgeable", false) }
    json.texts("inputs", inputs)
    json.settings("options", options)
    json.settings("assumptions", assumptions)
    if let project { json.object("project", project) }
    json.objects("infoPlists", infoPlists) { $1.writeMembers(to: &$0, appliesToKey: "process") }
    json.object("roots", roots)
    json.objects("anchors", anchors)
    if !intermediates.isEmpty { json.objects("intermediates", intermediates) }
    json.object("logList", logList)
    json.objects("revocations", revocations)
    json.objects("chains", chains) { $1.writeMembers(to: &$0, appliesToKey: "host") }
  }
}

extension RunRecord.Roots: JSONRecord {
  package func writeMembers(to json: inout JSONObject) {
    json.string("kind", kind.rawValue)
    json.string("version", version)
    json.number("count", count)
    json.string("sha256", sha256)
  }
}

extension RunRecord.Source: JSONRecord {
  package func writeMembers(to json: inout JSONObject) { writeMembers(to: &json, appliesToKey: nil) }

  fileprivate func writeMembers(to json: inout JSONObject, appliesToKey: String?) {
    json.text("file", file)
    json.string("sha256", sha256)
    if let count { json.number("count", count) }
    if let date { json.string("date", date) }
    if let appliesToKey { json.text(appliesToKey, appliesTo) }
  }
}

extension JSONObject {
  fileprivate mutating func settings(_ key: String, _ settings: [RunRecord.Setting]) {
    object(key) { json in
      for setting in settings {
        switch setting.value {
        case .boolean(let value): json.boolean(setting.name, value)
        case .number(let value): json.number(setting.name, value)
        case .text(let value): json.text(setting.name, value)
        case .texts(let values): json.texts(setting.name, values)
        case .null: json.null(setting.name)
        }
      }
    }
  }
}
