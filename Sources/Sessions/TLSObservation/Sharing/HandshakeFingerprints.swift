import ByteParsing
import Crypto
package import TLSParsing

/// The JA3 fingerprint of a client: 32 hexadecimal digits.
package func ja3(of hello: ClientHello) -> String { md5(ja3String(of: hello)) }

/// The JA3S fingerprint of a server's response to one client: 32 hexadecimal digits.
package func ja3s(of hello: ServerHello) -> String { md5(ja3sString(of: hello)) }

/// The JA4 fingerprint of a client, such as `t13d1516h2_8daaf6152771_e5627efa2ab1`.
package func ja4(of hello: ClientHello, transport: JA4Inputs.Transport = .tls) -> String {
  ja4(from: JA4Inputs(of: hello, transport: transport))
}

/// The JA4 fingerprint for these inputs.
func ja4(from inputs: JA4Inputs) -> String {
  "\(inputs.a)_\(truncatedSHA256(inputs.ciphers))_\(truncatedSHA256(inputs.extensions))"
}

/// Computes MD5, which JA3 requires; it protects nothing.
private func md5(_ text: String) -> String { hexadecimal(Insecure.MD5.hash(data: Bytes(text.utf8))) }

private func truncatedSHA256(_ text: String) -> String {
  text.isEmpty ? JA4Inputs.emptyHash : hexadecimal(SHA256.hash(data: Bytes(text.utf8)).prefix(6))
}
