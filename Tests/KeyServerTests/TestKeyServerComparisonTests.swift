import ContentKeySession
import FPSCrypto
import KeywayTesting
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("The test key server answers like the key server", .timeLimit(.minutes(10)))
struct TestKeyServerComparisonTests {
    /// A response without the values that differ from request to request.
    private struct Answer: Equatable {
        let status: Int
        let headers: [String: String]
        let body: JSONValue?
        /// The body as it was received, which is not compared.
        let bytes: [UInt8]

        static func == (left: Answer, right: Answer) -> Bool {
            left.status == right.status && left.headers == right.headers && left.body == right.body
        }

        init(status: Int, headers: [(String, String)], body: [UInt8]) {
            let compared = [
                "content-type", "cache-control", "retry-after", "www-authenticate", "keyway-persistable",
                "keyway-dual-expiry",
            ]
            (self.status, bytes) = (status, body)
            self.headers = Dictionary(headers.map { ($0.0.lowercased(), $0.1) }) { first, _ in first }
                .filter { compared.contains($0.key) }
            self.body = JSONValue(answer: body).map(Self.normalized)
        }

        private static func normalized(_ value: JSONValue) -> JSONValue {
            switch value {
            case .object(let members):
                let changing = ["ckc", "challenge", "expires", "titleId"]
                // The server names each request, and words some details differently.
                let kept = members.filter { !["instance", "detail"].contains($0.key) }
                return .object(
                    JSONObject(
                        kept.sorted { $0.key < $1.key }.map { member in
                            (member.key, changing.contains(member.key) ? .string("…") : normalized(member.value))
                        }
                    )
                )
            case .array(let items): return .array(items.map(normalized))
            default: return value
            }
        }
    }

    /// One of the two servers.
    private struct Target: Sendable {
        let device: FPSDevice
        let certificate: [UInt8]
        let send: @Sendable (_ method: String, _ path: String, _ type: String?, [UInt8]) async throws -> Answer
        let setPolicy: @Sendable (String) async throws -> Void

        func spc(_ asset: String = "movie", _ mutations: SPCMutation..., output: DeviceProfile.Output? = nil) throws
            -> [UInt8]
        {
            try device.makeSPC(
                certificate: certificate,
                assetID: Array(asset.utf8),
                versions: [1],
                options: .init(output: output, mutations: mutations)
            ).spc
        }

        func octets(_ spc: [UInt8], _ query: String = "") async throws -> Answer {
            try await send("POST", "/fps/license" + query, "application/octet-stream", spc)
        }

        func json(_ text: String, _ path: String = "/fps/license") async throws -> Answer {
            try await send("POST", path, "application/json", Array(text.utf8))
        }
    }

    private static func both(_ test: @Sendable (Target) async throws -> [Answer]) async throws {
        let fake = TestKeyServer()
        fake.removeContent("nothing")
        let answers = try await test(
            Target(device: fake.makeDevice(), certificate: fake.certificate) { method, path, type, body in
                let request = KeyTransportRequest(
                    method == "GET" ? .get : .post,
                    fake.url + path,
                    headers: type.map { [KeyTransportHeader("Content-Type", $0)] } ?? [],
                    body: body
                )
                let response = try await fake.send(request)
                return Answer(
                    status: response.status,
                    headers: response.headers.map { ($0.name, $0.value) },
                    body: response.body
                )
            } setPolicy: {
                fake.policy = try TestKeyPolicy(json: $0)
            }
        )
        try await LicenseServer.run { server in
            let expected = try await test(
                Target(device: server.device(), certificate: server.certificate.der) { method, path, type, body in
                    let response = try await server.send(method, path, type: type, method == "GET" ? nil : body)
                    return Answer(
                        status: response.status,
                        headers: response.headers.map { ($0.key, $0.value) },
                        body: response.body
                    )
                } setPolicy: {
                    try await server.setPolicy($0)
                }
            )
            #expect(answers.count == expected.count)
            for (answer, expected) in zip(answers, expected) { #expect(answer == expected) }
        }
    }

    @Test("Licenses, in each format")
    func licenses() async throws {
        try await Self.both { target in
            let base64 = Base64.encode(try target.spc())
            let form = FormEncoding.encode([(name: "spc", value: base64), (name: "assetId", value: "movie")])
            return [
                try await target.octets(target.spc()), try await target.octets(target.spc(), "?assetId=movie"),
                try await target.send("POST", "/fps/license", "text/plain", Array(base64.utf8)),
                try await target.send("POST", "/fps/license", "application/x-www-form-urlencoded", Array(form.utf8)),
                try await target.json(#"{"spc":"\#(base64)","assetId":"movie","persist":true}"#),
            ]
        }
    }

    @Test("Batches")
    func batches() async throws {
        try await Self.both { target in
            let items = [
                try target.spc(), try target.spc("nothing"), try target.spc("movie", .wrongIntegrity), [], [1, 2, 3],
            ]
            let texts = items.enumerated().map { #"{"id":\#($0.offset),"spc":"\#(Base64.encode($0.element))"}"# }
            let batch = { (items: String) in
                #"{"fairplay-streaming-request":{"version":1,"create-ckc":[\#(items)]}}"#
            }
            return [
                try await target.json(batch(texts.joined(separator: ",")), "/fps/licenses"),
                try await target.json(batch(""), "/fps/licenses"), try await target.json("{", "/fps/licenses"),
                try await target.json(batch(texts[0] + "," + texts[0]), "/fps/licenses"),
            ]
        }
    }

    @Test("Refusals")
    func refusals() async throws {
        try await Self.both { target in
            var answers = [
                try await target.octets([]), try await target.octets([1, 2, 3]),
                try await target.octets(target.spc("nothing")), try await target.octets(target.spc(), "?assetId=other"),
                try await target.send("POST", "/fps/license", "text/html", try target.spc()),
                try await target.send("POST", "/fps/license", "text/plain", Array("***".utf8)),
                try await target.json("[]"), try await target.send("GET", "/fps/nothing", nil, []),
            ]
            let mutations: [SPCMutation] = [
                .spcVersion(9), .spcVersion(3), .wrongCertificateHash, .wrongIntegrity, .omitting(.assetID),
                .protocolVersions(used: 2, supported: [2]), .vmInformationVersion(1), .createdAt(1),
                .playbackState(0x5991_bf20),
            ]
            for mutation in mutations { answers.append(try await target.octets(target.spc("movie", mutation))) }
            try await target.setPolicy(#"{"airplay": "deny"}"#)
            answers.append(try await target.octets(target.spc(output: .airPlay)))
            return answers
        }
    }

    @Test("Persistent keys, challenges, reports and proofs of deletion")
    func offline() async throws {
        try await Self.both { target in
            try await target.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let request = try target.device.makeSPC(
                certificate: target.certificate,
                assetID: Array("movie".utf8),
                versions: [1]
            )
            let license = try await target.octets(request.spc, "?persist=true")
            let key = try target.device.makePersistentKey(ckc: license.bytes, for: request)
            let report = try target.device.makeSyncSPC(for: key, certificate: target.certificate, challenge: 7)
            let challenge = try await target.send("POST", "/fps/challenge", nil, [])
            let digits = try #require(JSONValue(answer: challenge.bytes)?["challenge"]?.text)
            let proof = try target.device.invalidate(
                .stream(key),
                certificate: target.certificate,
                challenge: try #require(UInt64(digits, radix: 16))
            )
            let json = try await target.json(#"{"spc":"\#(Base64.encode(target.spc()))","persist":true}"#)
            return [
                license, json, try await target.octets(report), challenge, try await target.octets(proof),
                try await target.octets(target.spc("movie")),
            ]
        }
    }

    @Test("A proof without a challenge of the server is refused")
    func unknownChallenge() async throws {
        try await Self.both { target in
            try await target.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let request = try target.device.makeSPC(
                certificate: target.certificate,
                assetID: Array("movie".utf8),
                versions: [1]
            )
            let license = try await target.octets(request.spc, "?persist=true")
            let key = try target.device.makePersistentKey(ckc: license.bytes, for: request)
            let proof = try target.device.invalidate(.stream(key), certificate: target.certificate, challenge: 7)
            return [try await target.octets(proof)]
        }
    }

    @Test("The certificate")
    func certificate() async throws {
        try await Self.both { target in
            let answer = try await target.send("GET", "/fps/certificate", nil, [])
            return [answer]
        }
    }
}
