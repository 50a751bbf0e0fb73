import BasicContainers

/// The conversations of all open connections, each modified in place. The slot of a closed connection is reused.
struct ConversationPool: ~Copyable {
  /// All conversations. Read them here and modify them through the subscript: reading the array directly is faster.
  private(set) var slots = UniqueArray<Conversation>()
  private var free: ContiguousArray<Int32> = []

  mutating func reserve(_ count: Int) { slots.reserveCapacity(count) }

  /// Returns a slot for a new conversation.
  mutating func begin() -> Int {
    if let slot = free.popLast() { return Int(slot) }
    slots.append(Conversation())
    return slots.count - 1
  }

  /// Frees the slot of a conversation that is over.
  mutating func end(_ slot: Int) {
    slots[slot] = Conversation()
    free.append(Int32(truncatingIfNeeded: slot))
  }

  /// The conversation in a slot that `begin` returned.
  subscript(slot: Int) -> Conversation {
    @inline(__always)
    _read { yield slots[slot] }
    @inline(__always)
    _modify { yield &slots[slot] }
  }
}
