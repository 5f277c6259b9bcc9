import FPSCrypto
import KeyStore
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Administration over HTTP", .timeLimit(.minutes(10)))
struct AdminRoutesTests {
    private let key = "000102030405060708090a0b0c0d0e0f"
    private let iv = "101112131415161718191a1b1c1d1e1f"

    private func put(
        _ server: LicenseServer,
        _ path: String,
        _ body: String,
        token: String? = LicenseServer.token
    ) async throws -> ReceivedResponse {
        try await server.send("PUT", path, type: "application/json", Array(body.utf8), token: token)
    }

    @Test("Content is added and replaced, shown without its key, used, and deleted")
    func content() async throws {
        try await LicenseServer.run { server in
            let path = "/admin/content/skd%3A%2F%2Fmovie%2F2"
            let body = #"{"key":"\#(key)","iv":"\#(iv)","track":"video"}"#
            #expect(try await put(server, path, body).status == 201)
            #expect(try await put(server, path, body).status == 200)
            let shown = try await server.send("GET", path, token: LicenseServer.token)
            #expect(shown.json["assetId"] == .string("skd://movie/2"))
            #expect(shown.json["track"] == .string("video"))
            #expect(!shown.text.contains(key))

            let device = server.device()
            let request = try server.request(device, asset: Array("skd://movie/2".utf8))
            let license = try await server.license(request.spc)
            let opened = try device.process(ckc: license.body, for: request)
            try opened.startPlaying()
            #expect(try opened.contentKey().key.reveal() == Array(0..<16))
            #expect(try opened.contentKey().iv == Array(16..<32))

            #expect(try await server.send("DELETE", path, token: LicenseServer.token).status == 204)
            #expect(try await server.send("DELETE", path, token: LicenseServer.token).status == 404)
            #expect(
                try await server.license(try server.request(device, asset: Array("skd://movie/2".utf8)).spc).status
                    == 404
            )
        }
    }

    @Test("Every route requires the token", arguments: [nil, "", "wrong", LicenseServer.token + "x"] as [String?])
    func token(token: String?) async throws {
        try await LicenseServer.run { server in
            let body = #"{"key":"\#(key)","iv":"\#(iv)"}"#
            let answer = try await put(server, "/admin/content/a2", body, token: token)
            #expect(answer.status == 401)
            #expect(answer.json["type"] == .string("urn:keyway:problem:unauthorized"))
            #expect(try await server.store.content(assetID: Array("a2".utf8)) == nil)
        }
    }

    @Test(
        "Errors are refused, without repeating the input",
        arguments: [
            "[]", "{}", #"{"key":"000102030405060708090a0b0c0d0e0f"}"#,
            #"{"key":"00010203","iv":"101112131415161718191a1b1c1d1e1f"}"#,
            #"{"key":"zz0102030405060708090a0b0c0d0e0f","iv":"101112131415161718191a1b1c1d1e1f"}"#,
            #"{"key":"000102030405060708090a0b0c0d0e0f","iv":"101112131415161718191a1b1c1d1e1f","kye":1}"#,
            #"{"key":"000102030405060708090a0b0c0d0e0f","iv":"101112131415161718191a1b1c1d1e1f","track":"smell"}"#,
        ]
    )
    func mistakes(body: String) async throws {
        try await LicenseServer.run { server in
            let answer = try await put(server, "/admin/content/a2", body)
            #expect(answer.status == 400)
            #expect(!answer.text.contains("0102030405"))
        }
    }

    @Test(
        "Policies are stored by name; conflicts, and policies that do not fit content, are refused when they are stored"
    )
    func policies() async throws {
        try await LicenseServer.run { server in
            let path = "/admin/policies/uhd"
            #expect(try await put(server, path, #"{"securityLevel":"main","lease":"PT10M"}"#).status == 201)
            let shown = try await server.send("GET", path, token: LicenseServer.token)
            #expect(shown.json["name"] == .string("uhd"))
            #expect(shown.json["lease"] == .string("PT10M"))
            let contradiction = #"{"persist":{"storage":"P1D","playback":"P1D"},"lease":"PT10M"}"#
            let refused = try await put(server, path, contradiction)
            #expect(refused.status == 400)
            #expect(refused.text.contains("persist"))
            #expect(try await put(server, path, #"{"streams":2}"#).text.contains("requires a lease"))

            let audio = #"{"key":"\#(key)","iv":"\#(iv)","policy":"uhd","track":"audio"}"#
            #expect(try await put(server, "/admin/content/a2", audio).status == 409)
            let unknown = #"{"key":"\#(key)","iv":"\#(iv)","policy":"none"}"#
            #expect(try await put(server, "/admin/content/a2", unknown).status == 409)
            let video = #"{"key":"\#(key)","iv":"\#(iv)","policy":"uhd","track":"video"}"#
            #expect(try await put(server, "/admin/content/a2", video).status == 201)
            #expect(try await server.send("DELETE", path, token: LicenseServer.token).status == 409)
        }
    }
}
