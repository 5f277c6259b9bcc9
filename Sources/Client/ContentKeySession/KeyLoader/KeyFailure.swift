/// A failed request for a key. It contains only log-safe words and numbers, so it can be logged.
public struct KeyFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, which selects the row of the recovery table in `docs/key-loader.md`.
    public let kind: Kind
    /// The HTTP status, if there was a response.
    public var status: Int?
    /// The type of the server's problem document.
    public var problem: LogSafeWord?
    /// The reason in the server's problem document.
    public var reason: LogSafeWord?
    /// The delay that the server requires before the next request.
    public var retryAfter: Duration?
    /// The error code of the session or the device (``ContentKeyError/Code``). If the server did not respond
    /// (``Kind/noConnection``, ``Kind/timeout``, ``Kind/deadlineExceeded``) and the device rejected a stored key before, the
    /// code of that rejection; otherwise, after ``Kind/deadlineExceeded``, the kind of the last failed attempt. Nil if none
    /// is known.
    public var code: String?
    /// The device's error number with its domain, if the device reported one.
    public var platformCode: PlatformErrorCode?

    init(
        _ kind: Kind,
        status: Int? = nil,
        problem: ServerProblem = ServerProblem(),
        retryAfter: Duration? = nil,
        code: String? = nil,
        platformCode: PlatformErrorCode? = nil
    ) {
        self.kind = kind
        self.status = status
        self.problem = problem.type
        reason = problem.reason
        self.retryAfter = retryAfter
        self.code = code
        self.platformCode = platformCode
    }

    /// Creates the failure for an error of the session or the device.
    init(_ kind: Kind, _ error: ContentKeyError?) {
        self.init(kind, code: error?.code.rawValue, platformCode: error?.platformCode)
    }

    /// The catalog's explanation of the device's error number: its meaning, how sure it is, causes, and remedies.
    public var explanation: PlatformErrorExplanation? { platformCode.flatMap(PlatformErrorCatalog.explanation) }

    /// The advice to the user or to the operator of the app: that of the kind, except if the server refuses the time in
    /// the SPC, or the device reports that the CKC is invalid.
    public var advice: String {
        if kind == .ckcRejected, platformCode?.number == Self.invalidCKC { return Self.invalidCKCAdvice }
        return reason.flatMap { Self.clockAdvice($0) } ?? kind.rule.advice
    }

    /// The number with which a device rejects data that is not a CKC for its SPC.
    private static let invalidCKC: Int32 = -42668

    /// The advice on ``invalidCKC``, with the causes in the order of their frequency.
    package static let invalidCKCAdvice =
        "Run keyway doctor, which finds the cause: the response was cached, it is not a CKC (base64, JSON, or HTML), DASk "
        + "is that of another ASk, or the server made the CKC wrong."

    /// Returns the advice if the reason of a refusal is the time in the SPC; otherwise nil.
    static func clockAdvice(_ reason: LogSafeWord) -> String? {
        switch reason.description {
        case "spc-date-in-future":
            "The device's clock is ahead of the server's. Set the clock of the computer. If it is right, the device has "
                + "seen a later time before: set it back to the server's time with keyway offline clock."
        case "spc-too-old": "The device's clock is behind the server's. Set the clock of the computer."
        default: nil
        }
    }

    /// The kind, the status, the problem type and the reason.
    public var description: String {
        let parts = [status.map { "status \($0)" }, problem?.description, reason?.description, code].compactMap { $0 }
        return kind.rawValue + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }
}

extension KeyFailure {
    /// The kinds of failure; their names are stable. `docs/key-loader.md` specifies the recovery from each.
    public enum Kind: String, CaseIterable, Sendable {
        case noConnection = "no-connection"
        case timeout
        case responseTooLarge = "response-too-large"
        case badAddress = "bad-address"
        case malformedResponse = "malformed-response"
        case unknownCertificate = "unknown-certificate"
        case badRequest = "bad-request"
        case tokenRefused = "token-refused"
        case forbidden
        case unknownKey = "unknown-key"
        case replayed
        case noBatchRoute = "no-batch-route"
        case tooManyRequests = "too-many-requests"
        case serverError = "server-error"
        case overloaded
        case unexpectedStatus = "unexpected-status"
        case noToken = "no-token"
        case badKeyURI = "bad-key-uri"
        case unsupportedKeySystem = "unsupported-key-system"
        case spcCreationFailed = "spc-creation-failed"
        case ckcRejected = "ckc-rejected"
        /// The key must be persistent, and the route or the device does not allow it, for example during AirPlay.
        case persistenceRefused = "persistence-refused"
        /// The key must be persistent, and the CKC does not allow it.
        case persistenceNotLicensed = "persistence-not-licensed"
        /// The store of persistent keys reported an error.
        case keyNotStored = "key-not-stored"
        case deadlineExceeded = "deadline-exceeded"
        case cancelled
    }

    /// Returns the failure for a response that is not a success.
    ///
    /// | Status | Kind |
    /// |---|---|
    /// | 400 and `unknown-certificate` | ``Kind/unknownCertificate`` |
    /// | 401 | ``Kind/tokenRefused`` |
    /// | 402, 403, 451 | ``Kind/forbidden`` |
    /// | 404, 410 | ``Kind/unknownKey``; for a batch without a problem type, ``Kind/noBatchRoute`` |
    /// | 405, 501 for a batch | ``Kind/noBatchRoute`` |
    /// | 408 | ``Kind/timeout`` |
    /// | 409 and `replayed` | ``Kind/replayed`` |
    /// | 425, 429 | ``Kind/tooManyRequests`` |
    /// | 503 | ``Kind/overloaded`` |
    /// | 500, 502, 504 and other 5xx | ``Kind/serverError`` |
    /// | other 4xx | ``Kind/badRequest`` |
    /// | anything else | ``Kind/unexpectedStatus`` |
    static func status(
        _ status: Int,
        problem: ServerProblem = ServerProblem(),
        retryAfter: Duration? = nil,
        ofBatch: Bool = false
    ) -> KeyFailure {
        let kind: Kind =
            switch status {
            case 400 where problem.type?.description == "unknown-certificate": .unknownCertificate
            case 401: .tokenRefused
            case 402, 403, 451: .forbidden
            case 404, 410: ofBatch && problem.type == nil ? .noBatchRoute : .unknownKey
            case 405 where ofBatch, 501 where ofBatch: .noBatchRoute
            case 408: .timeout
            case 409 where problem.type?.description == "replayed": .replayed
            case 425, 429: .tooManyRequests
            case 503: .overloaded
            case 500...599: .serverError
            case 400...499: .badRequest
            default: .unexpectedStatus
            }
        return KeyFailure(kind, status: status, problem: problem, retryAfter: retryAfter)
    }

    /// Returns the kind of failure for the status of a response that is not a success.
    package static func kind(ofStatus status: Int) -> Kind { Self.status(status).kind }

    /// Returns the final failure of a request whose next attempt would be after its deadline.
    static func deadlineExceeded(after failure: KeyFailure) -> KeyFailure {
        KeyFailure(
            .deadlineExceeded,
            status: failure.status,
            problem: ServerProblem(type: failure.problem, reason: failure.reason),
            retryAfter: failure.retryAfter,
            code: failure.kind.rawValue
        )
    }

    /// Creates the failure for a transport error.
    init(transport error: KeyTransportError) {
        switch error {
        case .noConnection: self.init(.noConnection)
        case .deadline: self.init(.timeout)
        case .tooLarge: self.init(.responseTooLarge)
        case .badAddress: self.init(.badAddress)
        case .cancelled: self.init(.cancelled)
        }
    }

    /// Returns the delay of a `Retry-After` header in seconds (RFC 9110, section 10.2.3). A date is ignored: the
    /// device's clock may be wrong, and key servers send seconds.
    static func retryAfter(_ answer: KeyTransportResponse) -> Duration? {
        guard let text = answer.header("Retry-After"), let seconds = Int64(text), (0...86_400).contains(seconds) else {
            return nil
        }
        return .seconds(seconds)
    }
}
