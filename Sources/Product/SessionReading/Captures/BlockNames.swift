import CaptureFormats
import SessionModel
import Values

/// The names of addresses in a capture (Name Resolution Blocks of pcapng).
struct BlockNames {
  private var names: [IPAddress: [(name: String, frame: UInt64)]] = [:]
  private var framesBefore: UInt64 = 0
  /// The number of names of the current part that were added.
  private var known = 0

  /// The maximum number of names of one address.
  private static let maximumCount = 8

  var isEmpty: Bool { names.isEmpty }

  /// Begins another part of the capture.
  mutating func begin(framesBefore: UInt64) {
    self.framesBefore = framesBefore
    known = 0
  }

  /// Adds the names that were read since the previous call.
  mutating func learn(_ all: [CaptureName]) {
    guard all.count > known else { return }
    for named in all[known...] where names[named.address, default: []].count < BlockNames.maximumCount {
      names[named.address, default: []].append((named.name, framesBefore + named.precedingPackets))
    }
    known = all.count
  }

  /// Returns the names of a session's host that the capture contains before the end of the session.
  func hints(for session: borrowing ObservedSession) -> [NameHint] {
    let last = session.lastFrame
    return (names[session.hostAddress] ?? []).filter { $0.frame < last }.map {
      NameHint(name: $0.name, source: .nameResolutionBlock, frame: nil)
    }
  }
}
