import ByteParsing

/// Certificates made for these tests with OpenSSL 3.0, in Base64; their private keys were not kept.
enum TestCertificates {
  /// `openssl req -x509 -new -nodes -days 365 -subj /CN=k.example -newkey ec -pkeyopt ec_paramgen_curve:P-192`
  static let ecP192 = decoded(
    """
    MIIBAjCBuQIUaja1pxg2jG25e7Wat0xekuAg1S0wCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAE
    UUaENsAyLWIUbqVRfNF3/uSZ0izHEHGpdAChvInJjS7jHmXOkSv8fNjx4l8D5KAfMAoGCCqGSM49BAMCAzgAMDUCGQCiy4mD
    FNy+CYQZxLWF1G47Svr68ywanMACGFW3LorHP9O8TUlf5x1gcOT6JbQfXLid1Q==
    """)

  /// `… ec_paramgen_curve:P-224`
  static let ecP224 = decoded(
    """
    MIIBDzCBvgIURut9e6tFeQetppW3mW6pBEPIkvMwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlME4wEAYHKoZIzj0CAQYFK4EEACEDOgAE5sOz
    NgBKm9MTB5Kqx1Ot2OkCgD7BQ5kgkdj12H5JsSht8Vp3hzXwMZMSFwgU44g+zVQMUrL8QaAwCgYIKoZIzj0EAwIDQAAwPQIc
    J9vVe4+VcbN1Qv2e3YCNbEvcdwyFOD/8t+9XJwIdAP69g4af+bAM9clSXlk6ZqKsP+Mo36JSx+6AWoE=
    """)

  /// `… ec_paramgen_curve:P-256`
  static let ecP256 = decoded(
    """
    MIIBIjCByQIUfQVDCaR6byLxAHznostQ1af+fVswCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
    VDtF+8/hdyqSqk9EtBhZIKI+oV9Ac4Ai4LOA198xDZnt0/Ih5oVvrW8Ut4JC5T9WdVtTYu6E0UgKcQymnECXWDAKBggqhkjO
    PQQDAgNIADBFAiEAyari8V9SGaBwBRsCxMYSmoMFzWezxuy6HdMlGrfQS4cCID0EHABARItvBTi55ZoszZM6L5KmVvZhNMRl
    wFUmGcum
    """)

  /// `… ec_paramgen_curve:P-384`
  static let ecP384 = decoded(
    """
    MIIBXjCB5gIUTOmC4W0Y8mvY7IKJYtcEffbYv2IwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE99PR
    Mb9l1qIGxCxFaTNUSEMS9Tc3xb88XJn43yb7JGnkeEW8r4E52SUdYPnEdQL9+AvSYPGZLgUzZIeduijwYkzcCwv66AjtcymQ
    h0NyuyMM3AMulaRKTAUroKBTR/u6MAoGCCqGSM49BAMCA2cAMGQCMCd9QIIZ8S/Ir+el00lmRuDojbwAgnkMwhQY44FpV8aZ
    I9FHSOsdnZVAMPPDe8S3GAIwBlcgiYqIduc2dJhdvhQGQAMEH3GRalbsiQ4O3blNAsghVs2QyjYyZrJDXVDNUf4s
    """)

  /// `… ec_paramgen_curve:P-521`
  static let ecP521 = decoded(
    """
    MIIBqzCCAQwCFHPNg0UZyDsjR5ouQ0+DgqzcvPexMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTAeFw0yNjEx
    MjEwMDQ2NDdaFw0yNzExMjEwMDQ2NDdaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTCBmzAQBgcqhkjOPQIBBgUrgQQAIwOBhgAE
    AUTdXikR8ebeF59wkaCSkNDMy6d0k9dxyAqwI+MpvCvIsnq+peHbuu+PSZhHUYEl8iC13hS0dXOxO56YFtPFwRAuAW90+N18
    eYOwgsi3Rh/swj9CCcb8fT9nIg4xaKd4BO0gcdkOULPSpMs+DTlBjj0gyvyZyUSjJsES32NEBMGvphQVMAoGCCqGSM49BAMC
    A4GMADCBiAJCAPNeTWZdDfoGaJPwMNLZ7mYYdxXYlYTb2i6pgK8qsrPeoHMBgBcDZwzR5EbkGkzc5+96mRGB+F/Nzk19sZ9t
    Kf2qAkIBZAbwQQ5a3mdseqgZROwdcLcEMPWT8CH4FhIvVHtEJeWSLDeXLq3IpLmCAfiDz7ELGknBMgEIN9sq1rcXmRnY67g=
    """)

  /// `… ec_paramgen_curve:secp256k1`
  static let ecSecp256k1 = decoded(
    """
    MIIBIDCBxgIUXI6rzD+3Pjk5iFV4/20HrmIVBMwwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEIQcQ
    9Nz0e0cGhwcrkS5W4J9ncCMq6PXI24rWaFrHBPjbWuQOSFs8yjcuvKyg1K/oooZx7wFcnKNWiOZOtRMmjzAKBggqhkjOPQQD
    AgNJADBGAiEA5jUXc0zqKMmMqrZQbyNGCAmHlIpLPCJho8Fe1o/Ct4ICIQC2/yaM2bAKQGXAfKJaGp4MgbKx97j5981Derbg
    +UW3oQ==
    """)

  /// `… ec_paramgen_curve:brainpoolP256r1`
  static let ecBrainpoolP256r1 = decoded(
    """
    MIIBIzCBygIUZ5JF8YelOtB899HHM5TVq988GFwwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFowFAYHKoZIzj0CAQYJKyQDAwIIAQEHA0IA
    BAyHANaYeDG910lKbFzlCGPr+kzto/WIezyfTJYLpx3ugzi1swbYtZC99ImOhMLZNwP6yEwsfUjldsVbcJWdDiYwCgYIKoZI
    zj0EAwIDSAAwRQIgVsj9OB1nYhrpFIar1f+lyPeXc4XI9casiXwegHx8m7ECIQCd9/A2xqio7CIBdnYl6z/A/kqxxkLr/eHI
    ofGxvL1I1A==
    """)

  /// `… ec_paramgen_curve:sect163k1`
  static let ecSect163k1 = decoded(
    """
    MIHyMIGwAhQjzWNqEX1UQ8voSb1FIzwn9gGTVDAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlrLmV4YW1wbGUwHhcNMjYxMTIx
    MDA0NjQ3WhcNMjcxMTIxMDA0NjQ3WjAUMRIwEAYDVQQDDAlrLmV4YW1wbGUwQDAQBgcqhkjOPQIBBgUrgQQAAQMsAAQCGiwn
    0jUIH17Dvvplh2fWzslUfCMAD2HMWJEnP48V1XnLY2xzmQpNQGYwCgYIKoZIzj0EAwIDMQAwLgIVAZY3MnAA9JyJmO4QkR5+
    +B8WrX+uAhUCC1t0SylUh4sANvwA+CP26eW1pFM=
    """)

  /// `openssl ecparam -name prime256v1 -param_enc explicit -genkey; openssl req -x509 -new -key`
  static let ecExplicitPrime = decoded(
    """
    MIICFzCCAb0CFBEfX+PFLCPErljceKeIR1JdhVA8MAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTAeFw0yNjEx
    MjEwMDQ2NDdaFw0yNzExMjEwMDQ2NDdaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTCCAUswggEDBgcqhkjOPQIBMIH3AgEBMCwG
    ByqGSM49AQECIQD/////AAAAAQAAAAAAAAAAAAAAAP///////////////zBbBCD/////AAAAAQAAAAAAAAAAAAAAAP//////
    /////////AQgWsY12Ko6k+ez671VdpiGvGUdBrDMU7D2O848PifSYEsDFQDEnTYIhucEk2pmeOETnSa3gZ9+kARBBGsX0fLh
    LEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfUCIQD/////AAAAAP//
    ////////vOb6racXnoTzucrC/GMlUQIBAQNCAAS0D62k3hGPDX30ZF9C/E4YJjPpry1mox0aao/bOEKRIBGd6Bu1oHDOPW4O
    ttexvFlKHUTK/Re6F1dqlxQCq/CsMAoGCCqGSM49BAMCA0gAMEUCIQCcC9Siqn+c7sJ2e+/JbS6zbsYzXrrTjWobekooB3d4
    8QIgbuVXf61tZM/ayFBdsfMfj32Gc2SHTc17dRAtVw0IShU=
    """)

  /// `openssl ecparam -name sect163k1 -param_enc explicit -genkey; openssl req -x509 -new -key`
  static let ecExplicitBinary = decoded(
    """
    MIIBkjCCAU8CFDjRLg3vfKmntwMWo/iSyGboNFMzMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTAeFw0yNjEx
    MjEwMDQ2NDdaFw0yNzExMjEwMDQ2NDdaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTCB3jCBrQYHKoZIzj0CATCBoQIBATAlBgcq
    hkjOPQECMBoCAgCjBgkqhkjOPQECAwMwCQIBAwIBBgIBBzAuBBUAAAAAAAAAAAAAAAAAAAAAAAAAAAEEFQAAAAAAAAAAAAAA
    AAAAAAAAAAAAAQQrBAL+E8BTe7wRrKoH15PeTm1eXJTu6AKJBw+wXTj/WDIfLoAFNtU4zNqj2QIVBAAAAAAAAAAAAAIBCKLg
    zA2Z+KXvAgECAywABAIsSwNpaPAatHdadQ1CXiJ+SSO5IgafTR8RK1ROnkyYekD6nNy73KVLFDAKBggqhkjOPQQDAgMxADAu
    AhUAovZpfatZJf4o8Ndp/wZHIt2RpdUCFQMIPmH5kBh7aqY5fwL/p1GDZ0NzLA==
    """)

  /// `openssl req -x509 -new -nodes -days 365 -subj /CN=k.example -newkey rsa:512 -md5`
  static let rsa512MD5 = decoded(
    """
    MIIBJDCBzwIUEt6ARXbhr3MVGnI6Jrbi102MbcowDQYJKoZIhvcNAQEEBQAwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2
    MTEyMTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJB
    AMReDEkcOjTzHZSNzE6/7L9fyXZ4ign6BLsaChZwtgyereJCjM+PuhGNfoUe5pbnxlEElFWk4ne+XVpqbdiWWGcCAwEAATAN
    BgkqhkiG9w0BAQQFAANBAInMGROHuF2TPPlkfidTvVG7y7ew66rcrLwfCamh+rabr7jMtGJtqgraCvaTwJk9IhHB2XfMcgAa
    bCldFFO31c4=
    """)

  /// `… -newkey rsa:512 -sha1`
  static let rsa512SHA1 = decoded(
    """
    MIIBJDCBzwIUTU0XHGCNunjbJxq0wcSz2oJXP10wDQYJKoZIhvcNAQEFBQAwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2
    MTEyMTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJB
    ANvQANKYkkBrG5d7/MtI3GhmGViq0On+o6mrue+GS1ELe1KcHPkVUVu+vEGeVJpfghDoK8ctVDQB5wXi8nqO/a0CAwEAATAN
    BgkqhkiG9w0BAQUFAANBAC/EiPMTtgfOT1rBvIVqJp7pPjHTwRM7ORg1qeUGZ+uIQPPIlE41CaaHHzgUOc5e0+6ZkK2Xz+M/
    LI3wLXvTieU=
    """)

  /// `… -newkey rsa:512 -sha224`
  static let rsa512SHA224 = decoded(
    """
    MIIBJDCBzwIUcGJrJrO6C4KP5e8GmJWaGCxeY2YwDQYJKoZIhvcNAQEOBQAwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2
    MTEyMTAwNDY0N1oXDTI3MTEyMTAwNDY0N1owFDESMBAGA1UEAwwJay5leGFtcGxlMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJB
    ALa2FTdii9wtuw83PU6RYZukoeza5nT1LexLxnku98HbuBn7wjAKr1w3Z+xPGJo+ZjuI16UQnq0sclH4aV3SorMCAwEAATAN
    BgkqhkiG9w0BAQ4FAANBAFavY0sn/ZXbXoQyk1/N3KWVs9F7XruaPWlGAgtv2eFn4sHJnsFWVKxyiE4XQ13Zcd3QQnAEL55T
    J7XOjSD4oi8=
    """)

  /// `… -newkey rsa:1023`
  static let rsa1023 = decoded(
    """
    MIIBqTCCARICFE08eB4U35QSHebRSiCmVyPYGJ0aMA0GCSqGSIb3DQEBCwUAMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTAeFw0y
    NjExMjEwMDQ2NDdaFw0yNzExMjEwMDQ2NDdaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTCBnjANBgkqhkiG9w0BAQEFAAOBjAAw
    gYgCgYBh9Z4us8Hoe+l6wsMu1wbbHcoLV+bjhAUotGqTCoWEiLg/rgQeyBjVY+v8OREpoQyuDyA9VLTpGe0gOQYEH93JWSCL
    0IMv27xq3fRvsNvmNwWvw7TyXf8NS0vxJRK9cE1DgHvVOCHznc+PEopfp/DdnZjPpabDNjQj9cBPXvJThwIDAQABMA0GCSqG
    SIb3DQEBCwUAA4GBAB33A6zLrlCRLHmGE8QS4AGgl4hdswrmrwqscebz9OBuNwuFdaKZl1r7MuBEosgBz2ZkmKCCKU+/1iNI
    cjJ2SC2SHINOQtu5/8mgSIxbh3qqnuOgGBaT8muuc2ZESS6vNkqMrZTw9u5o31+3NmAZ6ianOO64VWbWitnbJ+U/AtdN
    """)

  /// `… -newkey rsa:1024 -sha384 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:32`
  static let rsaWithPSSSignature = decoded(
    """
    MIICEjCCAUcCFAZAKUuCZKpsnMRpuXD4R5i21+cZMEEGCSqGSIb3DQEBCjA0oA8wDQYJYIZIAWUDBAICBQChHDAaBgkqhkiG
    9w0BAQgwDQYJYIZIAWUDBAICBQCiAwIBIDAUMRIwEAYDVQQDDAlrLmV4YW1wbGUwHhcNMjYxMTIxMDA0NjQ4WhcNMjcxMTIx
    MDA0NjQ4WjAUMRIwEAYDVQQDDAlrLmV4YW1wbGUwgZ8wDQYJKoZIhvcNAQEBBQADgY0AMIGJAoGBANZbytpN+GUNgpWY5OnQ
    e0hQFpngsALUwAFdlVnNPMFuHDl1u0AYrTuK1CyLbpCmsFGSm9Dp4Z7BNXB+bHYxiRSTeMGpgiGEiFQ/5q9XG3gYpM2Ui1IA
    r9tyvi05U7zpQt51Kp5Dy2RJpuetz8KGyZgIhp7xDG9YqdzlqFeDYbL1AgMBAAEwQQYJKoZIhvcNAQEKMDSgDzANBglghkgB
    ZQMEAgIFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgIFAKIDAgEgA4GBAAQDtBTtQyHLL7BLHMJ+sW0LjVt0e+ZS4a1U
    CxE4V5cHlOcuFgmWEq+13zBS3YGSj+WsXIRBl6LSk+U4Tx0JbAQ4jBj3o7MjRgWCnOVfbgi++9CBSnwXu06yFsWijznaNOI4
    TYzSKoyWQOXhTQdzzodYcqLjBxOeKgae1elG5MzI
    """)

  /// `… -newkey rsa-pss -pkeyopt rsa_keygen_bits:1024 -pkeyopt rsa_pss_keygen_md:sha256 …`
  static let rsaPSSKey = decoded(
    """
    MIICNzCCAXECFFLG4wgfyMo8rANIyqMCXB5TpUYWMDwGCSqGSIb3DQEBCjAvoA8wDQYJYIZIAWUDBAIBBQChHDAaBgkqhkiG
    9w0BAQgwDQYJYIZIAWUDBAIBBQAwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEyMTAwNDY0OFoXDTI3MTEyMTAwNDY0
    OFowFDESMBAGA1UEAwwJay5leGFtcGxlMIHOMDwGCSqGSIb3DQEBCjAvoA8wDQYJYIZIAWUDBAIBBQChHDAaBgkqhkiG9w0B
    AQgwDQYJYIZIAWUDBAIBBQADgY0AMIGJAoGBALkECnVgO0PCdNvvSJCzb+jhIny0FN3zKMDye6+lZdSrh25F+v3bSmhaLN5u
    9ALcWzPNMqKnWmZwYk87e3lzGQ7KD3NShboWjvWjtceRd/KIcj9B+hD0oHMJVyUn5cVYXrd698MhJ6A/2tCCVjhSVa80ah21
    FXFcTIJVxZ4wSgaRAgMBAAEwPAYJKoZIhvcNAQEKMC+gDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgB
    ZQMEAgEFAAOBgQBCl0vY0XuifoeuNa7GEU3gV89NTLWRWOKwg8ejId8ewdL7b8jx6QxsWFPSdf2/zlSw8fnEK8LeQhAIXsqz
    3E5epfwh8KGkMVQocU0hQ9dXONplN5A+7+ZYk7Y7wt2OtKCEwEZyCNGWQJyluxlgX8i910NEB6Y4fo9D1B0zO4kFCg==
    """)

  /// `… -newkey ed25519`
  static let ed25519 = decoded(
    """
    MIHiMIGVAhQVAyf+EjfemcH103N0rbT5E5pdkzAFBgMrZXAwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEyMTAwNDY0
    OFoXDTI3MTEyMTAwNDY0OFowFDESMBAGA1UEAwwJay5leGFtcGxlMCowBQYDK2VwAyEABwOTPL9pbOm0bIPCSSicC7wgCBfV
    fhN/S2uj3VICb2UwBQYDK2VwA0EAO/gxYHl737w9FAOAz0+AzDowug129KMTlAL+IhTr40n/5FcXRMbw9VI60GUlkYEPOUkq
    avF4kke6/EAcq4oABg==
    """)

  /// `… -newkey ed448`
  static let ed448 = decoded(
    """
    MIIBLTCBrgIUCqnt2VF4H2Lc89XIe/p0fYywr6IwBQYDK2VxMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTAeFw0yNjExMjEwMDQ2
    NDhaFw0yNzExMjEwMDQ2NDhaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTBDMAUGAytlcQM6AMPKq6Vok2WPbf7DrTBKAcx9oV+f
    TwxppUsMi8WBThLSt1aADANxMmSQymhaT5Wy5S3Co44UnakpgDAFBgMrZXEDcwDUhDnH0u4zx/vUuJH8klYqJXx1iU2Sjk5W
    Kj6aQ6ywAQAWRxos1wT/C5Hi8AknGJHHQAgxQA122YDa2l+zIqu36qt8zKiOFEQxe06fxisQQEAEs+mjGLgVq0oepVBqNnB5
    6ob8Tf7/FL2ttNJ7dbHoGQA=
    """)

  /// `openssl x509 -req -CA … -force_pubkey, a key of openssl genpkey -algorithm x25519`
  static let x25519 = decoded(
    """
    MIHiMIGIAgEFMAoGCCqGSM49BAMCMBUxEzARBgNVBAMMCmNhLmV4YW1wbGUwHhcNMjYxMTIxMDA0NjQ4WhcNMjcxMTIxMDA0
    NjQ4WjAUMRIwEAYDVQQDDAlrLmV4YW1wbGUwKjAFBgMrZW4DIQBpTG3CKJOGyBXtI/V/BBRaatMMkLgUNyRpfegBdExLSDAK
    BggqhkjOPQQDAgNJADBGAiEA34hGWJvi8Ta26dl5mTzAk/nHsEOWZ5xITpz+XOM/GQYCIQDy816W5JLstkl3MhSWoSEPSqb9
    fQ05Cyo77J76+bL3aQ==
    """)

  /// `the same, a key of openssl genpkey -algorithm DH, group modp_1536`
  static let diffieHellman = decoded(
    """
    MIICWTCCAgACAQYwCgYIKoZIzj0EAwIwFTETMBEGA1UEAwwKY2EuZXhhbXBsZTAeFw0yNjExMjEwMDQ2NDhaFw0yNzExMjEw
    MDQ2NDhaMBQxEjAQBgNVBAMMCWsuZXhhbXBsZTCCAaAwgdUGCSqGSIb3DQEDATCBxwKBwQD//////////8kP2qIhaMI0xMZi
    i4DcHNEpAk4IimfMdAILvqY7E5siUUoIeY40BN3vlRmzzTpDGzArCm3yXxQ3T+E1bW1RwkXkhbV2Yl5+xvRMQummN+1rC/9c
    tvQGt+3uOGv7Womfpa6fJBF8Sx/mSShmUezkWz3CAHy4oWO/BZjaSDYcVdOaaRY/qP0kz1+DZV0j3KOtlhxi81YghVK7ntUp
    B3CWlm1nDDVOSryYBPF0bAjKI3Mn//////////8CAQIDgcUAAoHBAL3DtX+OhoWEWsgfgaH2Q1QNpiwxiKCp6QcZRYCPjABy
    BB7OqSHu0w7JovL2GzG2evVGgqa27Rw8Ei+5Btsa/ExaKZ3TyBd++TY9ZjB2ED6TsWgO9ywoIazsKEU9J1PTpOs6IxjI4alo
    V/3dejlY7yTeuvZsivbSNPJhg8cvt0Tefb4NjJLSUyRb6wlCAwh8+mEVo4DdpF26njpi5ONuK8BaazqAGoPetSWGXiB2fx+V
    q0qfP28tbKr/rO/Hl8MgDTAKBggqhkjOPQQDAgNHADBEAiAglAQSu8VzeKkLIbrYJeG+onylY+UFVh4+o3GRsT7NiwIgQu5c
    LjidVQ7JPaBy4DZDQRvaWB2A7lBHAJMbkuVzjR8=
    """)

  /// `openssl gendsa, 1024 bits; openssl req -x509 -new -sha1 -key`
  static let dsaSHA1 = decoded(
    """
    MIICgDCCAi8CFAdktjOEGbP8LZkctClWNVB+36aEMAkGByqGSM44BAMwFDESMBAGA1UEAwwJay5leGFtcGxlMB4XDTI2MTEy
    MTAwNDcwMVoXDTI3MTEyMTAwNDcwMVowFDESMBAGA1UEAwwJay5leGFtcGxlMIIBvjCCATMGByqGSM44BAEwggEmAoGBALvJ
    kOGRySChu96WogAxFVQTlWr0T6kCJSTtT3sNxJxVviZHzm/61evZ0Q1JG6mUOQC1KD/Y62iB/NZcQrgAoOv9SpRCM2Cm+8J9
    UWzmR5VIPPmoclZmpN5VXt7SpbYeJWQ3CjmSATJ/BkyIwaTrNV6HA2VdokcZvc0eEa9jZudnAh0AmCtdDcg2EYkopUQbvn8H
    mxF+txyjShsO/EZqhQKBgEHAnPOosclfvFfrFoKIdD6UquOzY91vlCa7JKDePXPttVjyby/CHYkMptecPKm8FKHUe7l823wl
    Q+KBL9AEOR4MhFGrcJA+y1Kduyz1ueuckhf9L4Upquj1a0HEq4yFPQ2dNenAevk1yrxirWwGjGY7e7/cOlPvDuGIeSvaWptj
    A4GEAAKBgCnLh0UPnmJtJLz89pB52f/3Zz3SbL9nAoEGXPBmdwuYRAf0bKZkxT2tRxgRlQE0mxgDsmFE8BFK6hrr3klkJrDt
    U9BTlcAoAy6IcRnCV44DWio6xKLH1AhNcIXCaonJYbj+3Qf60Cx1ws/owpH9unjoyrJbTnuqdZIai/PhvVh1MAkGByqGSM44
    BAMDQAAwPQIdAJP/R2ztqpqGRb/qg9JwmGaTqSJzs68c3SDbti0CHEV5kE0xGFeVTr6WPUAKXA75kIDvfCWobZHvsJg=
    """)

  /// `openssl req -x509 -new -days 36500 -subj /CN=late.example`
  static let late = decoded(
    """
    MIIBKjCB0QIUf2nwhXCeXPVGkN8zxlq04pWNRwcwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMbGF0ZS5leGFtcGxlMCAXDTI2
    MTEyMTAwNDY0OFoYDzIxMjYxMDI4MDA0NjQ4WjAXMRUwEwYDVQQDDAxsYXRlLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
    PQMBBwNCAAQSEBV+FFNHY9auZBVR0r01RV44EIrCiVBI2mfBJuElF7YLDMxyzGbFPXBo3qmaX+gg7JNNJTh0PceayLH6Z7jF
    MAoGCCqGSM49BAMCA0gAMEUCICcnEmSWLgUflROJt2j2yNc5Bejd9xdeX1U6kZst2rHHAiEAhNWUeWO/gQa+yUmGh3ynUieG
    /uoq4wjOxksPOtD6wzE=
    """)

  /// The bytes of Base64 text; line ends and other characters outside the alphabet are ignored.
  static func decoded(_ text: String) -> Bytes {
    var bytes = Bytes()
    var bits: UInt32 = 0
    var count = 0
    for character in text.utf8 {
      let value: UInt32
      switch character {
      case 0x41...0x5A: value = UInt32(character) - 0x41
      case 0x61...0x7A: value = UInt32(character) - 0x61 + 26
      case 0x30...0x39: value = UInt32(character) - 0x30 + 52
      case 0x2B: value = 62
      case 0x2F: value = 63
      default: continue
      }
      bits = (bits << 6 | value) & 0xFF_FFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bytes
  }
}
