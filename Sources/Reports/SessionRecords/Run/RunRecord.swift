/// The inputs, options and assumptions of a run: an `atscope.run/1` record.
package struct RunRecord: Hashable, Sendable {
  /// A file that judging uses: a property list, roots, a log list, revocations, chains or a key log.
  package struct Source: Hashable, Sendable {
    /// The path as given by the user.
    package var file: String
    /// The SHA-256 digest of the file, 64 hexadecimal digits; nil if it is not recorded, as for key logs.
    package var sha256: String?
    /// The number of items in the file (anchors, logs, responses); nil if it has no meaning.
    package var count: Int?
    /// The date of the file's content, such as `2025-07-20`; nil if the file contains none.
    package var date: String?
    /// The process or host to which the file applies; nil for all.
    package var appliesTo: String?
    /// The settings of an Info.plist that count as absent, one text each.
    package var ignored: [String]
    /// The argument that named the file, if it differs from the file; not in records.
    package var argument: String?

    package init(
      file: String, sha256: String?, count: Int? = nil, date: String? = nil, appliesTo: String? = nil, ignored: [String] = [],
      argument: String? = nil
    ) {
      self.ignored = ignored
      self.argument = argument
      self.date = date
      self.file = file
      self.sha256 = sha256
      self.count = count
      self.appliesTo = appliesTo
    }

    /// The entry among `chains` for the chains observed in the run's own inputs.
    package static let captured = Source(file: "captured", sha256: nil)
  }

  /// The roots that are used as the system's root store.
  package struct Roots: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
      case apple
      /// This machine's root store.
      case machine
      /// A file that an option names.
      case file
      case none
    }

    package var kind: Kind
    /// The version of Apple's store, such as `2024051500`; nil for other roots.
    package var version: String?
    package var count: Int
    /// The SHA-256 digest over the roots, 64 hexadecimal digits; nil without roots.
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
      /// Text from the command line or from the program.
      case text(String)
      case texts([String])
      /// Not given.
      case null
    }

    /// The name of the command-line option, without dashes.
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
  /// Whether the saved sessions can be judged again; with `--fields compact` they lack the certificates.
  package var isRejudgeable = true
  package var inputs: [String] = []
  /// All options, given or not, in a fixed order.
  package var options: [Setting] = []
  /// The assumptions about what a capture cannot show (policy text A.5), in a fixed order.
  package var assumptions: [Setting] = []
  /// The display name of the judged release, such as `iOS 26.5`; nil for commands that do not judge.
  package var releaseName: String?
  /// The display name of the roots, such as `Apple, iOS 18.2 (store 2024051500)`; nil for commands that do not judge.
  package var rootsName: String?
  /// The project file that supplied options; nil if there is none.
  package var project: Source?
  /// The property lists; empty for the ATS defaults. A property list without a digest cannot be used.
  package var infoPlists: [Source] = []
  /// The roots used as the system's root store; nil if trust is not judged.
  package var roots: Roots?
  package var anchors: [Source] = []

  /// The files of intermediates that may complete any chain.
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
    if !ignored.isEmpty { json.texts("ignored", ignored) }
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
