import HLSPlaylist
import StreamValidation
import Testing
import TextCoding
import ToolSupport
import XMLDocuments

@testable import keyway

@Suite("Reports of keyway validate")
struct ValidationReportTests {
    /// A playlist with a name and durations from an enemy, of which one segment is missing.
    private static func report() throws -> (report: ValidationReport, findings: [ReportedFinding]) {
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
        return (report, ReportedFinding.all(of: report))
    }

    @Test("escape what others wrote, and contain no credentials")
    func escaping() throws {
        let (report, findings) = try Self.report()
        #expect(findings.contains { $0.rule == "segment-missing" && $0.level == .critical })
        let html = HTMLReport(report: report, findings: findings, title: "a<b", version: "1").text
        let text = ValidationText(report, findings: findings).text(.plain, places: nil)
        let junit = JUnitReport(report: report, findings: findings, least: .must).bytes
        let sarif = SARIFReport(findings: findings, version: "1").json.encoded()
        let json = ValidationText(report, findings: findings).json.encoded()
        for output in [html, text] + [junit, sarif, json].map({ String(decoding: $0, as: UTF8.self) }) {
            #expect(!output.contains("secret") && !output.contains("\u{1B}"), "\(output)")
        }
        #expect(!html.contains("<script") && !html.contains("<b>&") && html.contains("a&lt;b"))
        let root = try XMLTree(junit).root
        #expect(root.name == "testsuites" && root.attribute("failures") != "0")
        let document = try JSONValue(parsing: sarif, maximumDepth: 16)
        #expect("\(document)".contains("segment-missing"))
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
}
