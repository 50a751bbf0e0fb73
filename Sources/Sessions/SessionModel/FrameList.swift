/// The frame numbers of the packets that carry a message, ascending, each once.
///
/// Most messages lie in one packet or two, so two numbers are held in place.
public struct FrameList: Hashable, Sendable, Sequence {
  /// The least number; 0 where there is none, since frames are counted from 1.
  package private(set) var first: UInt64 = 0

  /// The second; 0 where there is none.
  private var second: UInt64 = 0

  /// The further ones.
  private var others: [UInt64] = []

  /// How many packets of one message are named; of a message in more of them, the first ones and the last.
  public static let maximumCount = 64

  /// Creates an empty list.
  package init() {}

  /// Creates a list of one packet.
  package init(_ number: UInt64) { first = number }

  /// Creates a list of `numbers`.
  package init(_ numbers: [UInt64]) {
    for number in numbers { insert(number) }
  }

  /// Whether no packet is named.
  public var isEmpty: Bool { first == 0 }

  /// The frame numbers.
  public var numbers: [UInt64] {
    if first == 0 { return [] }
    return second == 0 ? [first] : [first, second] + others
  }

  /// Goes through the frame numbers without making an array of them.
  public func makeIterator() -> Iterator { Iterator(list: self) }

  /// Hands out the frame numbers one by one.
  public struct Iterator: IteratorProtocol {
    private let list: FrameList
    private var index = 0

    init(list: FrameList) { self.list = list }

    /// The next number; nil at the end.
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

  /// The last frame number; nil where there is none.
  public var last: UInt64? {
    if first == 0 { return nil }
    return second == 0 ? first : others.last ?? second
  }

  /// Adds a packet; one that is there already changes nothing.
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
