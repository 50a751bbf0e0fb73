import ByteParsing
import Foundation
import SeededRandom
import SessionRecords
import Testing

@Suite struct JSONObjectTests {
  private func text(_ write: (inout JSONObject) -> Void) -> String {
    String(decoding: Bytes.jsonDocument(write), as: UTF8.self)
  }

  @Test func `an empty object and an empty array are closed`() {
    #expect(text { _ in } == "{}\n")
    #expect(text { $0.array("a") { _ in } } == "{\"a\":[]}\n")
    #expect(text { $0.objects("a", [Int](), onLines: true) { $0.number("n", $1) } } == "{\"a\":[\n]}\n")
  }

  @Test func `members and elements are separated at every depth`() {
    let written = text { json in
      json.number("a", 1)
      json.array("b") { json in
        json.object { $0.boolean("c", true) }
        json.array { json in
          json.array { _ in }
          json.object { _ in }
        }
      }
      json.object("d") { $0.strings("e", ["f", "g"]) }
      json.numbers("h", [1, 2])
    }
    #expect(written == #"{"a":1,"b":[{"c":true},[[],{}]],"d":{"e":["f","g"]},"h":[1,2]}"# + "\n")
  }

  @Test func `missing values are written as null`() {
    let written = text { json in
      json.text("a", nil)
      json.string("b", nil)
      json.number("c", nil as Int?)
      json.boolean("d", nil)
      json.codePoint("e", nil)
      json.time("f", nil)
      json.texts("g", nil)
      json.null("h")
    }
    let keys = ["a", "b", "c", "d", "e", "f", "g", "h"].map { "\"\($0)\":null" }
    #expect(written == "{" + keys.joined(separator: ",") + "}\n")
  }

  @Test func `text from inputs is made safe to display, keys and the program's text are escaped`() {
    #expect(text { $0.text("a", "\u{1B}\"") } == #"{"a":"\\x1b\""}"# + "\n")
    #expect(text { $0.string("a\"\n", "\u{1B}\"\\") } == #"{"a\"\u000a":"\u001b\"\\"}"# + "\n")
  }

  @Test func `numbers of every width are written in decimal`() {
    let written = text { json in
      json.number("a", UInt64.max)
      json.number("b", Int.min)
      json.number("c", Int8.min)
      json.number("d", UInt16(443))
    }
    #expect(written == #"{"a":18446744073709551615,"b":-9223372036854775808,"c":-128,"d":443}"# + "\n")
  }

  @Test func `line breaks are after commas and before brackets`() {
    let written = text { json in
      json.newLine()
      json.objects("a", [1, 2], onLines: true) { $0.number("n", $1) }
      json.newLine()
      json.array("b") { json in
        json.newLine(indent: 1)
        json.object { _ in }
      }
      json.newLine()
    }
    #expect(written == "{\n\"a\":[\n{\"n\":1},\n{\"n\":2}\n],\n\"b\":[\n {}]\n}\n")
  }

  @Test func `a document on one line contains the same values`() {
    let document = Bytes.jsonDocument { json in
      json.newLine()
      json.text("a", "x\ny")
      json.objects("b", [1], onLines: true) { $0.number("n", $1) }
    }
    #expect(String(decoding: document.onOneLine(), as: UTF8.self) == #"{"a":"x\\x0ay","b":[{"n":1}]}"# + "\n")
  }

  @Test func `flushing the output does not change what follows`() {
    func write(_ flush: (inout Bytes) -> Void) -> Bytes {
      Bytes.jsonDocument { json in
        json.array("a") { json in
          for number in 0..<3 {
            json.object { $0.number("n", number) }
            json.flush(flush)
          }
        }
        json.number("b", 1)
      }
    }
    var taken = Bytes()
    var count = 0
    let rest = write { bytes in
      taken += bytes
      bytes.removeAll()
      count += 1
    }
    #expect(count == 3)
    #expect(taken + rest == write { _ in })
  }

  @Test func `Foundation reads any tree of values back`() throws {
    var random = SeededGenerator(seed: 27)
    for _ in 0..<500 {
      var expected = Tree.object([:])
      let document = Bytes.jsonDocument { expected = Tree.members(of: &$0, &random, depth: 0) }
      let read = try JSONSerialization.jsonObject(with: Data(document))
      #expect(Tree(read) == expected)
    }
  }
}

/// A tree of JSON values that were written or read.
private indirect enum Tree: Equatable {
  case leaf(String)
  case array([Tree])
  case object([String: Tree])

  /// Converts a value that Foundation read.
  init(_ value: Any) {
    switch value {
    case let members as [String: Any]: self = .object(members.mapValues { Tree($0) })
    case let elements as [Any]: self = .array(elements.map { Tree($0) })
    case let text as String: self = .leaf(text)
    case let number as NSNumber: self = .leaf("\(number.int64Value)")
    default: self = .leaf("null")
    }
  }

  /// Writes random members and returns them.
  static func members(of json: inout JSONObject, _ random: inout SeededGenerator, depth: Int) -> Tree {
    var members: [String: Tree] = [:]
    for index in 0..<random.below(5) {
      let key = "\(index)" + random.pick(["", "\"", "\\", "\u{1F}", "ä"])
      if random.once(in: 2) { json.newLine() }
      switch random.below(depth < 5 ? 6 : 4) {
      case 0:
        let number = random.below(1 << 53) - (1 << 52)
        json.number(key, number)
        members[key] = .leaf("\(number)")
      case 1:
        json.boolean(key, true)
        members[key] = .leaf("1")
      case 2:
        json.null(key)
        members[key] = .leaf("null")
      case 3:
        json.strings(key, [key, "\r\n\t", "🙂"])
        members[key] = .array([.leaf(key), .leaf("\r\n\t"), .leaf("🙂")])
      case 4: json.object(key) { members[key] = Tree.members(of: &$0, &random, depth: depth + 1) }
      default: json.array(key) { members[key] = elements(of: &$0, &random, depth: depth + 1) }
      }
    }
    return .object(members)
  }

  private static func elements(
    of json: inout JSONArray, _ random: inout SeededGenerator, depth: Int
  ) -> Tree {
    var elements: [Tree] = []
    for _ in 0..<random.below(5) {
      if random.once(in: 2) { json.newLine(indent: 2) }
      if depth < 5, random.once(in: 2) {
        json.array { elements.append(Tree.elements(of: &$0, &random, depth: depth + 1)) }
      } else {
        json.object { elements.append(Tree.members(of: &$0, &random, depth: depth + 1)) }
      }
    }
    return .array(elements)
  }
}
