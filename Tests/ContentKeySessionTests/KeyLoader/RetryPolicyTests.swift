import Testing

@testable import ContentKeySession

@Suite("A retry policy")
struct RetryPolicyTests {
    let policy = RetryPolicy()

    private func decide(
        _ failure: KeyFailure,
        attempts: Int = 1,
        failures: Int = 1,
        left: Duration = .seconds(100),
        seed: UInt64 = 1
    ) -> RetryPolicy.Decision {
        var history = RetryPolicy.History()
        history.attempts = attempts
        history.failures[failure.kind] = failures
        var numbers = SeededNumbers(seed: seed)
        return policy.decide(failure, after: history, left: left, using: &numbers)
    }

    @Test("fails after a fatal failure", arguments: KeyFailure.Kind.allCases.filter { !$0.rule.isTemporary })
    func fatal(kind: KeyFailure.Kind) {
        #expect(decide(KeyFailure(kind)) == .fail(KeyFailure(kind)))
    }

    @Test("tries a remedy as often as its rule allows", arguments: KeyFailure.Kind.allCases.filter(\.rule.isTemporary))
    func limits(kind: KeyFailure.Kind) {
        let failure = KeyFailure(kind)
        guard let limit = kind.rule.limit else {
            guard case .retry = decide(failure, attempts: 7, failures: 7) else {
                Issue.record("it gave up")
                return
            }
            return
        }
        guard case .retry(_, kind.rule.remedy) = decide(failure, attempts: limit, failures: limit) else {
            Issue.record("it gave up too early")
            return
        }
        #expect(decide(failure, attempts: limit + 1, failures: limit + 1) == .fail(failure))
    }

    @Test("fails after the maximum number of attempts")
    func attempts() {
        let failure = KeyFailure(.noConnection)
        #expect(decide(failure, attempts: policy.attempts, failures: 1) == .fail(failure))
    }

    @Test("retries at once if waiting does not help")
    func atOnce() {
        #expect(decide(KeyFailure(.replayed)) == .retry(after: .zero, .newSPC))
    }

    @Test("does not start an attempt that cannot end in time")
    func deadlineExceeded() {
        guard case .fail(let failure) = decide(KeyFailure(.replayed), left: .milliseconds(199)) else {
            Issue.record("it tried again")
            return
        }
        #expect(failure.kind == .deadlineExceeded)
        #expect(failure.code == "replayed")
        #expect(decide(KeyFailure(.replayed), left: .milliseconds(200)) == .retry(after: .zero, .newSPC))
    }

    @Test("draws delays from the whole range, which doubles up to the maximum")
    func fullJitter() {
        #expect((1...8).map { policy.backoffRange(after: $0) } == [0.5, 1, 2, 4, 8, 8, 8, 8].map { .seconds($0) })
        for attempts in 1...7 {
            let range = policy.backoffRange(after: attempts)
            var tenths = [Int](repeating: 0, count: 10)
            for seed in 0..<2000 {
                guard
                    case .retry(let pause, .sameRequest) = decide(
                        KeyFailure(.serverError),
                        attempts: attempts,
                        seed: UInt64(seed)
                    )
                else {
                    Issue.record("it gave up")
                    return
                }
                #expect(pause >= .zero && pause <= range)
                tenths[min(9, Int(pause / range * 10))] += 1
            }
            #expect(chiSquare(tenths) < 27.88, "attempt \(attempts): \(tenths)")
        }
    }

    @Test("adds its delay to the Retry-After value")
    func respectsRetryAfter() {
        for seed in 0..<500 {
            let failure = KeyFailure(.overloaded, retryAfter: .seconds(30))
            guard case .retry(let pause, .sameRequest) = decide(failure, seed: UInt64(seed)) else {
                Issue.record("it gave up")
                return
            }
            #expect(pause >= .seconds(30) && pause <= .seconds(30.5))
        }
    }

    @Test("limits an attempt to the remaining time")
    func timeouts() {
        #expect(policy.timeout(left: .seconds(20)) == .seconds(8))
        #expect(policy.timeout(left: .seconds(3)) == .seconds(3))
        #expect(policy.timeout(left: .seconds(-3)) == .zero)
    }

    @Test(
        "accepts only seconds in Retry-After",
        arguments: [
            ("7", Duration.seconds(7)), ("0", .zero), ("86400", .seconds(86_400)), ("86401", nil), ("-1", nil),
            ("1.5", nil),
            ("Wed, 21 Oct 2026 07:28:00 GMT", nil), ("", nil), ("99999999999999999999", nil),
        ]
    )
    func retryAfter(text: String, duration: Duration?) {
        let answer = KeyTransportResponse(status: 503, headers: [.init("RETRY-AFTER", text)])
        #expect(KeyFailure.retryAfter(answer) == duration)
    }
}

/// The chi-square statistic of counts. For ten counts, it exceeds 27.88 once in a thousand times.
func chiSquare(_ counts: [Int]) -> Double {
    let expected = Double(counts.reduce(0, +)) / Double(counts.count)
    return counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
}
