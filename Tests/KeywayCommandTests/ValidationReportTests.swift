import FPSCrypto
import HLSPlaylist
import MediaFormats
import Testing
import TextCoding
import ToolSupport
import XMLDocuments

@testable import StreamValidation
@testable import keyway

@Suite("Reports of keyway validate")
struct ValidationReportTests {
    /// A playlist with a name and durations from an enemy, of which one segment is missing.
    static func report() throws -> (report: ValidationReport, judgment: Judgment) {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:1
            #EXTINF:0.0000000000000000001,
            a.ts
            #EXTINF:1e300,
            b.ts?token=secret
            #EXTINF:99999999999999999999999999,
            "><script>alert(1)</script>\u{1B}[31m.ts
            #EXT-X-ENDLIST

            """
        let name = "https://user:secret@films.example/<b>&\".m3u8?token=secret"
        let file = try LintFile(name: name, bytes: Array(text.utf8))
        guard case .media(let playlist) = file.playlist else { throw CommandFailure.input("not a Media Playlist") }
        var segments = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 4) }
        for index in segments.indices { segments[index].outcome = .sealed(byteCount: .max / 64) }
        segments[segments.count - 1].outcome = .missing(reason: "the server responded with status 500 & <html>")
        let rendition = MeasuredRendition(
            name: name,
            file: file,
            playlist: playlist,
            roles: .init(),
            segments: segments
        )
        let report = ValidationReport(MeasuredPresentation(multivariant: nil, renditions: [rendition]))
        return (report, Judgment(report))
    }

    @Test("escape what others wrote, and contain no credentials")
    func escaping() throws {
        let (report, judgment) = try Self.report()
        #expect(judgment.findings.contains { $0.rule.id == "segment-missing" && $0.level == .critical })
        let html = HTMLReport(report: report, judgment: judgment, title: "a<b", version: "1").text
        let junit = JUnitReport(report: report, judgment: judgment, least: .must).bytes
        let sarif = SARIFReport(judgment: judgment, version: "1").json.encoded()
        let baseline = BaselineFile.json(judgment.baseline(reason: "known")).encoded()
        for output in try Self.outputs() {
            #expect(!output.contains("secret") && !output.contains("\u{1B}"), "\(output)")
        }
        #expect(!String(decoding: baseline, as: UTF8.self).contains("secret"))
        #expect(!html.contains("<script") && !html.contains("<b>&") && html.contains("a&lt;b"))
        let root = try XMLTree(junit).root
        #expect(root.name == "testsuites" && root.attribute("failures") != "0" && root.attribute("errors") == "0")
        let suites = root.children.filter { $0.name == "testsuite" }
        #expect(suites.allSatisfy { $0.attribute("errors") == "0" && $0.attribute("skipped") != nil })
        let document = try JSONValue(parsing: sarif, maximumDepth: 16)
        #expect("\(document)".contains("segment-missing"))
    }

    /// All reports of ``report()``.
    private static func outputs() throws -> [String] {
        let (report, judgment) = try report()
        let name = "https://user:secret@films.example/a.m3u8?token=secret"
        let text = ValidationText(report, judgment)
        let json = [
            text.json, SARIFReport(judgment: judgment, version: "1").json,
            CompatibleReport(report: report, judgment: judgment, name: name, version: "1").json,
        ]
        let junit = JUnitReport(report: report, judgment: judgment, least: .must).bytes
        return [
            HTMLReport(report: report, judgment: judgment, title: name, version: "1").text,
            text.text(.plain, places: nil), text.text(.plain, places: 1), String(decoding: junit, as: UTF8.self),
        ] + json.map { String(decoding: $0.encoded(), as: UTF8.self) }
    }

    @Test("The same input makes the same bytes")
    func determinism() throws { #expect(try Self.outputs() == Self.outputs()) }

    @Test("A JSON report and a written baseline are baselines, of which every finding is known")
    func baselines() throws {
        let (report, judgment) = try Self.report()
        let documents = [ValidationText(report, judgment).json, BaselineFile.json(judgment.baseline(reason: "known"))]
        for document in documents {
            var settings = JudgmentSettings()
            settings.exceptions = try BaselineFile.parse(document.encoded(), name: "known.json")
            let again = Judgment(report, settings: settings)
            #expect(again.findings.allSatisfy { $0.exception != nil } && again.unusedExceptions.isEmpty)
        }
    }

    @Test(
        "A file that is not a baseline is an error that names it",
        arguments: [
            "", "[]", "{\"schema\":2,\"findings\":[]}", "{\"schema\":1}",
            "{\"schema\":1,\"findings\":[{\"rule\":\"a\"}]}",
            "{\"schema\":1,\"findings\":[{\"rule\":\"a\",\"placeKey\":\"b\",\"count\":0}]}",
            "{\"schema\":1,\"findings\":[{\"rule\":\"a\",\"placeKey\":\"b\",\"count\":1,\"expires\":\"soon\"}]}",
        ]
    )
    func badBaselines(text: String) {
        let error = #expect(throws: CommandFailure.self) {
            try BaselineFile.parse(Array(text.utf8), name: "known.json")
        }
        #expect(error?.what.contains("known.json") == true && error?.kind == .input)
    }

    @Test("SARIF has rules with a page, fingerprints, and the reasons of what does not count")
    func sarif() throws {
        let (report, _) = try Self.report()
        var settings = JudgmentSettings()
        settings.exceptions = [.init(.suppression, rule: "segment-missing", place: nil, reason: "known")]
        let document = SARIFReport(judgment: Judgment(report, settings: settings), version: "1").json
        let run = try #require(document["runs"]?.items?.first)
        let rules = try #require(run["tool"]?["driver"]?["rules"]?.items)
        #expect(rules.allSatisfy { $0["helpUri"]?.text?.hasPrefix("https://") == true })
        let results = try #require(run["results"]?.items)
        for result in results {
            let index = try #require(result["ruleIndex"]?.wholeNumber)
            #expect(rules[index]["id"]?.text == result["ruleId"]?.text)
            #expect(result["partialFingerprints"]?["keyway/v1"]?.text?.isEmpty == false)
        }
        let known = try #require(results.first { $0["ruleId"]?.text == "segment-missing" })
        let suppression = try #require(known["suppressions"]?.items?.first)
        #expect(suppression["kind"]?.text == "external" && suppression["justification"]?.text == "known")
        #expect(results.contains { $0["suppressions"] == nil })
    }

    @Test("JUnit has a case for each rule in each playlist, failed, passed, or skipped with the reason")
    func junit() throws {
        let (report, judgment) = try Self.report()
        let root = try XMLTree(JUnitReport(report: report, judgment: judgment, least: .must).bytes).root
        let suite = try #require(root.children.first)
        func element(_ name: String) -> XMLTree.Element? { suite.children.first { $0.attribute("name") == name } }
        #expect(element("segment-missing")?.children.first?.name == "failure")
        #expect(element("cmaf-container") == nil)
        let skipped = try #require(element("extinf-wrong")?.children.first)
        #expect(skipped.name == "skipped" && skipped.attribute("message") == "needs the key")
        #expect(element("ios-cellular-variant")?.children.isEmpty == true)
        #expect(root.children.last?.attribute("name") == "requirements without a rule")
    }

    @Test(
        "Hosts on this machine and in private networks are private, in every spelling",
        arguments: [
            "localhost", "LOCALHOST.", "a.localhost", "nas.local", "metadata.google.internal", "127.0.0.1", "10.1.2.3",
            "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1", "[::1]",
            "::",
            "fe80::1", "fd00::1", "::ffff:10.0.0.1",
        ]
    )
    func privateHosts(host: String) { #expect(PrivateHost.isPrivate(host)) }

    @Test(
        "Other hosts are public",
        arguments: [
            "films.example", "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2001:db8::1", "local", "fc",
        ]
    )
    func publicHosts(host: String) { #expect(!PrivateHost.isPrivate(host)) }

    @Test("A playlist from a public host does not lead to a private address, unless that is allowed")
    func privateAddress() async throws {
        let root = try PlaylistLocation(argument: "https://films.example/main.m3u8")
        let request = StreamResourceRequest(url: "http://127.0.0.1:1/1.ts", purpose: .segment, maximumSize: 1)
        let refused = await #expect(throws: ResourceFailure.self) {
            try await StreamResources(root: root, loader: PlaylistLoader(), allowsPrivateHosts: false).load(request)
        }
        #expect(refused?.reason.contains("--allow-private") == true)
        let local = StreamResourceRequest(url: "file:///etc/hostname", purpose: .segment, maximumSize: 1)
        let file = await #expect(throws: ResourceFailure.self) {
            try await StreamResources(root: root, loader: PlaylistLoader(), allowsPrivateHosts: true).load(local)
        }
        #expect(file?.reason.contains("local file") == true)
    }

    @Test(
        "The table of keys has the URI without its query, the key ID, the devices, the verdict and the time, and no key"
    )
    func keyTable() throws {
        let keyID = try #require(KeyID(Array(0x10..<0x20)))
        let tag = KeyTag(method: .sampleAES, uri: "skd://films.example/key?token=secret", keyFormat: .fairPlay)
        let id = MeasuredKey.ID(tag, playlist: "main.m3u8", keyID: nil)
        var license = ValidationLicense(key: SecretBytes(copying: Array(0xA0..<0xB0)), iv: Array(0xC0..<0xD0))
        license.duration = .milliseconds(1234)
        var refused = ValidationLicense(failure: "refused")
        refused.duration = .milliseconds(2)
        var presentation = try Self.report().report.presentation
        presentation.keys = [
            MeasuredKey(
                id: id,
                tag: tag,
                place: .init("main.m3u8"),
                isAhead: false,
                keyIDs: [keyID],
                grants: [.init(deviceClass: "iphone", license: license), .init(deviceClass: "mac", license: refused)]
            )
        ]
        func verdict(_ verdict: MeasuredDecryption.Verdict) -> [String] {
            let found = MeasuredDecryption(
                track: 1,
                kind: .video,
                key: id,
                verdict: verdict,
                frameCount: 1,
                evidence: ""
            )
            presentation.renditions[0].segments[0].decryptions.append(found)
            return KeySummary.all(presentation).map(\.cells).first ?? []
        }
        let name = Hexadecimal.encode(keyID.bytes)
        #expect(verdict(.opened) == ["skd://films.example/key", name, "iphone", "opened", "1.234 s"])
        #expect(verdict(.wrongKey)[3] == "wrong key", "the most serious verdict")
        let report = ValidationReport(presentation)
        let html = HTMLReport(report: report, judgment: Judgment(report), title: "a", version: "1").text
        #expect(html.contains("<h2>Requested keys</h2>") && html.contains(name) && html.contains("1.234 s"))
        for secret in ["secret", Hexadecimal.encode(Array(0xA0..<0xB0)), Hexadecimal.encode(Array(0xC0..<0xD0))] {
            #expect(!html.lowercased().contains(secret))
        }
    }

    @Test("A chart has an axis with bit rates and times")
    func chart() throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\na.ts\n#EXTINF:4,\nb.ts\n#EXT-X-ENDLIST\n"
        let file = try LintFile(name: "a.m3u8", bytes: Array(text.utf8))
        guard case .media(let playlist) = file.playlist else { throw CommandFailure.input("not a Media Playlist") }
        var segments = try playlist.resolvedSegments().map { MeasuredSegment($0, line: 4) }
        for index in segments.indices { segments[index].outcome = .sealed(byteCount: 1_000_000) }
        let rendition = MeasuredRendition(name: "a", file: file, playlist: playlist, roles: .init(), segments: segments)
        // 1,000,000 bytes in 4 s are 2000 kbit/s.
        let html = try #require(HTMLChart(rendition)).html
        for part in [">2000 kbit/s<", ">1000 kbit/s<", ">0<", ">00:00<", ">00:05<", ">00:10<", ">encryption<"] {
            #expect(html.contains(part), "\(part)")
        }
    }
}
