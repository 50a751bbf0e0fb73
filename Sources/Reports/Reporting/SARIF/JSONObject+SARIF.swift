import ByteParsing
import SessionModel
import SessionRecords

extension JSONObject {
  /// Writes a message of SARIF: text that has been made safe to show, in which brackets begin no link and braces no
  /// placeholder (SARIF 2.1.0 §3.11.5 and §3.11.6).
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

  /// Writes what a result is and how severe.
  mutating func kind(_ kind: String, level: String) {
    string("kind", kind)
    string("level", level)
  }

  /// Writes where a result is: a line of a file, which is the first in files that have no lines. GitHub requires one.
  mutating func physicalLocation(_ file: String, line: Int? = nil, index: Int? = nil) {
    object("physicalLocation") { json in
      json.object("artifactLocation") { json in
        json.string("uri", SARIFLog.uri(file))
        if let index { json.number("index", index) }
      }
      json.object("region") { $0.number("startLine", line ?? 1) }
    }
  }

  /// Writes the locations of a result: first the line of the setting that allows it, where there is one, then the capture.
  mutating func locations(
    setting: (file: String, line: Int)?, capture file: String, frames: FrameList?,
    of parts: [CapturePart] = []
  ) {
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

  /// Writes that a result has been accepted, and why; the justification is made safe to show.
  mutating func suppression(_ justification: String) {
    objects("suppressions", [justification]) { json, text in
      json.string("kind", "external")
      json.string("justification", text)
    }
  }
}

extension SARIFLog {
  /// A path as a relative or absolute URI reference: bytes that URIs do not take are percent-encoded.
  static func uri(_ path: String) -> String {
    var uri = ""
    if path.hasPrefix("/") {
      uri = "file://"
    } else if path.split(separator: "/", maxSplits: 1).first?.contains(":") == true {
      // Else the text before the colon would be a scheme.
      uri = "./"
    }
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "@"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default: uri += "%" + hexadecimal([byte]).uppercased()
      }
    }
    return uri
  }
}
