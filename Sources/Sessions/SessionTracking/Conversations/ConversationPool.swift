import BasicContainers

/// The conversations of all open connections, each modified in place. The slot of a closed connection is reused.
struct ConversationPool: ~Copyable {
  /// The conversations by the slots that `begin` returned. A subscript of the pool would be slower to read.
  var slots = UniqueArray<Conversation>()
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
}
