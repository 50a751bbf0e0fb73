/// Brings sessions from the order in which they ended into the order of their first packets.
///
/// Each session draws a ticket with its first packet and hands it in when it is over.
struct SessionQueue {
  private enum Place {
    case waiting
    case void
    case over(ObservedSession, weight: Int)
  }

  /// Sessions that may wait for one that has begun earlier and is still open. Beyond it that one comes late, and what
  /// waits goes ahead: memory follows the sessions that are open, not the patience of one of them.
  static let limit = 32_768

  /// What they may weigh together: as many as that, if they share all but a few bytes.
  static let byteLimit = 64 * 1024 * 1024

  /// What those that wait weigh.
  private var waitingBytes = 0

  private var places: ContiguousArray<Place> = []

  /// Index in `places` of the first one that has not been given out.
  private var head = 0

  /// Ticket of `places[0]`.
  private var base = 0

  /// Draws a ticket.
  mutating func draw() -> Int {
    places.append(.waiting)
    return base + places.count - 1
  }

  /// Hands in a ticket with the session that it stands for, or without one; appends what can go out now. `weight` is what the session
  /// takes of memory, as far as others do not share it.
  mutating func handIn(
    _ ticket: Int, _ session: ObservedSession?, weight: Int, to output: inout [ObservedSession]
  ) {
    let index = ticket - base
    guard index >= head, index < places.count else {
      // Its turn has gone by.
      if let session { output.append(session) }
      return
    }
    places[index] = session.map { .over($0, weight: weight) } ?? .void
    if session != nil { waitingBytes += weight }
    advance(&output)
  }

  private mutating func advance(_ output: inout [ObservedSession]) {
    while head < places.count {
      switch places[head] {
      case .waiting:
        guard places.count - head > SessionQueue.limit || waitingBytes > SessionQueue.byteLimit else {
          return compact()
        }
      case .void: break
      case .over: giveOut(&output)
      }
      head += 1
    }
    compact()
  }

  /// Moves the session at the head out of its place.
  private mutating func giveOut(_ output: inout [ObservedSession]) {
    var place = Place.void
    swap(&place, &places[head])
    guard case .over(let session, let weight) = consume place else { return }
    output.append(session)
    waitingBytes -= weight
  }

  private mutating func compact() {
    guard head > 256, head * 2 > places.count else { return }
    places.removeFirst(head)
    base += head
    head = 0
  }
}
