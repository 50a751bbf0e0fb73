/// The supported block types (draft-ietf-opsawg-pcapng §11.1).
enum BlockType {
  /// Section Header Block; a palindrome, so that its byte order does not matter.
  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let interfaceDescription: UInt32 = 1
  /// Packet Block, the obsolete predecessor of the enhanced one.
  static let packet: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let nameResolution: UInt32 = 4
  static let interfaceStatistics: UInt32 = 5
  static let enhancedPacket: UInt32 = 6
  /// systemd Journal Export Block.
  static let systemdJournal: UInt32 = 9
  static let decryptionSecrets: UInt32 = 0x0A
  /// Events of sysdig and Falco, in three formats that their libraries write.
  static let sysdigEvent: UInt32 = 0x204
  static let sysdigEventV2: UInt32 = 0x216
  static let sysdigEventV2Large: UInt32 = 0x221
  /// Custom Block that may be copied.
  static let custom: UInt32 = 0x0BAD
  /// Custom Block that must not be copied.
  static let customNotCopied: UInt32 = 0x4000_0BAD
  /// Apple's process information block, one of the numbers for local use.
  static let appleProcess: UInt32 = 0x8000_0001
  /// Apple's system event block, which is not used.
  static let appleEvent: UInt32 = 0x8000_0002

  /// Whether Wireshark counts blocks of this type as frames, although they are not packets. Version 4.0 skips the sysdig events with flags.
  static func isOtherFrame(_ type: UInt32) -> Bool {
    switch type {
    case custom, customNotCopied, systemdJournal, sysdigEvent, sysdigEventV2, sysdigEventV2Large: true
    default: false
    }
  }
}

/// The supported option codes, by block (draft-ietf-opsawg-pcapng §3.5 and §4).
enum OptionCode {
  static let endOfOptions: UInt16 = 0
  static let comment: UInt16 = 1

  static let sectionHardware: UInt16 = 2
  static let sectionOperatingSystem: UInt16 = 3
  static let sectionApplication: UInt16 = 4

  static let interfaceName: UInt16 = 2
  static let interfaceDescription: UInt16 = 3
  static let interfaceTimestampResolution: UInt16 = 9
  static let interfaceOperatingSystem: UInt16 = 12
  static let interfaceFCSLength: UInt16 = 13
  static let interfaceTimestampOffset: UInt16 = 14
  static let interfaceHardware: UInt16 = 15

  /// Apple's options: the index of the process information block within the section, and that of the effective process.
  static let packetProcess: UInt16 = 0x8001
  static let packetEffectiveProcess: UInt16 = 0x8003

  static let processName: UInt16 = 2

  static let statisticsReceived: UInt16 = 4
  static let statisticsDroppedByInterface: UInt16 = 5
  static let statisticsDroppedBySystem: UInt16 = 7
}

/// The supported record types of Name Resolution Blocks (draft-ietf-opsawg-pcapng §4.5).
enum NameRecordType {
  static let ipv4: UInt16 = 1
  static let ipv6: UInt16 = 2
}
