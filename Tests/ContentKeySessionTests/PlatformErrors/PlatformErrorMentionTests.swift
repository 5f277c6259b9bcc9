import ContentKeySession
import Testing

@Suite("The errors in a log text")
struct PlatformErrorMentionTests {
    /// Returns the errors of a text as `domain number`, or the name if the number is not published.
    static func found(_ text: String) -> [String] {
        PlatformErrorCatalog.mentions(in: text).map { $0.code?.description ?? $0.explanations.first?.name ?? "" }
    }

    @Test(
        "A number is found however a log prints it",
        arguments: [
            "-42668", "42668", "4294924628", "0xffff5954", "0XFFFF5954", "0xffffffffffff5954", "18446744073709508948",
            "−42668", "–42668", "-- -42668", "--42668", "(-42668)", "[-42668]", "\"-42668\"", " -42668. ", "err=-42668",
            "error -42668", "code: 42668", "systemCode: 4294924628", "MediaKeyError code 6, systemCode 4294924628",
            "FigPlayer: signaled err=-42668 at <>:1234",
            "2026-03-01 12:00:00.123+0100 App[123:4567] <<<< FigCPE >>>> process: key error -42668, retry 3 of 10",
            "An unknown error occurred (-42668)",
            "id=3F2504E0-4F89-11D3-9A0C-0305E82C3301 t=-1 n=-999 rate=1.5 v1.2.3 0x600003d0c1b0 failed: -42668",
        ]
    )
    func forms(text: String) {
        #expect(Self.found(text) == ["-42668"])
    }

    @Test(
        "A domain is found however a log prints it",
        arguments: [
            "Error Domain=CoreMediaErrorDomain Code=-12642 \"(null)\"",
            "Error Domain=CoreMediaErrorDomain Code=-12642", "CoreMediaErrorDomain:-12642",
            "CoreMediaErrorDomain -12642",
            "CoreMediaErrorDomain error -12642", "(CoreMediaErrorDomain error -12642.)", "CoreMediaErrorDomain-12642",
            "The operation couldn’t be completed. (CoreMediaErrorDomain error -12642 - Playlist error)",
            "CoreMediaErrorDomain Code: 4294954654", "domain: \"CoreMediaErrorDomain\", code: -12642",
            "{\"domain\":\"CoreMediaErrorDomain\",\"code\":-12642}",
            "{\"code\":-12642,\"domain\":\"CoreMediaErrorDomain\"}",
            "errorStatusCode: -12642 errorDomain: CoreMediaErrorDomain errorComment: x",
            "-12642 (CoreMediaErrorDomain)",
            "coremediaerrordomain code=-12642", "CoreMedia error 12642", "CoreMediaErrorDomain/-12642",
        ]
    )
    func domains(text: String) {
        #expect(Self.found(text) == ["CoreMediaErrorDomain -12642"])
    }

    @Test("Domains have the names that frameworks print")
    func names() {
        #expect(Self.found("OSStatus error -12642") == ["NSOSStatusErrorDomain -12642"])
        #expect(Self.found("(OSStatus error 1718449215.)") == ["NSOSStatusErrorDomain 1718449215"])
        #expect(Self.found("AVFoundationErrorDomain error -11800 - x") == ["AVFoundationErrorDomain -11800"])
        #expect(Self.found("AVError.Code(rawValue: -11835)") == ["AVFoundationErrorDomain -11835"])
        #expect(Self.found("(NSURLErrorDomain error -1009.)") == ["NSURLErrorDomain -1009"])
        #expect(Self.found("URLError.Code(rawValue: -1009)") == ["NSURLErrorDomain -1009"])
        #expect(Self.found("NSCocoaErrorDomain Code=3072") == ["NSCocoaErrorDomain 3072"])
        #expect(Self.found("kCFErrorDomainCFNetwork error -1009") == ["kCFErrorDomainCFNetwork -1009"])
        #expect(Self.found("Error Domain=com.example.player Code=-42668") == ["com.example.player -42668"])
    }

    @Test("An error's underlying errors follow it, from the outermost to the innermost one")
    func chain() {
        let text = """
            Optional(Error Domain=AVFoundationErrorDomain Code=-11800 "The operation could not be completed" \
            UserInfo={NSLocalizedFailureReason=An unknown error occurred (-42811), NSUnderlyingError=0x283f1c0 \
            {Error Domain=CoreMediaErrorDomain Code=-12642 "…" UserInfo={NSDescription=x, NSUnderlyingError=0x60000028 \
            {Error Domain=NSOSStatusErrorDomain Code=-42811 "(null)"}}}})
            """
        #expect(
            Self.found(text) == [
                "AVFoundationErrorDomain -11800", "CoreMediaErrorDomain -12642", "NSOSStatusErrorDomain -42811",
            ]
        )
        #expect(PlatformErrorCatalog.mentions(in: text).allSatisfy { $0.explanations.count == 1 })
        let repeated = String(repeating: text, count: 40)
        #expect(Self.found(repeated).count == 3)
    }

    @Test("Positive numbers and four characters are found")
    func positive() {
        #expect(Self.found("1718449215") == ["1718449215"])
        #expect(Self.found("playback failed with 1718449215 after 3 s") == ["1718449215"])
        for text in ["fmt?", "'fmt?'", "OSStatus 'fmt?'", "0x666d743f"] {
            #expect(PlatformErrorCatalog.mentions(in: text).map(\.code?.number) == [1_718_449_215], "\(text)")
        }
        #expect(Self.found("3072") == ["3072"])
        #expect(PlatformErrorCatalog.mentions(in: "3072").first?.explanations.first?.name == "user-cancelled")
    }

    @Test("Small numbers are looked up in their domain, and only without one in all")
    func ambiguous() throws {
        #expect(PlatformErrorCatalog.mentions(in: "-1").first?.explanations.map(\.domains) == [[.url]])
        #expect(
            PlatformErrorCatalog.mentions(in: "download failed: -999").first?.explanations.map(\.name) == [
                "url-cancelled"
            ]
        )
        let other = try #require(PlatformErrorCatalog.mentions(in: "CoreMediaErrorDomain -1").first)
        #expect(other.explanations == [])
        let related = try #require(PlatformErrorCatalog.mentions(in: "CoreMediaErrorDomain -42811").first)
        #expect(related.explanations.map(\.name) == ["security-level-too-low"])
        #expect(related.isFromOtherDomain)
        #expect(PlatformErrorCatalog.mentions(in: "NSOSStatusErrorDomain -42811").first?.isFromOtherDomain == false)
        // A small number beside a clear one is not an error.
        #expect(Self.found("t=-1 err=-12888") == ["-12888"])
    }

    @Test("Names of constants are found")
    func constants() {
        #expect(Self.found("AVError.contentIsNotAuthorized") == ["AVFoundationErrorDomain -11835"])
        #expect(Self.found("case .notConnectedToInternet was thrown") == ["NSURLErrorDomain -1009"])
        #expect(Self.found("Invalid-CKC") == ["NSOSStatusErrorDomain -42668"])
        #expect(Self.found("contentKeyRequestFulfilledWithAdvisoryKey") == ["advisory-key-fulfills-request"])
    }

    @Test("Numbers that are not in the catalog are returned without explanations")
    func unknown() {
        for (text, expected) in [
            ("12", "12"), ("-12345", "-12345"), ("failed with -12345", "-12345"), ("code 77", "77"), ("0", "0"),
            ("CoreMediaErrorDomain -12345", "CoreMediaErrorDomain -12345"), ("2147483647", "2147483647"),
            ("-2147483648", "-2147483648"), ("2147483648", "-2147483648"),
        ] {
            #expect(Self.found(text) == [expected])
            #expect(PlatformErrorCatalog.mentions(in: text).allSatisfy { $0.explanations.isEmpty }, "\(text)")
        }
    }

    @Test(
        "A text without an error number contains no error",
        arguments: [
            "", " ", "-", "--", "banana", "-x", "0x", "-0x1", "+", "1.5", "12:00:00.123 hello", "v1.2.3", "42668abc",
            "9999999999999999999999", "-9999999999999999999999", "-2147483649", "0x1ffffffffffffffff", "Domain=",
            "Code=",
            "Error Domain=CoreMediaErrorDomain", "CoreMediaErrorDomain Code=", "''", "'", "\"\"\"", "fmt", "\u{0}",
            "🎬−",
            "3F2504E0-4F89-11D3-9A0C-0305E82C3301",
        ]
    )
    func nothing(text: String) {
        #expect(PlatformErrorCatalog.mentions(in: text).isEmpty)
    }

    @Test("Any bytes are read without a failure, and the number of errors is limited")
    func limits() {
        var numbers = SystemRandomNumberGenerator()
        let pieces = [
            "Error Domain=", "CoreMediaErrorDomain", "Code", "=", "-", "12642", "0x", "'", "fmt?", "{", "}", " ", "−",
            "\u{0}", ".",
            "9999999999999", "_", "é", "-42668", "code", "domain",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0..<40, using: &numbers)).map { _ in
                pieces.randomElement(using: &numbers) ?? ""
            }
            let found = PlatformErrorCatalog.mentions(in: text.joined())
            #expect(found.count <= 32)
        }
        for length in 0..<20 {
            #expect(Self.found(String("Error Domain=CoreMediaErrorDomain Code=-12642".prefix(length))) == [])
        }
        let many = (1...500).map { "x\($0)ErrorDomain -\($0)" }.joined(separator: " ")
        #expect(Self.found(many).count == 32)
        // The 65536 bytes of the limit are followed by an error.
        #expect(Self.found(String(repeating: "x ", count: 32768) + "-42668").isEmpty)
        #expect(Self.found(String(repeating: "-", count: 200_000)).isEmpty)
        #expect(Self.found(String(repeating: "1", count: 200_000)).isEmpty)
    }
}
