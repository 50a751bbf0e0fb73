import ByteParsing
import SessionRecords

/// A SARIF 2.1.0 log with one run: the common part of the logs of all commands.
struct SARIFLog {
  /// A file that was read.
  struct Artifact: Hashable {
    /// The file as a URI reference.
    let uri: String
    /// Its role, such as `analysisTarget`.
    let role: String
    /// The number of bytes; nil if it is not known.
    var length: Int?
    /// The SHA-256 digest of the file; nil if it is not known.
    var sha256: String?

    init(_ path: String, role: String = "analysisTarget", length: Int? = nil, sha256: String? = nil) {
      uri = SARIFLog.uri(path)
      self.role = role
      self.length = length
      self.sha256 = sha256
    }
  }

  /// A notification about the run.
  struct Note {
    /// The level: `error`, `warning` or `note`.
    var level: String
    /// The message, escaped for display.
    var text: String
  }

  let version: String
  let policyVersion: String
  let command: String
  /// The purpose of the command, as a sentence.
  var summary = "Judges recorded TLS sessions against App Transport Security."
  /// The files that were read.
  var artifacts: [Artifact] = []
  /// Whether all inputs could be read.
  var isSuccessful = true
  /// The notifications about the run.
  var notes: [Note] = []

  /// The URI of the SARIF schema.
  static let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

  /// Appends the log with its rules, results and properties, and a line feed.
  func write(
    to output: inout Bytes, rules: (inout JSONArray) -> Void, results: (inout JSONArray) -> Void, properties: (inout JSONObject) -> Void
  ) {
    output.appendObject { json in
      json.string("$schema", SARIFLog.schema)
      json.newLine()
      json.string("version", "2.1.0")
      json.array("runs") { json in
        json.object { json in
          writeTool(to: &json, rules)
          json.newLine()
          json.array("results", results)
          writeInputs(to: &json)
          json.newLine()
          json.object("properties", properties)
        }
      }
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func writeTool(to json: inout JSONObject, _ rules: (inout JSONArray) -> Void) {
    json.object("tool") { json in
      json.object("driver") { json in
        json.string("name", "atscope")
        json.string("semanticVersion", version)
        json.string("version", "\(version) (policy \(policyVersion))")
        json.string("informationUri", SARIFClassification.documentation)
        json.message("shortDescription", summary)
        json.array("rules", rules)
      }
    }
    // The category under which code scanning stores the results of a command.
    json.object("automationDetails") { $0.string("id", "atscope/\(command)/") }
  }

  private func writeInputs(to json: inout JSONObject) {
    json.newLine()
    json.objects("artifacts", artifacts, onLines: true) { json, artifact in
      json.object("location") { $0.string("uri", artifact.uri) }
      json.strings("roles", [artifact.role])
      if let length = artifact.length { json.number("length", length) }
      if let sha256 = artifact.sha256 { json.object("hashes") { $0.string("sha-256", sha256) } }
    }
    json.newLine()
    json.array("invocations") { json in
      json.object { json in
        json.boolean("executionSuccessful", isSuccessful)
        json.objects("toolExecutionNotifications", notes) { json, note in
          json.string("level", note.level)
          json.message("message", note.text)
        }
      }
    }
  }
}
