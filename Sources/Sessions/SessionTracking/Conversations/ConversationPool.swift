import BasicContainers

/// The conversations of all open connections, each modified in place. The slot of a closed connection is reused.
struct ConversationPool: ~Copyable {
  /// All conversations. Read them here and modify them through the subscript: reading the array directly is faster.
  private(set) var places = UniqueArray<Conversation>()
  private var free: ContiguousArray<Int32> = []

  mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

  /// Returns a slot for a new conversation.
  mutating func begin() -> Int {
    if let place = free.popLast() { return Int(place) }
    places.append(Conversation())
    return places.count - 1
  }

  /// Frees the slot of a conversation that is over.
  mutating func end(_ place: Int) {
    places[place] = Conversation()
    free.append(Int32(truncatingIfNeeded: place))
  }

  /// The conversation in a slot that `begin` returned.
  subscript(place: Int) -> Conversation {
    @inline(__always)
    _read { yield places[place] }
    @inline(__always)
    _modify { yield &places[place] }
  }
}
