import ContentKeySession
import ContentKeySessionTesting
import FPSCrypto
import Foundation
import SimulatedClocks
import Testing
import TextCoding
import VirtualDevice

@testable import KeyServer

@Suite("Injected faults", .timeLimit(.minutes(10)))
struct FaultTests {
    @Test("The result is the documented one, and no log contains a secret", arguments: FaultCase.all)
    func ends(fault: FaultCase) async throws {
        let options = KeyPathBench.Options(skew: fault.skew, tokens: fault.tokens)
        try await KeyPathBench.run(options, script: fault.script) { bench in
            let events = bench.session.events
            let start = bench.time.now
            var failure: ContentKeyError?
            var key: ContentKey?
            do throws(ContentKeyError) { key = try await bench.key(fault.asset) } catch { failure = error }
            if let key { #expect(try await bench.plays(key, as: fault.asset)) }
            #expect((failure == nil) == (fault.end == nil))
            #expect(bench.time.now - start >= fault.lasts)
            #expect(bench.time.now - start <= RetryPolicy().onDemandDeadline)
            #expect(bench.proxy.licenses.count == fault.attempts)
            // The device and the loader log an event slightly after they report it.
            try await bench.pass(.seconds(1))
            let errors = await bench.errors
            #expect(errors.map(\.failure.kind) == fault.log)
            #expect(errors.last?.failure.kind == fault.end || fault.end == nil)
            #expect(errors.filter { $0.retryAfter == nil }.count == (fault.end == nil ? 0 : 1))
            if let reason = fault.reason { #expect(errors.last?.failure.reason?.description == reason) }
            let granted = await bench.accesses.filter { $0.kind == .onDemand }
            #expect(granted.count == (fault.end == nil ? 1 : 0))
            #expect(await status(events) == (fault.end == nil ? .receivedResponse : .failed))
            try await noSecrets(bench, failure)
        }
    }

    /// Returns the final status of the first request.
    private func status(_ events: AsyncStream<ContentKeyEvent>) async -> ContentKeyRequestStatus? {
        for await event in events {
            switch event {
            case .didProvide(let request): return request.status
            default: break
            }
        }
        return nil
    }

    private func noSecrets(_ bench: KeyPathBench, _ failure: ContentKeyError?) async throws {
        var text = "\(failure.map { "\($0)" } ?? "")"
        for entry in await bench.errors {
            text += "\(entry)"
            dump(entry, to: &text)
        }
        for entry in await bench.accesses {
            text += "\(entry)"
            dump(entry, to: &text)
        }
        var secrets = ["secret-token"]
        for key in bench.server.keys.values {
            let bytes = key.withUnsafeBytes { Array($0) }
            secrets += [Base64.encode(bytes), Hexadecimal.encode(bytes), "\(bytes)"]
        }
        for sent in bench.transport.licenses {
            let body = String(decoding: sent.body, as: UTF8.self)
            // The first bytes of the SPC are sufficient.
            secrets += body.split(separator: "\"").filter { $0.count > 200 }.map { String($0.prefix(60)) }
        }
        // Computed separately, so that a failing expectation does not print a secret.
        let leaks = secrets.contains { text.contains($0) }
        #expect(!leaks)
    }

    @Test("Two exchanged CKCs fail their two requests, and no other")
    func exchanged() async throws {
        let last = EventRecorder<String>()
        try await KeyPathBench.run { heard in
            guard !heard.isCertificate else { return .none }
            return .body { body in
                guard let ckc = Fault.ckc(of: body) else { return body }
                defer { last.add(ckc) }
                return last.all.last.map { other in Fault.replacingCKC(of: body) { _ in other } } ?? body
            }
        } _: { bench in
            #expect(try await bench.plays("film/sd"))
            await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/hd") }
            let entry = try #require(await bench.errors.last)
            #expect(entry.failure.kind == .ckcRejected)
            #expect(bench.proxy.licenses.count == 2)
        }
    }

    /// A CKC is encrypted, but no authentication tag covers all of it: the device detects malformed CKCs and a bad R1.
    /// If a bit of the key itself was changed, the device gets a different key.
    @Test("A CKC with one changed bit is refused, or gives a key that does not decrypt; there are no other effects")
    func changedAnywhere() async throws {
        try await KeyPathBench.run { heard in
            heard.isCertificate ? .none : .changedCKC(at: heard.number * 37)
        } _: { bench in
            var refused = 0
            for count in 1...24 {
                let key: ContentKey
                do throws(ContentKeyError) { key = try await bench.key("film/hd") } catch {
                    refused += 1
                    #expect(await bench.errors.last?.failure.kind == .ckcRejected)
                    continue
                }
                await key.revoke()
                #expect(key.stopCause == .revoked)
                #expect(bench.proxy.licenses.count == count)
            }
            #expect(refused > 0)
            #expect(await bench.errors.count == refused)
            #expect(bench.proxy.licenses.count == 24)
        }
    }

    @Test("A changed CKC in a batch does not affect the other keys")
    func changedInBatch() async throws {
        try await KeyPathBench.run {
            $0.isCertificate ? .none : .changedCKC()
        } _: { bench in
            await bench.loader.preload(["skd://film/audio", "skd://film/sd", "skd://film/hd"])
            try await bench.pass(.seconds(1))
            let kinds = await bench.errors.map(\.failure.kind)
            #expect(kinds == [.ckcRejected])
            for asset in ["film/sd", "film/hd"] { #expect(try await bench.plays(asset)) }
            #expect(bench.proxy.licenses.count == 1)
        }
    }

    @Test("A server without a batch route gets a request for each key")
    func noBatchRoute() async throws {
        try await KeyPathBench.run { heard in
            heard.path == "/fps/licenses" ? .answer(404, "not found") : .none
        } _: { bench in
            let assets = ["film/audio", "film/sd", "film/hd"]
            await bench.loader.preload(assets.map { "skd://" + $0 })
            try await bench.pass(.seconds(1))
            for asset in assets {
                let plays = try await bench.plays(asset)
                #expect(plays)
            }
            #expect(bench.proxy.licenses.count == 4)
        }
    }

    @Test("A certificate that the device cannot use is not cached: the next key request fetches it again")
    func badCertificateIsNotKept() async throws {
        try await KeyPathBench.run { heard in
            heard.isCertificate && heard.number == 1 ? .body { _ in [0x30, 3, 1, 1, 7] } : .none
        } _: { bench in
            await #expect(throws: ContentKeyError.self) { _ = try await bench.key("film/hd") }
            let plays = try await bench.plays("film/hd")
            #expect(plays)
            #expect(bench.proxy.certificates.count == 2)
        }
    }
}
