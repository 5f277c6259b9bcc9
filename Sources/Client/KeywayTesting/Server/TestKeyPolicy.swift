public import KeyServerModule

/// The terms under which a ``TestKeyServer`` issues the key of an asset.
///
///     server.policy = .lease(.seconds(600))
///     server.setPolicy(.offline(storage: .seconds(30 * 86_400), playback: .seconds(2 * 86_400)), for: "movie")
///     server.setPolicy(.denied(reason: "subscription-ended"), for: "premium")
public struct TestKeyPolicy: Sendable, Hashable {
    /// The reason of the refusal, as in a problem document: lowercase letters, digits and hyphens; nil if the key is
    /// issued.
    public var denial: String?
    /// The policy of the Key Server Module, with every field of the server's policy documents.
    public var terms: LicensePolicy

    /// Creates a policy from a policy of the Key Server Module.
    public init(_ terms: LicensePolicy = .default) { self.terms = terms }

    /// Creates a policy from a policy document of Keyway's server, such as `{"lease": "PT10M", "airplay": "deny"}`.
    ///
    /// - Throws: `PolicyError`.
    public init(json: String) throws(PolicyError) { try self.init(LicensePolicy(json: Array(json.utf8))) }

    /// A key for streaming without a time limit.
    public static let streaming = TestKeyPolicy()

    /// A key whose lease must be renewed, at least one second.
    public static func lease(_ duration: Duration) -> TestKeyPolicy {
        TestKeyPolicy { $0.lease = Seconds(duration) }
    }

    /// A key with which playback must start within a time.
    public static func rental(_ duration: Duration) -> TestKeyPolicy {
        TestKeyPolicy { $0.rental = Seconds(duration) }
    }

    /// A persistent key that does not expire, if the app requests one.
    public static let offline = TestKeyPolicy { $0.persist = .unlimited }

    /// A persistent key that expires.
    public static func offline(validity: Duration) -> TestKeyPolicy {
        TestKeyPolicy { $0.persist = .limited(Seconds(validity)) }
    }

    /// A persistent key with two expiry periods: playback must start within the storage duration, and can continue for
    /// the playback duration.
    public static func offline(storage: Duration, playback: Duration) -> TestKeyPolicy {
        TestKeyPolicy {
            $0.persist = .dual(storage: Seconds(storage), playback: Seconds(playback), fallback: nil)
        }
    }

    /// A refusal with status 403 and the problem `refused-by-policy`.
    ///
    /// - Parameter reason: The reason in the problem document: lowercase letters, digits and hyphens.
    public static func denied(reason: String) -> TestKeyPolicy {
        var policy = TestKeyPolicy()
        policy.denial = reason
        return policy
    }

    /// The HDCP type that a display must support.
    public enum HDCP: Sendable, Hashable {
        /// Type 0, or Type 1.
        case type0
        /// Type 1, as for content in 4K.
        case type1
    }

    /// Returns the policy with a required HDCP type of the display.
    public func requiringHDCP(_ type: HDCP = .type0) -> TestKeyPolicy {
        var policy = self
        policy.terms.hdcp = type == .type0 ? .type0 : .type1
        return policy
    }

    /// Returns the policy with the highest security level (AppleMain), which is required for content in HD and 4K.
    public func requiringMainSecurityLevel() -> TestKeyPolicy {
        var policy = self
        policy.terms.securityLevel = .main
        return policy
    }

    /// Returns the policy without playback over AirPlay.
    public func denyingAirPlay() -> TestKeyPolicy {
        var policy = self
        policy.terms.airplay = .deny
        return policy
    }

    private init(_ change: (inout LicensePolicy) -> Void) {
        terms = .default
        change(&terms)
    }
}

extension Seconds {
    /// Creates a duration in whole seconds, rounded up and limited to the longest duration of a policy.
    fileprivate init(_ duration: Duration) {
        let (seconds, rest) = duration.components
        let whole = seconds + (rest > 0 ? 1 : 0)
        self = min(Seconds(rawValue: UInt32(clamping: whole)), .maximum)
    }
}
