import ContentKeySession

extension FaultCase {
    static let all = connection + answers + refusals + certificate + devices

    private static let connection: [FaultCase] = [
        .licenses("a response after 3 s", .latency(.seconds(3)), attempts: 1, [], lasts: .seconds(3)),
        .licenses("a response after 9 s, once", .latency(.seconds(9)), times: 1, attempts: 2, [.timeout]),
        .licenses(
            "a connection reset before the response header, once",
            .resetBeforeHead,
            times: 1,
            attempts: 2,
            [.noConnection]
        ),
        .licenses(
            "a connection reset within the response header, once",
            .resetWithinHead,
            times: 1,
            attempts: 2,
            [.noConnection]
        ),
        .licenses(
            "a connection reset within the response body, once",
            .resetWithinBody,
            times: 1,
            attempts: 2,
            [.noConnection]
        ),
        .licenses("a body shorter than its Content-Length, once", .endsEarly, times: 1, attempts: 2, [.noConnection]),
        .licenses(
            "a connection reset, each time",
            .resetBeforeHead,
            .noConnection,
            attempts: 8,
            Array(repeating: .noConnection, count: 8)
        ),
        .licenses("no response, once", .silence, times: 1, attempts: 2, [.timeout], lasts: .seconds(8)),
        .licenses(
            "no response, each time",
            .silence,
            .deadlineExceeded,
            attempts: 3,
            [.timeout, .timeout, .deadlineExceeded],
            lasts: .seconds(24)
        ),
        .licenses("a body that arrives very slowly, once", .trickle, times: 1, attempts: 2, [.timeout]),
        .licenses("a connection that closes after each response", .closesAfter, attempts: 1, []),
    ]

    private static let answers: [FaultCase] = [
        .licenses("truncated JSON, once", .cutJSON, times: 1, attempts: 2, [.malformedResponse]),
        .licenses(
            "truncated JSON, each time",
            .cutJSON,
            .malformedResponse,
            attempts: 3,
            Array(repeating: .malformedResponse, count: 3)
        ),
        .licenses(
            "200 with an HTML page, each time",
            .page,
            .malformedResponse,
            attempts: 3,
            Array(repeating: .malformedResponse, count: 3)
        ),
        .licenses(
            "a response of 2 MiB",
            .answer(200, String(repeating: " ", count: 2 << 20)),
            .responseTooLarge,
            attempts: 1,
            [.responseTooLarge]
        ),
        .licenses(
            "a CKC with one changed bit in its header",
            .changedCKC(),
            .ckcRejected,
            attempts: 1,
            [.ckcRejected]
        ),
        .licenses(
            "an empty CKC field",
            .body { Fault.replacingCKC(of: $0) { _ in "" } },
            .malformedResponse,
            attempts: 3,
            Array(repeating: .malformedResponse, count: 3)
        ),
    ]

    private static let refusals: [FaultCase] = [
        .licenses(
            "403",
            .problem(403, "refused-by-policy", reason: "hdcp-too-low"),
            .forbidden,
            attempts: 1,
            [.forbidden],
            reason: "hdcp-too-low"
        ),
        .licenses(
            "503 with `Retry-After: 2`, once",
            .problem(503, "overloaded", headers: ["Retry-After: 2"]),
            times: 1,
            attempts: 2,
            [.overloaded],
            lasts: .seconds(2)
        ),
        .licenses(
            "503 with `Retry-After: 60`",
            .problem(503, "overloaded", headers: ["Retry-After: 60"]),
            .deadlineExceeded,
            attempts: 1,
            [.deadlineExceeded]
        ),
        .licenses(
            "503 with `Retry-After: 18446744073709551616`, once",
            .problem(503, "overloaded", headers: ["Retry-After: 18446744073709551616"]),
            times: 1,
            attempts: 2,
            [.overloaded]
        ),
        .licenses(
            "429 with `Retry-After: 2`, once",
            .problem(429, "rate-limited", reason: "account", headers: ["Retry-After: 2"]),
            times: 1,
            attempts: 2,
            [.tooManyRequests],
            lasts: .seconds(2)
        ),
        .licenses("500, once", .problem(500, "internal-error"), times: 1, attempts: 2, [.serverError]),
        .licenses(
            "302",
            .answer(302, "", headers: ["Location: /fps/licenses"]),
            .unexpectedStatus,
            attempts: 1,
            [.unexpectedStatus]
        ),
        FaultCase(
            name: "an expired token",
            attempts: 2,
            log: [.tokenRefused],
            reason: nil,
            tokens: ["stale-secret-token"]
        ) { _ in .none },
        FaultCase(
            name: "an expired token, and then another expired token",
            end: .tokenRefused,
            attempts: 2,
            log: [.tokenRefused, .tokenRefused],
            tokens: ["stale-secret-token", "stale-secret-token"]
        ) { _ in .none },
        FaultCase(
            name: "an asset that is not on the server",
            end: .unknownKey,
            attempts: 1,
            log: [.unknownKey],
            asset: "film/none"
        ) {
            _ in .none
        },
        FaultCase(
            name: "a lost response, and a retry after the server has deleted its copy",
            attempts: 4,
            log: [.noConnection, .overloaded, .replayed],
            lasts: .seconds(21)
        ) { heard in
            if heard.isCertificate { return .none }
            switch heard.number {
            case 1: return .resetWithinBody
            case 2: return .problem(503, "overloaded", headers: ["Retry-After: 21"])
            default: return .none
            }
        },
    ]

    private static let certificate: [FaultCase] = [
        .certificates(
            "an HTML page instead of the certificate, once",
            .page,
            times: 1,
            attempts: 1,
            [.malformedResponse]
        ),
        .certificates(
            "an HTML page instead of the certificate, each time",
            .page,
            .malformedResponse,
            attempts: 0,
            Array(repeating: .malformedResponse, count: 3)
        ),
        .certificates(
            "DER data that is not a certificate",
            .body { _ in [0x30, 3, 1, 1, 7] },
            .spcCreationFailed,
            attempts: 0,
            [.spcCreationFailed]
        ),
        .certificates(
            "another server's certificate, once",
            .body { _ in (try? TestKeyServer.foreignCertificate()) ?? [] },
            times: 1,
            attempts: 2,
            [.unknownCertificate]
        ),
        .certificates(
            "another server's certificate, each time",
            .body { _ in (try? TestKeyServer.foreignCertificate()) ?? [] },
            .unknownCertificate,
            attempts: 2,
            [.unknownCertificate, .unknownCertificate]
        ),
        .certificates(
            "a connection reset instead of the certificate, once",
            .resetBeforeHead,
            times: 1,
            attempts: 1,
            [.noConnection]
        ),
    ]

    private static let devices: [FaultCase] = [
        FaultCase(
            name: "a device clock that is 2 h slow, and a lease",
            attempts: 1,
            log: [],
            skew: -7200,
            asset: "film/leased"
        ) {
            _ in .none
        },
        FaultCase(
            name: "a device clock that is 2 h fast, and a lease",
            end: .forbidden,
            attempts: 1,
            log: [.forbidden],
            reason: "spc-date-in-future",
            skew: 7200,
            asset: "film/leased"
        ) { _ in .none },
    ]
}
