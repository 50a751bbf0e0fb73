import ByteParsing
import CertificateParsing

/// Checks the names in a path against the name constraints of its CAs (RFC 5280 §4.2.1.10, §6.1).
enum NameConstraintCheck {
  /// The maximum number of comparisons of a name with a subtree. Real constraints have about a hundred subtrees; crafted ones have
  /// thousands, for thousands of names.
  static let maximumComparisons = 1 << 18

  /// The first fault of a path, from the anchor; nil if there is none.
  static func fault(in path: [CertificateNode]) -> PathFault? {
    guard path.contains(where: { $0.certificate.nameConstraintsRange != nil }) else { return nil }
    var comparisons = 0
    var permitted = Subtrees([])
    var excluded = Subtrees([])
    for (position, node) in path.enumerated().reversed() {
      // Self-issued certificates of a CA have the same name (RFC 5280 §6.1.3 b). The anchor's own names do not count.
      if position == 0 || position < path.count - 1 && !node.certificate.isSelfIssued {
        let names = GeneralNames(of: node.certificate)
        guard takes((permitted.count, names.count + 1), from: &comparisons), takes((excluded.count, names.count + 1), from: &comparisons)
        else { return PathFault(at: position, "has too many names to compare with the constraints above it") }
        if permitted.count + excluded.count > 0, let text = fault(node, names, permitted, excluded) {
          return PathFault(at: position, text)
        }
      }
      guard position > 0, let value = node.certificate.nameConstraintsDER else { continue }
      guard let constraints = try? NameConstraints(parsing: value.span), isWellFormed(constraints) else {
        return PathFault(at: position, "has name constraints that cannot be evaluated")
      }
      // At least one list must be present, and a list has at least one subtree (RFC 5280 §4.2.1.10).
      if constraints.permitted.isEmpty, constraints.excluded.isEmpty { return PathFault(at: position, "has empty name constraints") }
      let own = Subtrees(constraints.permitted)
      guard takes((permitted.count, own.count), from: &comparisons) else {
        return PathFault(at: position, "has too many name constraints to compare with those above it")
      }
      permitted.narrow(to: own)
      excluded.add(Subtrees(constraints.excluded))
    }
    return nil
  }

  /// Adds the number of comparisons, the product of `counts`; returns false if the total exceeds the maximum.
  private static func takes(_ counts: (Int, Int), from comparisons: inout Int) -> Bool {
    let (cost, overflow) = counts.0.multipliedReportingOverflow(by: counts.1)
    guard !overflow, cost <= maximumComparisons - comparisons else { return false }
    comparisons += cost
    return true
  }

  /// The first CA below the anchor with critical constraints of a form that the system cannot compare; nil if there is none. The system
  /// refuses them whether or not a name has that form (SecNameConstraintsAreSubtreesSupported).
  static func unsupportedConstraint(in path: [CertificateNode]) -> PathFault? {
    for (position, issuer) in path.enumerated().dropLast().reversed() where position > 0 {
      let isCritical = issuer.certificate.extensions.contains {
        $0.isCritical && $0.objectIdentifier == "2.5.29.30"
      }
      guard isCritical, let value = issuer.certificate.nameConstraintsDER, let constraints = try? NameConstraints(parsing: value.span)
      else { continue }
      let isUnsupported = (constraints.permitted + constraints.excluded).contains { subtree in
        if case .other = subtree { true } else { false }
      }
      if isUnsupported { return PathFault(at: position, "has critical name constraints of a kind that Apple's systems cannot compare") }
    }
    return nil
  }

  /// Whether every subtree can be compared with names: address ranges have CIDR masks, and there are no wildcards.
  private static func isWellFormed(_ constraints: NameConstraints) -> Bool {
    (constraints.permitted + constraints.excluded).allSatisfy { subtree in
      switch subtree {
      case .ipAddress(let bytes):
        (bytes.count == 8 || bytes.count == 32) && isMask(bytes.suffix(bytes.count / 2))
      case .dnsName(let name): !name.utf8.contains(UInt8(ascii: "*"))
      default: true
      }
    }
  }

  /// Whether the bits are ones followed by zeros.
  private static func isMask(_ bytes: Bytes.SubSequence) -> Bool {
    let rest = bytes.drop { $0 == 0xFF }
    return rest.first.map { (~$0 & (~$0 &+ 1)) == 0 } ?? true && rest.dropFirst().allSatisfy { $0 == 0 }
  }

  /// The fault of the names of one certificate; nil if there is none.
  private static func fault(_ node: CertificateNode, _ names: GeneralNames, _ permitted: Subtrees, _ excluded: Subtrees) -> String? {
    if names.isUnreadable { return "has unreadable alternative names, which its CA constrains" }
    if !names.otherTags.isDisjoint(with: permitted.otherTags) {
      return "lists a name of a kind that its CA constrains and Apple's systems cannot compare"
    }
    for name in names.dnsNames {
      let labels = DNSLabels(name)
      if !allows(permitted.dns, excluded.dns, labels.isWithin) {
        return "lists \(text(name)), for which its CA may not issue"
      }
    }
    for address in names.ipAddresses
    where !allows(permitted.addresses, excluded.addresses, { isWithin(address, $0) }) {
      return "lists an address for which its CA may not issue"
    }
    for name in names.directoryNames + (node.subject.isEmpty ? [] : [node.certificate.subjectDER])
    where !allows(permitted.directory, excluded.directory, { isName(name, within: $0) }) {
      return "has a subject for which its CA may not issue"
    }
    for mailbox in names.mailboxes
    where !allows(permitted.mail, excluded.mail, { isMailbox(mailbox, within: $0) }) {
      return "lists a mailbox for which its CA may not issue"
    }
    for resource in names.resources where !permitted.hosts.isEmpty || !excluded.hosts.isEmpty {
      let host = hostName(of: resource)
      guard allows(permitted.hosts, excluded.hosts, { tree in host.map { isHost($0, within: tree) } ?? false }) else {
        return "lists a URI for which its CA may not issue"
      }
    }
    return nil
  }

  /// Whether a name is within no excluded subtree, and within a permitted one if there are any.
  private static func allows<Subtree>(_ permitted: [Subtree], _ excluded: [Subtree], _ isWithin: (Subtree) -> Bool) -> Bool {
    !excluded.contains(where: isWithin) && (permitted.isEmpty || permitted.contains(where: isWithin))
  }

  private static func text(_ name: Bytes) -> String { String(decoding: name.prefix(255), as: UTF8.self) }

  /// Whether an address is in a range, which is an address followed by a mask.
  private static func isWithin(_ address: Bytes, _ range: Bytes) -> Bool {
    guard range.count == 2 * address.count else { return false }
    return address.indices.allSatisfy { index in
      let mask = range[index + address.count]
      return address[index] & mask == range[index] & mask
    }
  }

  /// Whether a Name begins with all parts of a subtree and has more. The system compares bytes, and takes no Name that equals the subtree
  /// (`nc_compare_directoryNames`).
  fileprivate static func isName(_ name: Bytes, within tree: Bytes) -> Bool {
    var names = DERReader(name.span)
    var trees = DERReader(tree.span)
    guard name.count > tree.count, let parts = try? names.next("Name"), let first = try? trees.next("Name"),
      parts.bytes.count >= first.bytes.count
    else { return false }
    return isEqual(parts.bytes.extracting(0..<first.bytes.count), first.bytes)
  }

  /// Whether a mailbox equals the constraint, or is at its host or below its domain. Before the `@`, letter case matters in RFC 5280 §7.5,
  /// but not to the system (`SecRFC822NameMatch`).
  fileprivate static func isMailbox(_ mailbox: Bytes, within constraint: Bytes) -> Bool {
    let (name, tree) = (mailbox.asciiLowercase, constraint.asciiLowercase)
    guard let at = name.lastIndex(of: UInt8(ascii: "@")) else { return false }
    if tree.contains(UInt8(ascii: "@")) { return name == tree }
    let host = name[(at + 1)...]
    return tree.first == UInt8(ascii: ".") ? isHost(host, within: tree) : host.elementsEqual(tree)
  }

  /// Whether a host is below a domain that has a leading dot, or begins with another name: the system compares no more (`SecURIMatch`).
  private static func isHost(_ host: Bytes.SubSequence, within tree: Bytes) -> Bool {
    tree.first == UInt8(ascii: ".") ? host.reversed().starts(with: tree.reversed()) : host.starts(with: tree)
  }

  /// What the system takes for the host of a URI, in lowercase: all up to a port or path. Nil if there is none.
  private static func hostName(of resource: Bytes) -> Bytes.SubSequence? {
    let text = resource.asciiLowercase
    guard let start = text.indices.first(where: { text[$0...].starts(with: "://".utf8) }) else { return nil }
    let host = text[(start + 3)...].prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "/") }
    return host.first == UInt8(ascii: ".") ? nil : host
  }
}

/// The subtrees of several CAs, by the form of the name.
private struct Subtrees {
  var dns: [DNSLabels] = []
  var addresses: [Bytes] = []
  var directory: [Bytes] = []
  var mail: [Bytes] = []
  var hosts: [Bytes] = []
  /// The tags of forms that the system cannot compare: none of their names is permitted or excluded (`nc_compare_subtree`).
  var otherTags = Set<UInt8>()

  init(_ subtrees: [NameConstraints.Subtree]) {
    for subtree in subtrees {
      switch subtree {
      case .dnsName(let name): dns.append(DNSLabels(Bytes(name.utf8)))
      case .ipAddress(let range): addresses.append(range)
      case .directoryName(let name): directory.append(name)
      case .rfc822Name(let name): mail.append(Bytes(name.utf8))
      case .uniformResourceIdentifier(let host): hosts.append(host.utf8.asciiLowercase)
      case .other(let tag): otherTags.insert(tag)
      }
    }
  }

  var count: Int { dns.count + addresses.count + directory.count + mail.count + hosts.count + otherTags.count }

  mutating func add(_ others: Subtrees) {
    dns += others.dns
    addresses += others.addresses
    directory += others.directory
    mail += others.mail
    hosts += others.hosts
    otherTags.formUnion(others.otherTags)
  }

  /// Adds the permitted subtrees of a further CA. RFC 5280 §6.1.4 g requires the intersection; the system only replaces a subtree by one
  /// within it, and keeps the others (SecNameConstraintsIntersectSubtrees).
  mutating func narrow(to others: Subtrees) {
    dns = Subtrees.narrowed(dns, to: others.dns) { $0.isWithin($1) }
    directory = Subtrees.narrowed(directory, to: others.directory) { NameConstraintCheck.isName($0, within: $1) }
    // Of the other forms, each subtree is also added.
    mail = Subtrees.narrowed(mail, to: others.mail) { NameConstraintCheck.isMailbox($0, within: $1) } + others.mail
    addresses += others.addresses
    hosts += others.hosts
    otherTags.formUnion(others.otherTags)
  }

  private static func narrowed<Subtree>(_ known: [Subtree], to others: [Subtree], _ isWithin: (Subtree, Subtree) -> Bool) -> [Subtree] {
    var narrowed = known
    var added: [Subtree] = []
    for subtree in others {
      guard let index = narrowed.firstIndex(where: { isWithin(subtree, $0) || isWithin($0, subtree) }) else {
        added.append(subtree)
        continue
      }
      if isWithin(subtree, narrowed[index]) { narrowed[index] = subtree }
    }
    return narrowed + added
  }
}

/// A DNS name in the form in which constraints are compared: lowercase labels, from the right. The `*` of a wildcard is a label like any
/// other (`SecDNSNameConstraintsMatch`): an excluded subtree does not exclude wildcards that match its names.
private struct DNSLabels {
  private let name: Bytes

  init(_ bytes: Bytes) {
    var name = bytes.asciiLowercase
    if name.last == UInt8(ascii: ".") { name.removeLast() }
    self.name = name
  }

  /// Whether the name is the subtree's own or below it. A subtree with a leading dot contains only names below; RFC 5280 does not define
  /// it, but every implementation accepts it. To the system, no name is below the empty one.
  func isWithin(_ tree: DNSLabels) -> Bool {
    guard name.count >= tree.name.count, name.suffix(tree.name.count).elementsEqual(tree.name) else { return false }
    if tree.name.first == UInt8(ascii: ".") { return true }
    let before = name.count - tree.name.count - 1
    return before < 0 || name[before] == UInt8(ascii: ".")
  }
}
