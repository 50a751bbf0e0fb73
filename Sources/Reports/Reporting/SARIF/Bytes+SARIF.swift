import ByteParsing
import SessionModel
import SessionRecords

extension ContiguousArray where Element == UInt8 {
  /// Appends a message of SARIF: text that has been made safe to show, in which brackets begin no link and braces no
  /// placeholder (SARIF 2.1.0 §3.11.5 and §3.11.6).
  mutating func appendSARIFMessage(_ text: String) {
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
    appendRaw("{\"text\":")
    appendJSONString(message)
    append(0x7D)
  }

  /// Appends frames as logical locations.
  mutating func appendSARIFFrames(_ frames: FrameList, in files: [CapturePart] = []) {
    for number in frames.numbers {
      appendJSONComma()
      appendRaw("{\"name\":")
      appendJSONString(Wording.frame(number, in: files))
      appendRaw(",\"kind\":\"frame\"}")
    }
  }

  /// Appends a path as a relative or absolute URI reference: bytes that URIs do not take are percent-encoded.
  mutating func appendSARIFURI(_ path: String) {
    append(0x22)
    if path.hasPrefix("/") {
      appendRaw("file://")
    } else if path.split(separator: "/", maxSplits: 1).first?.contains(":") == true {
      // Else the text before the colon would be a scheme.
      appendRaw("./")
    }
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "@"):
        append(byte)
      default:
        append(UInt8(ascii: "%"))
        append(contentsOf: hexadecimal([byte]).uppercased().utf8)
      }
    }
    append(0x22)
  }
}
