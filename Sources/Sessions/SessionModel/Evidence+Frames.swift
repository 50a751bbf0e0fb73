extension Evidence {
  /// The packets of each part.
  ///
  /// Nearly every part lies in one packet or two. Those are held in place, all others in one object, so that the frames
  /// of a session, which is made for each connection, own nothing as a rule.
  public struct Frames: Hashable, Sendable {
    private var clientHello = Pair()
    private var serverHello = Pair()
    private var certificates = Pair()
    private var certificateStatus = Pair()
    private var serverKeyExchange = Pair()
    private var outcome = Pair()
    private var further: [Part: [UInt64]]?

    private struct Pair: Hashable, Sendable {
      var first: UInt64 = 0
      var second: UInt64 = 0
    }

    /// Creates empty lists.
    public init() {}

    /// The packets of one part.
    public subscript(part: Part) -> FrameList {
      get {
        let pair = pair(part)
        return FrameList(first: pair.first, second: pair.second, others: further?[part])
      }
      set {
        set(part, Pair(first: newValue.first, second: newValue.second))
        guard further != nil || newValue.others != nil else { return }
        var lists = further ?? [:]
        lists[part] = newValue.others
        further = lists.isEmpty ? nil : lists
      }
    }

    private func pair(_ part: Part) -> Pair {
      switch part {
      case .clientHello: clientHello
      case .serverHello: serverHello
      case .certificates: certificates
      case .certificateStatus: certificateStatus
      case .serverKeyExchange: serverKeyExchange
      case .outcome: outcome
      }
    }

    private mutating func set(_ part: Part, _ pair: Pair) {
      switch part {
      case .clientHello: clientHello = pair
      case .serverHello: serverHello = pair
      case .certificates: certificates = pair
      case .certificateStatus: certificateStatus = pair
      case .serverKeyExchange: serverKeyExchange = pair
      case .outcome: outcome = pair
      }
    }
  }
}
