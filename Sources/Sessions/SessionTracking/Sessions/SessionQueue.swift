import DequeModule
import HeapModule

/// Reorders sessions from the order in which they ended to the order of their first packets.
///
/// Each connection takes a turn at its first packet and ends it when it is closed. A session that begins with a later packet waits for all
/// turns taken before that packet.
struct SessionQueue {
  private enum State {
    case waiting
    case void
    case over(EndedSession, weight: Int)
  }

  private struct Turn {
    /// The frame at which it was taken.
    let frame: UInt64
    var state = State.waiting
  }

  /// The maximum number of sessions that wait for an earlier one which is still open. Beyond it, the waiting sessions are output first, so
  /// that memory does not depend on how long one session stays open.
  static let maximumCount = 32_768

  /// Their maximum total size, in bytes. It suffices for `maximumCount` sessions that share all but a few bytes.
  static let maximumByteCount = 64 * 1024 * 1024

  /// The total size of the waiting sessions, in bytes.
  private var waitingBytes = 0

  /// The turns in the order of their frames.
  private var turns: Deque<Turn> = []

  /// The number of the first turn in `turns`.
  private var firstTurn = 0

  /// Waiting sessions that began after the frame of their turn.
  private var later = Heap<LaterSession>()

  /// The number of sessions that have been added to `later`.
  private var laterCount: UInt64 = 0

  /// Takes a turn at a frame, and returns its number.
  mutating func takeTurn(at frame: UInt64) -> Int {
    // Held segments are read later than others.
    turns.append(Turn(frame: max(frame, turns.last?.frame ?? 0)))
    return firstTurn + turns.count - 1
  }

  /// Ends a turn, with a session if there is one, and appends the sessions that no longer wait. `weight` is the size of the session without
  /// shared facts.
  mutating func end(_ turn: Int, _ session: EndedSession?, weight: Int, to output: inout Deque<EndedSession>) {
    let index = turn - firstTurn
    // The turn may have been skipped.
    let isInTurn = turns.indices.contains(index)
    if isInTurn { turns[index].state = .void }
    if let session {
      if isInTurn, session.firstFrame == turns[index].frame {
        turns[index].state = .over(session, weight: weight)
        waitingBytes += weight
      } else {
        add(session, weight: weight)
      }
    }
    advance(&output)
  }

  /// Adds a session of a connection before its turn ends.
  mutating func add(_ session: EndedSession, weight: Int) {
    later.insert(LaterSession(session: session, weight: weight, number: laterCount))
    laterCount += 1
    waitingBytes += weight
  }

  private mutating func advance(_ output: inout Deque<EndedSession>) {
    while let frame = turns.first?.frame {
      giveOutLater(upTo: frame, &output)
      if case .waiting = turns[0].state,
        turns.count + later.count <= SessionQueue.maximumCount, waitingBytes <= SessionQueue.maximumByteCount
      {
        return
      }
      firstTurn += 1
      if case .over(let session, let weight) = turns.removeFirst().state {
        output.append(session)
        waitingBytes -= weight
      }
    }
    giveOutLater(upTo: .max, &output)
  }

  private mutating func giveOutLater(upTo frame: UInt64, _ output: inout Deque<EndedSession>) {
    while let first = later.min, first.session.firstFrame <= frame {
      later.removeMin()
      output.append(first.session)
      waitingBytes -= first.weight
    }
  }
}

/// A session that began after the frame of its turn; ordered by its first frame.
private struct LaterSession: Comparable {
  let session: EndedSession
  let weight: Int
  /// The number of sessions added before it.
  let number: UInt64

  static func < (a: LaterSession, b: LaterSession) -> Bool {
    (a.session.firstFrame, a.number) < (b.session.firstFrame, b.number)
  }

  static func == (a: LaterSession, b: LaterSession) -> Bool { a.number == b.number }
}
