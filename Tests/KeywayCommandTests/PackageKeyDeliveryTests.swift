import Foundation
import OwnThreads
import Synchronization
import Testing

@Suite("keyway package --dev", .timeLimit(.minutes(10)), .ownThreads)
struct PackageKeyDeliveryTests {
    /// The requests that a server received.
    final class Log: Sendable {
        let requests = Mutex<[LittleServer.Request]>([])
    }

    @Test("registers new keys for the published presentation, and saves them for their owner only")
    func registration() throws {
        let log = Log()
        let server = try LittleServer { request in
            log.requests.withLock { $0.append(request) }
            return LittleServer.Response(status: 201, body: Array("{}".utf8))
        }
        let tool = try Tool()
        _ = try tool.file("token", Array("secret-token\n".utf8))
        let run = try tool.run(
            [
                "package", PackageTests.film, "--out", "site", "--dev", "--server", server.address, "--admin-token",
                "@token", "--policy", "gold", "--save-keys", "keys.txt",
            ]
        )
        #expect(run.status == 0, "\(run.errors)")
        let requests = log.requests.withLock { $0 }
        // The first request checks whether the server accepts the token, the second reads the policy.
        #expect(requests.map(\.method) == ["GET", "GET", "PUT", "PUT"])
        let saved = String(decoding: try tool.content(tool.path("keys.txt")), as: UTF8.self).split(separator: "\n")
        #expect(saved.count == 2)
        for (request, line) in zip(requests.dropFirst(2), saved) {
            let parts = line.split(separator: ":").map(String.init)
            try #require(parts.count == 3)
            let body = try Tool.json(request.body)
            #expect(request.path == "/admin/content/\(parts[0])")
            #expect(request.headers.first { $0.key.lowercased() == "authorization" }?.value == "Bearer secret-token")
            #expect(request.headers.first { $0.key.lowercased() == "content-type" }?.value == "application/json")
            #expect(body["keyId"] as? String == parts[0])
            #expect(body["key"] as? String == parts[1])
            #expect(body["iv"] as? String == parts[2])
            #expect(body["policy"] as? String == "gold")
            #expect(!run.text.contains(parts[1]) && !run.text.contains(parts[2]))
            let main = String(decoding: try tool.content(tool.path("site/main.m3u8")), as: UTF8.self)
            #expect(main.contains("skd://\(parts[0])"))
        }
        #expect(try requests.dropFirst(2).map { try Tool.json($0.body)["track"] as? String } == ["video", "audio"])
        let mode = try FileManager.default.attributesOfItem(atPath: tool.path("keys.txt"))[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
    }

    /// Returns the notes and requests of `--dev --systems` with a server that has these policies.
    func package(
        _ systems: String,
        _ options: [String] = [],
        policy: String? = nil,
        stored: [String: String]
    ) throws -> (notes: String, requests: [LittleServer.Request]) {
        let log = Log()
        let server = try LittleServer { request in
            log.requests.withLock { $0.append(request) }
            guard request.method == "GET", !request.path.hasPrefix("/admin/content?") else {
                return LittleServer.Response(status: request.method == "GET" ? 200 : 201, body: Array("{}".utf8))
            }
            let name = String(request.path.split(separator: "/").last ?? "")
            guard let document = stored[name] else { return LittleServer.Response(status: 404) }
            return LittleServer.Response(body: Array(document.utf8))
        }
        let tool = try Tool()
        let run = try tool.run(
            [
                "package", PackageTests.film, "--out", "site", "--dev", "--server", server.address, "--admin-token",
                "token", "--systems", systems,
            ] + (systems == "identity" ? ["--key-uri", "http://127.0.0.1/keys/{kid}"] : [])
                + (policy.map { ["--policy", $0] } ?? []) + options
        )
        #expect(run.status == 0, "\(run.errors)")
        return (run.errors, log.requests.withLock { $0 })
    }

    @Test(
        "creates a policy for Clear Key and AES-128 clients if none is given",
        arguments: ["common", "identity"]
    )
    func otherClients(systems: String) throws {
        let (notes, requests) = try package(systems, stored: [:])
        let policies = requests.filter { $0.method == "PUT" && $0.path.hasPrefix("/admin/policies/") }
        #expect(policies.map(\.path) == ["/admin/policies/development-other-clients"])
        let document = try Tool.json(try #require(policies.first).body)
        #expect(document["otherClients"] as? String == "allow" && document["hdcp"] as? String == "type0")
        let keys = requests.filter { $0.path.hasPrefix("/admin/content/") }
        #expect(keys.count == 2)
        for key in keys { #expect(try Tool.json(key.body)["policy"] as? String == "development-other-clients") }
        #expect(
            notes.contains(
                "policy development-other-clients, which issues the raw key to Clear Key and AES-128 clients"
            )
        )
    }

    @Test(
        "does not change the server's policies, and prints their effect",
        arguments: [
            ("gold", #"{"otherClients":"deny"}"#, "which does not allow otherClients"),
            ("gold", "{}", "which does not allow otherClients"),
            ("gold", #"{"otherClients":"allow"}"#, "the raw key"),
            (nil, #"{"otherClients":"deny"}"#, "policy default, which does not allow otherClients"),
        ] as [(String?, String, String)]
    )
    func storedPolicies(policy: String?, document: String, words: String) throws {
        let (notes, requests) = try package("common", policy: policy, stored: [policy ?? "default": document])
        #expect(requests.allSatisfy { $0.method != "PUT" || !$0.path.hasPrefix("/admin/policies/") })
        let keys = requests.filter { $0.path.hasPrefix("/admin/content/") }
        #expect(keys.count == 2)
        for key in keys { #expect(try Tool.json(key.body)["policy"] as? String == policy) }
        #expect(notes.contains(words), "\(notes)")
    }

    @Test("uses the current policy of an earlier run")
    func earlierPolicy() throws {
        let made = "development-other-clients"
        let (notes, requests) = try package("common", stored: [made: #"{"otherClients":"deny"}"#])
        #expect(requests.allSatisfy { $0.method != "PUT" || !$0.path.hasPrefix("/admin/policies/") })
        #expect(notes.contains("policy \(made), which does not allow otherClients"), "\(notes)")
    }

    @Test("writes nothing if the server refuses")
    func refusal() throws {
        let server = try LittleServer { _ in
            LittleServer.Response(status: 401, body: Array(#"{"type": "urn:keyway:problem:unauthorized"}"#.utf8))
        }
        let tool = try Tool()
        let run = try tool.run(
            [
                "package", PackageTests.film, "--out", "site", "--dev", "--server", server.address, "--admin-token",
                "wrong",
            ]
        )
        #expect(run.status == 1)
        #expect(run.errors.contains("401"))
        #expect(!FileManager.default.fileExists(atPath: tool.path("site/main.m3u8")))
    }

    @Test(
        "deletes the keys that it has registered if another one is refused, except keys that replaced others",
        arguments: [(201, 1), (200, 0)]
    )
    func takenBack(status: Int, deletions: Int) throws {
        let log = Log()
        let server = try LittleServer { request in
            let puts = log.requests.withLock { requests in
                requests.append(request)
                return requests.count { $0.method == "PUT" }
            }
            if request.method == "PUT", puts == 2 { return LittleServer.Response(status: 500) }
            return LittleServer.Response(status: request.method == "PUT" ? status : 200, body: Array("{}".utf8))
        }
        let tool = try Tool()
        let run = try tool.run(
            ["package", PackageTests.film, "--out", "site", "--dev", "--server", server.address, "--admin-token", "t"]
        )
        #expect(run.status == 1, "\(run.errors)")
        let requests = log.requests.withLock { $0 }
        let first = try #require(requests.first { $0.method == "PUT" }).path
        let deleted = requests.filter { $0.method == "DELETE" }.map(\.path)
        // The meaning of the second response is unknown, but an asset ID with a new key's ID cannot belong to others.
        #expect(deleted.count { $0 == first } == deletions)
        #expect(deleted.count == deletions + 1)
        #expect(!FileManager.default.fileExists(atPath: tool.path("site/main.m3u8")))
    }
}
