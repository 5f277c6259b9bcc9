import FPSCrypto
import Foundation
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// The license routes over a real port, with a virtual device as the client.
@Suite("Licenses over HTTP", .timeLimit(.minutes(10)))
struct LicenseRoutesTests {
    private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The content key that the device decrypts from a CKC.
    private func key(_ device: FPSDevice, _ request: KeyRequest, _ ckc: [UInt8]) throws -> SecretBytes {
        let key = try device.process(ckc: ckc, for: request)
        try key.startPlaying()
        return try key.contentKey().key
    }

    @Test("All four formats return the key, in the format of the request")
    func shapes() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            let octets = try server.request(device)
            let raw = try await server.license(octets.spc)
            #expect(raw.status == 200)
            #expect(raw.headers["content-type"] == "application/octet-stream")
            #expect(raw.headers["keyway-persistable"] == "false")
            #expect(raw.headers["cache-control"] == "no-store")
            #expect(try key(device, octets, raw.body) == server.contentKey)

            let text = try server.request(device)
            let inText = try await server.send("POST", "/fps/license", type: "text/plain", Array(base64(text.spc).utf8))
            let fromText = try #require(Data(base64Encoded: inText.text))
            #expect(try key(device, text, [UInt8](fromText)) == server.contentKey)

            // Base64 with an unescaped `+`, as some apps send it.
            let form = try server.request(device)
            let inForm = try await server.send(
                "POST",
                "/fps/license",
                type: "application/x-www-form-urlencoded",
                Array("assetId=movie&spc=\(base64(form.spc))".utf8)
            )
            let fromForm = try #require(Data(base64Encoded: inForm.text))
            #expect(try key(device, form, [UInt8](fromForm)) == server.contentKey)

            let json = try server.request(device)
            let inJSON = try await server.send(
                "POST",
                "/fps/license",
                type: "application/json",
                Array(#"{"spc":"\#(base64(json.spc))","assetId":"movie","persist":true}"#.utf8)
            )
            #expect(inJSON.json["persistable"] == .bool(false))
            guard case .string(let ckc)? = inJSON.json["ckc"] else { throw LicenseServerError() }
            #expect(try key(device, json, [UInt8](#require(Data(base64Encoded: ckc)))) == server.contentKey)
            #expect(try await server.auditOutcomes() == ["issued", "issued", "issued", "issued"])
            // Notes about the license are part of its audit record.
            let detail = try await server.store.auditEntries(before: nil, limit: 1).first?.record.detail
            #expect(
                detail?.contains("an online key was issued instead of a persistent key") == true,
                "\(detail ?? "no detail")"
            )
        }
    }

    @Test("The certificate is served, and its device's requests are decrypted")
    func certificate() async throws {
        try await LicenseServer.run { server in
            let answer = try await server.send("GET", "/fps/certificate")
            #expect(answer.body == server.certificate.der)
            #expect(try await server.send("GET", "/fps/certificate?app=app").status == 200)
            #expect(try await server.send("GET", "/fps/certificate?app=other").status == 404)
        }
    }

    @Test("Every failure between RSA and the integrity check has the same response; the audit log has the reason")
    func oracle() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            var rsa = try server.request(device).spc
            rsa[100] ^= 1
            var payload = try server.request(device).spc
            for byte in 304..<payload.count { payload[byte] ^= 0x55 }
            let attempts = [
                rsa, payload,
                try server.request(device, .wrongIntegrity).spc,
                try server.request(device, .omitting(.assetID)).spc,
                try server.request(device, .duplicating(.r2)).spc,
                try server.request(device, .value(.r2, [1, 2, 3])).spc,
            ]
            var answers: [ReceivedResponse] = []
            for spc in attempts { answers.append(try await server.license(spc)) }
            let first = try #require(answers.first)
            #expect(first.status == 400)
            #expect(first.json["type"] == .string("urn:keyway:problem:unreadable-spc"))
            for answer in answers {
                #expect(answer.status == first.status)
                #expect(answer.withoutInstance == first.withoutInstance)
                #expect(answer.body.count == first.body.count)
            }
            let audit = try await server.store.auditEntries(before: nil, limit: 1)
            #expect(answers.last?.json["instance"] == audit.first?.record.requestID.map { .string($0) })
            let outcomes = try await server.auditOutcomes()
            #expect(outcomes.prefix(1) == ["decryption-failed"])
            #expect(
                outcomes.suffix(4) == [
                    "integrity-mismatch", "missing-asset-id", "duplicate-tag", "invalid-value-length",
                ]
            )
        }
    }

    @Test(
        "Other refusals have their own problem types",
        arguments: [
            (SPCMutation.spcVersion(9), 400, "unsupported-spc-version", nil),
            (.spcVersion(3), 400, "unsupported-spc-version", nil),
            (.wrongCertificateHash, 400, "unknown-certificate", nil),
            (.protocolVersions(used: 2, supported: [2]), 400, "protocol-version", "version-mismatch"),
            (.vmInformationVersion(1), 403, "refused-by-policy", "virtual-machine"),
            (.createdAt(1), 403, "refused-by-policy", "spc-too-old"),
        ] as [(SPCMutation, Int, String, String?)]
    )
    func refusals(mutation: SPCMutation, status: Int, type: String, reason: String?) async throws {
        try await LicenseServer.run { server in
            let answer = try await server.license(try server.request(server.device(), mutation).spc)
            #expect(answer.status == status)
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(answer.json["type"] == .string("urn:keyway:problem:\(type)"))
            let expected: JSONValue? = reason.map { .string($0) }
            #expect(answer.json["reason"] == expected)
        }
    }

    @Test("The report of an expired session is accepted and recorded, and gets no key, so that apps stop sending it")
    func expiredSessions() async throws {
        try await LicenseServer.run { server in
            let report = try server.request(server.device(), .playbackState(0x5991_bf20)).spc
            let answer = try await server.license(report)
            #expect(answer.status == 204 && answer.body == [])
            #expect(try await server.auditOutcomes() == ["playback-halted"])
            // A batch has a result for each item; this one has no key.
            #expect(try await server.batch([report]).items.map { $0["status"] } == [.integer(403)])
        }
    }

    @Test(
        "The SPC's asset ID determines the key: a different one in the request is refused, an unknown one is not found"
    )
    func assets() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            let other = try await server.license(try server.request(device).spc, query: "?assetId=other")
            #expect(other.status == 403)
            #expect(other.json["type"] == .string("urn:keyway:problem:asset-mismatch"))
            let same = try await server.license(try server.request(device).spc, query: "?assetId=movie&token=x")
            #expect(same.status == 200)
            let unknown = try await server.license(try server.request(device, asset: Array("nothing".utf8)).spc)
            #expect(unknown.status == 404)
            #expect(try await server.auditOutcomes() == ["asset-id-mismatch", "issued", "unknown-asset"])
        }
    }

    @Test("A persistent key is issued if the policy allows it, the response declares it, and a Sync SPC reports on it")
    func persistence() async throws {
        try await LicenseServer.run { server in
            let policy = Array(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#.utf8)
            try await server.store.putPolicy(ContentDefaults.policy(name: "rental", json: policy), replacing: false)
            try await server.store.putContent(
                server.record(asset: LicenseServer.asset, policy: "rental"),
                replacing: true
            )
            let device = server.device()
            let request = try server.request(device)
            let answer = try await server.license(request.spc, query: "?persist=true")
            #expect(answer.headers["keyway-persistable"] == "true")
            #expect(answer.headers["keyway-dual-expiry"] == "true")
            let kept = try device.makePersistentKey(ckc: answer.body, for: request)
            server.clock.advance(by: 60)
            let sync = try device.makeSyncSPC(for: kept, certificate: server.certificate.der, challenge: 0xabc)
            let report = try await server.license(sync)
            #expect(report.status == 200)
            guard case .object(let fields)? = report.json["sync"] else { throw LicenseServerError() }
            #expect(fields["remaining"] == .integer(30 * 86_400 - 60))
            #expect(fields["challenge"] == .string("0000000000000abc"))
            #expect(fields["flags"] == .array([.string("report"), .string("success")]))
            #expect(fields["assetId"] == .string("movie"))
            #expect(report.json["ckc"] == nil)
            #expect(try await server.auditOutcomes() == ["issued-persistable", "sync-report"])
        }
    }

    @Test("An invalid item of a batch does not affect the others")
    func batch() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            let good = try server.request(device)
            let bad = try server.request(device, .wrongIntegrity)
            let body = """
                {"fairplay-streaming-request": {"version": 1, "create-ckc": [
                  {"id": 7, "spc": "\(base64(bad.spc))"}, {"id": 8, "spc": "\(base64(good.spc))", "asset-id": "movie"},
                  {"id": 9, "spc": "nonsense!"}]}}
                """
            let answer = try await server.send("POST", "/fps/licenses", type: "application/json", Array(body.utf8))
            #expect(answer.status == 200)
            guard case .object(let outer)? = answer.json["fairplay-streaming-response"],
                case .array(let items)? = outer["create-ckc"], items.count == 3
            else { throw LicenseServerError() }
            let fields: [JSONObject] = items.map { item in
                if case .object(let fields) = item { fields } else { [:] }
            }
            let ids = fields.map { $0["id"] }
            let statuses = fields.map { $0["status"] }
            #expect(ids == [.integer(7), .integer(8), .integer(9)])
            #expect(statuses == [.integer(400), .integer(0), .integer(400)])
            guard case .string(let ckc)? = fields[1]["ckc"] else { throw LicenseServerError() }
            #expect(try key(device, good, [UInt8](#require(Data(base64Encoded: ckc)))) == server.contentKey)
        }
    }

    @Test("A Sync SPC in a batch is refused without any effect")
    func syncInBatch() async throws {
        try await LicenseServer.run { server in
            try await server.setPolicy(#"{"persist":{"storage":"P30D","playback":"P2D"}}"#)
            let device = server.device()
            let request = try server.request(device)
            let answer = try await server.license(request.spc, query: "?persist=true")
            let kept = try device.makePersistentKey(ckc: answer.body, for: request)
            let sync = try device.invalidate(
                .stream(kept),
                certificate: server.certificate.der,
                challenge: try await server.challenge()
            )
            let items = try await server.batch([sync, try server.request(device).spc]).items
            #expect(items.map { $0["status"] } == [.integer(400), .integer(0)])
            #expect(try await server.store.offlineLicenses(account: "viewer").map(\.end) == [nil])
            // The challenge is still valid.
            let report = try await server.license(sync)
            #expect(report.status == 200)
            let stream = ContentDefaults.streamID(forAssetID: LicenseServer.asset)
            let invalidated = report.json["sync"]?["invalidatedStreamIds"]
            #expect(invalidated == .array([.string(Hexadecimal.encode(stream))]))
            #expect(try await server.store.offlineLicenses(account: "viewer").map(\.end) == [.invalidated])
            let outcomes = try await server.auditOutcomes()
            #expect(outcomes.first == "issued-persistable" && outcomes.last == "sync-invalidation")
            // The two requests of the batch run concurrently.
            #expect(outcomes.dropFirst().dropLast().sorted() == ["issued", "malformed-request"])
        }
    }

    @Test("A burst is shed with Retry-After and not queued indefinitely")
    func overload() async throws {
        try await LicenseServer.run(pool: BoundedWorkPool(threads: 1, capacity: 0)) { server in
            let (spc, gate) = (try server.request(server.device()).spc, Gate())
            let held = try await gate.occupy(server.pool, jobs: 1)
            for _ in 0..<3 {
                let shed = try await server.license(spc)
                #expect(shed.status == 503)
                #expect(shed.headers["retry-after"] == "1")
            }
            gate.open()
            for task in held { _ = try await task.value }
            #expect(try await server.license(spc).status == 200)
            // The refusal is counted but not recorded, because overload must not cause more work.
            #expect(try await server.auditOutcomes() == ["issued"])
            let text = try await server.exposition()
            #expect(text.contains(#"keyway_licenses_total{outcome="failed",reason="overloaded"} 3"#))
        }
    }

    @Test("Malformed bodies result in problem documents", arguments: ["", "x", "{", "spc=", "AAAA"])
    func malformed(body: String) async throws {
        try await LicenseServer.run { server in
            let types = [
                "application/octet-stream", "text/plain", "application/x-www-form-urlencoded", "application/json",
            ]
            for type in types {
                let answer = try await server.send("POST", "/fps/license", type: type, Array(body.utf8))
                #expect(answer.status == 400, "\(type)")
                #expect(answer.headers["content-type"] == "application/problem+json")
            }
            #expect(try await server.send("POST", "/fps/license", type: "image/png", [1]).status == 415)
            let large = [UInt8](repeating: 0, count: 65_537)
            #expect(
                try await server.send("POST", "/fps/license", type: "application/octet-stream", large).status == 413
            )
        }
    }

    @Test("Neither the log nor the audit log contains a key in any encoding, after successes and failures")
    func silence() async throws {
        try await LicenseServer.run { server in
            let device = server.device()
            _ = try await server.license(try server.request(device).spc)
            _ = try await server.license(try server.request(device, .wrongIntegrity).spc)
            let put = #"{"key":"\#(Hexadecimal.encode(server.contentKey.reveal()))","iv":"00"}"#
            let path = "/admin/content/movie"
            let type = "application/json"
            _ = try await server.send("PUT", path, type: type, Array(put.utf8), token: LicenseServer.token)
            let audit = try await server.store.auditEntries(before: nil, limit: 100)
            let written = server.log.text + audit.map { "\($0)" }.joined()
            #expect(written.contains("/fps/license"))
            for secret in [server.contentKey.reveal(), server.ask.reveal(), Array(LicenseServer.token.utf8)] {
                #expect(!written.lowercased().contains(Hexadecimal.encode(secret)))
                #expect(!written.contains(base64(secret)))
                let listed = secret.map { "\($0)" }.joined(separator: ", ")
                #expect(!written.contains(listed))
            }
            #expect(!written.contains(LicenseServer.token))
        }
    }
}

/// An error that ends a test after an unexpected response.
struct LicenseServerError: Error {}
