/// What the report of ``Samples/hosts()`` looks like, by the columns of the terminal.
enum GoldenTexts {
  static let columns60 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts,
                  2026-05-01 10:11 to 10:14 UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    6 hosts       FAIL 2   UNKNOWN 1   EXEMPT 1
                  PASS 2 (1 relaxed)
    9 sessions    FAIL 2   UNKNOWN 1   EXEMPT 1
                  PASS 5 (1 relaxed)

    FAIL     2 hosts   4 sessions: 2 fail, 2 pass
             TLS 1.0, score 12 F, error -1200 (-9836), 2 rules
             undecided
      hosts              evil\\x1b[31m\\u{202e}.example (frame 6),
                         mixed.example (3, frame 40)
      ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later
        fix              enable TLS 1.2 and 1.3 on the server
      ATS-CERT-DATES     the leaf expired 2014-03-04; requires
                         valid certificates
        fix              renew the certificate

    exceptions           no key allows:
                         evil\\x1b[31m\\u{202e}.example,
                         mixed.example

    UNKNOWN  lh3.example.com   1 session   certificate encrypted
             all else meets ATS
      undecided          ATS-CERT-TRUST, -DATES, -HOST, ATS-CT
      to settle          --keylog FILE, or collect the chains:
                         atscope certificates --missing --script INPUT... > collect.sh
                         sh collect.sh chains && atscope --chain chains INPUT...

    EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS
             off for this host.

    PASS (relaxed) old.example   1 session
             TLS 1.2, score 91 A, from frame 100
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256;
                         requires ECDHE; allowed by
                         NSExceptionRequiresForwardSecrecy of
                         old.example (frame 102)

    PASS     1 host: api.example.com (100 A+, 2 sessions)

    rules that fail  ATS-CERT-DATES 2 hosts, ATS-TLS-VERSION 2
    rules relaxed    ATS-PFS 1 host
    advice           ADV-EMS 2 hosts, ADV-RENEG 2
    not read         3 packets of unknown link type 147
    also noted       12,345 packets cut to the snapshot length
    limits reached   2 connections given up
    no handshake     4 connections without one: 1.2.3.4:443 (4)
    folded           3 remarks; --details shows every finding of
                     every host

    """

  static let columns80 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts, 2026-05-01 10:11 to 10:14
                  UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    6 hosts       FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 2 (1 relaxed)
    9 sessions    FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 5 (1 relaxed)

    FAIL     2 hosts   4 sessions: 2 fail, 2 pass
             TLS 1.0, score 12 F, error -1200 (-9836), 2 rules undecided
      hosts              evil\\x1b[31m\\u{202e}.example (frame 6),
                         mixed.example (3, frame 40)
      ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later
        fix              enable TLS 1.2 and 1.3 on the server
      ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid certificates
        fix              renew the certificate

    exceptions           no key allows: evil\\x1b[31m\\u{202e}.example, mixed.example

    UNKNOWN  lh3.example.com   1 session   certificate encrypted
             all else meets ATS
      undecided          ATS-CERT-TRUST, -DATES, -HOST, ATS-CT
      to settle          --keylog FILE, or collect the chains:
                         atscope certificates --missing --script INPUT... > collect.sh
                         sh collect.sh chains && atscope --chain chains INPUT...

    EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS off for this host.

    PASS (relaxed) old.example   1 session   TLS 1.2, score 91 A, from frame 100
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; requires ECDHE;  frame 102
                         allowed by NSExceptionRequiresForwardSecrecy of old.example

    PASS     1 host: api.example.com (100 A+, 2 sessions)

    rules that fail  ATS-CERT-DATES 2 hosts, ATS-TLS-VERSION 2
    rules relaxed    ATS-PFS 1 host
    advice           ADV-EMS 2 hosts, ADV-RENEG 2
    not read         3 packets of unknown link type 147
    also noted       12,345 packets cut to the snapshot length
    limits reached   2 connections given up
    no handshake     4 connections without one: 1.2.3.4:443 (4)
    folded           3 remarks; --details shows every finding of every host

    """

  static let columns120 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts, 2026-05-01 10:11 to 10:14 UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    6 hosts       FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 2 (1 relaxed)
    9 sessions    FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 5 (1 relaxed)

    FAIL     2 hosts   4 sessions: 2 fail, 2 pass   TLS 1.0, score 12 F, error -1200 (-9836), 2 rules undecided
      hosts              evil\\x1b[31m\\u{202e}.example (frame 6), mixed.example (3, frame 40)
      ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later
        fix              enable TLS 1.2 and 1.3 on the server
      ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid certificates
        fix              renew the certificate

    exceptions           no key allows: evil\\x1b[31m\\u{202e}.example, mixed.example

    UNKNOWN  lh3.example.com   1 session   certificate encrypted   all else meets ATS
      undecided          ATS-CERT-TRUST, -DATES, -HOST, ATS-CT
      to settle          --keylog FILE, or collect the chains:
                         atscope certificates --missing --script INPUT... > collect.sh
                         sh collect.sh chains && atscope --chain chains INPUT...

    EXEMPT   cdn.example:80   NSAllowsArbitraryLoads takes ATS off for this host.

    PASS (relaxed) old.example   1 session   TLS 1.2, score 91 A, from frame 100
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; requires ECDHE; allowed by                               frame 102
                         NSExceptionRequiresForwardSecrecy of old.example

    PASS     1 host: api.example.com (100 A+, 2 sessions)

    rules that fail  ATS-CERT-DATES 2 hosts, ATS-TLS-VERSION 2
    rules relaxed    ATS-PFS 1 host
    advice           ADV-EMS 2 hosts, ADV-RENEG 2
    not read         3 packets of unknown link type 147
    also noted       12,345 packets cut to the snapshot length
    limits reached   2 connections given up
    no handshake     4 connections without one: 1.2.3.4:443 (4)
    folded           3 remarks; --details shows every finding of every host

    """

  static let details80 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts, 2026-05-01 10:11 to 10:14
                  UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    6 hosts       FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 2 (1 relaxed)
    9 sessions    FAIL 2   UNKNOWN 1   EXEMPT 1   PASS 5 (1 relaxed)

    FAIL     evil\\x1b[31m\\u{202e}.example:443   1 session   TLS 1.0
             DHE_RSA_WITH_AES_256_CBC_SHA   x25519   score 12 F, confidence 0.83
      ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later              frame 8
                         The client offered TLS 1.3, so the server's ceiling is
                         shown.
      ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid     frames 8-10
                         certificates
      undecided          ATS-CERT-TRUST, -HOST
      device error       NSURLErrorDomain -1200 (-9836)
      fix                enable TLS 1.2 and 1.3 on the server; renew the certificate
      Info.plist         no key allows an expired certificate
      advice             ADV-EMS, -RENEG

    FAIL     mixed.example:443   3 sessions   1 fails, 2 pass   score 12 to 100
      fail     1 session   TLS 1.0   ECDHE_RSA_WITH_AES_128_CBC_SHA   x25519
               score 12 F, confidence 0.83
        ATS-TLS-VERSION    TLS 1.0; requires TLS 1.2 or later           frame 42
                           The client offered TLS 1.3, so the server's ceiling is
                           shown.
        ATS-CERT-DATES     the leaf expired 2014-03-04; requires valid  frames 42-44
                           certificates
        undecided          ATS-CERT-TRUST, -HOST
        device error       NSURLErrorDomain -1200 (-9836)
        fix                enable TLS 1.2 and 1.3 on the server; renew the
                           certificate
        Info.plist         no key allows an expired certificate
        advice             ADV-EMS, -RENEG
      pass     2 sessions   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
               score 100 A+

    UNKNOWN  lh3.example.com:443   1 session   TLS 1.3   AES_128_GCM_SHA256
             X25519MLKEM768
      undecided          ATS-CERT-TRUST, -DATES, -HOST, ATS-CT: encrypted
                         The client completed the handshake.
      to settle          --keylog FILE, or --chain lh3.example.com=FILE

    EXEMPT   cdn.example:80   1 session   cleartext HTTP
      exempt because     NSAllowsArbitraryLoads takes ATS off for this host.
      ATS-HTTPS          cleartext HTTP (not required here)                  frame 3

    PASS (relaxed) old.example:443   1 session   TLS 1.2
             RSA_WITH_AES_128_GCM_SHA256   score 91 A
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; requires ECDHE   frame 102
                         allowed by NSExceptionRequiresForwardSecrecy of old.example

    PASS     api.example.com:443   2 sessions   TLS 1.3   AES_256_GCM_SHA384
             x25519   score 100 A+

    rules that fail  ATS-CERT-DATES 2 hosts, ATS-TLS-VERSION 2
    rules undecided  ATS-CERT-HOST 3 hosts, ATS-CERT-TRUST 3, ATS-CERT-DATES 1,
                     ATS-CT 1
    rules relaxed    ATS-PFS 1 host
    advice           ADV-EMS 2 hosts, ADV-RENEG 2
    not read         3 packets of unknown link type 147
    also noted       12,345 packets cut to the snapshot length
    limits reached   2 connections given up
    no handshake     4 connections without one: 1.2.3.4:443 (4)

    """
}
