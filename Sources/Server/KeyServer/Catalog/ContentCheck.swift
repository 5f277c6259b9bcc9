import DRMSignaling
import KeyServerModule
import KeyStore

/// Checks tracks and keys against their policies, which are merged by the strictest value of each field, as for a
/// license. Each combination of policies is merged only once, independent of the number of keys.
struct ContentCheck {
    private struct Merge: Hashable {
        let names: [String]
        let kind: ContentTrack
    }

    /// The number of records to read at once.
    static let pageSize = 1_000

    private let store: any TitleStore & PolicyStore
    private let changed: PolicyRecord?
    private var policies: [String: LicensePolicy] = [:]
    private var verdicts: [Merge: KeyStoreError?] = [:]

    /// Creates a check for a store.
    ///
    /// - Parameter changed: A policy that replaces the stored policy of the same name.
    init(_ store: any TitleStore & PolicyStore, changed: PolicyRecord? = nil) {
        self.store = store
        self.changed = changed
    }

    /// Checks a title against the rules, and with the given tracks.
    ///
    /// - Parameter assetIDs: Keys to skip, because they are about to be replaced.
    mutating func check(
        _ title: TitleRecord,
        tracks: [TrackRecord],
        except assetIDs: Set<[UInt8]> = []
    ) async throws(KeyStoreError) {
        if let template = title.keyURITemplate {
            do { try ContentDefaults.checkKeyURI(template) } catch {
                throw KeyStoreError(.invalidRecord, place: title.place, reason: "key URI: \(error.reason)")
            }
        }
        if let name = title.policyName { try await check([name], .unspecified, of: title.place, for: title.place) }
        for track in tracks { try await check(track, under: title, for: title.place, except: assetIDs) }
    }

    /// Checks a track against its own and its title's policy, and its keys against theirs.
    ///
    /// - Parameters:
    ///   - place: The record that is about to be written, for the error.
    ///   - assetIDs: Keys to skip, because they are about to be replaced.
    mutating func check(
        _ track: TrackRecord,
        under title: TitleRecord?,
        for place: String,
        except assetIDs: Set<[UInt8]> = []
    ) async throws(KeyStoreError) {
        let names = [title?.policyName, track.policyName].compactMap { $0 }
        // A track without a policy and without keys has nothing to check, not even against the default policy.
        if !names.isEmpty { try await check(names, track.kind, of: track.place, for: place) }
        var last: ContentInfo?
        repeat {
            let page = try await store.keyPeriods(
                title: track.title,
                track: track.name,
                after: last,
                limit: Self.pageSize
            )
            for info in page where !assetIDs.contains(info.assetID) {
                let all = ContentLookup.policyNames(governing: info, title, track)
                try await check(all, track.kind, of: info.place, for: place)
            }
            last = page.last
        } while last != nil
    }

    /// Merges policies for a type of track.
    ///
    /// - Parameters:
    ///   - names: The policies. A missing policy is an error, except for the one named `default`.
    ///   - kind: The type of track that the key decrypts.
    ///   - owner: The track or key that the policies apply to.
    ///   - place: The record that is about to be written, for the error.
    /// - Throws: `KeyStoreError` with `missingReference` or `conflict`.
    mutating func check(
        _ names: [String],
        _ kind: ContentTrack,
        of owner: String,
        for place: String
    ) async throws(KeyStoreError) {
        let merge = Merge(names: names, kind: kind)
        if let known = verdicts[merge] {
            if let known { throw known }
            return
        }
        var found: [LicensePolicy] = []
        for name in names { found.append(try await policy(name, place)) }
        do {
            try LicensePolicy.strictest(found).requireCoherent(for: TrackKind(kind))
            verdicts[merge] = .some(nil)
        } catch {
            let policyNames =
                names.count == 1 ? "policy \(names[0])" : "policies \(names.joined(separator: ", ")) together"
            let whose = kind == .unspecified ? owner : "\(kind.rawValue) of \(owner)"
            let refusal = KeyStoreError(
                .conflict,
                place: place,
                reason:
                    "\(whose) cannot use \(policyNames): \(error.field.isEmpty ? "" : "\(error.field): ")\(error.reason)"
            )
            verdicts[merge] = refusal
            throw refusal
        }
    }

    /// Returns policies merged by the strictest value of each field.
    ///
    /// - Parameters:
    ///   - names: The policies. A missing policy is an error, except for the one named `default`.
    ///   - place: The record that the policies apply to, for the error.
    /// - Throws: `KeyStoreError` with `missingReference` or `conflict`.
    mutating func merged(_ names: [String], of place: String) async throws(KeyStoreError) -> LicensePolicy {
        var found: [LicensePolicy] = []
        for name in names { found.append(try await policy(name, place)) }
        do { return try LicensePolicy.strictest(found) } catch {
            throw KeyStoreError(.conflict, place: place, reason: "its policies cannot be merged: \(error)")
        }
    }

    private mutating func policy(_ name: String, _ place: String) async throws(KeyStoreError) -> LicensePolicy {
        if let known = policies[name] { return known }
        var record = changed
        if record?.name != name { record = try await store.policy(name: name) }
        let policy: LicensePolicy
        if let record {
            do { policy = try LicensePolicy(json: record.document) } catch {
                throw KeyStoreError(.conflict, place: place, reason: "policy \(name) cannot be used: \(error)")
            }
        } else if name == ContentLookup.defaultPolicy {
            policy = .default
        } else {
            throw KeyStoreError(.missingReference, place: place, reason: "policy \(name) does not exist")
        }
        policies[name] = policy
        return policy
    }
}
