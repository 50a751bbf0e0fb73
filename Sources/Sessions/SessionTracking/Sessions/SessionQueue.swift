import DequeModule
import HeapModule
import SessionModel

/// Brings sessions from the order in which they ended into the order of their first packets.
///
/// Each connection takes a turn with its first packet and ends it when it is over. A session that begins with a later packet of its
/// connection waits for all turns that were taken before that one.
struct SessionQueue {
  private enum State {
    case waiting
    case void
    indirect case over(ObservedSession, weight: Int)
  }

  private struct Turn {
    /// The packet with which it was taken.
    let frame: UInt64
    var state = State.waiting
  }

  /// Sessions that may wait for one that has begun earlier and is still open. Beyond it that one comes late, and what
  /// waits goes ahead: memory follows the sessions that are open, not the patience of one of them.
  static let maximumCount = 32_768

  /// What they may weigh together: as many as that, if they share all but a few bytes.
  static let maximumByteCount = 64 * 1024 * 1024

  /// What those that wait weigh.
  private var waitingBytes = 0

  /// In the order of their packets.
  private var turns: Deque<Turn> = []

  /// The number of the first of `turns`.
  private var firstTurn = 0

  /// Sessions that began after the packet of their turn.
  private var later = Heap<LaterSession>()

  /// How many of those there have been.
  private var laterCount: UInt64 = 0

  /// Takes a turn with a packet; returns its number.
  mutating func takeTurn(at frame: UInt64) -> Int {
    // What was held back is read later than others.
    turns.append(Turn(frame: max(frame, turns.last?.frame ?? 0)))
    return firstTurn + turns.count - 1
  }

  /// Ends a turn with its session, or without one; appends the sessions that can go out now. `weight` is the memory of the session that
  /// others do not share.
  mutating func end(
    _ turn: Int, _ session: consuming ObservedSession?, weight: Int, to output: inout Deque<ObservedSession>
  ) {
    let index = turn - firstTurn
    // Its turn may have gone by.
    let isInTurn = turns.indices.contains(index)
    if isInTurn { turns[index].state = .void }
    if let session = consume session {
      // Compared first, so that the session is moved and not copied.
      let isOfTurn = isInTurn && session.firstFrame == turns[index].frame
      if isOfTurn {
        turns[index].state = .over(consume session, weight: weight)
        waitingBytes += weight
      } else {
        add(consume session, weight: weight)
      }
    }
    advance(&output)
  }

  /// Adds a further session of a connection whose turn ends next.
  mutating func add(_ session: consuming ObservedSession, weight: Int) {
    later.insert(LaterSession(session: session, weight: weight, number: laterCount))
    laterCount += 1
    waitingBytes += weight
  }

  private mutating func advance(_ output: inout Deque<ObservedSession>) {
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

  private mutating func giveOutLater(upTo frame: UInt64, _ output: inout Deque<ObservedSession>) {
    while let first = later.min, first.session.firstFrame <= frame {
      later.removeMin()
      output.append(first.session)
      waitingBytes -= first.weight
    }
  }
}

/// A session that began after the packet of its turn; ordered by its first packet.
private struct LaterSession: Comparable {
  let session: ObservedSession
  let weight: Int
  /// How many came before it.
  let number: UInt64

  static func < (a: LaterSession, b: LaterSession) -> Bool {
    (a.session.firstFrame, a.number) < (b.session.firstFrame, b.number)
  }

  static func == (a: LaterSession, b: LaterSession) -> Bool { a.number == b.number }
}
