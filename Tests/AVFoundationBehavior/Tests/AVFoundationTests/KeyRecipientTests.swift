import AVFoundation
import AVFoundationTesting
import Foundation
import KeywayTesting
import Testing
import VirtualDevice

/// Rules 76 to 91: recipients, expired sessions, outputs, clear keys.
@Suite struct KeyRecipientTests {
    @Test("Rule 76: a recipient cannot be added to an expired session, nor an asset that has loaded a property")
    func tooLate() async throws {
        try await KeyScene.run { scene in
            let url = try #require(URL(string: "https://example.com/a.m3u8"))
            let asset = AVURLAsset(url: url)
            scene.session.addContentKeyRecipient(asset)
            #expect(scene.session.contentKeyRecipients.contains { $0 === asset })
            let loaded = AVURLAsset(url: url)
            loaded.recipientState.hasLoaded = true
            scene.session.addContentKeyRecipient(loaded)
            #expect(scene.system.takeExceptions().map(\.name) == [.internalInconsistency])
            scene.session.expire()
            scene.session.addContentKeyRecipient(AVURLAsset(url: url))
            #expect(scene.system.takeExceptions().map(\.name) == [.internalInconsistency])
        }
    }

    @Test("Rule 77: a removed recipient and those of an expired session are inoperable")
    func inoperable() async throws {
        try await KeyScene.run { scene in
            let key = try await scene.play()
            let other = TestRecipient()
            scene.session.addContentKeyRecipient(other)
            scene.session.removeContentKeyRecipient(other)
            #expect(await scene.need(for: other).error != nil)
            #expect(await scene.need().isLoaded)
            scene.session.expire()
            #expect(throws: NSError.self) { try key.checkDecryption() }
            #expect(await scene.need().error != nil)
        }
    }

    @Test("Rule 78: the requests of a recipient go to the delegate, and it uses the session's keys")
    func recipient() async throws {
        try await KeyScene.run { scene in
            #expect(scene.recipient.mayRequireContentKeysForMediaDataProcessing)
            let needed = await scene.need()
            #expect(scene.delegate.calls == [.provide("skd://a")])
            try await scene.answer(scene.delegate.last())
            #expect(needed.isLoaded)
        }
    }

    @Test(
        "Rules 79, 80, 81 and 82: expire() gives a normal report, in the storage directory, with the session identifier"
    )
    func report() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.play()
            let name = try #require(scene.session.contentProtectionSessionIdentifier)
            func pending() -> [Data] {
                AVContentKeySession.pendingExpiredSessionReports(
                    withAppIdentifier: scene.server.certificateData,
                    storageDirectoryAt: scene.storage
                )
            }
            #expect(pending().isEmpty)
            scene.session.expire()
            await scene.system.settle()
            #expect(scene.delegate.calls.filter { $0 == .report }.count == 1)
            #expect(scene.system.abnormalEnds(at: scene.storage) == [false])
            let report = try #require(pending().first)
            let content = try PropertyListSerialization.propertyList(from: report, format: nil) as? [String: Any]
            #expect(content?["PlaybackSessionID"] as? String == String(decoding: name, as: UTF8.self))
            AVContentKeySession.removePendingExpiredSessionReports(
                pending(),
                withAppIdentifier: scene.server.certificateData,
                storageDirectoryAt: scene.storage
            )
            #expect(pending().isEmpty)
        }
    }

    @Test("Rule 79: the end of the process without expire() gives an abnormal report at the next launch")
    func crash() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.play()
            _ = scene.delegate.takeCalls()
            #expect(scene.system.abnormalEnds(at: scene.storage).isEmpty)
            scene.system.terminate()
            await scene.system.settle()
            #expect(scene.system.abnormalEnds(at: scene.storage) == [true])
            #expect(scene.delegate.calls.isEmpty)
            scene.session.expire()
            #expect(scene.system.abnormalEnds(at: scene.storage).count == 1)
        }
    }

    @Test("Rule 79: a session that is released without expire() gives an abnormal report")
    func released() async throws {
        try await KeyScene.run { scene in
            try await use(scene, scene.storage)
            #expect(scene.system.abnormalEnds(at: scene.storage) == [true])
        }
    }

    @Test("Rules 79 and 82: no report without a storage directory, a folder that exists, or a recipient")
    func noReport() async throws {
        try await KeyScene.run { scene in
            let missing = scene.storage.appendingPathComponent("missing")
            try await use(scene, missing)
            #expect(scene.system.abnormalEnds(at: missing).isEmpty)
            try await use(scene, nil)
            try await use(scene, scene.storage, addsRecipient: false)
            #expect(scene.system.abnormalEnds(at: scene.storage).isEmpty)
        }
    }

    /// Uses a session and releases it.
    private func use(_ scene: KeyScene, _ storage: URL?, addsRecipient: Bool = true) async throws {
        let session =
            storage.map { AVContentKeySession(keySystem: .fairPlayStreaming, storageDirectoryAt: $0) }
            ?? AVContentKeySession(keySystem: .fairPlayStreaming)
        let delegate = RecordingDelegate()
        session.setDelegate(delegate, queue: DispatchQueue(label: "short"))
        if addsRecipient { session.addContentKeyRecipient(scene.recipient) }
        session.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
        await scene.system.settle()
        try await scene.answer(delegate.last())
    }

    @Test("Rule 83: processContentKeyRequest and renew… on an expired session raise")
    func expired() async throws {
        try await KeyScene.run { scene in
            _ = try await scene.play()
            let request = try scene.delegate.last()
            scene.session.expire()
            scene.session.processContentKeyRequest(withIdentifier: "skd://b", initializationData: nil)
            scene.session.renewExpiringResponseData(for: request)
            #expect(scene.system.takeExceptions().count == 2)
        }
    }

    @Test("Rule 84: the status of the output is pending, then the delegate is told of each change")
    func output() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.highHDCP, for: "skd://a")
            scene.device.device.display = .hdcpType0
            let request = try await scene.request()
            let ckc = try await scene.server.ckc(for: scene.spc(request))
            scene.session.delegateQueue?.suspend()
            request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: ckc))
            #expect(request.contentKey?.externalContentProtectionStatus == .pending)
            scene.session.delegateQueue?.resume()
            await scene.system.settle()
            #expect(request.contentKey?.externalContentProtectionStatus == .insufficient)
            scene.device.device.display = .hdcpType1
            scene.session.updateOutputs()
            scene.session.updateOutputs()
            await scene.system.settle()
            let outputs = scene.delegate.calls.filter { if case .output = $0 { true } else { false } }
            #expect(outputs == [.output("skd://a", 2), .output("skd://a", 1)])
        }
    }

    @Test("Rule 85: a key that requires more security than the device has fails with -42811")
    func securityLevel() async throws {
        // A device that reports less than it is asked for: the server's check is in its policy, so the CKC comes from
        // a policy for a device that does not report its level.
        var profile = DeviceProfile.iPhone
        profile.securityLevel = .baseline
        profile.reportsSecurityLevel = false
        try await KeyScene.run(profile: profile) { scene in
            scene.server.set(.mainLevel, for: "skd://a")
            let request = try await scene.request()
            try await scene.answer(request)
            #expect(scene.delegate.calls.last == .fail("skd://a", status: -42811))
        }
    }

    @Test("Rule 86: the CKC of the phone's request fails for the receiver's")
    func cachedAnswer() async throws {
        try await KeyScene.run { scene in
            _ = await scene.need()
            let ckc = try await scene.server.ckc(for: scene.spc(scene.delegate.last()))
            await scene.respond(try scene.delegate.last(), ckc)
            let needed = await scene.need(route: .airPlay)
            let request = try scene.delegate.last()
            _ = try await scene.spc(request)
            await scene.respond(request, ckc)
            #expect(scene.delegate.calls.last == .fail("skd://a", status: -42668))
            #expect(needed.error != nil)
        }
    }

    @Test(
        "Rule 87: over AirPlay or an adapter a request per segment is possible",
        arguments: [
            OutputRoute.airPlay, .digitalAVAdapter,
        ]
    )
    func perSegment(route: OutputRoute) async throws {
        try await KeyScene.run { scene in
            for count in 1...3 {
                let needed = await scene.need(route: route)
                #expect(scene.delegate.requests.count == count)
                try await scene.answer(scene.delegate.last())
                #expect(needed.isLoaded)
                scene.session.forgetKeys(on: route)
            }
        }
    }

    @Test("Rule 89: a clear key request has the key's URI, and takes 16 bytes without an SPC")
    func clearKey() async throws {
        try await KeyScene.run(.clearKey) { scene in
            let needed = await scene.need("https://example.com/key")
            let request = try scene.delegate.last()
            #expect(request.identifier as? String == "https://example.com/key")
            await #expect(throws: NSError.self) { try await scene.spc(request) }
            let key = Data(repeating: 3, count: 16)
            request.processContentKeyResponse(AVContentKeyResponse(clearKeyData: key, initializationVector: nil))
            await scene.system.settle()
            guard case .clear(let loaded) = try needed.value() else { throw MissingValue() }
            #expect(loaded == key)
            _ = await scene.need("https://example.com/other")
            try scene.delegate.last().processContentKeyResponse(
                AVContentKeyResponse(clearKeyData: Data([1]), initializationVector: nil)
            )
            await scene.system.settle()
            #expect(try scene.delegate.last().status == .failed)
        }
    }

    @Test("Rule 91: a session gets requests of its own system only")
    func ownSystem() async throws {
        try await KeyScene.run { scene in
            let needed = NeededKey()
            let need = KeyNeed(uri: "https://example.com/key", keySystem: .clearKey)
            scene.session.needKey(need, for: scene.recipient) { needed.set($0) }
            await scene.system.settle()
            #expect(scene.delegate.requests.isEmpty)
            #expect(needed.error != nil)
        }
    }
}
