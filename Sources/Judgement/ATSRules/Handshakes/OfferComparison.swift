import ATSEvidence
import PolicyResolution
import SessionModel
import TLSParsing
import Values

/// The comparison of a ClientHello with the one that a device sends under a policy: versions, cipher suites, groups and signature schemes
/// (policy text D.0, failed handshakes).
///
/// A server that refuses a superset also refuses the device. How it answers an offer that the client made only in part is unknown.
struct OfferComparison {
  enum Relation {
    /// The client offered everything that a device offers, and perhaps more.
    case superset
    /// The client offered only part of what a device offers.
    case subset
    /// Each offers something that the other does not offer.
    case neither
  }

  /// The relation of the client's offer to the device's.
  var relation: Relation {
    if !lacksAnything { return .superset }
    return hasMore ? .neither : .subset
  }

  /// Whether the client offered something that the device does not offer.
  private(set) var hasMore = false

  private var versions: [TLSVersion] = []
  private var suites: [CipherSuite] = []
  private var groups: [NamedGroup] = []
  private var schemes: [SignatureScheme] = []
  private var lacksServerName = false
  private let isQUIC: Bool

  /// Compares the offer of a session; nil if no complete ClientHello is visible, or if the policy does not define what a device offers.
  init?(_ session: SessionEvidence, under policy: EffectivePolicy) {
    guard let offer = session.tls?.offer, session.evidence.clientHello != .partial else { return nil }
    let device = DeviceOffer(policy)
    if device.versions.isEmpty { return nil }
    isQUIC = session.transport == .quic
    compareVersions(offer, device)
    suites = OfferComparison.lacking(
      device.suites, in: offer.cipherSuites.filter { !$0.isSignal }, &hasMore)
    // A client without supported_groups leaves the choice to the server (RFC 8422 §4), which TLS 1.3 does not allow (RFC 8446 §9.2).
    if !offer.groups.isEmpty || device.offersTLS13 {
      groups = OfferComparison.lacking(device.groups, in: offer.groups, &hasMore)
    }
    schemes = OfferComparison.lacking(device.signatureSchemes, in: offer.signatureSchemes, &hasMore)
    // A server with one certificate per name may refuse a client that sends no name. A device sends none if its URL has an address, which
    // only a proxy's request shows.
    let isForAddress = session.serverNameSource == .connect && HostIdentity(session).address != nil
    lacksServerName = !isForAddress && !offer.extensions.contains(.serverName)
  }

  private var lacksAnything: Bool {
    !versions.isEmpty || !suites.isEmpty || !groups.isEmpty || !schemes.isEmpty || lacksServerName
  }

  private mutating func compareVersions(_ offer: Shared<ClientOffer>, _ device: DeviceOffer) {
    let offered = offer.versions.filter { !isGREASE($0.rawValue) }
    let isList = offer.extensions.contains(.supportedVersions) || offered.count != 1 || offered.contains(.tls13)
    if isList {
      versions = OfferComparison.lacking(device.versions, in: offered, &hasMore)
      return
    }
    // A client without supported_versions offers every version up to its legacy_version (RFC 8446 §4.2.1).
    let highest = offered.map(\.rawValue).max() ?? 0
    versions = device.versions.filter { $0.rawValue > min(highest, TLSVersion.tls12.rawValue) }
    if device.versions.first != .tls10 { hasMore = true }
  }

  /// The device's code points that an offer lacks. Sets `hasMore` if the offer has others.
  private static func lacking<Code: Hashable>(_ device: [Code], in offered: [Code], _ hasMore: inout Bool) -> [Code] {
    let offered = Set(offered)
    if !offered.isSubset(of: device) { hasMore = true }
    return device.filter { !offered.contains($0) }
  }

  /// Why the refusal does not show how the server would answer a device, as a sentence; nil if it does.
  var doubt: String? {
    guard lacksAnything else { return nil }
    if isQUIC, versions.contains(where: { $0 != .tls13 }) { return Remarks.noOlderVersion }
    var parts: [String] = []
    if !versions.isEmpty { parts.append(OfferComparison.list(versions.reversed().map(\.text))) }
    func add(_ noun: String, _ names: [String]) {
      if !names.isEmpty { parts.append("the \(names.count.form(of: noun)) \(OfferComparison.list(names))") }
    }
    add("cipher suite{s}", suites.map(\.text))
    add("group{s}", groups.map(\.text))
    add("signature scheme{s}", schemes.map(\.text))
    if lacksServerName { parts.append("the server's name (SNI)") }
    return Remarks.narrowerOffer(parts.joined(separator: "; "))
  }

  private static func list(_ names: [String]) -> String {
    names.count > 4 ? names.joined(first: 3) : names.joinedWithAnd()
  }
}
