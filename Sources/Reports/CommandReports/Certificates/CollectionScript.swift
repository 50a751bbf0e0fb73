import ByteParsing
import Reporting
import SessionModel

/// A script that collects chains with `openssl s_client`, one file `HOST_PORT.pem` for each host.
///
/// Names and addresses come from captures. Commands contain only those that `CollectedChainName` accepts, in single quotes. In the
/// comments on the others, all characters but letters, digits, dots and hyphens are replaced by `?`.
struct CollectionScript {
  let hosts: [MissingChain]
  let furtherSessions: Int

  /// The names of protocols in OpenSSL's option `-starttls`, by the names of a `tunnel`.
  private static let startTLSNames = [
    "smtp": "smtp", "lmtp": "lmtp", "ftp": "ftp", "imap": "imap", "pop3": "pop3", "xmpp": "xmpp", "postgresql": "postgres",
    "mysql": "mysql", "ldap": "ldap", "irc": "irc", "nntp": "nntp", "sieve": "sieve",
  ]

  /// Returns the reason that the script cannot collect the chain of a host; nil if it can.
  static func reasonToLeaveOut(_ host: MissingChain) -> String? {
    if CollectedChainName(host: host.host, port: host.port) == nil { return "not a usable host name" }
    if let name = host.startTLS, startTLSNames[name] == nil { return "openssl has no STARTTLS for its protocol" }
    if !host.isHostKnown { return "no ClientHello in the capture shows the host" }
    if !host.isSettledByChain { return "Encrypted ClientHello may hide another host, or the server has a raw public key" }
    return nil
  }

  func rendered() -> Bytes {
    let included = hosts.filter { CollectionScript.reasonToLeaveOut($0) == nil }
    var lines = [CollectionScript.head]
    for host in included { lines += CollectionScript.commands(for: host) }
    for host in hosts {
      guard let reason = CollectionScript.reasonToLeaveOut(host) else { continue }
      lines.append("# Left out: \(CollectionScript.commentText(host.host)), port \(host.port): \(reason)")
    }
    let leftOut = hosts.count - included.count
    lines.append("left_out=\(leftOut)")
    if furtherSessions > 0 {
      lines.append("# Left out: further hosts, with \(Wording.count(furtherSessions, "session{s}"))")
    }
    lines.append(CollectionScript.tail)
    return Bytes(lines.joined(separator: "\n").utf8)
  }

  private static func commands(for host: MissingChain) -> [String] {
    guard let name = CollectedChainName(host: host.host, port: host.port) else { return [] }
    var words = ["collect", "'\(name.fileName)'", "'\(name.endpoint)'"]
    if !name.isAddress { words += ["-servername", "'\(name.host)'"] }
    if let protocolName = host.startTLS.flatMap({ startTLSNames[$0] }) {
      words += ["-starttls", protocolName]
    }
    if host.transports == [.udp] { words.append("-dtls") }
    let note = host.transports == [.quic] ? ["# The sessions use QUIC (UDP); the chain is collected over TCP and may differ."] : []
    return note + [words.joined(separator: " ")]
  }

  /// Returns text that cannot end a comment: at most 64 bytes, with `?` for all but letters, digits, dots and hyphens.
  private static func commentText(_ text: String) -> String {
    let isLong = text.utf8.count > 64
    let bytes = text.utf8.prefix(64).map { byte in isLowercaseAlphanumeric(byte) || byte == 0x2D || byte == 0x2E ? byte : UInt8(ascii: "?")
    }
    return String(decoding: bytes, as: UTF8.self) + (isLong ? "..." : "")
  }

  private static let head = #"""
    #!/bin/sh
    # Collects certificate chains with openssl s_client, one file HOST_PORT.pem for each host.
    # Usage: sh collect.sh FOLDER
    # Then:  atscope --chain FOLDER INPUT...
    set -u
    LC_ALL=C
    export LC_ALL

    if [ $# -ne 1 ] || [ -z "$1" ]; then
      echo "usage: sh collect.sh FOLDER" >&2
      exit 64
    fi
    # A name that begins with a hyphen is not an option.
    case $1 in
    /*) folder=$1 ;;
    *) folder=./$1 ;;
    esac
    if ! command -v openssl >/dev/null 2>&1; then
      echo "collect: openssl is not installed" >&2
      exit 69
    fi
    mkdir -p "$folder" || exit 73

    # A server that does not answer holds up the others no longer than this many seconds.
    patience=${PATIENCE:-20}
    if command -v timeout >/dev/null 2>&1; then limit=timeout; else limit=; fi
    collected=0
    failed=0

    # collect FILE HOST:PORT [OPTION...]
    collect() {
      file=$folder/$1
      connect=$2
      shift 2
      printf '%s: ' "$connect"
      ${limit:+"$limit" "$patience"} openssl s_client -connect "$connect" "$@" -showcerts \
        </dev/null >"$file.part" 2>"$file.err"
      status=$?
      if grep -q '^-----BEGIN CERTIFICATE-----' "$file.part"; then
        if mv -f "$file.part" "$file"; then
          collected=$((collected + 1))
          echo collected
        else
          failed=$((failed + 1))
        fi
      else
        failed=$((failed + 1))
        # For a system error, the third field is "system lib", and the last is the reason.
        reason=$(sed -n -e 's/^.*:error:[^:]*:[^:]*:[^:]*:system lib:.*:\([^:][^:]*\)$/\1/p' -e t \
          -e 's/^.*:error:[^:]*:[^:]*:[^:]*:\([^:]*\):.*$/\1/p' "$file.err" | sed 1q | tr -cd ' -~')
        if [ "$status" -eq 124 ]; then reason="no answer within $patience s"; fi
        echo "failed${reason:+: $reason}"
      fi
      rm -f "$file.part" "$file.err"
    }

    """#

  private static let tail = #"""

    printf '\n%s collected in %s, %s failed, %s left out of this script\n' \
      "$collected" "$1" "$failed" "$left_out"
    if [ "$collected" -eq 0 ]; then exit 1; fi
    exit 0

    """#
}
