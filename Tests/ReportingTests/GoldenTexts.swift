/// What the report of ``Samples/hosts()`` looks like, by the columns of the terminal.
enum GoldenTexts {
  static let columns60 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts,
                  2026-05-01 10:11 to 10:14 UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    FAIL     evil\\x1b[31m\\u{202e}.example:443   1 session
             TLS 1.0   DHE_RSA_WITH_AES_256_CBC_SHA   x25519
             score 12 F, confidence 0.83
      ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or  frame 8
                         later
                         The client offered TLS 1.3, so the
                         server's ceiling is shown.
      ATS-CERT-DATES     the leaf expired            frames 8-10
                         2014-03-04; asked: valid certificates
      not decided        ATS-CERT-TRUST, -HOST
      device reports     NSURLErrorDomain -1200 (-9836)
      put right by       enable TLS 1.2 and 1.3 on the server;
                         renew the certificate
      Info.plist         no key allows an expired certificate
      advice             ADV-EMS, -RENEG

    FAIL     mixed.example:443   3 sessions
             1 fails, 2 pass   score 12 to 100
      fail     1 session   TLS 1.0
               ECDHE_RSA_WITH_AES_128_CBC_SHA   x25519
               score 12 F, confidence 0.83
        ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or later
                           (frame 42)
                           The client offered TLS 1.3, so the
                           server's ceiling is shown.
        ATS-CERT-DATES     the leaf expired 2014-03-04; asked:
                           valid certificates (frames 42-44)
        not decided        ATS-CERT-TRUST, -HOST
        device reports     NSURLErrorDomain -1200 (-9836)
        put right by       enable TLS 1.2 and 1.3 on the server;
                           renew the certificate
        Info.plist         no key allows an expired certificate
        advice             ADV-EMS, -RENEG
      pass     2 sessions   TLS 1.2
               ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
               score 100 A+

    UNKNOWN  lh3.example.com:443   1 session   TLS 1.3
             AES_128_GCM_SHA256   X25519MLKEM768
             score 100 A+, confidence 0.55
      not decided        ATS-CERT-TRUST, -DATES, -HOST, ATS-CT:
                         it travelled encrypted
                         The client completed the handshake.
      settled by         --keylog FILE, or --chain
                         lh3.example.com=FILE

    EXEMPT   cdn.example:80   1 session   cleartext HTTP
      exempt because     NSAllowsArbitraryLoads takes ATS off
                         for this host.
      ATS-HTTPS          cleartext HTTP (not required    frame 3
                         here)

    PASS (relaxed) old.example:443   1 session   TLS 1.2
             RSA_WITH_AES_128_GCM_SHA256   score 91 A
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; asked:
                         ECDHE (frame 102)
                         allowed by
                         NSExceptionRequiresForwardSecrecy of
                         old.example

    PASS     api.example.com:443   2 sessions   TLS 1.3
             AES_256_GCM_SHA384   x25519   score 100 A+

    2 hosts fail, 1 unknown, 1 exempt, 2 pass (1 relaxed)
    not read        3 packets of unknown link type 147
    also noted      12,345 packets cut to the snapshot length
    limits reached  2 connections given up
    no handshake    4 connections without one: 1.2.3.4:443 (4)

    """

  static let columns80 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts, 2026-05-01 10:11 to 10:14
                  UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    FAIL     evil\\x1b[31m\\u{202e}.example:443   1 session   TLS 1.0
             DHE_RSA_WITH_AES_256_CBC_SHA   x25519   score 12 F, confidence 0.83
      ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or later                frame 8
                         The client offered TLS 1.3, so the server's ceiling is
                         shown.
      ATS-CERT-DATES     the leaf expired 2014-03-04; asked: valid       frames 8-10
                         certificates
      not decided        ATS-CERT-TRUST, -HOST
      device reports     NSURLErrorDomain -1200 (-9836)
      put right by       enable TLS 1.2 and 1.3 on the server; renew the certificate
      Info.plist         no key allows an expired certificate
      advice             ADV-EMS, -RENEG

    FAIL     mixed.example:443   3 sessions   1 fails, 2 pass   score 12 to 100
      fail     1 session   TLS 1.0   ECDHE_RSA_WITH_AES_128_CBC_SHA   x25519
               score 12 F, confidence 0.83
        ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or later             frame 42
                           The client offered TLS 1.3, so the server's ceiling is
                           shown.
        ATS-CERT-DATES     the leaf expired 2014-03-04; asked: valid    frames 42-44
                           certificates
        not decided        ATS-CERT-TRUST, -HOST
        device reports     NSURLErrorDomain -1200 (-9836)
        put right by       enable TLS 1.2 and 1.3 on the server; renew the
                           certificate
        Info.plist         no key allows an expired certificate
        advice             ADV-EMS, -RENEG
      pass     2 sessions   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519
               score 100 A+

    UNKNOWN  lh3.example.com:443   1 session   TLS 1.3   AES_128_GCM_SHA256
             X25519MLKEM768   score 100 A+, confidence 0.55
      not decided        ATS-CERT-TRUST, -DATES, -HOST, ATS-CT: it travelled
                         encrypted
                         The client completed the handshake.
      settled by         --keylog FILE, or --chain lh3.example.com=FILE

    EXEMPT   cdn.example:80   1 session   cleartext HTTP
      exempt because     NSAllowsArbitraryLoads takes ATS off for this host.
      ATS-HTTPS          cleartext HTTP (not required here)                  frame 3

    PASS (relaxed) old.example:443   1 session   TLS 1.2
             RSA_WITH_AES_128_GCM_SHA256   score 91 A
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; asked: ECDHE     frame 102
                         allowed by NSExceptionRequiresForwardSecrecy of old.example

    PASS     api.example.com:443   2 sessions   TLS 1.3   AES_256_GCM_SHA384
             x25519   score 100 A+

    2 hosts fail, 1 unknown, 1 exempt, 2 pass (1 relaxed)
    not read        3 packets of unknown link type 147
    also noted      12,345 packets cut to the snapshot length
    limits reached  2 connections given up
    no handshake    4 connections without one: 1.2.3.4:443 (4)

    """

  static let columns120 = """
    trace.pcapng  1,284 packets, 9 sessions with 6 hosts, 2026-05-01 10:11 to 10:14 UTC
    policy        ATS defaults, iOS 26.5, loads by the app
    based on      SCTs counted, not verified

    FAIL     evil\\x1b[31m\\u{202e}.example:443   1 session   TLS 1.0   DHE_RSA_WITH_AES_256_CBC_SHA   x25519
             score 12 F, confidence 0.83
      ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or later                                                        frame 8
                         The client offered TLS 1.3, so the server's ceiling is shown.
      ATS-CERT-DATES     the leaf expired 2014-03-04; asked: valid certificates                                  frames 8-10
      not decided        ATS-CERT-TRUST, -HOST
      device reports     NSURLErrorDomain -1200 (-9836)
      put right by       enable TLS 1.2 and 1.3 on the server; renew the certificate
      Info.plist         no key allows an expired certificate
      advice             ADV-EMS, -RENEG

    FAIL     mixed.example:443   3 sessions   1 fails, 2 pass   score 12 to 100
      fail     1 session   TLS 1.0   ECDHE_RSA_WITH_AES_128_CBC_SHA   x25519   score 12 F, confidence 0.83
        ATS-TLS-VERSION    TLS 1.0; asked: TLS 1.2 or later                                                     frame 42
                           The client offered TLS 1.3, so the server's ceiling is shown.
        ATS-CERT-DATES     the leaf expired 2014-03-04; asked: valid certificates                               frames 42-44
        not decided        ATS-CERT-TRUST, -HOST
        device reports     NSURLErrorDomain -1200 (-9836)
        put right by       enable TLS 1.2 and 1.3 on the server; renew the certificate
        Info.plist         no key allows an expired certificate
        advice             ADV-EMS, -RENEG
      pass     2 sessions   TLS 1.2   ECDHE_RSA_WITH_AES_128_GCM_SHA256   x25519   score 100 A+

    UNKNOWN  lh3.example.com:443   1 session   TLS 1.3   AES_128_GCM_SHA256   X25519MLKEM768   score 100 A+, confidence 0.55
      not decided        ATS-CERT-TRUST, -DATES, -HOST, ATS-CT: it travelled encrypted
                         The client completed the handshake.
      settled by         --keylog FILE, or --chain lh3.example.com=FILE

    EXEMPT   cdn.example:80   1 session   cleartext HTTP
      exempt because     NSAllowsArbitraryLoads takes ATS off for this host.
      ATS-HTTPS          cleartext HTTP (not required here)                                                          frame 3

    PASS (relaxed) old.example:443   1 session   TLS 1.2   RSA_WITH_AES_128_GCM_SHA256   score 91 A
      ATS-PFS            TLS_RSA_WITH_AES_128_GCM_SHA256; asked: ECDHE                                             frame 102
                         allowed by NSExceptionRequiresForwardSecrecy of old.example

    PASS     api.example.com:443   2 sessions   TLS 1.3   AES_256_GCM_SHA384   x25519   score 100 A+

    2 hosts fail, 1 unknown, 1 exempt, 2 pass (1 relaxed)
    not read        3 packets of unknown link type 147
    also noted      12,345 packets cut to the snapshot length
    limits reached  2 connections given up
    no handshake    4 connections without one: 1.2.3.4:443 (4)

    """
}
