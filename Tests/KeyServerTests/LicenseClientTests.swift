import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

/// License requests as published players and apps send them, over a real port, each with the answer that it reads.
@Suite("Clients of the license route", .timeLimit(.minutes(10)))
struct LicenseClientTests {
    /// How a client sends an SPC.
    struct Client: Sendable, CustomTestStringConvertible {
        let name: String
        var headers: [String: String] = [:]
        var path = "/fps/license"
        let body: @Sendable ([UInt8]) -> [UInt8]
        var reads = Answer.text
        /// The account, which is the token.
        var account = "viewer"

        var testDescription: String { name }
    }

    /// How a client reads the CKC.
    enum Answer { case octets, text, json, xml }

    private static func base64(_ spc: [UInt8]) -> String { Base64.encode(spc) }
    /// `encodeURIComponent` of ECMAScript.
    private static func escaped(_ text: String) -> String { PercentEncoding.encode(text) }
    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]
    private static let octets = ["Content-Type": "application/octet-stream"]
    private static let json = ["Content-Type": "application/json"]

    static let clients: [Client] = [
        Client(name: "Shaka Player", headers: octets, body: { $0 }, reads: .octets),
        Client(
            name: "Shaka Player, tutorial: a form as a whole",
            headers: form,
            body: { Array(escaped("spc=" + base64($0)).utf8) }
        ),
        Client(
            name: "Shaka Player, tutorial: an escaped value",
            headers: form,
            body: { Array(("spc=" + escaped(base64($0))).utf8) }
        ),
        Client(
            name: "Bitmovin Player with the parameters of an skd URI",
            headers: form,
            body: { Array("spc=\(escaped(base64($0)))&assetId=movie&variantId=hd".utf8) }
        ),
        Client(
            name: "Bitmovin Player, a blob",
            headers: ["Content-Type": "application/octet-binary"],
            body: { $0 },
            reads: .octets
        ),
        Client(name: "URLSession, body of bytes", headers: form, body: { $0 }, reads: .octets),
        Client(name: "URLSession, body of base64", headers: form, body: { Array(base64($0).utf8) }),
        Client(name: "XMLHttpRequest without a type", body: { $0 }, reads: .octets),
        Client(
            name: "fetch of a string",
            headers: ["Content-Type": "text/plain;charset=UTF-8"],
            body: { Array("spc=\(base64($0))".utf8) }
        ),
        Client(name: "a SOAP gateway", headers: ["Content-Type": "text/xml"], body: { Array(base64($0).utf8) }),
        Client(
            name: "XML",
            headers: ["Content-Type": "application/xml"],
            body: { Array("<?xml version=\"1.0\"?><license><spc>\(base64($0))</spc></license>".utf8) },
            reads: .xml
        ),
        Client(
            name: "a byte order mark and blanks",
            headers: ["Content-Type": "text/plain"],
            body: { Array("\u{FEFF}\r\n \(base64($0))\n".utf8) }
        ),
        Client(
            name: "FileReader.readAsDataURL",
            headers: ["Content-Type": "text/plain"],
            body: { Array("data:application/octet-stream;base64,\(base64($0))".utf8) }
        ),
        Client(
            name: "FormData",
            headers: ["Content-Type": "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxk"],
            body: { spc in
                let text = "------WebKitFormBoundary7MA4YWxk\r\nContent-Disposition: form-data; name=\"spc\"\r\n\r\n"
                return Array("\(text)\(base64(spc))\r\n------WebKitFormBoundary7MA4YWxk--\r\n".utf8)
            }
        ),
        Client(
            name: "FormData with a blob",
            headers: ["Content-Type": "multipart/form-data; boundary=x"],
            body: { spc in
                let text =
                    "--x\r\nContent-Disposition: form-data; name=\"spc\"; filename=\"blob\"\r\n"
                    + "Content-Type: application/octet-stream\r\n\r\n"
                return Array(text.utf8) + spc + Array("\r\n--x--".utf8)
            }
        ),
        Client(
            name: "JSON with further fields",
            headers: json,
            body: {
                Array(#"{"spc":"\#(base64($0))","assetId":"skd://movie","fairplay":{"lease":1},"user":null}"#.utf8)
            },
            reads: .json
        ),
        Client(
            name: "JSON as text",
            headers: ["Content-Type": "text/plain"],
            body: { Array(#"{"spc":"\#(base64($0))"}"#.utf8) },
            reads: .json
        ),
        Client(
            name: "axios",
            headers: ["Content-Type": "application/octet-stream", "Accept": "application/json, text/plain, */*"],
            body: { $0 },
            reads: .octets
        ),
        Client(
            name: "octets, but JSON is accepted",
            headers: ["Content-Type": "application/octet-stream", "Accept": "application/json"],
            body: { $0 },
            reads: .json
        ),
        Client(
            name: "Axinom",
            headers: ["Content-Type": "application/octet-stream", "X-AxDRM-Message": "axinom-account"],
            body: { $0 },
            reads: .octets,
            account: "axinom-account"
        ),
        Client(
            name: "DRMtoday",
            headers: [
                "Content-Type": "application/x-www-form-urlencoded", "x-dt-auth-token": "dt-account",
                "x-dt-custom-data": "e30=",
            ],
            body: { Array("spc=\(escaped(base64($0)))&assetId=movie".utf8) },
            account: "dt-account"
        ),
        Client(
            name: "PallyCon",
            headers: form.merging(["pallycon-customdata-v2": "pallycon-account"]) { first, _ in first },
            body: { Array("spc=\(escaped(base64($0)))".utf8) },
            account: "pallycon-account"
        ),
        Client(
            name: "TPStreams",
            headers: json,
            path: "/fps/license?access_token=query-account&drm_type=fairplay",
            body: { Array(#"{"player_payload":"\#(base64($0))"}"#.utf8) },
            reads: .json,
            account: "query-account"
        ),
        Client(
            name: "a scheme of its own",
            headers: ["Content-Type": "application/octet-stream", "Authorization": "Token scheme-account"],
            body: { $0 },
            reads: .octets,
            account: "scheme-account"
        ),
    ]

    private static var rules: LicenseRequestRules {
        var rules = LicenseRequestRules()
        rules.presets = [.axinom, .drmtoday, .pallycon]
        rules.names.spc.append("player_payload")
        rules.names.token = ["access_token"]
        rules.tokens.schemes.append("token")
        return rules
    }

    @Test("get the key, in the shape that they read", arguments: clients)
    func shapes(client: Client) async throws {
        try await LicenseServer.run(rules: Self.rules) { server in
            let device = server.device()
            let request = try server.request(device)
            let answer = try await ReceivedResponse.of(
                "POST",
                "http://127.0.0.1:\(server.running.port)\(client.path)",
                client.headers,
                client.body(request.spc)
            )
            try #require(answer.status == 200, "\(answer.text)")
            let ckc: [UInt8]
            switch client.reads {
            case .octets: ckc = answer.body
            case .text: ckc = try #require(Base64.decode(answer.text))
            case .json:
                guard case .string(let text)? = answer.json["ckc"] else { throw LicenseServerError() }
                ckc = try #require(Base64.decode(text))
            case .xml:
                let start = try #require(answer.text.firstRange(of: "<ckc>")?.upperBound)
                let end = try #require(answer.text.firstRange(of: "</ckc>")?.lowerBound)
                ckc = try #require(Base64.decode(answer.text[start..<end]))
            }
            let key = try device.process(ckc: ckc, for: request)
            try key.startPlaying()
            #expect(try key.contentKey().key == server.contentKey)
            let accounts = try await server.store.auditEntries(before: nil, limit: 1).map(\.record.account)
            #expect(accounts == [client.account])
        }
    }

    @Test("The asset's name in the SPC and in the request may be spelled as players spell it")
    func assets() async throws {
        let movie = Array("movie".utf8)
        let keyID = (0..<16).map { UInt8(0xA0 + $0) }
        let names: [[UInt8]] = [
            movie, Array("skd://movie".utf8), Array("SKD://movie".utf8), Array("skd://movie?x=1".utf8),
            Array("movie ".utf8), Array("movie\0".utf8), Array("skd://mo%76ie".utf8),
            Array("movie".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }),
            Array("skd://movie".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }),
            keyID, Array(Hexadecimal.encode(keyID).utf8), Array("A0A1A2A3-A4A5-A6A7-A8A9-AAABACADAEAF".utf8),
            Array("skd://\(Hexadecimal.encode(keyID))".utf8),
        ]
        try await LicenseServer.run { server in
            try await server.setPolicy("{}")
            try await server.add(movie, keyID: keyID, key: server.contentKey)
            for name in names {
                let answer = try await server.license(
                    try server.request(server.device(), asset: name).spc,
                    query: "?assetId=skd%3A%2F%2Fmovie"
                )
                #expect(answer.status == 200, "\(String(decoding: name, as: UTF8.self)): \(answer.text)")
            }
            // Names of other assets stay other assets.
            for name in ["skd://", "?movie", "movie2", "xmovie", "skd://other", "http://movie", " movie"] {
                let answer = try await server.license(try server.request(server.device(), asset: Array(name.utf8)).spc)
                #expect(answer.status == 404, "\(name): \(answer.text)")
            }
        }
    }

    @Test("Apps for DRMtoday request a persistent key with their own field", arguments: [true, false])
    func offline(hasPreset: Bool) async throws {
        var rules = LicenseRequestRules()
        if hasPreset { rules.presets = [.drmtoday] }
        try await LicenseServer.run(rules: rules) { server in
            try await server.setPolicy(#"{"persist":{"validity":"P1D"}}"#)
            for (query, body) in [("", "&offline=true"), ("?offline=true", ""), ("", "&offline=false"), ("", "")] {
                let spc = PercentEncoding.encode(Base64.encode(try server.request(server.device()).spc))
                let answer = try await server.send(
                    "POST",
                    "/fps/license\(query)",
                    type: "application/x-www-form-urlencoded",
                    Array("spc=\(spc)\(body)".utf8)
                )
                #expect(answer.status == 200, "\(answer.text)")
                let isWanted = hasPreset && (query + body).contains("true")
                #expect(answer.headers["keyway-persistable"] == "\(isWanted)", "\(query)\(body)")
            }
        }
    }

    @Test("Web pages may send the configured headers")
    func headers() async throws {
        var setup = TestApplication()
        setup.configuration.crossOrigin = .all
        setup.configuration.crossOriginHeaders = ["X-Session"]
        setup.configuration.licenses.requests = Self.rules
        try await setup.run { running in
            let answer = try await ReceivedResponse.of(
                "OPTIONS",
                "http://127.0.0.1:\(running.port)/fps/license",
                ["Origin": "https://www.example.com", "Access-Control-Request-Method": "POST"],
                nil
            )
            let allowed = answer.headers["access-control-allow-headers"]?.split(separator: ", ") ?? []
            let wanted = [
                "authorization", "content-type", "x-session", "x-axdrm-message", "x-dt-auth-token", "x-dt-custom-data",
                "pallycon-customdata-v2",
            ]
            #expect(wanted.allSatisfy { allowed.contains($0[...]) }, "\(allowed)")
        }
    }
}
