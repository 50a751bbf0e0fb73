/// The options of text reports: width, color, and what is listed.
package struct TextOptions: Hashable, Sendable {
  /// The columns of the terminal, at least ``minimumWidth``.
  package var width: Int

  /// Whether ANSI colors are written. Meaning never depends on color alone.
  package var useColor: Bool

  /// The verdicts of which a host must have one to be listed and not only counted; nil for all hosts.
  package var shown: Set<GateVerdict>?

  /// The verdicts that give a command exit status 1.
  package var gate: Set<GateVerdict>

  package var grouping: TextGrouping
  package var detail: TextDetail

  /// The narrowest layout; in a narrower terminal, the terminal breaks lines.
  package static let minimumWidth = 40

  /// Creates options; by default 80 columns without color.
  package init(
    width: Int = 80, useColor: Bool = false, shown: Set<GateVerdict>? = nil,
    gate: Set<GateVerdict> = [.fail], grouping: TextGrouping = .host, detail: TextDetail = .brief
  ) {
    self.width = max(width, TextOptions.minimumWidth)
    self.useColor = useColor
    self.shown = shown
    self.gate = gate
    self.grouping = grouping
    self.detail = detail
  }
}

/// The grouping of sessions in a text.
public enum TextGrouping: String, CaseIterable, Hashable, Sendable {
  /// Hosts, the worst first.
  case host
  /// One block per session, in the order of the capture.
  case session
  /// The hosts of each process, the worst first.
  case process
}

/// The amount of detail on hosts in a text.
public enum TextDetail: String, CaseIterable, Hashable, Sendable {
  /// Only the counts.
  case quiet
  /// Failures and their fixes; similar hosts share a block.
  case brief
  /// Every finding of every host.
  case full
}

/// The style of text on terminals with color.
package enum TextStyle {
  case unstyled, bold, dim, red, green, yellow, cyan

  /// The parameters of the SGR sequence; nil for unstyled text.
  var parameters: String? {
    switch self {
    case .unstyled: nil
    case .bold: "1"
    case .dim: "2"
    case .red: "1;31"
    case .green: "32"
    case .yellow: "1;33"
    case .cyan: "36"
    }
  }
}
