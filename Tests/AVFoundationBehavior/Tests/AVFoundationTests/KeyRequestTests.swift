import AVFoundation
import AVFoundationTesting
import FPSMessages
import Foundation
import KeyServerModule
import KeywayTesting
import Testing

/// Rules 12 to 24: from a request to its verdict.
@Suite struct KeyRequestTests {
    @Test("Rule 12: a new request has no error and no content key")
    func newRequest() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            #expect(request.status == .requestingResponse)
            #expect(request.error == nil)
            #expect(request.contentKey == nil)
        }
    }

    @Test("Rule 13: the handler receives an SPC, by default of version 1, and the status stays")
    func spc() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            let opened = try scene.server.open(await scene.spc(request))
            #expect(opened.request.assetID.bytes == Array("skd://a".utf8))
            #expect(request.status == .requestingResponse)
            // The server has version 1 only.
            let versions = AVContentKeyRequestProtocolVersionsKey
            let newer = try await scene.spc(request, options: [versions: [NSNumber(value: 2)]])
            #expect(throws: (any Error).self) { try scene.server.ckc(for: newer) }
            await #expect(throws: NSError.self) {
                try await scene.spc(request, options: [versions: [NSNumber(value: 99)]])
            }
        }
    }

    @Test("Rule 14: an SPC that fails is AVFoundation's -11800 over the FPS number", arguments: [false, true])
    func spcFailure(failsByItself: Bool) async throws {
        try await KeyScene.run(switches: { $0.spcFailure = failsByItself ? .failsByItself : .failsByApp }) { scene in
            let request = try await scene.request()
            _ = scene.delegate.takeCalls()
            scene.device.failNextSPC(with: -42669)
            let error = try #require(await #expect(throws: NSError.self) { try await scene.spc(request) })
            #expect(error.domain == AVFoundationErrorDomain)
            #expect(error.code == -11800)
            let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(underlying == NSError(domain: NSOSStatusErrorDomain, code: -42669))
            await scene.system.settle()
            if !failsByItself {
                #expect(request.status == .requestingResponse)
                request.processContentKeyResponseError(error)
                await scene.system.settle()
            }
            #expect(scene.delegate.takeCalls().filter(\.isAboutRequest) == [.fail("skd://a", status: -42669)])
            #expect(request.status == .failed)
        }
    }

    @Test("Rules 15 and 70: the plain SPC method raises on a session with advisory keys")
    func advisory() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            scene.session.supportsAdvisoryKeys = true
            scene.session.supportsAdvisoryKeys = false
            #expect(scene.session.supportsAdvisoryKeys)
            request.makeStreamingContentKeyRequestData(forApp: Data(), contentIdentifier: nil) { _, _ in }
            #expect(scene.system.takeExceptions().map(\.name) == [.invalidArgument])
        }
    }

    @Test("Rule 16: an empty content identifier fails with -42673")
    func emptyIdentifier() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            let error = await #expect(throws: NSError.self) {
                try await request.makeStreamingContentKeyRequestData(
                    forApp: scene.server.certificateData,
                    contentIdentifier: Data()
                )
            }
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == -42673)
        }
    }

    @Test("Rules 17 and 18: success is told after the response", arguments: [false, true])
    func response(isLater: Bool) async throws {
        try await KeyScene.run(switches: { $0.statusTiming = isLater ? .later : .duringCall }) { scene in
            let request = try await scene.request()
            let ckc = try await scene.server.ckc(for: scene.spc(request))
            _ = scene.delegate.takeCalls()
            scene.session.delegateQueue?.suspend()
            request.processContentKeyResponse(AVContentKeyResponse(fairPlayStreamingKeyResponseData: ckc))
            #expect(request.status == (isLater ? .requestingResponse : .receivedResponse))
            #expect((request.contentKey == nil) == isLater)
            #expect(scene.delegate.calls.isEmpty)
            scene.session.delegateQueue?.resume()
            await scene.system.settle()
            #expect(request.status == .receivedResponse)
            #expect(request.contentKey != nil)
            #expect(scene.delegate.calls.filter(\.isAboutRequest) == [.succeed("skd://a")])
        }
    }

    @Test("Rule 19: a refused response fails the request, and no success was told before")
    func badCKC() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            _ = try await scene.spc(request)
            _ = scene.delegate.takeCalls()
            await scene.respond(request, Data("<html>".utf8))
            #expect(scene.delegate.takeCalls() == [.fail("skd://a", status: -42668)])
            #expect(request.status == .failed)
            #expect((request.error as NSError?)?.code == -11800)
        }
    }

    @Test("Rule 19: a bad CKC fails its request only")
    func badCKCOfThree() async throws {
        try await KeyScene.run { scene in
            for name in ["skd://a", "skd://b", "skd://c"] { _ = try await scene.request(name) }
            let requests = scene.delegate.requests
            var answers: [Data] = []
            for request in requests { answers.append(try await scene.server.ckc(for: scene.spc(request))) }
            _ = scene.delegate.takeCalls()
            await scene.respond(requests[2], answers[2])
            await scene.respond(requests[0], answers[1])
            await scene.respond(requests[1], answers[1])
            let expected: [RecordingDelegate.Call] = [
                .succeed("skd://c"), .fail("skd://a", status: -42668), .succeed("skd://b"),
            ]
            #expect(scene.delegate.calls.filter(\.isAboutRequest) == expected)
        }
    }

    @Test("Rule 20: domain and code of the app's error reach the player, its message does not")
    func appError() async throws {
        try await KeyScene.run { scene in
            let needed = await scene.need()
            let request = try scene.delegate.last()
            _ = scene.delegate.takeCalls()
            request.processContentKeyResponseError(
                NSError(domain: "X", code: 403, userInfo: [NSLocalizedDescriptionKey: "no"])
            )
            await scene.system.settle()
            #expect(scene.delegate.calls == [.fail("skd://a", domain: "X", code: 403, underlying: nil)])
            #expect(needed.error == NSError(domain: "X", code: 403))
            #expect(request.status == .failed)
        }
    }

    @Test("Rule 21: the error is nil unless the request failed")
    func error() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            try await scene.answer(request)
            #expect(request.error == nil)
        }
    }

    @Test("Rule 22: a request without an answer stalls, and times out")
    func noAnswer() async throws {
        try await KeyScene.run { scene in
            let needed = await scene.need()
            #expect(needed.result == nil)
            _ = scene.delegate.takeCalls()
            await scene.system.advance(by: .seconds(3600))
            #expect(needed.count == 1)
            #expect(needed.error?.domain == AVFoundationErrorDomain)
            #expect(scene.delegate.calls.first == .retry("skd://a", .timedOut))
        }
    }

    @Test("Rule 23: a second answer has no effect, and is counted")
    func secondAnswer() async throws {
        try await KeyScene.run { scene in
            let request = try await scene.request()
            try await scene.answer(request)
            #expect(scene.system.secondAnswers == 0)
            _ = scene.delegate.takeCalls()
            request.processContentKeyResponseError(NSError(domain: "X", code: 1))
            await scene.system.settle()
            #expect(request.status == .receivedResponse)
            #expect(scene.delegate.calls.isEmpty)
            #expect(scene.system.secondAnswers == 1)
        }
    }

    @Test("Rule 24: recipients receive the key after the response")
    func keyForRecipient() async throws {
        try await KeyScene.run { scene in
            _ = await scene.need()
            #expect(scene.recipient.keyCount == 0)
            try await scene.answer(scene.delegate.last())
            #expect(scene.recipient.keyCount == 1)
        }
    }
}
