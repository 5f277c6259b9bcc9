import StreamValidation
import Testing
import TextCoding

@testable import keyway

@Suite("The keys of TLS certificates")
struct TLSProbeTests {
    private static let keys: [(text: String, key: TLSObservation.Key?)] = [
        (
            "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQCoN5uq4IL/lnHtlhhSY3ZFhy3UG4ygPi5+qzjv5U0jbv/54+eFAo3To5L14lXc"
                + "enr5PU4lzlII9INiRVeoVkH+QmxT2wuZwXgT0Kq9txI2+FDT389PSjZE9fuoKCDn9AudEsFgLDlVDhYorPLwJka5kkG8EnFJjwmH"
                + "9uUXqxiBpwIDAQAB",
            .init(.rsa, bits: 1024)
        ),
        (
            "ME4wEAYHKoZIzj0CAQYFK4EEACEDOgAEVxTR7COnJw6woL+97QGIfz0nfN//mxsPZ7QgeQH04JtEOGAlq61kInYzM/D/R5A7yVT4"
                + "KfpC9wQ=",
            .init(.ellipticCurve, bits: 224)
        ),
        (
            "MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAwgrQExqoOZNSzam32qNI2Qv56nX6JN86Fy3nxEyFZ46ZsjYJnztDk00HPg2Q3UJ4"
                + "o4lawTI7hXgFfVdDLXLzdvEAuorljFr3QHuhrQ5uShBHgbxE12uM6U5b9ZYAkA11834ciH5vke2N8QXr9UiQXZzp+Ry0AXkY/KzG"
                + "5WzpO7PMep4=",
            .init(.ellipticCurve, bits: 521)
        ),
        // Ed25519.
        ("MCowBQYDK2VwAyEAl0W4VyK6o+haLvZiQ4nBYFklvnloNrrraYf5pLB3DXE=", nil),
    ]

    @Test("are read from their SubjectPublicKeyInfo, as OpenSSL writes it")
    func sizes() throws {
        for (text, key) in Self.keys {
            #expect(TLSObservation.Key(subjectPublicKeyInfo: try #require(Base64.decode(text))) == key)
        }
    }

    @Test("are unknown if they are truncated or have other bytes")
    func damaged() throws {
        for (text, _) in Self.keys {
            let bytes = try #require(Base64.decode(text))
            for count in bytes.indices {
                #expect(TLSObservation.Key(subjectPublicKeyInfo: Array(bytes.prefix(count))) == nil)
                var changed = bytes
                changed[count] ^= 0xFF
                // It must not end the program.
                _ = TLSObservation.Key(subjectPublicKeyInfo: changed)
            }
        }
    }
}
