import ByteParsing

/// What an extract does with the fragments of chosen sessions.
struct FragmentPlan {
  /// The treatment of a fragment, in ascending order of precedence.
  enum Treatment: Int {
    /// Copied unchanged, except for its addresses.
    case copied
    /// Written with the other fragments as one packet, since individual fragments cannot be redacted.
    case joined
    /// Omitted: it would have to be redacted, but other fragments of its packet are missing or disagree.
    case omitted
  }

  /// The treatment of fragments, by frame.
  private(set) var treatments: [UInt64: Treatment] = [:]

  /// The first frames of the sessions with omitted fragments.
  private(set) var incompleteSessions: Set<UInt64> = []

  init(_ map: ConnectionMap, of chosen: ChosenSessions, in file: String, anonymizes: Bool) {
    for (connection, all) in map.survey.joined {
      for one in all {
        guard let session = chosen.frames(of: connection, in: file, at: one.frame, isBare: one.isBare) else { continue }
        if !one.isWhole, all.contains(where: { $0.isWhole && $0.contains(one) }) { continue }
        let needsWhole = one.needsRewriting || connection.isUDP
        let mayBeCopied = !one.isAggregated && !(anonymizes && needsWhole) && map.isKept(one, of: connection)
        let treatment: Treatment = mayBeCopied ? .copied : one.isWhole ? .joined : .omitted
        for frame in one.frames where treatment.rawValue >= treatments[frame, default: .copied].rawValue { treatments[frame] = treatment }
        if treatment == .omitted { incompleteSessions.insert(session.first) }
      }
    }
  }
}

extension ConnectionMap {
  /// Whether an extract contains a segment as it is. A datagram is redacted by its protocol, which requires all of its fragments.
  fileprivate func isKept(_ joined: PacketSurvey.Joined, of connection: ChosenSessions.Connection) -> Bool {
    if connection.isUDP { return !joined.isWhole }
    // A byte value that occurs in no text.
    let probe = Bytes(repeating: 0xFF, count: joined.count)
    return reduced(probe, of: connection, in: joined.direction, sequence: joined.sequence, at: joined.frame) == probe
  }
}
