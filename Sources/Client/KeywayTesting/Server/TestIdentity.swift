import FPSCrypto
import KeyServerModule
import TextCoding

/// The identity of a ``TestKeyServer``: a certificate and a private key that were made for this file, and a development
/// ASk. They are public, so they protect nothing, and no Apple device accepts a license that was made with them.
enum TestIdentity {
    /// The certificate in DER.
    static let certificate = decode(
        """
        MIIDUTCCAjmgAwIBAgIUQ1zi8AzG2HpMk4TZgzqfH1Bcp4YwDQYJKoZIhvcNAQELBQAwNzE1MDMGA1UEAwwsS2V5d2F5IHRlc3Qg
        Y2VydGlmaWNhdGUsIG5vdCBpc3N1ZWQgYnkgQXBwbGUwIBcNMjYxMTI2MDQzOTIyWhgPMjEyNjExMDIwNDM5MjJaMDcxNTAzBgNV
        BAMMLEtleXdheSB0ZXN0IGNlcnRpZmljYXRlLCBub3QgaXNzdWVkIGJ5IEFwcGxlMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB
        CgKCAQEA2SNXK7P3e1/OHSynnmU431jdVVLUVLmU5L9Mipq0qt3UO0WyaHWUwANGMBlDx90LSXS8D04CkurTTOWq/Ev02H6Fssrx
        54BqQ8qRNemyPzQdVM2M5T6cZDjtlasJm8TUM5sT6NMYG5ToMqZ9RL7guVCvEPiHKtIjeMwcrCyGEBKpXZeJvaAzbqAWGX8aXuKP
        X0qRBpmde2Pt0QIt1EJGjWIfnCbPvUvRwenmeyeItpy/Kw0X4GE2yCzGziIz2ctqY13mrQLuqVqRs5PeeNfWJ8pBoN7dqF/hsRDV
        2Bo84d6n8dqiyAAuN2AqjR2tAcf5OCV74fspBAgb1IfJ5eT4UwIDAQABo1MwUTAdBgNVHQ4EFgQUZrDkg6GZ9oYoGEFpSqFLRjb3
        6PswHwYDVR0jBBgwFoAUZrDkg6GZ9oYoGEFpSqFLRjb36PswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAa7QB
        p2Dc+06gjQctMQpmYtLFjF5r3xV9SxN1lAI/KgEV0IywJIHwZ5Dq/2+zhak7RqDpERAF9H0UKT/6ie/z5oX2CmMncJhYHaHuNQi3
        L0VW2nMg5FjMufuOegNF34a8voh1TQ2btH+Ky4SIV8l6VaFMaMIQLpZHvZY8nIWAiJ3rGYODslbFjJ4iEA2rqLZ+7QcggiuBDYsq
        988+um7sRGh+0vEERku/yKHzb3fV0bgLFrf19o+KYDVIijzPp4t66CNCHv0yQChP7BpIZ4eL+uv+Mox6SkElBC7hYnTPdCm+xtcv
        xPshXsKRIILeMWECZeub/rPTQooDgT8Dc+LTtw==
        """
    )

    /// The ASk, 16 bytes, from which a server and a virtual device derive DASk.
    static let ask = SecretBytes(copying: Array("keyway tests ask".utf8))

    /// Returns a Key Server Module with this identity.
    ///
    /// - Throws: An error if the cryptographic library cannot read the key.
    static func module(protocolVersions: Set<UInt32>) throws -> KSM {
        var configuration = KSM.Configuration()
        configuration.protocolVersions = protocolVersions
        return try KSM(bundles: [bundle.get()], configuration: configuration)
    }

    private static let bundle = Result {
        try CertificateBundle(
            name: "tests",
            kind: .development,
            certificate: X509Certificate(certificate),
            privateKey: RSAPrivateKey(privateKey),
            derivation: DevelopmentDASk(ask: ask).map { .dask($0) } ?? .none
        )
    }

    /// The RSA-2048 key of the certificate, PKCS#1 in DER.
    private static let privateKey = decode(
        """
        MIIEpAIBAAKCAQEA2SNXK7P3e1/OHSynnmU431jdVVLUVLmU5L9Mipq0qt3UO0WyaHWUwANGMBlDx90LSXS8D04CkurTTOWq/Ev0
        2H6Fssrx54BqQ8qRNemyPzQdVM2M5T6cZDjtlasJm8TUM5sT6NMYG5ToMqZ9RL7guVCvEPiHKtIjeMwcrCyGEBKpXZeJvaAzbqAW
        GX8aXuKPX0qRBpmde2Pt0QIt1EJGjWIfnCbPvUvRwenmeyeItpy/Kw0X4GE2yCzGziIz2ctqY13mrQLuqVqRs5PeeNfWJ8pBoN7d
        qF/hsRDV2Bo84d6n8dqiyAAuN2AqjR2tAcf5OCV74fspBAgb1IfJ5eT4UwIDAQABAoIBAF5yt1eMo+DXxuU8x7onqEnKMxgKe85Q
        nNm09hux+FT8QXT4t4YlYur0YaLJUojMdrzgWG7FzWvPVdK0cZ/lgB5tRkWDbh525oIPSgNr3/sK9ZkuAZOznL4hXwKDj53gSzcZ
        RNs4etuAdVGWxpVQ+5nP5R5aJB01o3VHP0+K3FN/pRif1DQw/O7/UP7K2Xe3UajcXcORdyV5cullYrQyZDifTI2ZYTxPKE6cOAtk
        QtlVJzP2BBU2BSS11/AOGzuDjs7SSo7GbFPVrE1jB9Snk8tbne9eUgbNCnDRvNEL4xmE72swPwWQbNsJwQ4dtMPerdiS98MzcIm1
        WVSTAWY6hhkCgYEA+YpVM+YBxI+FglNuRBEZXcQs8DHn6JvBpGxODoIFBh97mjgunEVIemqZmpG68IKT3qy/QUQ7fuojkwEEQnS9
        77qrvKIS/07ZKww+kqe5LF4GuV2VGUG6J+EXcujCakwHefINgMykTmeN8F0S7vQrZDTStkw1akNjXnWJSFYTbVkCgYEA3sJIRwPy
        7bqXezc+JTto0AqJEZgK/OIt1GzJrKd3i1NmK+bS24WfsrEeFMjan/T+AFdj1d8b2+rHfcqu0RmgynW/zC3MovWaArSl7L+lDQ7j
        BPp33VRZY+Oc2wlO3ilyW3GHF7gOQd+qiHZJ8pQycNHVfyCzuCRAL42bwyOdQYsCgYBqcyV3lzXH2QW2G8sdBEJS6p3U9SUd6FvJ
        vV3q+HIWM5XxqufPSArsFc9izan2cW2M/xozSF0s/cqhKjzb8JsZygL63BTIjqU7pOSIgT4P/ChYKOCyvoQgAPiUz1AoMji6P5Sd
        Di9FNw2orLun7ccY3yPIGmhq5UZdhDxE/FsbOQKBgQCavs5k/vpIaWIIB6VVSgMS2u7DWSLw79K0iepD1YZ3NDV68/uw4g/Bm8bw
        22L80b2N0SeakEYTLPLukNmGis4nN0tI9Nv+rK0Tihjl8XAgNSJB+BlCmPEMMjdp9fpi3NoDakdVk9fbrRwTdlECgi7ULwCoMriG
        iDBKmI4HLnt05wKBgQD5TudhDz3Tq+kdpDRNIr/bopyeS2ZnYy8p6ao5Yv4Fmc3Q2ZEhcFO1+MXPca9ts+Bt4i1f6dIOK3hUEblY
        U11aZfo1F9Cs7vokUj6fTcjNIx+lhpVccoJwB4oHDT2qSAMXe3lGKvhMsM5p5aNqoJnhzIbdnmUIGxMEX9PfCXaQqQ==
        """
    )

    private static func decode(_ text: String) -> [UInt8] {
        Base64.decode(text, [.standardAlphabet, .lineBreaks]) ?? []
    }
}
