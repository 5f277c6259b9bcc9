import FPSCrypto
import HTTPTypes
import KeyStore
import TextCoding
import VirtualDevice

@testable import KeyServer

extension LicenseServer {
    /// Sends a request, with or without JSON, and with a token for administration.
    func admin(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        token: String? = LicenseServer.token
    ) async throws -> ReceivedResponse {
        try await send(
            method,
            "/admin\(path)",
            type: body == nil ? nil : "application/json",
            body.map { Array($0.utf8) },
            token: token
        )
    }

    /// Returns the pages of a list, by following `next`.
    func pages(_ path: String, limit: Int, parameter: String = "after") async throws -> [[JSONObject]] {
        var pages: [[JSONObject]] = []
        var next: String?
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let cursor = next.map { "&\(parameter)=\($0)" } ?? ""
            let answer = try await admin("GET", "\(path)\(separator)limit=\(limit)\(cursor)")
            guard answer.status == 200, case .array(let items)? = answer.json["items"] else { return pages }
            pages.append(items.map { if case .object(let fields) = $0 { fields } else { [:] } })
            next = if case .string(let text)? = answer.json["next"] { text } else { nil }
        } while next != nil && pages.count < 100
        return pages
    }

    /// Creates a token with a role in the store.
    func token(_ role: AdminRole) async throws -> String {
        let (record, token) = try AdminTokenRecord.make(name: "a-\(role)", role: role, time: 1)
        try await store.addAdminToken(record)
        return String(decoding: token.reveal(), as: UTF8.self)
    }

    /// Adds a lease, a device, a persistent key and a rental to an account.
    func grant(account: String, hu: UInt8, stream: UInt8 = 1, ago: Int64 = 0) async throws -> DeviceHash {
        let device = store.deviceHash(hu: [UInt8](repeating: hu, count: 20))
        let now = clock.now - ago
        var proposal = GrantProposal(
            account: account,
            now: now,
            client: .device(device),
            sessionID: 7,
            assetID: Array("movie".utf8),
            answer: IssuedLicense(ckc: [1], isPersistable: true, hasDualExpiry: false),
            audit: AuditRecord(milliseconds: now * 1_000, route: "/fps/license", outcome: "issued", microseconds: 1)
        )
        proposal.device = DeviceClaim(limit: nil, deviceClass: "appleMobile")
        proposal.slot = SlotClaim(limit: nil, until: now + 600, purpose: .playback)
        proposal.rental = RentalClaim(
            subject: .asset(Array("film/\(stream)".utf8)),
            duration: 1_000,
            start: now,
            isTokensStart: false,
            bindsDevice: false
        )
        proposal.offline = OfflineClaim(
            streamID: [UInt8](repeating: stream, count: 16),
            titleID: nil,
            storage: 500,
            playback: 500,
            hasDualExpiry: false,
            renewAfterExpiry: true
        )
        guard try await store.grant(proposal) == .granted else { throw Fault() }
        return device
    }

    /// Returns the changes in the audit log: outcome and detail, oldest first.
    func changes() async throws -> [String] {
        try await store.auditEntries(before: nil, limit: 1_000).map(\.record).reversed()
            .filter { $0.outcome.hasPrefix("admin-") }.map { "\($0.outcome) \($0.detail ?? "")" }
    }
}
