extension Evidence {
  /// The packets that carry each part.
  public struct Frames: Hashable, Sendable {
    private var clientHello = FrameList()
    private var serverHello = FrameList()
    private var certificates = FrameList()
    private var certificateStatus = FrameList()
    private var serverKeyExchange = FrameList()
    private var outcome = FrameList()

    package init() {}

    /// The packets that carry one part, in ascending order.
    public package(set) subscript(part: Part) -> FrameList {
      get {
        switch part {
        case .clientHello: clientHello
        case .serverHello: serverHello
        case .certificates: certificates
        case .certificateStatus: certificateStatus
        case .serverKeyExchange: serverKeyExchange
        case .outcome: outcome
        }
      }
      _modify {
        switch part {
        case .clientHello: yield &clientHello
        case .serverHello: yield &serverHello
        case .certificates: yield &certificates
        case .certificateStatus: yield &certificateStatus
        case .serverKeyExchange: yield &serverKeyExchange
        case .outcome: yield &outcome
        }
      }
    }
  }
}
