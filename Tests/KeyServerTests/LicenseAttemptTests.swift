import KeyServerModule
import KeyStore
import Testing

@testable import KeyServer

@Suite("The value of a license request")
struct LicenseAttemptTests {
    private static func facts(_ address: String? = "192.0.2.1") -> RequestFacts {
        RequestFacts(
            route: "/fps/license",
            requestID: "request-1",
            address: address.flatMap { ClientAddress($0) },
            origin: "https://tv.example",
            start: StartTime(milliseconds: 5_000, stopwatch: Stopwatch { 0 })
        )
    }

    private func attempt(
        _ subject: LicenseAttempt.Subject = .spc(LicenseRequest(spc: [1])),
        isAnonymous: Bool = false,
        persist: Bool? = nil,
        authorizedAssetID: [UInt8]? = nil
    ) -> LicenseAttempt {
        var authorization = PlaybackAuthorization(account: "ann", expires: 60)
        authorization.isAnonymous = isAnonymous
        authorization.persist = persist
        return LicenseAttempt(
            subject,
            Self.facts(),
            authorization: authorization,
            authorizedAssetID: authorizedAssetID
        )
    }

    @Test("The facts contain the address as text, and the time in seconds")
    func facts() {
        #expect(Self.facts("::ffff:192.0.2.7").remoteAddress == "192.0.2.7")
        #expect(Self.facts(nil).remoteAddress == nil)
        #expect(Self.facts().now == 5)
    }

    @Test("The audit record and the event of an attempt have the facts of its request")
    func records() {
        var attempt = attempt(.keys(.init(keyIDs: [[UInt8](repeating: 1, count: 16)], client: .clearKey)))
        attempt.assetID = Array("movie".utf8)
        let record = attempt.auditRecord("unknown-asset", detail: "no key")
        #expect(record.milliseconds == 5_000)
        #expect(record.route == "/fps/license")
        #expect(record.outcome == "unknown-asset")
        #expect(record.detail == "Clear Key, key ID 01010101010101010101010101010101; no key")
        #expect(record.account == "ann")
        #expect(record.assetID == Array("movie".utf8))
        #expect(record.remoteAddress == "192.0.2.1")
        #expect(record.requestID == "request-1")
        let event = attempt.event(.refused, reason: "unknown-asset", at: 6_000)
        #expect(event.milliseconds == 6_000)
        #expect(event.route == "/fps/license")
        #expect(event.reason == "unknown-asset")
        #expect(event.client?.kind == "Clear Key")
        #expect(event.account == "ann")
        #expect(event.assetID == Array("movie".utf8))
    }

    @Test("An SPC that was not decrypted leaves only what the token says in the record")
    func unopened() {
        let record = attempt().auditRecord("unreadable-spc")
        #expect(record.account == "ann")
        #expect(record.detail == nil && record.assetID == nil && record.device == nil && record.deviceClass == nil)
        #expect(attempt(isAnonymous: true).auditRecord("unreadable-spc").account == nil)
    }

    @Test("A persistent key is wanted if the client requests it and the token does not deny it")
    func persistent() {
        let request = LicenseAttempt.Subject.spc(LicenseRequest(spc: [1], wantsPersistableKey: true))
        #expect(attempt(request).wantsPersistableKey)
        #expect(attempt(request, persist: true).wantsPersistableKey)
        #expect(!attempt(request, persist: false).wantsPersistableKey)
        #expect(!attempt(persist: true).wantsPersistableKey)
    }

    @Test("Only the authorized asset is answered")
    func authorized() throws {
        try attempt().requireAuthorized([1])
        try attempt(authorizedAssetID: [1]).requireAuthorized([1])
        let error = #expect(throws: KSMError.self) { try attempt(authorizedAssetID: [1]).requireAuthorized([2]) }
        #expect(error?.code == .assetIDMismatch)
    }
}
