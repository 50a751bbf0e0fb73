import BasicContainers
import BasicContainers

/// The conversations of all open connections, each changed where it lies; a place is used again when its connection is over.
struct ConversationPool: ~Copyable {
  /// All conversations; to be asked here and changed through the subscript, since an array is asked without a detour.
  private(set) var places = UniqueArray<Conversation>()
  private var free: ContiguousArray<Int32> = []

  /// Reserves memory for `count` conversations.
  mutating func reserve(_ count: Int) { places.reserveCapacity(count) }

  /// A place for a conversation that begins.
  mutating func begin() -> Int {
    if let place = free.popLast() { return Int(place) }
    places.append(Conversation())
    return places.count - 1
  }

  /// Gives the place of a conversation that is over to another.
  mutating func end(_ place: Int) {
    places[place] = Conversation()
    free.append(Int32(truncatingIfNeeded: place))
  }

  /// The conversation at a place that `begin` gave out.
  subscript(place: Int) -> Conversation {
    @inline(__always)
    _read { yield places[place] }
    @inline(__always)
    _modify { yield &places[place] }
  }
}
