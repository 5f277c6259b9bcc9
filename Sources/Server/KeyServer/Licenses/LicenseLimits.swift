import KeyServerModule

/// The rate limits of licenses and keys, for the account and the address of a request.
struct LicenseLimits: Sendable {
    /// The number of licenses that a tampered message costs the account and the address.
    private static let tamperingCost = 10

    private let limiter: RateLimiter?
    private let metrics: ServerMetrics?

    /// Creates the limits; without a limiter there are none.
    init(_ limiter: RateLimiter?, _ metrics: ServerMetrics?) {
        self.limiter = limiter
        self.metrics = metrics
    }

    /// Applies the rate limits of an account and an address.
    func require(
        _ requestClass: RequestClass,
        account: String?,
        address: ClientAddress? = nil,
        count: Int = 1
    ) throws(ProblemDocument) {
        try limiter?.require(account: account, address: address, class: requestClass, count: count, metrics: metrics)
    }

    /// Charges an address for all items of a request, before any of them is processed.
    func requireItems(_ count: Int, from address: ClientAddress?) throws(ProblemDocument) {
        try limiter?.requireRest(ofItems: count, address: address, metrics: metrics)
    }

    /// Charges the account and the address for an SPC before it is decrypted.
    ///
    /// - Returns: The class that was charged; nil if there are no limits.
    func requireOpening(_ attempt: LicenseAttempt) throws(ProblemDocument) -> RequestClass? {
        try limiter?.requireOpening(
            account: attempt.authorization.knownAccount,
            address: attempt.facts.address,
            metrics: metrics
        )
    }

    /// Adjusts the charge for a decrypted SPC to its actual class.
    func adjustCharge(_ attempt: LicenseAttempt, _ sender: SPCSender) throws(ProblemDocument) {
        guard let charged = attempt.charged else { return }
        let local: RequestClass = sender.spc.device.route == .local ? .license : .segment
        try limiter?.adjustCharge(
            charged,
            as: sender.spc.syncReport == nil ? local : .other,
            account: sender.account,
            wasKnown: attempt.isAccountCharged,
            address: attempt.facts.address,
            metrics: metrics
        )
    }

    /// Charges the account and the address for a tampered message.
    func chargeForTampering(_ attempt: LicenseAttempt) {
        limiter?.charge(
            Self.tamperingCost,
            account: attempt.authorization.knownAccount,
            address: attempt.facts.address
        )
    }
}
