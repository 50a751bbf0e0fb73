import ATSEvaluation
import ATSEvidence
package import PolicyResolution
import SessionModel

/// Predicts the results of `nscurl --ats-diagnostics` from recorded sessions (policy text G).
package struct DiagnosticMatrix {
  private let release: SystemRelease
  private let trial: SettingsTrial
  private let configurations: [DiagnosticConfiguration]

  /// Creates the matrix for a release; this program's own rows are included on request.
  package init(release: SystemRelease, includesOurs: Bool = false, trial: @escaping SettingsTrial) {
    self.release = release
    self.trial = trial
    configurations = DiagnosticConfiguration.nscurl + (includesOurs ? DiagnosticConfiguration.ours : [])
  }

  /// The matrices of a host in the order in which its origins were seen: one per port, with cleartext and TLS separate, because a URL names
  /// one of them.
  package func diagnoses(of host: SessionSamples.Host) -> [HostDiagnosis] {
    var origins: [(port: UInt16, isCleartext: Bool, samples: [SessionSamples.Sample])] = []
    for sample in host.samples {
      let isCleartext = sample.session.application == .http
      let port = sample.session.hostPort
      if let known = origins.firstIndex(where: { $0.port == port && $0.isCleartext == isCleartext }) {
        origins[known].samples.append(sample)
      } else {
        origins.append((port, isCleartext, [sample]))
      }
    }
    return origins.enumerated().map { index, origin in
      var diagnosis = HostDiagnosis(
        host: host.identity, port: origin.port, isCleartext: origin.isCleartext, key: host.identity.exceptionKey(in: release))
      // Sessions beyond the limit were counted without their origin.
      diagnosis.leftOut = index == 0 ? host.leftOut : 0
      judge(origin.samples, &diagnosis)
      return diagnosis
    }
  }

  private func judge(_ samples: [SessionSamples.Sample], _ diagnosis: inout HostDiagnosis) {
    var loads: [SessionSamples.Sample] = []
    for sample in samples {
      if trial(sample, nil, sample.context).isURLLoad {
        loads.append(sample)
        diagnosis.sessions += sample.count
      } else {
        diagnosis.otherSessions += sample.count
      }
    }
    guard !loads.isEmpty else { return }
    diagnosis.isHostHidden = loads.contains { HostIdentity.isHidden(in: SessionEvidence($0.session)) }
    diagnosis.rows = configurations.map { row($0, diagnosis.key, loads) }
  }

  /// A name that no host has (RFC 6761 §6.4).
  private static let anyHost = "host.invalid"

  private func row(_ configuration: DiagnosticConfiguration, _ key: String?, _ samples: [SessionSamples.Sample]) -> HostDiagnosis.Row {
    var row = HostDiagnosis.Row(configuration: configuration, result: .pass)
    // ATS is off by default for local destinations, and for all addresses on some releases.
    var failsUnderATS = false
    for sample in samples {
      // If the host is hidden, the entry is for any name.
      let key = key ?? (HostIdentity.isHidden(in: SessionEvidence(sample.session)) ? DiagnosticMatrix.anyHost : nil)
      let judgement = trial(sample, configuration.dictionary(forKey: key), configuration.context ?? sample.context)
      let outcome = SessionOutcome(sample.session, judgement)
      switch outcome.result {
      case .pass: row.passing += sample.count
      case .fail:
        row.failing += sample.count
        if judgement.verdict == .fail { failsUnderATS = true }
        if let error = outcome.error, !row.errors.contains(error) { row.errors.append(error) }
      default: row.undecided += sample.count
      }
      for reason in outcome.reasons { row.add(reason, count: sample.count) }
    }
    if row.failing > 0 {
      row.result = row.passing + row.undecided > 0 ? .mixed : .fail
      row.isCauseElsewhere = configuration.isATSOff || !failsUnderATS
    } else if row.undecided > 0 {
      row.result = .unknown
    }
    return row
  }
}

extension HostDiagnosis.Row {
  /// Adds the reason why `count` sessions do not pass.
  fileprivate mutating func add(_ reason: HostDiagnosis.Reason, count: Int) {
    let known = reasons.firstIndex {
      $0.rules == reason.rules && $0.text == reason.text && $0.isFailure == reason.isFailure
    }
    if let known {
      reasons[known].sessions += count
    } else {
      reasons.append(reason)
      reasons[reasons.count - 1].sessions = count
    }
  }
}
