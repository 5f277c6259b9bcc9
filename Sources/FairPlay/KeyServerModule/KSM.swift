import ByteCoding
public import FPSCrypto
import FPSMessages

/// The Key Server Module: creates a CKC for an SPC under a policy, in the ten steps of the guide's Table 2-1.
///
/// The module is a stateless value: it does not use HTTP or a store, and it keeps nothing between requests. The caller
/// opens an SPC, looks up the content by the SPC's asset ID, and requests a license:
///
///     let opened = try module.open(spc)
///     let license = try module.license(for: opened, content: content, policy: policy, wantsPersistable: false, at: now)
///     send(license.ckc)
///
/// Opening an SPC costs one RSA private-key operation, so run it on dedicated threads; the rest is cheap. Open SPCs
/// that arrive at the same time in one batch.
public struct KSM: Sendable {
    /// The settings of the server.
    public struct Configuration: Sendable {
        /// The protocol versions that this server supports.
        public var protocolVersions: Set<UInt32> = [1]
        /// The maximum age of an SPC, if the policy does not set one; nil means any age.
        public var maximumSPCAge: Seconds? = Seconds(rawValue: 6 * 3600)
        /// The maximum time by which an SPC's creation date may be ahead of this server's clock.
        public var maximumClockAhead = Seconds(rawValue: 10 * 60)
        /// The lowest Kext Deny List version with which a Mac does not count as Baseline; 31 is Apple's latest version
        /// as of September 2024.
        public var minimumKDL: UInt32 = 31
        /// The decryptor that performs several RSA operations at once, if any.
        public var multiBuffer: (any BatchOAEPDecryptor)?
        /// True if every CKC is decrypted and checked before it is issued, which costs a few microseconds.
        public var checksBeforeIssuing: Bool

        /// Creates the default settings; ``checksBeforeIssuing`` is true in debug builds.
        public init() {
            #if DEBUG
            checksBeforeIssuing = true
            #else
            checksBeforeIssuing = false
            #endif
        }
    }

    /// The settings of the server.
    public let configuration: Configuration
    /// All bundles, in the order they were passed.
    public let bundles: [CertificateBundle]
    let bundleByHash: [[UInt8]: CertificateBundle]

    /// Creates a module without bundles, which cannot open any SPC.
    public init(configuration: Configuration) {
        bundles = []
        bundleByHash = [:]
        self.configuration = configuration
    }

    /// Creates a module that opens the SPCs of these bundles.
    ///
    /// - Throws: ``BundleError`` with `duplicate-certificate`.
    public init(bundles: [CertificateBundle], configuration: Configuration = Configuration()) throws(BundleError) {
        var bundleByHash: [[UInt8]: CertificateBundle] = [:]
        for bundle in bundles {
            guard bundleByHash.updateValue(bundle, forKey: bundle.certificate.sha1) == nil else {
                throw BundleError(.duplicateCertificate, bundle.name, "another bundle has the same certificate")
            }
        }
        self.bundles = bundles
        self.bundleByHash = bundleByHash
        self.configuration = configuration
    }

    /// Checks the rules of the policy, then creates the CKC (steps 7 to 10).
    ///
    /// - Parameters:
    ///   - opened: the result of ``open(_:)``. A Sync SPC is rejected.
    ///   - content: the content that the SPC's asset ID identifies.
    ///   - policy: the policy of the content.
    ///   - wantsPersistable: whether the app requests a persistent key; the policy decides.
    ///   - now: the time, in seconds since 1970.
    ///   - remoteAddress: the client's address, for policies that list networks.
    ///   - origin: the request's `Origin`, for policies that list origins.
    ///   - random: the source of the IV, the padding and the block order.
    /// - Throws: ``KSMError`` with the stage `policy` or `sealing`.
    public func license(
        for opened: OpenedSPC,
        content: Content,
        policy: LicensePolicy,
        wantsPersistable: Bool,
        at now: Int64,
        remoteAddress: String? = nil,
        origin: String? = nil,
        using random: inout some RandomNumberGenerator
    ) throws(KSMError) -> License {
        let terms = try decide(opened, content, policy, wantsPersistable, now, remoteAddress, origin)
        let (ckc, notes) = try seal(opened, content.key, policy, terms, using: &random)
        let hasExpired = opened.bundle.certificate.notAfter < now
        let expiry = hasExpired ? [Note.certificateExpired(bundle: opened.bundle.name)] : []
        return License(ckc: ckc, terms: terms, notes: expiry + opened.notes + terms.notes + notes)
    }

    /// Creates a license with the system's random number generator.
    public func license(
        for opened: OpenedSPC,
        content: Content,
        policy: LicensePolicy,
        wantsPersistable: Bool,
        at now: Int64,
        remoteAddress: String? = nil,
        origin: String? = nil
    ) throws(KSMError) -> License {
        var random = SecureRandom()
        return try license(
            for: opened,
            content: content,
            policy: policy,
            wantsPersistable: wantsPersistable,
            at: now,
            remoteAddress: remoteAddress,
            origin: origin,
            using: &random
        )
    }

    /// Checks that the asset ID of a request, if there is one, equals the asset ID of its SPC, which takes precedence.
    ///
    /// - Throws: `asset-id-mismatch`.
    public static func requireSameAsset(_ claimed: [UInt8]?, in opened: OpenedSPC) throws(KSMError) {
        guard let claimed, claimed != opened.request.assetID.bytes else { return }
        throw KSMError(.policy, .assetIDMismatch, "the request and its SPC have different asset IDs")
    }

    private func decide(
        _ opened: OpenedSPC,
        _ content: Content,
        _ policy: LicensePolicy,
        _ wantsPersistable: Bool,
        _ now: Int64,
        _ remoteAddress: String?,
        _ origin: String?
    ) throws(KSMError) -> KeyTerms {
        guard opened.syncReport == nil else {
            throw KSMError(.policy, .syncSPC, "a Sync SPC reports the use of a key and cannot request one")
        }
        guard opened.bundle.scope.contains(content.assetID ?? opened.request.assetID.bytes) else {
            throw KSMError(
                .policy,
                .contentOutOfScope,
                "the scope of bundle \(opened.bundle.name) does not include this content"
            )
        }
        let facts = RequestProperties(
            opened,
            track: content.track,
            streamID: content.streamID,
            titleID: content.titleID,
            wantsPersistable: wantsPersistable,
            at: now,
            remoteAddress: remoteAddress,
            origin: origin
        )
        return try terms(of: policy, for: facts)
    }
}

/// A CKC, and the terms that the server reports to the app, because the app cannot read the CKC.
public struct License: Sendable {
    /// The CKC, for the device.
    public let ckc: [UInt8]
    /// The durations and the persistence of the key.
    public let terms: KeyTerms
    /// The notes to log.
    public let notes: [Note]
}
