import FPSMessages
import Hummingbird
import KeyServerModule
import KeyStore
import TextCoding

/// The route that evaluates a policy for recent requests.
///
///     POST /admin/policy-trials    {"policy": DOCUMENT, "limit": NUMBER, "asset": TEXT}
///
/// Nothing is stored. The policy is evaluated by itself: it is not merged with those of titles and tokens, and the
/// limits for streams, devices and rentals, which depend on the store, are not checked.
struct PolicyTrialRoutes: Sendable {
    let activity: Activity
    let bundles: BundleCache?
    private static let bodyLimit = 20_480

    var endpoints: [AdminEndpoint] {
        [AdminEndpoint(.post, "/admin/policy-trials", .read) { try await run($0) }]
    }

    private func run(_ request: AdminRequest) async throws -> Response {
        try request.requireNoQuery()
        var fields = try await request.fields(upTo: Self.bodyLimit)
        let document = fields.read("policy")
        let limit = try fields.integer("limit") ?? AdminPage.defaultLimit
        let asset = try fields.string("asset")
        try fields.finish()
        guard let document else { throw fields.error("policy", "the field is missing") }
        guard AdminPage.limits ~= limit else {
            throw fields.error(
                "limit",
                "expected an integer from \(AdminPage.limits.lowerBound) to \(AdminPage.limits.upperBound)"
            )
        }
        let policy: LicensePolicy
        do throws(PolicyError) {
            policy = try LicensePolicy(json: document.encoded)
            try policy.validate()
        } catch {
            throw ProblemDocument(.malformedRequest, detail: "\(error)", reason: "policy", field: error.place)
        }
        guard let module = bundles?.module else {
            throw ProblemDocument(.unavailable, detail: "This server issues no licenses.", retryAfter: 60)
        }
        let assetID = asset.map { Array($0.utf8) }
        let sample = activity.decided(AdminPage.limits.upperBound).filter { assetID == nil || $0.assetID == assetID }
        let trials = sample.prefix(limit).compactMap { PolicyTrial(of: policy, on: $0, by: module) }
        return JSONValue.fields([
            ("policy", (try? JSONValue(parsing: policy.json)) ?? .null),
            ("issued", .integer(trials.count { $0.refusal == nil })),
            ("refused", .integer(trials.count { $0.refusal != nil })),
            ("changed", .integer(trials.count { $0.isChange })),
            ("items", .array(trials.map(\.json))),
        ]).response()
    }
}

/// The result of a policy for one request.
struct PolicyTrial: Sendable {
    let event: ActivityEvent
    let terms: KeyTerms?
    let refusal: KSMError?

    /// Evaluates a policy for a request; nil if the facts of the request are unknown.
    init?(of policy: LicensePolicy, on event: ActivityEvent, by module: KSM) {
        guard let facts = event.facts else { return nil }
        self.event = event
        do {
            terms = try module.terms(of: policy, for: facts)
            refusal = nil
        } catch {
            (terms, refusal) = (nil, error)
        }
    }

    /// True if the policy would refuse a request that got a key, or grant one that was refused.
    var isChange: Bool { wasIssued != (refusal == nil) }

    private var wasIssued: Bool { [.issued, .issuedPersistable, .retried].contains(event.outcome) }

    var json: JSONValue {
        .fields([
            ("request", ActivityRoutes.json(event)),
            ("issued", .bool(refusal == nil)),
            ("reason", refusal.map { .string($0.code.rawValue) }),
            ("detail", refusal.map { .string($0.reason) }),
            ("terms", terms.map { .string($0.summary) }),
            ("changed", .bool(isChange)),
        ])
    }
}

extension KeyTerms {
    /// The terms as text, with durations in ISO 8601.
    var summary: String {
        func limit(_ seconds: UInt32) -> String { seconds == 0 ? "no limit" : "\(Seconds(rawValue: seconds))" }
        if let offlineKey {
            return "persistent: storage \(limit(offlineKey.storage)), playback \(limit(offlineKey.playback))"
        }
        guard let duration else { return "online, no limit" }
        return switch duration.keyType {
        case .lease: "online, lease \(limit(duration.lease))"
        case .rental: "online, \(duration.rental == 0 ? "no limit" : "rental \(limit(duration.rental))")"
        case .leaseAndRental: "online, lease \(limit(duration.lease)), rental \(limit(duration.rental))"
        case .persistUnlimited: "persistent, no limit"
        case .persistLimited: "persistent for \(limit(duration.rental))"
        default: "\(duration.keyType)"
        }
    }
}
