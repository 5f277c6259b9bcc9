import ByteCoding
public import FPSCrypto
import FPSMessages

/// The Key Server Module: turns an SPC into a CKC by the ten steps of the guide's Table 2-1, under a policy.
///
/// It is a value without state: it speaks no HTTP, knows no store and remembers nothing between requests. The caller
/// opens an SPC, looks up the content that its asset ID names, and asks for a license:
///
///     let opened = try module.open(spc)
///     let license = try module.license(for: opened, content: content, policy: policy, wantsPersistable: false, at: now)
///     send(license.ckc)
///
/// Opening costs one RSA private operation and is best run on threads of its own; the rest is cheap. SPCs that are there at the
/// same time are best opened together.
public struct KSM: Sendable {
    /// The server's own settings.
    public struct Configuration: Sendable {
        /// The protocol versions that this server supports.
        public var protocolVersions: Set<UInt32> = [1]
        /// How old an SPC may be, unless the policy says otherwise; nil for any age.
        public var maximumSPCAge: Seconds? = Seconds(rawValue: 6 * 3600)
        /// How far ahead of this server's clock an SPC may be made.
        public var maximumClockAhead = Seconds(rawValue: 10 * 60)
        /// The Kext Deny List version below which a Mac counts as Baseline; 31 is Apple's latest as of September 2024.
        public var minimumKDL: UInt32 = 31
        /// What does several RSA operations at once; nil where there is none.
        public var multiBuffer: (any BatchOAEPDecryptor)?
        /// Whether every CKC is opened again and checked before it leaves. Costs a few microseconds.
        public var checksBeforeIssuing: Bool

        /// The defaults; checking before issuing is on in debug builds.
        public init() {
            #if DEBUG
            checksBeforeIssuing = true
            #else
            checksBeforeIssuing = false
            #endif
        }
    }

    /// The server's own settings.
    public let configuration: Configuration
    /// All bundles, in the order given.
    public let bundles: [CertificateBundle]
    let bundleByHash: [[UInt8]: CertificateBundle]

    /// Makes a module that opens nothing yet.
    public init(configuration: Configuration) {
        bundles = []
        bundleByHash = [:]
        self.configuration = configuration
    }

    /// Makes a module that opens the SPCs of these bundles.
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

    /// The rules, then steps 7 to 10: makes the CKC.
    ///
    /// - Parameters:
    ///   - opened: what ``open(_:)`` returned. A Sync SPC is refused.
    ///   - content: what the SPC's asset ID names.
    ///   - policy: the terms.
    ///   - wantsPersistable: whether the app asks for a key to keep; the policy decides.
    ///   - now: seconds since 1970.
    ///   - remoteAddress: the client's address, for policies that list networks.
    ///   - origin: the request's `Origin`, for policies that list origins.
    ///   - random: where IV, padding and order come from.
    /// - Throws: ``KSMError`` of the stages policy and sealing.
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

    /// Makes a license with the system's randomness.
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

    /// Holds that a request's own idea of the asset is that of its SPC, which governs.
    ///
    /// - Throws: `asset-id-mismatch`.
    public static func requireSameAsset(_ claimed: [UInt8]?, in opened: OpenedSPC) throws(KSMError) {
        guard let claimed, claimed != opened.request.assetID.bytes else { return }
        throw KSMError(.policy, .assetIDMismatch, "the request names another asset than its SPC")
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
            throw KSMError(.policy, .syncSPC, "a Sync SPC reports, and is not answered with a key")
        }
        guard opened.bundle.scope.contains(content.assetID ?? opened.request.assetID.bytes) else {
            throw KSMError(.policy, .contentOutOfScope, "bundle \(opened.bundle.name) may not open this content")
        }
        let facts = RequestFacts(
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

/// A CKC and what the app must be told about it, because it cannot look inside.
public struct License: Sendable {
    /// The CKC, for the device.
    public let ckc: [UInt8]
    /// How long the key may be used.
    public let terms: KeyTerms
    /// What is worth recording.
    public let notes: [Note]
}
