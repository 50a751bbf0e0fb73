/// The frame numbers of the packets that carry a message, ascending and distinct.
///
/// For a message in more than 64 packets, the first ones and the last are listed. Most messages are in one packet or two, so two numbers
/// are stored inline.
public struct FrameList: Hashable, Sendable, Sequence {
  /// The smallest number; 0 if the list is empty, since frames are numbered from 1.
  package private(set) var first: UInt64 = 0

  /// The second number; 0 if there is none.
  private var second: UInt64 = 0

  /// The numbers after the second.
  private var others: [UInt64] = []

  /// The maximum number of packets listed.
  package static let maximumCount = 64

  package init() {}

  package init(_ number: UInt64) { first = number }

  package init(_ numbers: [UInt64]) {
    for number in numbers { insert(number) }
  }

  /// Whether the list contains no packet.
  public var isEmpty: Bool { first == 0 }

  /// The frame numbers in ascending order.
  package var numbers: [UInt64] {
    if first == 0 { return [] }
    return second == 0 ? [first] : [first, second] + others
  }

  /// Returns an iterator over the frame numbers, which allocates no array.
  public func makeIterator() -> Iterator { Iterator(list: self) }

  /// An iterator over the frame numbers of a list.
  public struct Iterator: IteratorProtocol {
    private let list: FrameList
    private var index = 0

    init(list: FrameList) { self.list = list }

    /// Returns the next number; nil at the end.
    public mutating func next() -> UInt64? {
      defer { index += 1 }
      switch index {
      case 0: return list.first == 0 ? nil : list.first
      case 1: return list.second == 0 ? nil : list.second
      default:
        return index - 2 < list.others.count ? list.others[index - 2] : nil
      }
    }
  }

  /// The last frame number; nil if the list is empty.
  package var last: UInt64? {
    if first == 0 { return nil }
    return second == 0 ? first : others.last ?? second
  }

  /// Adds a packet, unless it is already in the list.
  package mutating func insert(_ number: UInt64) {
    if first == 0 {
      first = number
    } else if second == 0 {
      guard number != first else { return }
      (first, second) = first < number ? (first, number) : (number, first)
    } else {
      insertFurther(number)
    }
  }

  private mutating func insertFurther(_ number: UInt64) {
    if let last, number > last {
      if others.count + 2 < FrameList.maximumCount {
        others.append(number)
      } else {
        others[others.count - 1] = number
      }
    } else if number != first, number != second, !others.contains(number) {
      var all = [first, second, number] + others
      all.sort()
      if all.count > FrameList.maximumCount { all.remove(at: FrameList.maximumCount - 1) }
      (first, second) = (all[0], all[1])
      others = Array(all[2...])
    }
  }
}
