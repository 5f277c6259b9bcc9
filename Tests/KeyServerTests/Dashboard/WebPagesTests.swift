import CWebFiles
import Foundation
import KeyServerModule
import KeyStore
import NIOCore
import Testing

@testable import KeyServer

@Suite("Web pages", .timeLimit(.minutes(10)))
struct WebPagesTests {
    private static let files = WebFile.files(of: keyway_dashboard_files())
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Sources/Server/CWebFiles/Dashboard")

    @Test("The executable contains exactly the files of the folder")
    func embedded() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(Self.files.map(\.name)) == Set(names))
        for file in Self.files {
            let bytes = try Data(contentsOf: Self.folder.appendingPathComponent(file.name))
            let isSame = Array(buffer: file.body) == Array(bytes)
            #expect(isSame, "\(file.name)")
        }
    }

    @Test("No page loads anything from elsewhere or contains anything that its policy forbids")
    func own() throws {
        let names = Set(Self.files.map(\.name))
        for file in Self.files {
            let text = String(buffer: file.body)
            for scheme in ["https://", "http://"] {
                for part in text.components(separatedBy: scheme).dropFirst() {
                    // The SVG namespace is not an address to load.
                    #expect(part.hasPrefix("www.w3.org/2000/svg"), "\(file.name)")
                }
            }
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
                #expect(!text.contains(word), "\(file.name): \(word)")
            }
            guard file.name.hasSuffix(".html") else { continue }
            #expect(!text.contains("<style") && !text.contains(" style="))
            #expect(text.components(separatedBy: "<script").dropFirst().allSatisfy { $0.contains(" src=") })
            for part in text.components(separatedBy: "/dashboard/").dropFirst() {
                let name = part.prefix { $0 != "\"" }
                #expect(names.contains(String(name)), "\(name)")
            }
        }
        for file in Self.files where file.name.hasSuffix(".js") {
            for part in String(buffer: file.body).components(separatedBy: "from \"./").dropFirst() {
                #expect(names.contains(String(part.prefix { $0 != "\"" })), "\(file.name)")
            }
        }
    }

    @Test("No line of a script is longer than 120 characters")
    func lines() {
        for file in Self.files where file.name.hasSuffix(".js") {
            let lines = String(buffer: file.body).split(separator: "\n", omittingEmptySubsequences: false)
            let long = lines.enumerated().filter { $0.element.count > 120 }.map { $0.offset + 1 }
            #expect(long == [], "\(file.name)")
        }
    }

    @Test("The page of policies lists the fields of the OpenAPI document, and has no list of its own")
    func policyFields() throws {
        let fields = try #require(Self.files.first { $0.name == "policy-fields.js" })
        #expect(String(buffer: fields.body).contains(#"schema("Policy""#))
        for name in ["policy-fields.js", "policy-editor.js"] {
            let text = String(buffer: try #require(Self.files.first { $0.name == name }).body)
            // The document of a new policy is an example.
            let named = PolicyField.all.map(\.name).filter { text.contains("\($0):") || text.contains("\"\($0)\"") }
            #expect(Set(named).isSubset(of: ["lease", "hdcp", "securityLevel", "name"]), "\(named)")
        }
    }

    @Test("Every refusal in the audit log has an explanation")
    func refusals() throws {
        let words = String(buffer: try #require(Self.files.first { $0.name == "words.js" }).body)
        let refusals = RefusalTableTests.rows.compactMap(\.audit).filter { AuditRecord.isReason($0) }
        for outcome in Set(refusals + LicenseService.reasons) {
            #expect(words.contains("\n  \"\(outcome)\": \"") || words.contains("\n  \(outcome): \""), "\(outcome)")
        }
    }

    @Test("A browser with a current file gets 304; every response has the policy")
    func served() async throws {
        try await LicenseServer.run { server in
            let page = try await server.send("GET", "/dashboard")
            #expect(page.status == 200)
            #expect(page.headers["content-type"] == "text/html; charset=utf-8")
            let policy = try #require(page.headers["content-security-policy"])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(!policy.contains("unsafe"))
            #expect(page.headers["x-content-type-options"] == "nosniff")
            #expect(page.headers["cache-control"] == "no-cache")
            let tag = try #require(page.headers["etag"])
            #expect(tag.hasPrefix("\"") && tag.utf8.count == 34)
            let url = "http://127.0.0.1:\(server.adminPort)/dashboard"
            for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                let answer = try await ReceivedResponse.of("GET", url, ["If-None-Match": known], nil)
                #expect(answer.status == 304, "\(known)")
                #expect(answer.body.isEmpty)
                #expect(answer.headers["etag"] == tag)
            }
            #expect(try await ReceivedResponse.of("GET", url, ["If-None-Match": "\"other\""], nil).status == 200)
            #expect(
                try await server.send("HEAD", "/dashboard/app.js").headers["content-type"]?.hasPrefix("text/javascript")
                    == true
            )
            #expect(try await server.send("GET", "/dashboard/nothing.js").status == 404)
            #expect(try await server.send("POST", "/dashboard/app.js").status == 405)
        }
    }

    @Test("A policy allows added sources, and nothing else changes")
    func policy() {
        let strict = ContentSecurityPolicy.strict.value
        let more = ContentSecurityPolicy.strict.allowing("media-src", "blob:").allowing("connect-src", "https:").value
        #expect(more == strict.replacing("connect-src 'self'", with: "connect-src 'self' https:") + "; media-src blob:")
    }

    @Test("Files of unknown types are not served")
    func kinds() {
        #expect(WebFile(name: "a.exe", bytes: [1]) == nil)
        #expect(WebFile(name: "a", bytes: [1]) == nil)
        #expect(WebFile(name: "a.css", bytes: [])?.mediaType == "text/css; charset=utf-8")
    }
}
