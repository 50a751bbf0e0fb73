import ByteParsing
import TestBytes

extension TestCertificates {
  /// A certificate with every extension that the parser reads, made by `openssl req -x509 -newkey ec -pkeyopt
  /// ec_paramgen_curve:P-256 -nodes -config … -set_serial 0xc0ffee` with this configuration:
  ///
  ///     [req]
  ///     prompt = no
  ///     distinguished_name = dn
  ///     x509_extensions = ext
  ///     utf8 = yes
  ///     string_mask = utf8only
  ///     [dn]
  ///     C = DE
  ///     ST = Süd
  ///     O = "Exa, mple+ \"Co\" <x>; #1\\"
  ///     0.OU = " lead"
  ///     0.DC = com
  ///     1.DC = example
  ///     street = Main St 1
  ///     UID = u1
  ///     serialNumber = 42
  ///     CN = leaf.example.com
  ///     +emailAddress = pki@example.com
  ///     [ext]
  ///     subjectAltName = critical,DNS:leaf.example.com,DNS:*.example.com,IP:192.0.2.7,IP:2001:db8::7,email:a@example.com,\
  ///       URI:https://example.com/,dirName:dirsect,otherName:1.2.3.4;UTF8:x,RID:1.2.3
  ///     basicConstraints = critical,CA:TRUE,pathlen:3
  ///     keyUsage = critical,digitalSignature,nonRepudiation,keyEncipherment,dataEncipherment,keyAgreement,keyCertSign,cRLSign,\
  ///       encipherOnly,decipherOnly
  ///     extendedKeyUsage = serverAuth,clientAuth,codeSigning,emailProtection,timeStamping,OCSPSigning,anyExtendedKeyUsage,\
  ///       msSGC,nsSGC,1.2.3.4.5
  ///     subjectKeyIdentifier = hash
  ///     authorityKeyIdentifier = keyid:always,issuer:always
  ///     authorityInfoAccess = OCSP;URI:http://ocsp.example.com/,caIssuers;URI:http://ca.example.com/ca.crt,caIssuers;email:x@example.com
  ///     crlDistributionPoints = URI:http://crl.example.com/a.crl,URI:ldap://crl.example.com/b
  ///     certificatePolicies = 2.23.140.1.2.1,1.3.6.1.4.1.99999.1.2,2.5.29.32.0
  ///     nameConstraints = critical,permitted;DNS:example.com,permitted;IP:192.0.2.0/255.255.255.0,\
  ///       excluded;email:bad.example.com,excluded;URI:.example.org,excluded;dirName:dirsect
  ///     policyConstraints = critical,requireExplicitPolicy:3,inhibitPolicyMapping:0
  ///     inhibitAnyPolicy = 2
  ///     tlsfeature = status_request,status_request_v2
  ///     1.3.6.1.4.1.99999.7 = critical,ASN1:NULL
  ///     [dirsect]
  ///     CN = dir
  static let rich = base64(
    """
    MIIG0zCCBnmgAwIBAgIEAMD/7jAKBggqhkjOPQQDAjCB6zELMAkGA1UEBhMCREUxDTALBgNVBAgMBFPDvGQxITAfBgNVBAoM
    GEV4YSwgbXBsZSsgIkNvIiA8eD47ICMxXDEOMAwGA1UECwwFIGxlYWQxEzARBgoJkiaJk/IsZAEZFgNjb20xFzAVBgoJkiaJ
    k/IsZAEZFgdleGFtcGxlMRIwEAYDVQQJDAlNYWluIFN0IDExEjAQBgoJkiaJk/IsZAEBDAJ1MTELMAkGA1UEBRMCNDIxNzAX
    BgNVBAMMEGxlYWYuZXhhbXBsZS5jb20wHAYJKoZIhvcNAQkBFg9wa2lAZXhhbXBsZS5jb20wHhcNMjYxMTIxMDA0NjQ3WhcN
    MjcxMTIxMDA0NjQ3WjCB6zELMAkGA1UEBhMCREUxDTALBgNVBAgMBFPDvGQxITAfBgNVBAoMGEV4YSwgbXBsZSsgIkNvIiA8
    eD47ICMxXDEOMAwGA1UECwwFIGxlYWQxEzARBgoJkiaJk/IsZAEZFgNjb20xFzAVBgoJkiaJk/IsZAEZFgdleGFtcGxlMRIw
    EAYDVQQJDAlNYWluIFN0IDExEjAQBgoJkiaJk/IsZAEBDAJ1MTELMAkGA1UEBRMCNDIxNzAXBgNVBAMMEGxlYWYuZXhhbXBs
    ZS5jb20wHAYJKoZIhvcNAQkBFg9wa2lAZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQz+9MVvSkbTutN
    U2v0t+Gl7stDdkdaOa5y+zgGeXi/lEjQ5yvNvRik2XBT0+TQlSggYKWBataW0UVgBsTbrJNro4IEBzCCBAMwgY4GA1UdEQEB
    /wSBgzCBgIIQbGVhZi5leGFtcGxlLmNvbYINKi5leGFtcGxlLmNvbYcEwAACB4cQIAENuAAAAAAAAAAAAAAAB4ENYUBleGFt
    cGxlLmNvbYYUaHR0cHM6Ly9leGFtcGxlLmNvbS+kEDAOMQwwCgYDVQQDDANkaXKgCgYDKgMEoAMMAXiIAioDMBIGA1UdEwEB
    /wQIMAYBAf8CAQMwDwYDVR0PAQH/BAUDAwf/gDBoBgNVHSUEYTBfBggrBgEFBQcDAQYIKwYBBQUHAwIGCCsGAQUFBwMDBggr
    BgEFBQcDBAYIKwYBBQUHAwgGCCsGAQUFBwMJBgRVHSUABgorBgEEAYI3CgMDBglghkgBhvhCBAEGBCoDBAUwHQYDVR0OBBYE
    FLC1QegdjVkxSgw9JjgHL1RsW7BUMIIBHQYDVR0jBIIBFDCCARCAFLC1QegdjVkxSgw9JjgHL1RsW7BUoYHxpIHuMIHrMQsw
    CQYDVQQGEwJERTENMAsGA1UECAwEU8O8ZDEhMB8GA1UECgwYRXhhLCBtcGxlKyAiQ28iIDx4PjsgIzFcMQ4wDAYDVQQLDAUg
    bGVhZDETMBEGCgmSJomT8ixkARkWA2NvbTEXMBUGCgmSJomT8ixkARkWB2V4YW1wbGUxEjAQBgNVBAkMCU1haW4gU3QgMTES
    MBAGCgmSJomT8ixkAQEMAnUxMQswCQYDVQQFEwI0MjE3MBcGA1UEAwwQbGVhZi5leGFtcGxlLmNvbTAcBgkqhkiG9w0BCQEW
    D3BraUBleGFtcGxlLmNvbYIEAMD/7jB5BggrBgEFBQcBAQRtMGswJAYIKwYBBQUHMAGGGGh0dHA6Ly9vY3NwLmV4YW1wbGUu
    Y29tLzAoBggrBgEFBQcwAoYcaHR0cDovL2NhLmV4YW1wbGUuY29tL2NhLmNydDAZBggrBgEFBQcwAoENeEBleGFtcGxlLmNv
    bTBNBgNVHR8ERjBEMCKgIKAehhxodHRwOi8vY3JsLmV4YW1wbGUuY29tL2EuY3JsMB6gHKAahhhsZGFwOi8vY3JsLmV4YW1w
    bGUuY29tL2IwKQYDVR0gBCIwIDAIBgZngQwBAgEwDAYKKwYBBAGGjR8BAjAGBgRVHSAAMGIGA1UdHgEB/wRYMFagGzANggtl
    eGFtcGxlLmNvbTAKhwjAAAIA////AKE3MBGBD2JhZC5leGFtcGxlLmNvbTAOhgwuZXhhbXBsZS5vcmcwEqQQMA4xDDAKBgNV
    BAMMA2RpcjASBgNVHSQBAf8ECDAGgAEDgQEAMAoGA1UdNgQDAgECMBQGCCsGAQUFBwEYBAgwBgIBBQIBETASBgkrBgEEAYaN
    HwcBAf8EAgUAMAoGCCqGSM49BAMCA0gAMEUCIQC0wpBDkIJmaqStKGvYvpO4GiqeDbBPzdiGmU2g8CkAEAIgXLWikqEkP+oc
    Q3GRmet15eRogrXtKZC4eVgbk7J3kKA=
    """)

  /// An OCSP response to three requests: `openssl ocsp -index index.txt -CA ca.pem -rsigner ca.pem -rkey ca.key -reqin …`.
  static let ocspResponse = base64(
    """
    MIIDPwoBAKCCAzgwggM0BgkrBgEFBQcwAQEEggMlMIIDITCCAXChFzAVMRMwEQYDVQQDDApjYS5leGFtcGxlGA8yMDI2MTEy
    MTAwNDc0NVowggFCMGIwOjAJBgUrDgMCGgUABBQA9ZuZjdH/d6z//mzPvt2mph4qHgQUUltBbXsVGLpRi2BgYHqP1XDLxBkC
    AQGAABgPMjAyNjExMjEwMDQ3NDVaoBEYDzIwMjYxMTI4MDA0NzQ1WjB4MDowCQYFKw4DAhoFAAQUAPWbmY3R/3es//5sz77d
    pqYeKh4EFFJbQW17FRi6UYtgYGB6j9Vwy8QZAgECoRYYDzIwMjYxMTIxMDA0NzQ1WqADCgEBGA8yMDI2MTEyMTAwNDc0NVqg
    ERgPMjAyNjExMjgwMDQ3NDVaMGIwOjAJBgUrDgMCGgUABBQA9ZuZjdH/d6z//mzPvt2mph4qHgQUUltBbXsVGLpRi2BgYHqP
    1XDLxBkCAXeCABgPMjAyNjExMjEwMDQ3NDVaoBEYDzIwMjYxMTI4MDA0NzQ1WjAKBggqhkjOPQQDAgNIADBFAiA+UaTbFja5
    isLGan6lwRSHEZcoBZ3MDzO5m5OTNnGMJwIhALSrt2u4anFSVcNRAW+LyyChhrbv64TSA+qOR3RMbGJOoIIBUzCCAU8wggFL
    MIHzoAMCAQICFCQeaaXmfQlKvLN7PYSymOWLRacyMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMCmNhLmV4YW1wbGUwHhcNMjYx
    MTIxMDA0NzQ1WhcNMzYxMTE4MDA0NzQ1WjAVMRMwEQYDVQQDDApjYS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
    QgAEEhAVfhRTR2PWrmQVUdK9NUVeOBCKwolQSNpnwSbhJRe2CwzMcsxmxT1waN6pml/oIOyTTSU4dD3Hmsix+me4xaMhMB8w
    HQYDVR0OBBYEFFJbQW17FRi6UYtgYGB6j9Vwy8QZMAoGCCqGSM49BAMCA0cAMEQCIF7txL1ZnYReTrYpVtFQeMpUMMeGuAwm
    bmAGikdTfL8KAiA+iLCbjSmSue34sVK92j5EWLFd5Qx1or2DLHO4SkiPGw==
    """)

  /// An OCSP response to the same requests, with `-resp_key_id -resp_no_certs`.
  static let ocspResponseByKey = base64(
    """
    MIIB6AoBAKCCAeEwggHdBgkrBgEFBQcwAQEEggHOMIIByjCCAW+iFgQUUltBbXsVGLpRi2BgYHqP1XDLxBkYDzIwMjYxMTIx
    MDA0NzQ1WjCCAUIwYjA6MAkGBSsOAwIaBQAEFAD1m5mN0f93rP/+bM++3aamHioeBBRSW0FtexUYulGLYGBgeo/VcMvEGQIB
    AYAAGA8yMDI2MTEyMTAwNDc0NVqgERgPMjAyNjExMjgwMDQ3NDVaMHgwOjAJBgUrDgMCGgUABBQA9ZuZjdH/d6z//mzPvt2m
    ph4qHgQUUltBbXsVGLpRi2BgYHqP1XDLxBkCAQKhFhgPMjAyNjExMjEwMDQ3NDVaoAMKAQEYDzIwMjYxMTIxMDA0NzQ1WqAR
    GA8yMDI2MTEyODAwNDc0NVowYjA6MAkGBSsOAwIaBQAEFAD1m5mN0f93rP/+bM++3aamHioeBBRSW0FtexUYulGLYGBgeo/V
    cMvEGQIBd4IAGA8yMDI2MTEyMTAwNDc0NVqgERgPMjAyNjExMjgwMDQ3NDVaMAoGCCqGSM49BAMCA0kAMEYCIQCAAPMumDUk
    ICQE3TAuLyLECdLFPDzAK/JG8R4EOiOWFgIhAI9KLZfZyYhTusUYn9o5OIq0HDgSUOz/m0P0rS805Le8
    """)

  /// `openssl ca -gencrl`, one certificate revoked with `-crl_reason keyCompromise`, and the extensions
  /// `authorityKeyIdentifier = keyid` and `issuingDistributionPoint = critical,fullname URI, onlyuser`.
  static let crl = base64(
    """
    MIIBJjCBzAIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApjYS5leGFtcGxlFw0yNjExMjEwMDQ3NDVaFw0yNjEyMjEwMDQ3
    NDVaMCIwIAIBAhcNMjYxMTIxMDA0NzQ1WjAMMAoGA1UdFQQDCgEBoGIwYDAfBgNVHSMEGDAWgBRSW0FtexUYulGLYGBgeo/V
    cMvEGTAxBgNVHRwBAf8EJzAloCCgHoYcaHR0cDovL2NybC5leGFtcGxlLmNvbS9hLmNybIEB/zAKBgNVHRQEAwIBBTAKBggq
    hkjOPQQDAgNJADBGAiEAifQdDra524wBu7T3ZX9H7+0sslnBOSM93Msi9zq5AMUCIQCy5R0JlSzRqiDSnHmbbQ/pLrQvOepW
    dcB1vc+tn26Hlw==
    """)
}
