public import ContentKeySession

/// A fault that a ``TestKeyServer`` injects instead of, or into, its response to a request.
public struct ServerFault: Sendable, Hashable {
    enum Effect: Sendable, Hashable {
        case none
        case delay(Duration)
        case error(KeyTransportError)
        case noResponse
        case response(KeyTransportResponse)
        case problem(status: Int, name: String, reason: String?, retryAfter: Duration?)
        case truncatedLicense
        case wrongLicense
        case item(Int, status: Int?, reason: String?)
    }

    let effect: Effect

    private init(_ effect: Effect) { self.effect = effect }

    /// No fault: the server answers this request normally. It is of use in a sequence of faults.
    public static let none = ServerFault(.none)

    // MARK: The network

    /// No connection: the device is offline, or the server is down.
    public static let noConnection = ServerFault(.error(.noConnection))

    /// A server that accepts the request and never answers; the client's timeout ends the wait.
    public static let noResponse = ServerFault(.noResponse)

    /// A response that arrives after a duration, by the test's clock; as ``noResponse`` if the request's timeout is
    /// shorter.
    public static func delay(_ duration: Duration) -> ServerFault { ServerFault(.delay(duration)) }

    /// A response that is larger than the request allows.
    public static let oversizedBody = ServerFault(.error(.tooLarge))

    /// Any response.
    public static func response(_ response: KeyTransportResponse) -> ServerFault { ServerFault(.response(response)) }

    /// A web page with status 200, as from a captive portal: the login page of a hotel or an airport.
    public static let captivePortal = ServerFault(
        .response(
            KeyTransportResponse(
                status: 200,
                headers: [.init("Content-Type", "text/html; charset=utf-8")],
                body: Array("<!DOCTYPE html><html><head><title>Welcome</title></head><body>Sign in</body></html>".utf8)
            )
        )
    )

    /// A response with status 200 and an empty body.
    public static let emptyBody = ServerFault(.response(KeyTransportResponse(status: 200)))

    // MARK: Refusals

    /// A status with a problem document (RFC 9457).
    ///
    /// - Parameters:
    ///   - status: The status, 300 to 599.
    ///   - problem: The type of the problem, such as `overloaded`; nil means a type that fits the status.
    ///   - reason: The reason in the problem document: lowercase letters, digits and hyphens.
    ///   - retryAfter: The value of `Retry-After`, in whole seconds.
    public static func status(
        _ status: Int,
        problem: String? = nil,
        reason: String? = nil,
        retryAfter: Duration? = nil
    ) -> ServerFault {
        let name = problem ?? TestProblem.usualName(for: status)
        return ServerFault(.problem(status: status, name: name, reason: reason, retryAfter: retryAfter))
    }

    /// Status 401: the token has expired.
    public static let tokenExpired = status(401, problem: "token-expired")

    /// Status 403: a policy refuses the license.
    public static func forbidden(reason: String) -> ServerFault {
        status(403, problem: "refused-by-policy", reason: reason)
    }

    /// Status 429 with `Retry-After`: too many requests.
    public static func rateLimited(retryAfter: Duration) -> ServerFault {
        status(429, problem: "rate-limited", retryAfter: retryAfter)
    }

    /// Status 503 with `Retry-After`: the server is overloaded.
    public static func overloaded(retryAfter: Duration) -> ServerFault {
        status(503, problem: "overloaded", retryAfter: retryAfter)
    }

    // MARK: Licenses

    /// Licenses whose CKCs lack their second half, in a response that is otherwise correct.
    public static let truncatedLicense = ServerFault(.truncatedLicense)

    /// Licenses whose CKCs answer other requests, in a response that is otherwise correct.
    public static let wrongLicense = ServerFault(.wrongLicense)

    /// One refused license in a batch, in a response that is otherwise correct. A response to a single request counts
    /// as a batch of one.
    ///
    /// - Parameters:
    ///   - index: The position in the batch, from 0.
    ///   - status: The status of the license.
    ///   - reason: The reason in the problem document.
    public static func refusedLicense(at index: Int, status: Int = 403, reason: String? = nil) -> ServerFault {
        ServerFault(.item(index, status: status, reason: reason))
    }

    /// One missing license in a batch, in a response that is otherwise correct.
    public static func missingLicense(at index: Int) -> ServerFault {
        ServerFault(.item(index, status: nil, reason: nil))
    }
}
