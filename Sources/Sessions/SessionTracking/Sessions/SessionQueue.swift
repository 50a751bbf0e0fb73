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
  static let limit = 32_768

  /// What they may weigh together: as many as that, if they share all but a few bytes.
  static let byteLimit = 64 * 1024 * 1024

  /// What those that wait weigh.
  private var waitingBytes = 0

  /// In the order of their packets.
  private var turns: ContiguousArray<Turn> = []

  /// Index in `turns` of the first one that has not been given out.
  private var head = 0

  /// The number of `turns[0]`.
  private var base = 0

  /// Sessions that began after the packet of their turn.
  private var later = LaterSessions()

  /// Takes a turn with a packet; returns its number.
  mutating func takeTurn(at frame: UInt64) -> Int {
    // What was held back is read later than others.
    turns.append(Turn(frame: max(frame, turns.last?.frame ?? 0)))
    return base + turns.count - 1
  }

  /// Ends a turn with its session, or without one; appends the sessions that can go out now. `weight` is the memory of the session that
  /// others do not share.
  mutating func end(
    _ turn: Int, _ session: consuming ObservedSession?, weight: Int, to output: inout [ObservedSession]
  ) {
    let index = turn - base
    // Its turn may have gone by.
    let isInTurn = index >= head && index < turns.count
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

  /// Takes a further session of a connection whose turn ends next.
  mutating func add(_ session: consuming ObservedSession, weight: Int) {
    later.insert(session, weight: weight)
    waitingBytes += weight
  }

  private mutating func advance(_ output: inout [ObservedSession]) {
    while head < turns.count {
      if !later.isEmpty { giveOutLater(upTo: turns[head].frame, &output) }
      switch turns[head].state {
      case .waiting:
        guard
          turns.count - head + later.count > SessionQueue.limit || waitingBytes > SessionQueue.byteLimit
        else {
          return compact()
        }
      case .void: break
      case .over: giveOut(&output)
      }
      head += 1
    }
    if !later.isEmpty { giveOutLater(upTo: .max, &output) }
    compact()
  }

  /// Moves the session at the head out of its turn.
  private mutating func giveOut(_ output: inout [ObservedSession]) {
    var state = State.void
    swap(&state, &turns[head].state)
    guard case .over(let session, let weight) = consume state else { return }
    output.append(session)
    waitingBytes -= weight
  }

  private mutating func giveOutLater(upTo frame: UInt64, _ output: inout [ObservedSession]) {
    while let (session, weight) = later.take(upTo: frame) {
      output.append(session)
      waitingBytes -= weight
    }
  }

  private mutating func compact() {
    guard head > 256, head * 2 > turns.count else { return }
    turns.removeFirst(head)
    base += head
    head = 0
  }
}

/// Sessions in the order of their first packets: a binary heap, since any number may come in any order.
private struct LaterSessions {
  private struct Entry {
    let session: ObservedSession
    let weight: Int
    /// How many came before it.
    let number: UInt64

    func goes(before other: Entry) -> Bool {
      (session.firstFrame, number) < (other.session.firstFrame, other.number)
    }
  }

  private var entries: ContiguousArray<Entry> = []
  private var number: UInt64 = 0

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  mutating func insert(_ session: ObservedSession, weight: Int) {
    entries.append(Entry(session: session, weight: weight, number: number))
    number += 1
    var child = entries.count - 1
    while child > 0, entries[child].goes(before: entries[(child - 1) / 2]) {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Takes the first one out, if it does not begin behind the packet `frame`.
  mutating func take(upTo frame: UInt64) -> (session: ObservedSession, weight: Int)? {
    guard let first = entries.first, first.session.firstFrame <= frame else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < entries.count && entries[child].goes(before: entries[least]) {
        least = child
      }
      if least == parent { return (first.session, first.weight) }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
