extension LinkType {
  /// The name in the tcpdump group's registry, without `LINKTYPE_`; nil for numbers that are not known here.
  public var name: String? {
    switch self {
    case .null: "NULL"
    case .ethernet: "ETHERNET"
    case .ppp: "PPP"
    case .rawDLT12, .rawDLT14, .raw: "RAW"
    case .pppHDLC: "PPP_HDLC"
    case .pppEthernet: "PPP_ETHER"
    case .ciscoHDLC: "C_HDLC"
    case .ieee80211: "IEEE802_11"
    case .loop: "LOOP"
    case .linuxSLL: "LINUX_SLL"
    case .ieee80211Prism: "IEEE802_11_PRISM"
    case .ieee80211Radiotap: "IEEE802_11_RADIOTAP"
    case .user2: "USER2"
    case .ppi: "PPI"
    case .ipv4: "IPV4"
    case .ipv6: "IPV6"
    case .nflog: "NFLOG"
    case .pktap: "PKTAP"
    case .linuxSLL2: "LINUX_SLL2"
    default: nil
    }
  }
}
