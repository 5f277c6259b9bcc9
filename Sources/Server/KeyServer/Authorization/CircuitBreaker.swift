/// A circuit breaker: stops sending requests to a service that fails, and sends single requests until it recovers.
///
/// It is a value without clock and network. Times are milliseconds since an arbitrary start.
///
/// | State | Request | Success | Failure |
/// |---|---|---|---|
/// | closed | is sent | resets the number of failures | is counted; after `failures` in a row it opens |
/// | open, for `pause` | is refused | - | - |
/// | half-open | one is sent, others are refused | closes | opens again |
struct CircuitBreaker: Equatable {
    /// The limits of the circuit breaker.
    struct Limits: Equatable, Sendable {
        /// The number of consecutive failures that open it; at least 1.
        var failures: Int
        /// The time for which it stays open, in milliseconds.
        var pause: Int64
    }

    /// The decision about a request.
    enum Admission: Equatable {
        /// Send the request, and report its result with this ticket.
        case send(Ticket)
        /// Do not send the request; retry after this number of milliseconds.
        case refuse(Int64)
    }

    /// Identifies the period of a request, so that a late result of an earlier period does not change the state.
    struct Ticket: Equatable, Sendable { fileprivate let period: Int }

    /// The state of the circuit breaker.
    enum State: Equatable {
        case closed(failures: Int)
        case open(until: Int64)
        /// Half-open: one request was sent.
        case probing
    }

    let limits: Limits
    private(set) var state = State.closed(failures: 0)
    /// The number of state changes.
    private var period = 0

    init(limits: Limits) { self.limits = limits }

    /// Decides whether a request may be sent. Every ticket must be passed to ``succeed(_:)``, ``fail(_:at:)`` or
    /// ``cancel(_:at:)``.
    mutating func admit(at now: Int64) -> Admission {
        switch state {
        case .closed:
            return .send(Ticket(period: period))
        case .open(let end) where now < end:
            return .refuse(end - now)
        case .open:
            enter(.probing)
            return .send(Ticket(period: period))
        case .probing:
            return .refuse(limits.pause)
        }
    }

    /// Records that the service responded, independent of the response.
    mutating func succeed(_ ticket: Ticket) {
        guard ticket.period == period else { return }
        if state == .probing { enter(.closed(failures: 0)) } else { state = .closed(failures: 0) }
    }

    /// Records that the service did not respond, or responded with a server error.
    mutating func fail(_ ticket: Ticket, at now: Int64) {
        guard ticket.period == period else { return }
        switch state {
        case .closed(let failures) where failures + 1 < limits.failures: state = .closed(failures: failures + 1)
        case .closed, .probing: enter(.open(until: now + limits.pause))
        case .open: break
        }
    }

    /// Records that a request was cancelled, so that its result is not known. The next request is sent instead.
    mutating func cancel(_ ticket: Ticket, at now: Int64) {
        guard ticket.period == period, state == .probing else { return }
        enter(.open(until: now))
    }

    private mutating func enter(_ next: State) {
        state = next
        period += 1
    }
}
