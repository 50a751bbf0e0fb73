import Values

/// What ends a failure: steps, each with who carries it out. Its text reads `Server: renew the certificate. App: or remove the pin`.
public struct Fix: Hashable, Sendable {
  /// Who carries out a step, in the order of a fix.
  package enum Actor: String, CaseIterable, Sendable {
    case recording = "Recording"
    case server = "Server"
    case serverIfRepeated = "Server, if a new recording fails too"
    case app = "App"
    case devices = "Devices"
  }

  package struct Step: Hashable, Sendable {
    package var actor: Actor
    package var instruction: String

    package var text: String { "\(actor.rawValue): \(instruction)" }
  }

  package var steps: [Step]

  /// The steps, separated by full stops, without one at the end.
  public var text: String { steps.map(\.text).joined(separator: ". ") }

  /// The text with a full stop.
  package var sentence: String { text + "." }

  package static func recording(_ instruction: String) -> Fix { Fix(steps: [Step(actor: .recording, instruction: instruction)]) }

  package static func server(_ instruction: String) -> Fix { Fix(steps: [Step(actor: .server, instruction: instruction)]) }

  package static func serverIfRepeated(_ instruction: String) -> Fix {
    Fix(steps: [Step(actor: .serverIfRepeated, instruction: instruction)])
  }

  package static func app(_ instruction: String) -> Fix { Fix(steps: [Step(actor: .app, instruction: instruction)]) }

  package static func devices(_ instruction: String) -> Fix { Fix(steps: [Step(actor: .devices, instruction: instruction)]) }

  /// Returns several fixes as one, with one step for each actor, in which no instruction is repeated. What a server has to do in any case
  /// does not depend on a new recording, and an instruction without a condition includes the same one with it, which follows a comma.
  package static func merged(_ fixes: [Fix]) -> Fix {
    let all = fixes.flatMap(\.steps)
    let certain = Set(all.filter { $0.actor == .server }.map(\.instruction))
    let steps = all.filter { step in
      step.actor != .serverIfRepeated || !certain.contains { $0 == step.instruction || includes($0, step.instruction) }
    }
    return Fix(
      steps: Actor.allCases.compactMap { actor in
        let all = steps.filter { $0.actor == actor }.map(\.instruction).distinct()
        let instructions = all.filter { text in !all.contains { includes($0, text) } }
        return instructions.isEmpty ? nil : Step(actor: actor, instruction: instructions.joined(separator: "; "))
      })
  }

  /// Whether one instruction includes another: as its part before `and`, or because it lacks the condition after a comma.
  private static func includes(_ instruction: String, _ other: String) -> Bool {
    instruction.hasPrefix(other + " and ") || other.hasPrefix(instruction + ", ")
  }

  /// Returns the fix followed by the steps of another.
  package func and(_ other: Fix) -> Fix { Fix(steps: steps + other.steps) }

  /// Returns the fix with each instruction changed.
  package func mapInstructions(_ change: (String) -> String) -> Fix {
    Fix(steps: steps.map { Step(actor: $0.actor, instruction: change($0.instruction)) })
  }

  /// Returns the fix with a condition after each instruction.
  func qualified(_ condition: String) -> Fix { mapInstructions { $0 + condition } }

  /// Returns the fix for a failure that the recording may have caused: the server's steps follow only if a new recording fails too.
  func ifRepeated() -> Fix {
    Fix(steps: steps.map { Step(actor: $0.actor == .server ? .serverIfRepeated : $0.actor, instruction: $0.instruction) })
  }

  /// Returns whether a text contains the instruction of each step.
  package func isIncluded(in text: String) -> Bool { steps.allSatisfy { text.contains($0.instruction) } }
}
