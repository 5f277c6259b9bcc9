import ContentKeySession
import HLSPlaylist
import KeywayTesting
import Testing

@Suite("Protocol versions of a playlist", .timeLimit(.minutes(10)))
struct ProtocolVersionTests {
    private let server = TestKeyServer()
    private static let tag = KeyTag(
        method: .sampleAES,
        uri: "skd://movie",
        keyFormat: .fairPlay,
        keyFormatVersions: "1/2"
    )

    @Test(
        "A server gets the newest version that the playlist declares, and version 1 without one",
        arguments: [false, true]
    )
    func declared(isScripted: Bool) async throws {
        server.protocolVersions = [2]
        let client = server.makeClient(device: isScripted ? server.makeScriptedDevice() : nil)
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie") }
        #expect(failure?.status == 400 && failure?.reason?.description == "version-mismatch")
        await client.loader.keysDeclared([Self.tag])
        try await client.play("skd://movie")
        server.protocolVersions = [1]
        try await client.play("skd://other")
    }

    @Test("A session that has read the playlist passes the versions on, also to renewals", arguments: [false, true])
    func session(isScripted: Bool) async throws {
        server.protocolVersions = [2]
        server.policy = .lease(.seconds(600))
        var settings = KeyLoaderSettings()
        settings.lease = { _ in .seconds(600) }
        let client = server.makeClient(
            device: isScripted ? server.makeScriptedDevice() : nil,
            settings: settings
        )
        let viewer = PlaybackTests.Viewer()
        try await server.clock.run {
            try await client.session.addContentKeyRecipient(viewer)
            let options = ContentKeyRequestOptions(protocolVersions: Self.tag.protocolVersions)
            let key = try await client.session.contentKey(identifier: "skd://movie", options: options, for: viewer)
            try await key.beginPlayback()
        }
        await server.clock.advance(by: .seconds(1000))
        #expect(server.requests.filter(\.isRenewal).allSatisfy { $0.status == 200 })
        #expect(server.requests.contains { $0.isRenewal })
    }

    @Test("A preloaded key has the versions of its EXT-X-SESSION-KEY, whenever the player asks for it")
    func preloaded() async throws {
        server.protocolVersions = [2]
        let client = server.makeClient()
        let viewer = PlaybackTests.Viewer()
        var playlist = MultivariantPlaylist()
        playlist.sessionKeys = [SessionKeyTag(Self.tag)]
        let presentation = playlist
        try await server.clock.run {
            try await client.session.addContentKeyRecipient(viewer)
            await client.loader.preload(presentation)
            let options = ContentKeyRequestOptions(protocolVersions: [1])
            let key = try await client.session.contentKey(identifier: "skd://movie", options: options, for: viewer)
            try await key.beginPlayback()
        }
        #expect(server.requests.allSatisfy { $0.status == 200 })
    }

    @Test("A key that the app stores is requested again with its versions", arguments: [false, true])
    func stored(isScripted: Bool) async throws {
        server.protocolVersions = [2]
        server.policy = .offline(validity: .seconds(3600))
        let device: any PersistentKeyDevice = isScripted ? server.makeScriptedDevice() : server.makeDevice()
        let keys = TestPersistentKeys()
        let first = server.makeClient(device: device, persistentKeys: keys)
        await first.loader.keysDeclared([Self.tag])
        try await first.play("skd://movie", isPersistable: true)
        #expect(keys.protocolVersions(for: "skd://movie") == [1, 2])
        await first.end()
        // The stored key has expired, and this run of the app has no playlist.
        await server.clock.advance(by: .seconds(3601))
        let second = server.makeClient(device: device, persistentKeys: keys)
        try await second.play("skd://movie", isPersistable: true)
        #expect(server.licenseRoundTrips == 2)
        #expect(keys.protocolVersions(for: "skd://movie") == [1, 2])
    }

    /// The way from the text of a playlist to the server's answer.
    @Test(
        "The newest version that playlist, device and server have in common gets a key; without one, there is no request",
        arguments: [
            ("1", [1], nil), ("1/2", [1, 2], nil), ("2/1", [1, 2], nil), ("1/2/2", [2], nil), ("1/99", [1], nil),
            (" 1 / 2", [2], nil), ("1/x", [1], nil), ("1/2", [1], "version-mismatch"), ("2", [1], "version-mismatch"),
            ("99", [1], "-42681"), ("3/99", [1, 2], "-42681"), ("0", [1], "-42681"), ("1,2", [1], "-42681"),
            ("x", [1], "-42681"), ("-1", [1], "-42681"), ("99999999999999999999", [1], "-42681"),
        ] as [(String, Set<UInt32>, String?)]
    )
    func playlist(versions: String, server versionsOfServer: Set<UInt32>, error: String?) async throws {
        server.protocolVersions = versionsOfServer
        let text = """
            #EXTM3U
            #EXT-X-VERSION:5
            #EXT-X-TARGETDURATION:6
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://movie",KEYFORMAT="com.apple.streamingkeydelivery",\
            KEYFORMATVERSIONS="\(versions)"
            #EXTINF:6,
            1.ts
            #EXT-X-ENDLIST

            """
        let playlist = try MediaPlaylist(parsing: Array(text.utf8))
        let client = server.makeClient()
        await client.loader.keysDeclared(playlist.segments.flatMap(\.keys))
        guard let error else {
            try await client.play("skd://movie")
            return
        }
        let failure = await #expect(throws: KeyFailure.self) { try await client.key(for: "skd://movie") }
        if error == "-42681" {
            #expect(failure?.platformCode?.number == -42681)
            #expect(server.licenseRoundTrips == 0)
        } else {
            #expect(failure?.reason?.description == error)
        }
    }
}
