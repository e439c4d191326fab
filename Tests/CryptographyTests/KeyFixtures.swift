/// Keys made with the `openssl` command for these tests alone; they open nothing.
enum KeyFixtures {
  /// `openssl ecparam -name prime256v1 -genkey -noout`
  static let sec1 = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEICN3b67mskNKoKDisDNyhbFC1loUQToyaIpcV7EmpfjfoAoGCCqGSM49
    AwEHoUQDQgAEl+javLAr8rN2d/qoF4r21lrMFM9GuHSg2ipxpKKnk9GEtH0rX6o9
    zy04AInhOtOPHi2ck0GriKEnkwbdawmMew==
    -----END EC PRIVATE KEY-----
    """

  /// The same key after `openssl pkcs8 -topk8 -nocrypt`.
  static let pkcs8 = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgI3dvruayQ0qgoOKw
    M3KFsULWWhRBOjJoilxXsSal+N+hRANCAASX6Nq8sCvys3Z3+qgXivbWWswUz0a4
    dKDaKnGkoqeT0YS0fStfqj3PLTgAieE6048eLZyTQauIoSeTBt1rCYx7
    -----END PRIVATE KEY-----
    """

  /// The same key after `openssl ec -pubout`.
  static let publicPart = """
    -----BEGIN PUBLIC KEY-----
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEl+javLAr8rN2d/qoF4r21lrMFM9G
    uHSg2ipxpKKnk9GEtH0rX6o9zy04AInhOtOPHi2ck0GriKEnkwbdawmMew==
    -----END PUBLIC KEY-----
    """

  /// Without `-noout`: the curve comes first.
  static let withParameters = """
    -----BEGIN EC PARAMETERS-----
    BggqhkjOPQMBBw==
    -----END EC PARAMETERS-----
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIFJHr5R6HXTHdS5InmWQeQVSD+SkufyANZY+An2z2mAuoAoGCCqGSM49
    AwEHoUQDQgAExCW5fJqAnYMkjwtiGjupqEJ2SGCHx3A37BhVt6Vuy+S6IuLbeqae
    sU8zAJ4v2Y2TWqI/wINEtNGkG6cA99Nv8g==
    -----END EC PRIVATE KEY-----
    """

  /// `openssl ec -aes128`
  static let encryptedSEC1 = """
    -----BEGIN EC PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,FB633356739B639E775D4363818FD8BE

    cEc7GPwCrMZbhErKiLRozbhNeAQX5FFIRxTJanIhfFmbmpM8NUBonVSWVmFAPlZq
    mzSaQ8+f8o9Rk6nf6pOaVVMj+A3q8p6bhv5CyAwFv1FPLE/SncvIPRb3JxvHcN3k
    DbEVq31ThQde3N/TrGgFgLj65mEKM70f7VFCCMiXoJE=
    -----END EC PRIVATE KEY-----
    """

  /// `openssl pkcs8 -topk8`
  static let encryptedPKCS8 = """
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjFDgoPbpZ/YAICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEC69kur0n30MQDtOhnvj6hUEgZD8
    ffb12CCfbOQqRL9jap7ZU6uodAsl6pjRTVBQDrwn48J4q/9iez8Cb1cmbeIaa2nm
    3vVDrWT/4LCFvEOoDDQaeiN9fu+0aH/JyB9R21aTj1yOlaufZD5bJbEPFCmbnPw8
    MIQiUafyJCu0AkPPolCTfoCg0jHXuH5lhzid3igyUKfuYpyxbpH/OhyqSJ7LErM=
    -----END ENCRYPTED PRIVATE KEY-----
    """

  /// `openssl ecparam -name secp384r1 -genkey -noout`
  static let p384 = """
    -----BEGIN EC PRIVATE KEY-----
    MIGkAgEBBDBXlJXgnZNoRQ3FsNooHi/afw+prGBlcc7O0DACCEZ8n4vNsZK2/OGf
    x1igf/ym50WgBwYFK4EEACKhZANiAAT5KT/23JskanjoxIEJsRkH56qBRbV5trCm
    rCV3CujCRGW57XrXUIjxp/48pJJmun0dRd6rfSIt2K48+bUMS0PrHDZPZF6ShcvJ
    yxIn7pnQxRceMDyU1ov5T069wQeQIYE=
    -----END EC PRIVATE KEY-----
    """

  /// `openssl genrsa 1024`, then PKCS#8
  static let rsa = """
    -----BEGIN PRIVATE KEY-----
    MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAKJSL7GEKTyycACt
    ADiy+0Z+pAL8kFhyh3erRvmEK5OdhnKFDfkJozY8m9S3kwiff8cMFwSBeJmenvkr
    aQ/CQl95eNpr1fqSlLg0C7TiG+leKD6fWk3wq9oB4SaSSLYa4DLUUjCqAtixVooB
    p7HB0YPkbo60L2/CwLKgf+5SAsArAgMBAAECgYAdOTy68fdWpS2DAaKTkq2okG5I
    113Jfr0i72Q00fXieq7U+V19o52NyzWnA3HmUIj5thSCzCiBR8yJQaaFnszCCDTI
    ZtdQ1YmU9wXnGsc2ZExJaWU/lxCj99GXML+2j5HSKXKGb6p189LZznZfaK7wgu1S
    fFrEsVUPUcYGIUliyQJBANKnBaLcUMFiOgrJzzX1yzUbGebZx6wNJamHl2QtI4W/
    KEIzMgwtzL8fcq+G6XGSXi+rEy2+eSLGFwmQTcE/s2UCQQDFQ6Og3TRJ/uiivYtP
    +WWpapNyNkG+Lo2gzgyJXcjL7UHIf/tK8+3u8XlnsNR777YURr0qM+3sHkNaPiZc
    1JRPAkAK6zdikrLo4zOI/Z7s+BmZXhdAnQc5htDt8aZKPgC6XQc0Lz0n3nPfcDzc
    lkyhY2nYZLCwzU+wGr5083LkUm31AkBalDV1bz1MYPVXjOuEXIN26I4t2oYTmvLD
    jPmqtdq28QnM1B+CikGN/2l82HCpPCgCZX0E/PVZ/4dzz6fz5lT3AkA6EHLMfkse
    IQA3HBcVy1regrtZ4CCDfMSbL9RSeiTqncROvsiSWmTbRVCNX+4t22zJU7ueLRIx
    lG9EZGFtBYBr
    -----END PRIVATE KEY-----
    """

  /// `openssl genpkey -algorithm ed25519`
  static let ed25519 = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIAfDtNh6X+Y34izvVE8BT9SeB4P40HOjSwMod8xcJUMn
    -----END PRIVATE KEY-----
    """

  /// `printf hello | openssl dgst -sha256 -sign` with ``sec1``, in base64.
  static let signatureOfHello = """
    MEQCIAvUJz23D7A4DGOcNm3Fy5CFez8OUJl1DbXSE4pqMcyEAiBW1ZNa8/MN3gsONZJTVkI4ShQytOChnL98PIGccOp+kg==
    """
}
