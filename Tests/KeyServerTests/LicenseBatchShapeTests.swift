import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// The shapes of batches that WebKit's clients send, to the URL of single requests.
@Suite("Batches in the shapes of WebKit", .timeLimit(.minutes(10)))
struct LicenseBatchShapeTests {
    private static let form = "application/x-www-form-urlencoded"

    private struct Key {
        let device: FPSDevice
        let request: KeyRequest

        init(_ server: LicenseServer, _ asset: String = "movie", state: FPSDevice.PlaybackState = .readyToStart) throws
        {
            device = server.device()
            request = try server.request(device, asset: Array(asset.utf8), state: state)
        }

        var spc: String { Base64.encode(request.spc) }

        func opens(_ ckc: JSONValue?) throws -> Bool {
            guard let text = ckc?.text, let bytes = Base64.decode(text) else { return false }
            let key = try device.process(ckc: bytes, for: request)
            try key.startPlaying()
            return true
        }
    }

    private static func streamingKeys(_ items: [String], version: String = "1") -> [UInt8] {
        let list = items.joined(separator: ",")
        return Array(#"{"fairplay-streaming-request":{"version":\#(version),"streaming-keys":[\#(list)]}}"#.utf8)
    }

    private static func send(
        _ body: [UInt8],
        type: String? = form,
        to path: String = "/fps/license",
        _ server: LicenseServer
    ) async throws -> ReceivedResponse {
        try await server.send("POST", path, type: type, body)
    }

    @Test(
        "Streaming keys are answered by position and ID, whatever their URI",
        arguments: ["/fps/license", "/fps/licenses"]
    )
    func streamingKeys(path: String) async throws {
        try await LicenseServer.run { server in
            let keys = try (0..<5).map { _ in try Key(server) }
            // Tests of WebKit send the same URI for all keys, and IDs that are not unique.
            let ids = ["1", "1", #""a""#, "-3", "7"]
            let items = zip(keys, ids).map { #"{"id":\#($1),"uri":"skd://twelve","spc":"\#($0.spc)"}"# }
            let answer = try await Self.send(Self.streamingKeys(items), to: path, server)
            #expect(answer.status == 200, "\(answer.text)")
            let answers = answer.json["fairplay-streaming-response"]?["streaming-keys"]?.items ?? []
            #expect(answers.map { $0["id"] } == [.integer(1), .integer(1), .string("a"), .integer(-3), .integer(7)])
            #expect(answers.allSatisfy { $0["status"] == .integer(0) })
            for (key, item) in zip(keys, answers) { #expect(try key.opens(item["ckc"])) }
        }
    }

    @Test("A version in quotation marks and a missing ID are accepted; another version is not")
    func versions() async throws {
        try await LicenseServer.run { server in
            let key = try Key(server)
            let answer = try await Self.send(
                Self.streamingKeys([#"{"uri":"skd://movie","spc":"\#(key.spc)"}"#], version: #""1""#),
                server
            )
            let items = answer.json["fairplay-streaming-response"]?["streaming-keys"]?.items ?? []
            #expect(try key.opens(items.first?["ckc"]))
            #expect(items.first?["id"] == nil)
            let other = try await Self.send(
                Self.streamingKeys([#"{"id":1,"spc":"\#(try Key(server).spc)"}"#], version: "2"),
                server
            )
            #expect(other.status == 400)
        }
    }

    @Test("The message of a session for several keys is answered with a message for that session")
    func keyMessages() async throws {
        try await LicenseServer.run { server in
            let keys = [try Key(server), try Key(server, "unknown"), try Key(server)]
            let ids = (1...3).map { Base64.encode([UInt8](repeating: 0, count: 15) + [UInt8($0)]) }
            let items = zip(keys, ids).map { #"{"keyID":"\#($1)","payload":"\#($0.spc)"}"# }
            for type in [Self.form, "application/octet-stream", nil] {
                let body = " [\(items.joined(separator: ","))]\n"
                let answer = try await Self.send(Array(body.utf8), type: type, server)
                #expect(answer.status == 200, "\(answer.text)")
                let answers = try JSONValue(parsing: answer.body).items ?? []
                #expect(answers.map { $0["keyID"]?.text } == ids)
                // WebKit accepts either a payload or an error.
                #expect(answers[1] == .fields([("keyID", .string(ids[1])), ("error", .integer(404))]))
                #expect(answers[0]["error"] == nil && answers[2]["error"] == nil)
                if type == Self.form {
                    #expect(try keys[0].opens(answers[0]["payload"]))
                    #expect(try keys[2].opens(answers[2]["payload"]))
                }
            }
        }
    }

    @Test("Without any license, the response is the first refusal, because these clients look at the HTTP status")
    func refused() async throws {
        try await LicenseServer.run { server in
            let unknown = try Key(server, "unknown").spc
            let bodies = [
                Self.streamingKeys([#"{"id":1,"spc":"\#(unknown)"}"#, #"{"id":2,"spc":"*"}"#]),
                Array(#"[{"keyID":"AQ==","payload":"\#(unknown)"}]"#.utf8),
            ]
            for body in bodies {
                let answer = try await Self.send(body, server)
                #expect(answer.status == 404)
                #expect(answer.json["type"] == .string("urn:keyway:problem:unknown-asset"))
            }
            let halted = try Key(server, state: .halted).spc
            #expect(try await Self.send(Self.streamingKeys([#"{"id":1,"spc":"\#(halted)"}"#]), server).status == 204)
            // Keyway's own shape has a status for each item.
            let own = try await server.batch([try Key(server, "unknown").request.spc])
            #expect(own.answer.status == 200 && own.items.first?["status"] == .integer(404))
        }
    }

    @Test(
        "Malformed batches are refused",
        arguments: [
            "[]", "[1]", "[{}]", #"[{"payload":"AQ=="}]"#, #"[{"keyID":1,"payload":"AQ=="}]"#, "[",
            #"{"fairplay-streaming-request":{"version":1,"streaming-keys":[]}}"#,
            #"{"fairplay-streaming-request":{"version":1,"streaming-keys":{}}}"#,
            #"{"fairplay-streaming-request":{"version":1,"streaming-keys":[{"id":[],"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":{"version":true,"streaming-keys":[{"id":1,"spc":"AQ=="}]}}"#,
            #"{"fairplay-streaming-request":[]}"#,
        ]
    )
    func malformed(text: String) {
        #expect(LicenseBatchRequest.matches(Array(text.utf8)))
        let problem = problem { () throws(ProblemDocument) in
            try LicenseBatchRequest(body: Array(text.utf8), contentType: nil)
        }
        #expect(problem?.type == .malformedRequest)
    }

    @Test("A single request in JSON is not a batch")
    func single() {
        for text in [#"{"spc":"AQ=="}"#, "AAAAAQ==", "spc=AAAAAQ==", "<spc>AQ==</spc>", ""] {
            #expect(!LicenseBatchRequest.matches(Array(text.utf8)))
        }
        let many = (0..<33).map { #"{"keyID":"\#($0)","payload":"AQ=="}"# }.joined(separator: ",")
        let problem = problem { () throws(ProblemDocument) in
            try LicenseBatchRequest(body: Array("[\(many)]".utf8), contentType: nil)
        }
        #expect(problem?.type == .malformedRequest)
    }
}
