/// The words that an expression may contain.
///
/// The compiler looks up every other word as the name of a host, port or protocol, if necessary through DNS. Words that only some versions
/// of it know are names to the others, and are omitted here, as are words unrelated to captures of IP traffic.
enum FilterWords {
  static let keywords: Set<String> = [
    // Directions and kinds of operands.
    "src", "dst", "host", "net", "mask", "port", "portrange", "proto", "protochain",
    // Protocols.
    "link", "ether", "wlan", "arp", "rarp", "ip", "ip6", "tcp", "udp", "sctp", "icmp", "icmp6", "igmp", "ah", "esp", "pim", "vrrp", "ppp",
    // Encapsulations.
    "vlan", "mpls", "pppoed", "pppoes",
    // Other tests.
    "less", "greater", "broadcast", "multicast", "inbound", "outbound", "len", "length",
    // Combinations.
    "and", "or", "not",
    // Named numbers.
    "tcpflags", "tcp-fin", "tcp-syn", "tcp-rst", "tcp-push", "tcp-ack", "tcp-urg",
    "icmptype", "icmpcode", "icmp-echoreply", "icmp-unreach", "icmp-echo", "icmp-redirect", "icmp-timxceed",
  ]

  /// Words after which an earlier qualifier still applies: in `port 80 or 443`, the second number is also a port.
  static let connectives: Set<String> = ["and", "or", "not"]

  /// Port numbers of services, by their IANA names.
  static let ports: [String: Int] = [
    "ftp-data": 20, "ftp": 21, "ssh": 22, "telnet": 23, "smtp": 25, "domain": 53, "http": 80, "pop3": 110,
    "ntp": 123,
    "imap": 143, "ldap": 389, "https": 443, "submissions": 465, "submission": 587, "ldaps": 636, "ftps": 990,
    "imaps": 993, "pop3s": 995, "mqtt": 1883, "postgresql": 5432, "mysql": 3306, "xmpp-client": 5222,
    "http-alt": 8080,
    "secure-mqtt": 8883,
  ]

  /// IP protocol numbers by name (`ip proto \tcp`), as assigned by IANA.
  static let protocols: [String: Int] = [
    "icmp": 1, "igmp": 2, "tcp": 6, "udp": 17, "esp": 50, "ah": 51, "icmp6": 58, "pim": 103, "vrrp": 112,
    "sctp": 132,
  ]

  /// EtherTypes by name (`ether proto \ip`).
  static let etherTypes: [String: Int] = ["ip": 0x0800, "arp": 0x0806, "rarp": 0x8035, "ip6": 0x86DD]
}
