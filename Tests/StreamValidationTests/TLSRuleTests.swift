import HLSPlaylist
import Testing

@testable import StreamValidation

@Suite("TLS is judged by host")
struct TLSRuleTests {
    @Test("A host has a name and a port, and no credentials")
    func hosts() {
        func text(_ url: String) -> String? { TLSHost(url: url)?.description }
        #expect(text("https://CDN.example/a/b?c") == "cdn.example")
        #expect(text("https://cdn.example:443") == "cdn.example")
        #expect(text("https://user:pass@word@cdn.example:8443/a@b:1/") == "cdn.example:8443")
        #expect(text("https://[2001:DB8::1]/a") == "[2001:db8::1]")
        #expect(text("https://[2001:db8::1]:8443?a") == "[2001:db8::1]:8443")
        #expect(TLSHost(url: "https://[::1]:8443/")?.name == "::1")
        #expect(text("https://cdn.example:/a") == "cdn.example")
        for url in ["http://cdn.example/", "media.m3u8", "https:///a", "https://cdn.example:99999/", "https:cdn", ""] {
            #expect(text(url) == nil, "\(url)")
        }
    }

    /// Resources over TLS, with one observation for all hosts.
    private struct Resources: ValidationResources {
        var files = StreamValidatorTests.Resources(files: [:])
        var observation: TLSObservation?

        func load(_ request: StreamResourceRequest) async throws(ResourceFailure) -> LoadedResource {
            var resource = try await files.load(request)
            resource.http = HTTPObservation()
            resource.http?.isSecure = request.url.hasPrefix("https:")
            return resource
        }

        func observeTLS(of host: TLSHost) async -> TLSObservation? { host.name == "films.example" ? observation : nil }
    }

    private static func findings(_ observation: TLSObservation?, scheme: String = "https") async throws -> [String] {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n#EXT-X-ENDLIST\n"
        let url = "\(scheme)://films.example/media.m3u8"
        let files = StreamValidatorTests.Resources(files: [url: Array(text.utf8)])
        let validator = StreamValidator(resources: Resources(files: files, observation: observation))
        return try await validator.validate(url).findings.filter { $0.rule.rawValue.hasPrefix("tls-") }
            .map { "\($0.level.rawValue) \($0.rule) \($0.measured ?? "")" }
    }

    @Test("The version is 1.2 or later", arguments: [0, 1, 2, 3])
    func version(minor: Int) async throws {
        let found = try await Self.findings(TLSObservation(minorVersion: minor))
        #expect(found == (minor < 2 ? ["must tls-version TLS 1.\(minor)"] : []))
    }

    @Test("Keys have a minimum size")
    func keys() async throws {
        func found(_ kind: TLSObservation.Key.Kind, _ bits: Int) async throws -> [String] {
            try await Self.findings(TLSObservation(minorVersion: 3, key: .init(kind, bits: bits)))
        }
        #expect(try await found(.rsa, 2047) == ["must tls-key-short RSA with 2047 bits"])
        #expect(try await found(.rsa, 2048) == [])
        #expect(try await found(.ellipticCurve, 224) == ["must tls-key-short EC with 224 bits"])
        #expect(try await found(.ellipticCurve, 256) == [])
    }

    @Test("What is not known violates no rule")
    func unknown() async throws {
        #expect(try await Self.findings(nil) == [])
        #expect(try await Self.findings(TLSObservation()) == [])
        let old = TLSObservation(minorVersion: 0, key: .init(.rsa, bits: 512))
        #expect(try await Self.findings(old).count == 2)
        #expect(try await Self.findings(old, scheme: "http") == [], "not over TLS")
    }
}
