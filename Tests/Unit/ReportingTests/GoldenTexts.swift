/// The expected text reports of ``Samples/hosts()``, by the width of the terminal.
enum GoldenTexts {
  static let columns60 = """
    trace.pcapng    1,284 packets, 9 sessions, 6 hosts
                    2026-05-01 10:11 to 10:14 UTC
    Judged as       iOS 26.5, ATS defaults (no Info.plist),
                    requests by app code
    Judged with     SCTs counted, not verified

    6 hosts:    FAIL 2    UNKNOWN 1    EXEMPT 1
    PASS 2 (1 relaxed)

      FAIL   2 hosts                4 sessions: 2 fail, 2 pass
             Hosts
               evil\\x1b[31m\\u{202e}.example (frame 6),
               mixed.example (1 of 3 sessions, frame 40)
             TLS version
               TLS 1.0; requires TLS 1.2 or later
             Certificate dates
               the leaf expired 2014-03-04; requires valid
               certificates
             Undecided
               Certificate trust, Certificate host name
             Fix            Server: enable TLS 1.2 and 1.3;
                            renew the certificate
             Exception      no Info.plist key is enough
             Device error   NSURLErrorDomain -1200 (-9836)

      UNKNOWN  lh3.example.com: TLS 1.3 hides the certificate;
               everything visible meets ATS
               To settle: fetch the certificates with these
                 commands (openssl, network), or add --keylog
                 FILE if the app wrote a key log
                 atscope certificates --missing --script INPUT... > collect.sh
                 sh collect.sh chains && atscope --chain chains INPUT...

      EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS
               off for this host

      PASS (relaxed)  old.example     1 session   TLS 1.2
               Forward secrecy
                 TLS_RSA_WITH_AES_128_GCM_SHA256;      frame 102
                 allowed by NSExceptionRequiresForwardSecrecy of
                 old.example

      PASS     1 host: api.example.com (2 sessions)

    2 hosts fail: TLS version (2), certificate dates (2).
    Clients completed TLS with all of them, with other settings,
      roots, or no ATS.
    Allowed by exceptions: forward secrecy (old.example).
    Advice: no Extended Master Secret (2 hosts), no secure
      renegotiation (2 hosts).
    Not read        3 packets of unknown link type 147
    Also noted      12,345 packets cut to the snapshot length
    Limits reached  2 connections given up
    Not judged      4 connections show no handshake: 1.2.3.4:443
                    (4)
    --details shows every finding and 3 more notes.
    Explained by: atscope explain ATS-TLS-VERSION; atscope
      explain FAIL

    """

  static let columns80 = """
    trace.pcapng    1,284 packets, 9 sessions, 6 hosts
                    2026-05-01 10:11 to 10:14 UTC
    Judged as       iOS 26.5, ATS defaults (no Info.plist), requests by app code
    Judged with     SCTs counted, not verified

    6 hosts:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 2 (1 relaxed)

      FAIL   2 hosts                4 sessions: 2 fail, 2 pass   TLS 1.0
             Hosts                  evil\\x1b[31m\\u{202e}.example (frame 6),
                                    mixed.example (1 of 3 sessions, frame 40)
             TLS version            TLS 1.0; requires TLS 1.2 or later
             Certificate dates      the leaf expired 2014-03-04; requires valid
                                    certificates
             Undecided              Certificate trust, Certificate host name
             Fix            Server: enable TLS 1.2 and 1.3; renew the certificate
             Exception      no Info.plist key is enough
             Device error   NSURLErrorDomain -1200 (-9836)

      UNKNOWN  lh3.example.com: TLS 1.3 hides the certificate; everything visible
               meets ATS
               To settle: fetch the certificates with these commands (openssl,
                 network), or add --keylog FILE if the app wrote a key log
                 atscope certificates --missing --script INPUT... > collect.sh
                 sh collect.sh chains && atscope --chain chains INPUT...

      EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS off for this host

      PASS (relaxed)  old.example     1 session   TLS 1.2
               Forward secrecy        TLS_RSA_WITH_AES_128_GCM_SHA256;     frame 102
                                      allowed by NSExceptionRequiresForwardSecrecy
                                      of old.example

      PASS     1 host: api.example.com (2 sessions)

    2 hosts fail: TLS version (2), certificate dates (2).
    Clients completed TLS with all of them, with other settings, roots, or no ATS.
    Allowed by exceptions: forward secrecy (old.example).
    Advice: no Extended Master Secret (2 hosts), no secure renegotiation (2 hosts).
    Not read        3 packets of unknown link type 147
    Also noted      12,345 packets cut to the snapshot length
    Limits reached  2 connections given up
    Not judged      4 connections show no handshake: 1.2.3.4:443 (4)
    --details shows every finding and 3 more notes.
    Explained by: atscope explain ATS-TLS-VERSION; atscope explain FAIL

    """

  static let columns120 = """
    trace.pcapng    1,284 packets, 9 sessions, 6 hosts    2026-05-01 10:11 to 10:14 UTC
    Judged as       iOS 26.5, ATS defaults (no Info.plist), requests by app code
    Judged with     SCTs counted, not verified

    6 hosts:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 2 (1 relaxed)

      FAIL   2 hosts                4 sessions: 2 fail, 2 pass   TLS 1.0
             Hosts                  evil\\x1b[31m\\u{202e}.example (frame 6), mixed.example (1 of 3 sessions, frame 40)
             TLS version            TLS 1.0; requires TLS 1.2 or later
             Certificate dates      the leaf expired 2014-03-04; requires valid certificates
             Undecided              Certificate trust, Certificate host name
             Fix            Server: enable TLS 1.2 and 1.3; renew the certificate
             Exception      no Info.plist key is enough
             Device error   NSURLErrorDomain -1200 (-9836)

      UNKNOWN  lh3.example.com: TLS 1.3 hides the certificate; everything visible meets ATS
               To settle: fetch the certificates with these commands (openssl, network), or add --keylog FILE if the app
                 wrote a key log
                 atscope certificates --missing --script INPUT... > collect.sh
                 sh collect.sh chains && atscope --chain chains INPUT...

      EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS off for this host

      PASS (relaxed)  old.example     1 session   TLS 1.2   RSA_WITH_AES_128_GCM_SHA256
               Forward secrecy        TLS_RSA_WITH_AES_128_GCM_SHA256; allowed by                                  frame 102
                                      NSExceptionRequiresForwardSecrecy of old.example

      PASS     1 host: api.example.com (2 sessions)

    2 hosts fail: TLS version (2), certificate dates (2).
    Clients completed TLS with all of them, with other settings, roots, or no ATS.
    Allowed by exceptions: forward secrecy (old.example).
    Advice: no Extended Master Secret (2 hosts), no secure renegotiation (2 hosts).
    Not read        3 packets of unknown link type 147
    Also noted      12,345 packets cut to the snapshot length
    Limits reached  2 connections given up
    Not judged      4 connections show no handshake: 1.2.3.4:443 (4)
    --details shows every finding and 3 more notes.
    Explained by: atscope explain ATS-TLS-VERSION; atscope explain FAIL

    """

  static let details80 = """
    trace.pcapng    1,284 packets, 9 sessions, 6 hosts
                    2026-05-01 10:11 to 10:14 UTC
    Judged as       iOS 26.5, ATS defaults (no Info.plist), requests by app code
    Judged with     SCTs counted, not verified

    6 hosts:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 2 (1 relaxed)
    9 sessions:    FAIL 2    UNKNOWN 1    EXEMPT 1    PASS 5 (1 relaxed)

    FAIL     evil\\x1b[31m\\u{202e}.example:443   1 session   TLS 1.0
             DHE_RSA_WITH_AES_256_CBC_SHA   x25519   score 12 F, confidence 0.83
      ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later              frame 8
                         The client offered TLS 1.3, so the server's ceiling is
                         shown.
      ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid     frames 8-10
                         certificates
      Undecided          ATS-CERT-TRUST, ATS-CERT-HOST: no evidence in the capture
      Device error       NSURLErrorDomain -1200 (-9836)
      Fix                Server: enable TLS 1.2 and 1.3; renew the certificate
      Exception          no Info.plist key is enough
      Advice             ADV-EMS, ADV-RENEG

    FAIL     mixed.example:443   3 sessions   1 fails, 2 pass   score 12 to 100
      fail     1 session   TLS 1.0   ECDHE_RSA_WITH_AES_128_CBC_SHA   x25519
               score 12 F, confidence 0.83
        ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later           frame 42
                           The client offered TLS 1.3, so the server's ceiling is
                           shown.
        ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid  frames 42-44
                           certificates
        Undecided          ATS-CERT-TRUST, ATS-CERT-HOST: no evidence in the capture
        Device error       NSURLErrorDomain -1200 (-9836)
        Fix                Server: enable TLS 1.2 and 1.3; renew the certificate
        Exception          no Info.plist key is enough
        Advice             ADV-EMS, ADV-RENEG
      pass     2 sessions   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
               score 100 A+

    UNKNOWN  lh3.example.com:443   1 session   TLS 1.3   AES_128_GCM_SHA256
             X25519MLKEM768
      Undecided          ATS-CERT-TRUST, ATS-CERT-DATES, ATS-CERT-HOST, ATS-CT:
                         encrypted
                         The client completed the handshake.
      To settle          add --chain lh3.example.com=FILE, or add --keylog FILE if
                         the app wrote a key log

    EXEMPT   cdn.example:80   1 session   cleartext HTTP
      Exempt             NSAllowsArbitraryLoads takes ATS off for this host.
      ATS-HTTPS          cleartext HTTP (not required here)                  frame 3

    PASS (relaxed) old.example:443   1 session   TLS 1.2
             RSA_WITH_AES_128_GCM_SHA256   score 91 A
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; requires ECDHE   frame 102
                         allowed by NSExceptionRequiresForwardSecrecy of old.example

    PASS     api.example.com:443   2 sessions   TLS 1.3   AES_256_GCM_SHA384
             x25519   score 100 A+

    To fetch the hidden certificates (openssl, network):
        atscope certificates --missing --script INPUT... > collect.sh
        sh collect.sh chains && atscope --chain chains INPUT...

    2 hosts fail: TLS version (2), certificate dates (2).
    Clients completed TLS with all of them, with other settings, roots, or no ATS.
    Allowed by exceptions: forward secrecy (old.example).
    Advice: no Extended Master Secret (2 hosts), no secure renegotiation (2 hosts).
    Not read        3 packets of unknown link type 147
    Also noted      12,345 packets cut to the snapshot length
    Limits reached  2 connections given up
    Not judged      4 connections show no handshake: 1.2.3.4:443 (4)

    """
}
