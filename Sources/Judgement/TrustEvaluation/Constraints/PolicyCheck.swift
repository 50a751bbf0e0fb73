import ByteParsing
import CertificateParsing

/// Checks that a path has a valid policy if one of its CAs requires one (RFC 5280 §6.1, policyConstraints).
///
/// Only the leaves of the valid policy tree are kept. They show whether the tree is empty, which is sufficient because the caller requires
/// no particular policy.
enum PolicyCheck {
  /// The fault of a path; nil if there is none.
  static func fault(in path: [CertificateNode]) -> PathFault? {
    // Neither side of a mapping may be anyPolicy (RFC 5280 §6.1.4 a). The mappings of the leaf and the anchor are not used.
    for (index, node) in path.enumerated().dropFirst().dropLast() {
      let pairs = mappings(of: node.certificate) ?? []
      if pairs.contains(where: { $0.issuer == anyPolicy || $0.subject == anyPolicy }) {
        return PathFault(at: index, "maps anyPolicy to another policy")
      }
    }
    guard path.contains(where: { $0.certificate.policyLimits.requireExplicitPolicy != nil }) else { return nil }
    // Nil means any policy.
    var valid: Set<String>?
    var isNull = false
    let count = path.count - 1
    var explicit = count + 1
    var mapping = count + 1
    var inhibitAny = count + 1
    // The anchor's own extensions do not count (RFC 5280 §6.1.1 d).
    for index in (0..<max(count, 0)).reversed() {
      let certificate = path[index].certificate
      let isLast = index == 0
      let policies = Set(certificate.certificatePolicies)
      let allowsAny = policies.contains(anyPolicy) && (inhibitAny > 0 || !isLast && certificate.isSelfIssued)
      let named = policies.subtracting([anyPolicy])
      if certificate.certificatePolicies.isEmpty {
        isNull = true
      } else if let known = valid {
        let kept = allowsAny ? known : known.intersection(named)
        if kept.isEmpty { isNull = true }
        valid = kept
      } else if !allowsAny {
        if named.isEmpty { isNull = true }
        valid = named
      }
      if explicit <= 0, isNull { return fault(at: index) }
      if isLast {
        // The leaf is also counted before the final check (RFC 5280 §6.1.5 a, b).
        explicit = certificate.policyLimits.requireExplicitPolicy == 0 ? 0 : explicit - 1
        break
      }
      if let pairs = mappings(of: certificate) {
        valid = map(valid, pairs, isInhibited: mapping <= 0)
        if valid?.isEmpty == true { isNull = true }
      }
      if !certificate.isSelfIssued {
        (explicit, mapping, inhibitAny) = (explicit - 1, mapping - 1, inhibitAny - 1)
      }
      let limits = certificate.policyLimits
      if let limit = limits.requireExplicitPolicy { explicit = min(explicit, limit) }
      if let limit = limits.inhibitPolicyMapping { mapping = min(mapping, limit) }
      if let limit = limits.inhibitAnyPolicy { inhibitAny = min(inhibitAny, limit) }
    }
    return explicit <= 0 && isNull ? fault(at: 0) : nil
  }

  private static func fault(at index: Int) -> PathFault {
    PathFault(at: index, "has no certificate policy, though a CA above it requires one")
  }

  private static let anyPolicy = "2.5.29.32.0"

  /// Maps policies of the issuer to those of the subject. If mapping is inhibited, the mapped ones are only removed.
  private static func map(_ valid: Set<String>?, _ pairs: [(issuer: String, subject: String)], isInhibited: Bool) -> Set<String>? {
    // Any policy stays any policy under every mapping.
    guard let valid else { return nil }
    var mapped = valid.subtracting(pairs.map(\.issuer))
    if !isInhibited { mapped.formUnion(pairs.filter { valid.contains($0.issuer) }.map(\.subject)) }
    return mapped
  }

  /// The policyMappings (RFC 5280 §4.2.1.5); nil if the extension is absent or cannot be parsed.
  private static func mappings(of certificate: Certificate) -> [(issuer: String, subject: String)]? {
    guard let value = certificate.extensionValue("2.5.29.33") else { return nil }
    var pairs: [(issuer: String, subject: String)] = []
    do throws(ParseError) {
      var outer = DERReader(value.span)
      var list = DERReader(try outer.next("sequence", 0x30).contents)
      while !list.isAtEnd, pairs.count < 256 {
        var fields = DERReader(try list.next("sequence", 0x30).contents)
        let issuer = dotted(Bytes(copying: try fields.next("object identifier", 0x06).bytes))
        pairs.append((issuer, dotted(Bytes(copying: try fields.next("object identifier", 0x06).bytes))))
      }
    } catch {
      return nil
    }
    return pairs
  }

  /// The dotted text of an OBJECT IDENTIFIER; for one that cannot be decoded, a unique text.
  private static func dotted(_ contents: Bytes) -> String {
    (try? dottedObjectIdentifier(contents.span, "object identifier", at: 0)) ?? hexadecimal(contents)
  }
}
