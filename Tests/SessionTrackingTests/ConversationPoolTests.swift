import BasicContainers
import ByteParsing
import CaptureFormats
import Foundation
import Testing

import SessionModel
@testable import SessionTracking

@Suite struct ConversationPoolTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "captures/")

  /// Every capture of the project.
  private static var captures: [URL] {
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    var found: [URL] = []
    while let file = files?.nextObject() as? URL {
      if ["pcap", "pcapng"].contains(file.pathExtension) { found.append(file) }
    }
    return found
  }

  /// What is used again is as good as new: a place that a conversation has left shows nothing of it.
  @Test func `a place that is given back is like a new one`() throws {
    let fresh = Self.text(of: Conversation())
    let freshConnection = Self.text(of: Connection(lastSeen: 7))
    var places = 0
    var handshakes = 0
    for file in Self.captures {
      let (connections, left, count) = try Self.placesLeft(by: Bytes(Data(contentsOf: file)))
      places += left.count
      handshakes += count
      #expect(left.allSatisfy { $0 == fresh }, "\(file.lastPathComponent)")
      #expect(connections.allSatisfy { $0 == freshConnection }, "\(file.lastPathComponent)")
    }
    #expect(places > 100)
    #expect(handshakes > 300)
  }

  /// What the places that were used for a capture hold, those of connections used again, and how many handshakes over TCP it shows.
  private static func placesLeft(
    by capture: Bytes
  ) -> (connections: [String], conversations: [String], handshakes: Int) {
    var tracker = SessionTracker(file: "test")
    try? read(capture, into: &tracker)
    tracker.finish()
    let handshakes = tracker.finished.count { $0.tls != nil && $0.transport == .tcp }
    var connections: [String] = []
    for index in tracker.connections.indices {
      tracker.connections[index].restart(lastSeen: 7)
      connections.append(text(of: tracker.connections[index]))
    }
    let places = tracker.conversations.places.indices
    return (connections, places.map { text(of: tracker.conversations.places[$0]) }, handshakes)
  }

  private static func read(_ capture: Bytes, into tracker: inout SessionTracker) throws {
    var reader = try CaptureReader(MemorySource(capture))
    while try reader.advance() {
      tracker.process(
        reader.packet(), linkType: reader.record.linkType.rawValue,
        originalLength: reader.record.originalLength,
        at: Moment(frame: reader.record.frameNumber, time: reader.record.time))
    }
  }

  /// All that a place holds, to the last field.
  private static func text(of place: some Any) -> String {
    var text = ""
    dump(place, to: &text)
    return text
  }
}
