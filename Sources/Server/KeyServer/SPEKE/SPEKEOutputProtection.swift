import DRMSignaling
import KeyServerModule
import KeyStore

/// The output protection that the licenses of keys require, which SPEKE v2.1 announces to encoders: what playlists signal
/// then agrees with the licenses.
///
///     policy                      key                              FairPlay's DRMSystem
///     hdcp: none, type0, type1    HDCPData: NONE, TYPE-0, TYPE-1; for DASH none, HDCP 1.0, 2.2
///     securityLevel: baseline                                      HLSAllowedCPC: AppleBaseline/Baseline
///     securityLevel: main                                          HLSAllowedCPC: AppleMain/Main
///
/// Keys of audio have none, because both attributes apply to variants with video.
struct SPEKEOutputProtection: Sendable {
    let store: any ContentStore & TitleStore & PolicyStore & AuditLog

    /// Returns the output protection of keys, by key ID. Each combination of policies is merged once.
    ///
    /// - Throws: `KeyStoreError`.
    func protections(_ records: [ContentKeyID: ContentRecord]) async throws -> [ContentKeyID: OutputProtection] {
        var titles: [String: TitleRecord?] = [:]
        var tracks: [String: [String: TrackRecord]] = [:]
        var merged: [[String]: OutputProtection] = [:]
        var check = ContentCheck(store)
        var protections: [ContentKeyID: OutputProtection] = [:]
        for (keyID, record) in records {
            let info = record.info
            if let name = info.titleName, titles[name] == nil {
                titles[name] = .some(try await store.title(name: name))
                let found = try await store.tracks(title: name).map { ($0.name, $0) }
                tracks[name] = Dictionary(found) { first, _ in first }
            }
            let title = info.titleName.flatMap { titles[$0] ?? nil }
            let track = info.titleName.flatMap { name in info.trackName.flatMap { tracks[name]?[$0] } }
            guard (track?.kind ?? info.track) != .audio else { continue }
            let names = ContentLookup.policyNames(governing: info, title, track)
            if merged[names] == nil { merged[names] = Self.protection(try await check.merged(names, of: info.place)) }
            protections[keyID] = merged[names]
        }
        return protections
    }

    private static func protection(_ policy: LicensePolicy) -> OutputProtection {
        var protection = OutputProtection()
        protection.hdcp = policy.hdcp.flatMap { HDCPRequirement(parsing: $0.rawValue) }
        switch policy.securityLevel {
        case .main: protection.labels[.fairPlay] = [.appleMain, .main]
        case .baseline: protection.labels[.fairPlay] = [.appleBaseline, .baseline]
        default: break
        }
        return protection
    }
}
