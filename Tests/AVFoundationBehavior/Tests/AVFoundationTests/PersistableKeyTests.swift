import AVFoundation
import AVFoundationTesting
import FPSMessages
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

/// Rules 54 to 70: persistable keys, and options.
@Suite struct PersistableKeyTests {
    @Test("Rule 54: persistableContentKey gives data or throws, and does not answer the request")
    func persist() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let request = try await scene.persistable(scene.request())
            let spc = try await scene.spc(request)
            let online = try scene.server.ckc(for: spc)
            // A CKC without permission to persist.
            let error = #expect(throws: NSError.self) {
                try request.persistableContentKey(fromKeyVendorResponse: online)
            }
            #expect(error?.code == -11800)
            #expect(throws: NSError.self) { try request.persistableContentKey(fromKeyVendorResponse: Data([1])) }
            let ckc = try scene.server.ckc(for: spc, persistable: true)
            _ = scene.delegate.takeCalls()
            let kept = try request.persistableContentKey(fromKeyVendorResponse: ckc)
            await scene.system.settle()
            #expect(request.status == .requestingResponse)
            #expect(scene.delegate.calls.isEmpty)
            await scene.respond(request, kept)
            #expect(scene.delegate.calls.filter(\.isAboutRequest) == [.succeed("skd://a")])
        }
    }

    @Test("Rule 55: a kept key is used by a persistable request, without an SPC")
    func useKept() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let needed = try await scene.playKept(scene.keep())
            try scene.start(needed).checkDecryption()
            let expected: [RecordingDelegate.Call] = [
                .provide("skd://a"), .persistable("skd://a"), .succeed("skd://a"),
            ]
            #expect(scene.delegate.calls.filter(\.isAboutRequest) == expected)
        }
    }

    @Test("Rule 56: kept data in a plain request fails")
    func keptInPlain() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let kept = try await scene.keep()
            let request = try await scene.request()
            _ = try await scene.spc(request)
            await scene.respond(request, kept)
            #expect(request.status == .failed)
        }
    }

    @Test("Rule 57: kept data works only on the device that made it")
    func otherDevice() async throws {
        let kept = KeptData()
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            await kept.set(try await scene.keep())
        }
        try await KeyScene.run { scene in
            let needed = try await scene.playKept(await kept.data)
            #expect(scene.delegate.calls.last { $0.isAboutRequest } == .fail("skd://a", status: -42803))
            #expect(needed.error?.code == -11800)
        }
    }

    @Test(
        "Rule 58: the first playback replaces a key with dual expiry, before or after didSucceed: a switch",
        arguments: [false, true]
    )
    func update(isBefore: Bool) async throws {
        try await KeyScene.run(switches: { $0.updateOrder = isBefore ? .beforeSuccess : .afterSuccess }) { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "skd://a")
            let kept = try await scene.keep()
            _ = scene.delegate.takeCalls()
            _ = try await scene.start(scene.playKept(kept))
            await scene.system.settle()
            let calls = scene.delegate.calls.filter(\.isAboutRequest).suffix(2)
            let update = RecordingDelegate.Call.update("skd://a")
            #expect(Array(calls) == (isBefore ? [update, .succeed("skd://a")] : [.succeed("skd://a"), update]))
            let new = try #require(scene.delegate.updates.first)
            #expect(new != kept)
            // The old data is invalid from now on.
            let (other, delegate) = scene.otherSession()
            for (data, isValid) in [(kept, false), (new, true)] {
                other.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
                await scene.system.settle()
                try delegate.last().respondByRequestingPersistableContentKeyRequest()
                await scene.system.settle()
                await scene.respond(try delegate.last(), data)
                let expected = isValid ? RecordingDelegate.Call.succeed("skd://a") : .fail("skd://a", status: -42803)
                #expect(delegate.calls.last { $0.isAboutRequest } == expected)
            }
        }
    }

    @Test("Rule 58: without storage and playback durations no update comes")
    func noUpdate() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            _ = try await scene.start(scene.playKept(scene.keep()))
            await scene.system.settle()
            #expect(scene.delegate.updates.isEmpty)
        }
    }

    @Test("Rule 59: storage time counts from the license, playback time from the first start")
    func times() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "skd://a")
            let kept = try await scene.keep()
            await scene.system.advance(by: .seconds(999))
            let key = try await scene.start(scene.playKept(kept))
            await scene.system.settle()
            key.stopPlaying()
            await scene.system.advance(by: .seconds(99))
            _ = try await scene.start(scene.need())
            key.stopPlaying()
            await scene.system.advance(by: .seconds(1))
            let error = await #expect(throws: NSError.self) { try await scene.start(scene.need()) }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -42800)
        }
    }

    @Test("Rule 60: a key that ends during playback plays on")
    func endDuringPlayback() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let key = try await scene.start(scene.playKept(scene.keep()))
            await scene.system.advance(by: .seconds(200))
            try key.checkDecryption()
        }
    }

    @Test(
        "Rules 60 and 61: an expired kept key is refused with or without shouldRetry: a switch",
        arguments: [false, true]
    )
    func expired(isFailureOnly: Bool) async throws {
        try await KeyScene.run(switches: { $0.expiredKeySign = isFailureOnly ? .failureOnly : .retryThenFailure }) {
            scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let kept = try await scene.keep()
            await scene.system.advance(by: .seconds(100))
            _ = try await scene.playKept(kept)
            let fail = RecordingDelegate.Call.fail("skd://a", status: -42800)
            let retry = RecordingDelegate.Call.retry("skd://a", .receivedResponseWithExpiredLease)
            let calls = scene.delegate.calls.filter(\.isAboutRequest).dropFirst(2)
            #expect(Array(calls) == (isFailureOnly ? [fail] : [retry, fail]))
        }
    }

    @Test("Rule 62: a secure token needs a key with an Offline Key TLLV")
    func noToken() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let kept = try await scene.keep()
            let error = await #expect(throws: NSError.self) {
                try await scene.session.makeSecureTokenForExpirationDate(ofPersistableContentKey: kept)
            }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -46250)
        }
    }

    @Test("Rule 63: a secure token tells the seconds that are left")
    func token() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 100), for: "skd://a")
            scene.server.set(.dual(storage: 0, playback: 100), for: "skd://b")
            let kept = try await scene.keep()
            func seconds(_ data: Data) async throws -> UInt32? {
                let spc = try await scene.session.makeSecureTokenForExpirationDate(ofPersistableContentKey: data)
                guard case .version2(let sync) = try scene.server.sync(in: spc) else { return nil }
                return sync.expiry.rawValue
            }
            await scene.system.advance(by: .seconds(10))
            #expect(try await seconds(kept) == 990)
            #expect(try await seconds(scene.keep("skd://b")) == .max)
            _ = try await scene.start(scene.playKept(kept))
            await scene.system.advance(by: .seconds(30))
            let new = try #require(scene.delegate.updates.first)
            #expect(try await seconds(new) == 70)
            await scene.system.advance(by: .seconds(70))
            let end = try await seconds(new)
            #expect(end == 0)
        }
    }

    @Test("Rules 64 and 67: invalidation makes a key unusable later, with a proof; a loaded key stays")
    func invalidate() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 0), for: "skd://a")
            let kept = try await scene.keep()
            let needed = try await scene.playKept(kept)
            #expect(needed.isLoaded)
            let spc = try await scene.session.invalidatePersistableContentKey(
                kept,
                options: [.serverChallenge: Data([0, 0, 0, 0, 0, 0, 1, 2])]
            )
            guard case .version2(let sync) = try scene.server.sync(in: spc) else { throw MissingValue() }
            #expect(sync.serverChallenge == 0x0102)
            #expect(sync.flags.contains([.secureInvalidation, .success]))
            // Rule 39 still holds.
            let count = scene.delegate.requests.count
            _ = try await scene.request()
            #expect(scene.delegate.requests.count == count)
            let (other, delegate) = scene.otherSession()
            other.processContentKeyRequest(withIdentifier: "skd://a", initializationData: nil)
            await scene.system.settle()
            try delegate.last().respondByRequestingPersistableContentKeyRequest()
            await scene.system.settle()
            await scene.respond(try delegate.last(), kept)
            #expect(delegate.calls.last { $0.isAboutRequest } == .fail("skd://a", status: -42803))
            await #expect(throws: NSError.self) {
                try await scene.session.invalidatePersistableContentKey(kept, options: [.serverChallenge: Data([1])])
            }
        }
    }

    @Test("Rule 65: the keys of the same title go too; a key not found still gives an SPC with its flag")
    func invalidateTitle() async throws {
        try await KeyScene.run { scene in
            for name in ["skd://a", "skd://b"] { scene.server.set(.dual(storage: 1000, playback: 0), for: name) }
            let first = try await scene.keep("skd://a")
            let second = try await scene.keep("skd://b")
            let spc = try await scene.session.invalidatePersistableContentKey(first)
            guard case .version2(let sync) = try scene.server.sync(in: spc) else { throw MissingValue() }
            #expect(sync.invalidatedStreamIDs.count == 2)
            #expect(sync.serverChallenge == 0)
            let again = try await scene.session.invalidatePersistableContentKey(second)
            guard case .version2(let report) = try scene.server.sync(in: again) else { throw MissingValue() }
            #expect(report.flags.contains(.objectNotFound))
        }
    }

    @Test("Rule 66: all keys of an app are invalidated")
    func invalidateAll() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.dual(storage: 1000, playback: 0), for: "skd://a")
            let kept = try await scene.keep()
            let spc = try await scene.session.invalidateAllPersistableContentKeys(forApp: scene.server.certificateData)
            guard case .version2(let sync) = try scene.server.sync(in: spc) else { throw MissingValue() }
            #expect(sync.flags.contains([.secureInvalidationAll, .success]))
            let needed = try await scene.playKept(kept)
            #expect(needed.error != nil)
        }
    }

    @Test("Rule 68: earlier persistable data is accepted as validation data")
    func validationData() async throws {
        try await KeyScene.run { scene in
            scene.server.set(.persistent(100), for: "skd://a")
            let options = [AVContentKeyRequestRequiresValidationDataInSecureTokenKey: try await scene.keep()]
            #expect(try await !scene.spc(scene.request(), options: options).isEmpty)
        }
    }

    @Test("Rule 69: a random device identifier; a destination that cannot do it gives -11888")
    func randomIdentifier() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            func identifier(_ options: [String: Any]) async throws -> [UInt8] {
                try scene.server.open(await scene.spc(request, options: options)).hu
            }
            let own = try await identifier([:])
            let seed = Data(repeating: 5, count: 16)
            let seedOnly = [AVContentKeyRequestRandomDeviceIdentifierSeedKey: seed]
            let both: [String: Any] = [
                AVContentKeyRequestShouldRandomizeDeviceIdentifierKey: true,
                AVContentKeyRequestRandomDeviceIdentifierSeedKey: seed,
            ]
            let random = [AVContentKeyRequestShouldRandomizeDeviceIdentifierKey: true]
            #expect(try await identifier(seedOnly) == own)
            let seeded = try await identifier(both)
            #expect(seeded != own)
            #expect(try await identifier(both) == seeded)
            #expect(try await ![own, seeded].contains(identifier(random)))
            try await scene.answer(request)
            _ = await scene.need(route: .airPlay)
            let airPlay = try scene.delegate.last()
            let error = await #expect(throws: NSError.self) { try await scene.spc(airPlay, options: both) }
            #expect(error?.code == -11888)
            #expect(try await !scene.spc(airPlay).isEmpty)
        }
    }

    @Test("Rule 70: an advisory key: no data, no error, nothing to answer")
    func advisoryKey() async throws {
        try await KeyScene.run { scene in
            scene.session.supportsAdvisoryKeys = true
            scene.session.setAdvisoryKeys(["skd://a"])
            let needed = await scene.need()
            let request = try scene.delegate.last()
            #expect(throws: NSError.self) { try request.respondByRequestingPersistableContentKeyRequest() }
            let called = NeededKey()
            request.makeOptionalStreamingContentKeyRequestData(forApp: Data(), contentIdentifier: nil) { data, error in
                if data == nil, error == nil { called.set(.success(.clear(Data()))) }
            }
            await scene.system.settle()
            #expect(called.count == 1)
            #expect(request.canBeFulfilledWithAdvisoryKey)
            #expect(needed.isLoaded)
            _ = await scene.need("skd://b")
            let other = try scene.delegate.last()
            let received = NeededKey()
            other.makeOptionalStreamingContentKeyRequestData(
                forApp: scene.server.certificateData,
                contentIdentifier: Data("skd://b".utf8)
            ) { data, _ in received.set(.success(.clear(data ?? Data()))) }
            await scene.system.settle()
            guard case .clear(let spc) = try received.value() else { throw MissingValue() }
            #expect(!spc.isEmpty)
            #expect(!other.canBeFulfilledWithAdvisoryKey)
        }
    }
}

private actor KeptData {
    private(set) var data = Data()
    func set(_ data: Data) { self.data = data }
}
