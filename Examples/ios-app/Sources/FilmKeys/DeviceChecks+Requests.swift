import AVFoundation
import Foundation

// The checks of requests. Each has the number of `Examples/device-checks`.

extension DeviceChecks {
    /// Check 1, and the status in check 2.
    func persistableRequests(_ add: Line) async throws {
        for withStorage in [true, false] {
            let session = try session(withStorage: withStorage)
            let storage = withStorage ? "with storage" : "without storage"
            let request = try await request(Key.store, session)
            add("\(storage): canProvidePersistableContentKey is \(request.canProvidePersistableContentKey)")
            do {
                let other = try await persistable(request, session)
                add("\(storage): a persistable request, canProvide \(other.canProvidePersistableContentKey)")
                add("\(storage): status of the plain request \(request.statusName)")
            } catch {
                add("\(storage): respondBy threw \(numbers(of: error))")
            }
        }
    }

    /// Check 3.
    func expiredKey(_ add: Line) async throws {
        let stored = try await acquire(Key.expiring)
        let session = try session()
        await session.wait(.seconds(90))
        answer(try await persistable(request(Key.expiring, session), session), stored)
        _ = await session.result(within: .seconds(30))
        add("calls: \(text(session.calls))")
    }

    /// Check 4.
    func secondRequest(_ add: Line) async throws {
        func count(_ what: String, _ session: CheckSession, _ again: () -> Void) async {
            let before = session.calls.count
            again()
            await session.wait()
            add("\(what): \(text(Array(session.calls.dropFirst(before))))")
        }
        let open = try session()
        let first = try await request(Key.store, open)
        add("identifier of a request of the app: \(kind(of: first.identifier))")
        await count("while it is open", open) { open.process(Key.store) }
        let failed = try session()
        let request = try await request(Key.store, failed)
        request.processContentKeyResponseError(NSError(domain: "check", code: 1))
        _ = await failed.result()
        await count("after it failed", failed) { failed.process(Key.store) }
        let loaded = try session()
        let key = try await load(Key.store, loaded).contentKey
        await count("after it was loaded", loaded) { loaded.process(Key.store) }
        await count("as a URL, after it was loaded as a String", loaded) {
            guard let url = URL(string: Key.store) else { return }
            loaded.session.processContentKeyRequest(withIdentifier: url, initializationData: nil, options: nil)
        }
        if #available(iOS 17.4, macOS 14.4, tvOS 17.4, visionOS 1.1, *), let key {
            await count("after it was revoked", loaded) {
                key.revoke()
                loaded.process(Key.store)
            }
        }
        try await invalidated(add)
    }

    private func invalidated(_ add: Line) async throws {
        let stored = try await acquire(Key.store)
        let session = try session()
        answer(try await persistable(request(Key.store, session), session), stored)
        guard await session.result() else { throw Failure.noKey(text(session.calls)) }
        try await session.invalidate(stored)
        let before = session.calls.count
        session.process(Key.store)
        await session.wait()
        add("after it was invalidated: \(text(Array(session.calls.dropFirst(before))))")
        let other = try self.session()
        answer(try await persistable(request(Key.store, other), other), stored)
        _ = await other.result()
        add("an invalidated key: \(text(other.calls))")
    }

    /// Check 5.
    func renewal(_ add: Line) async throws {
        let session = try session()
        let first = try await load(Key.lease, session)
        session.session.renewExpiringResponseData(for: first)
        guard let renewing = await session.next() else { return add("no request") }
        add(renewing === first ? "the earlier request again" : "a new request")
        add("renewsExpiringResponseData is \(renewing.renewsExpiringResponseData)")
        answer(renewing, try await ckc(for: renewing, Key.lease))
        await session.wait()
        add("status of the earlier request \(first.statusName), of the renewing one \(renewing.statusName)")
        session.session.renewExpiringResponseData(for: first)
        if let another = await session.next() {
            do {
                let other = try await persistable(another, session)
                add(
                    "respondBy on a renewing request: another request, canProvide \(other.canProvidePersistableContentKey)"
                )
            } catch {
                add("respondBy on a renewing request: \(numbers(of: error))")
            }
        }
        let alone = try self.session()
        _ = try await load(Key.lease, alone)
        let before = alone.calls.count
        await alone.wait(.seconds(75))
        add("a lease that the app does not renew: \(text(Array(alone.calls.dropFirst(before))))")
    }

    /// Check 8.
    func clearKeys(_ add: Line) async throws {
        let session = try session(.clearKey)
        session.process("https://keys.example/check")
        await session.wait()
        add("a request of the app: \(text(session.calls))")
    }

    /// Check 9.
    func cancellation(_ add: Line) async throws {
        let session = try session()
        let request = try await request(Key.store, session)
        session.session.expire()
        await session.wait()
        add("expire with an open request: status \(request.statusName), calls: \(text(session.calls))")
    }

    /// Check 10.
    func failedSPC(_ add: Line) async throws {
        let session = try session()
        let request = try await request(Key.store, session)
        do {
            _ = try await request.makeStreamingContentKeyRequestData(
                forApp: Data("not a certificate".utf8),
                contentIdentifier: Data("check-store".utf8),
                options: nil
            )
            add("a wrong certificate: no error")
        } catch {
            add("a wrong certificate: \(numbers(of: error))")
            await session.wait()
            add("the app has not passed the error on: \(text(session.calls))")
            if request.status == .requestingResponse { request.processContentKeyResponseError(error) }
            await session.wait()
            add("the app has passed it on: \(text(session.calls))")
        }
        let silent = try self.session()
        silent.retries = 2
        _ = try await self.request(Key.store, silent)
        await silent.wait(.seconds(90)) { silent.calls.contains { $0.hasPrefix("didFail") } }
        add("no answer for 90 seconds: \(text(silent.calls))")
    }
}
