import ArgumentParser
import FPSCrypto
import Testing

@testable import CommandSupport
@testable import ToolSupport

/// Tests of the values that options accept.
@Suite("Values on the command line")
struct ArgumentTests {
    @Test(
        "A duration has a unit, or is an ISO 8601 duration, and is printed with the largest unit",
        arguments: [
            ("90s", 90_000, "90s"), ("10m", 600_000, "10m"), ("600s", 600_000, "10m"), ("2h", 7_200_000, "2h"),
            ("1d", 86_400_000, "1d"), ("31d", 2_678_400_000, "31d"), ("250ms", 250, "250ms"), ("0.5s", 500, "500ms"),
            ("1.5h", 5_400_000, "90m"),
            ("PT10M", 600_000, "10m"), ("PT0.5S", 500, "500ms"), ("P2D", 172_800_000, "2d"), ("0s", 0, "0s"),
        ] as [(String, Int64, String)]
    )
    func durations(text: String, milliseconds: Int64, printed: String) throws {
        let duration = try #require(DurationArgument(argument: text))
        #expect(duration.value == .milliseconds(milliseconds))
        #expect(duration.defaultValueDescription == printed)
        #expect(DurationArgument(argument: printed) == duration)
    }

    @Test(
        "Other texts are not durations",
        arguments: [
            "", "10", "s", "-1s", "+1s", "1 s", "1S", "1y", ".5s", "1.s", "1.2.3s", "12345678901s", "P", "PT", "٣s",
        ]
    )
    func invalidDurations(text: String) { #expect(DurationArgument(argument: text) == nil) }

    @Test("A duration out of bounds is reported with the option and the bounds")
    func bounds() throws {
        let duration = DurationArgument.seconds(90)
        try duration.require(.seconds(90) ... .seconds(90), option: "--timeout")
        let error = #expect(throws: ValidationError.self) {
            try duration.require(.milliseconds(1) ... .seconds(60), option: "--timeout")
        }
        #expect(error?.message == "--timeout: expected a duration from 1ms to 1m, not 90s")
    }

    @Test("A time has a zone or is a number of seconds")
    func times() {
        #expect(TimeArgument(argument: "2026-05-01T20:15:00Z")?.seconds == 1_777_666_500)
        #expect(TimeArgument(argument: "2026-05-01T22:15:00.5+02:00")?.seconds == 1_777_666_500)
        #expect(TimeArgument(argument: "2026-05-01T22:15:00.5+02:00")?.nanoseconds == 500_000_000)
        #expect(TimeArgument(argument: "1777666500")?.defaultValueDescription == "2026-05-01T20:15:00Z")
        #expect(TimeArgument(argument: "2026-05-01T20:15:00") == nil)
        #expect(TimeArgument(argument: "tomorrow") == nil)
    }

    @Test(
        "A size has a decimal or binary unit",
        arguments: [
            ("0", 0, "0"), ("5000000000", 5_000_000_000, "5GB"), ("2GiB", 2 << 30, "2GiB"),
            ("1500kB", 1_500_000, "1500kB"),
            ("1001", 1001, "1001"),
        ] as [(String, UInt64, String)]
    )
    func sizes(text: String, bytes: UInt64, printed: String) {
        #expect(SizeArgument(argument: text)?.bytes == bytes)
        #expect(SizeArgument(bytes: bytes).defaultValueDescription == printed)
    }

    @Test("Other texts are not sizes", arguments: ["", "GB", "1gb", "1 GB", "-1", "1.5GB", "999999999999999999TiB"])
    func invalidSizes(text: String) { #expect(SizeArgument(argument: text) == nil) }

    @Test("An asset ID is text, or hexadecimal digits after 0x")
    func assetIDs() {
        #expect(AssetIDArgument(argument: "movie")?.bytes == Array("movie".utf8))
        #expect(AssetIDArgument(argument: "0x00ff")?.bytes == [0, 255])
        #expect(AssetIDArgument(argument: "0xmovie") == nil)
    }

    @Test("A key is given in hexadecimal, or in a file in hexadecimal or binary")
    func keys() throws {
        let digits = "00112233445566778899AABBCCDDEEFF"
        let bytes = HexArgument.decode(digits.utf8) ?? []
        #expect(bytes.count == 16)
        #expect(try HexArgument(argument: digits).bytes(16, option: "--iv") == bytes)
        #expect(try HexArgument(argument: "0x" + digits).secret(16, option: "--key").reveal() == bytes)
        for content in [Array("\(digits)\n".utf8), bytes] {
            let folder = try TemporaryFolder()
            let path = try folder.file("key", content)
            #expect(try HexArgument(argument: "@\(path)").bytes(16, option: "--key") == bytes)
            #expect(
                try HexArgument(argument: "@\(path)").secret(16, option: "--key", rules: .required).reveal() == bytes
            )
        }
    }

    @Test("The message about an invalid key does not contain it")
    func secrecy() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("key", Array("c0ffee".utf8))
        let (digits, file) = (HexArgument(argument: "c0ffee"), HexArgument(argument: "@\(path)"))
        let direct = #expect(throws: CommandFailure.self) { try digits.secret(16, option: "--key") }
        let read = #expect(throws: CommandFailure.self) { try file.secret(16, option: "--key") }
        let missing = HexArgument(argument: "@\(path).missing")
        #expect(direct?.description == "--key: expected 16 bytes in hexadecimal; give 32 digits, or @FILE")
        #expect(direct?.kind == .usage)
        #expect(read?.kind == .input)
        #expect(read?.description.contains("c0ffee") == false)
        #expect(#expect(throws: CommandFailure.self) { try missing.secret(16, option: "--key") }?.kind == .file)
    }

    @Test(
        "A server is an http or https URL with a host",
        arguments: [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("HTTPS://[::1]/keys//", "HTTPS://[::1]/keys"),
            ("http://host/", "http://host"),
        ]
    )
    func urls(text: String, base: String) throws { #expect(try #require(URLArgument(argument: text)).base == base) }

    @Test(
        "Other texts are not servers",
        arguments: ["", "host", "host:80", "ftp://host", "http://", "/path", "file:///a"]
    )
    func invalidURLs(text: String) { #expect(URLArgument(argument: text) == nil) }

    @Test("A URL is printed without its password")
    func printedURL() throws {
        let url = try #require(URLArgument(argument: "https://ann:s3cr3t@host/keys?a=b"))
        #expect("\(url)" == "https://host/keys?a=b")
        #expect(url.base.contains("s3cr3t"))
    }

    @Test("A secret text is given on the command line or in a file, without white space around it")
    func secretTexts() throws {
        #expect(try SecretArgument(argument: "a token ").text(option: "--token") == "a token")
        let folder = try TemporaryFolder()
        let path = try folder.file("token", Array(" s3cr3t\r\n".utf8))
        let file = SecretArgument(argument: "@\(path)")
        #expect(try file.text(option: "--token") == "s3cr3t")
        #expect(try file.bytes() == Array(" s3cr3t".utf8))
        #expect(file.isFile && !SecretArgument(argument: "token").isFile)
    }

    @Test("A secret text is not empty, and its messages and its description do not contain it")
    func invalidSecretTexts() throws {
        let folder = try TemporaryFolder()
        let binary = try folder.file("binary", [0xff, 0xfe])
        let blank = try folder.file("blank", Array(" \n".utf8))
        func failure(_ argument: String) -> CommandFailure? {
            #expect(throws: CommandFailure.self) {
                try SecretArgument(argument: argument).text(option: "--token")
            }
        }
        #expect(failure(" ")?.description == "--token: the text is empty; give the text, or @FILE")
        #expect(failure(" ")?.kind == .usage)
        #expect(failure("@\(binary)")?.what == "--token: \(binary) contains no UTF-8 text")
        #expect(failure("@\(blank)")?.kind == .input)
        #expect(failure("@\(blank).missing")?.kind == .file)
        let secret = SecretArgument(argument: "s3cr3t")
        #expect(!"\(secret)".contains("s3cr3t") && !secret.defaultValueDescription.contains("s3cr3t"))
    }

    @Test("A list has elements between commas, none of which is empty")
    func lists() {
        #expect(CommaList<String>(argument: "en,de")?.elements == ["en", "de"])
        #expect(CommaList<Int>(argument: "1")?.elements == [1])
        #expect(CommaList(["en", "de"]).defaultValueDescription == "en,de")
        for text in ["", ",", "en,", "en,,de"] { #expect(CommaList<String>(argument: text) == nil, "\(text)") }
        #expect(CommaList<Int>(argument: "1,x") == nil)
    }

    @Test("Protocol versions are separated as in a command or as in a playlist")
    func protocolVersions() {
        #expect(ProtocolVersionList(argument: "1,2")?.values == [1, 2])
        #expect(ProtocolVersionList(argument: "1/2")?.values == [1, 2])
        #expect(ProtocolVersionList([1, 2]).defaultValueDescription == "1,2")
        for text in ["", "1,", "-1", "one"] { #expect(ProtocolVersionList(argument: text) == nil, "\(text)") }
    }

    @Test("An account has 1 to 200 bytes")
    func accounts() {
        #expect(AccountArgument(argument: String(repeating: "é", count: 100))?.name.count == 100)
        #expect(AccountArgument(argument: "") == nil)
        #expect(AccountArgument(argument: String(repeating: "é", count: 101)) == nil)
    }

    @Test("A path that looks like a URL is not an output")
    func outputPaths() throws {
        #expect(OutputPath(argument: "a/b")?.path == "a/b")
        #expect(OutputPath(argument: "-")?.path == "-")
        #expect(OutputPath(argument: "https://example.com/a") == nil)
        #expect(try OutputPath.parse("a/b") == "a/b")
        #expect(throws: ValidationError.self) { try OutputPath.parse("https://example.com/a") }
    }
}
