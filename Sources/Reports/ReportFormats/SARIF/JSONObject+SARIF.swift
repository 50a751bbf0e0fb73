import ByteParsing
import Reporting
import SessionModel
import SessionRecords

extension JSONObject {
  /// Writes a SARIF message. The text is escaped for display already; brackets and braces are escaped so that they begin no
  /// link or placeholder (SARIF 2.1.0 §3.11.5 and §3.11.6).
  mutating func message(_ key: String, _ text: String) {
    var message = ""
    for character in text.unicodeScalars {
      switch character {
      case "[": message += "\\["
      case "]": message += "\\]"
      case "{": message += "{{"
      case "}": message += "}}"
      default: message.unicodeScalars.append(character)
      }
    }
    object(key) { $0.string("text", message) }
  }

  /// Writes the rule, or the other subject, of a result.
  mutating func rule(_ id: String, of rules: SARIFRules) {
    string("ruleId", id)
    if let index = rules.index(of: id) { number("ruleIndex", index) }
  }

  /// Writes the kind and the level of a result.
  mutating func kind(_ kind: String, level: String) {
    string("kind", kind)
    string("level", level)
  }

  /// Writes the location of a result: a line of a file. GitHub requires a line, so files without lines get the first.
  mutating func physicalLocation(_ file: String, line: Int? = nil, index: Int? = nil) {
    object("physicalLocation") { json in
      json.object("artifactLocation") { json in
        json.string("uri", SARIFLog.uri(file))
        if let index { json.number("index", index) }
      }
      json.object("region") { $0.number("startLine", line ?? 1) }
    }
  }

  /// Writes the locations of a result: the capture; or, if a setting allows it, the line of the setting, with the capture as related.
  mutating func locations(setting: (file: String, line: Int)?, capture file: String, frames: FrameList?, of parts: [CapturePart] = []) {
    if let setting {
      array("locations") { $0.object { $0.physicalLocation(setting.file, line: setting.line) } }
    }
    array(setting == nil ? "locations" : "relatedLocations") { json in
      json.object { json in
        json.physicalLocation(file)
        guard let frames else { return }
        json.objects("logicalLocations", frames.numbers) { json, number in
          json.string("name", Wording.frame(number, in: parts))
          json.string("kind", "frame")
        }
      }
    }
  }

  /// Writes that a result is accepted, with the justification, which is escaped for display already.
  mutating func suppression(_ justification: String) {
    objects("suppressions", [justification]) { json, text in
      json.string("kind", "external")
      json.string("justification", text)
    }
  }
}

extension SARIFLog {
  /// Returns a path as a relative or absolute URI reference: bytes that URIs do not allow are percent-encoded.
  static func uri(_ path: String) -> String {
    var uri = ""
    if path.hasPrefix("/") {
      uri = "file://"
    } else if path.split(separator: "/", maxSplits: 1).first?.contains(":") == true {
      // Otherwise the text before the colon would be a scheme.
      uri = "./"
    }
    for byte in path.utf8 {
      if isAlphanumeric(byte) || "-._~/!:@".utf8.contains(byte) {
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        uri += "%" + hexadecimal([byte]).uppercased()
      }
    }
    return uri
  }
}
