/// Stops asking a service that does not answer, and lets one question through from time to time until it does.
///
/// A value without clock and network: times are milliseconds since any one moment.
///
/// | State | A question | A success | A failure |
/// |---|---|---|---|
/// | closed | is asked | forgets the failures | is counted; the last of `failures` in a row opens |
/// | open, for `pause` | is refused | - | - |
/// | half-open | one is asked, the others are refused | closes | opens again |
struct CircuitBreaker: Equatable {
    /// When it opens, and for how long.
    struct Limits: Equatable, Sendable {
        /// Failures in a row that open it; at least 1.
        var failures: Int
        /// How long it stays open, in milliseconds.
        var pause: Int64
    }

    /// Whether to ask.
    enum Admission: Equatable {
        /// Ask, and report the end with this ticket.
        case ask(Ticket)
        /// Do not ask; come back after so many milliseconds.
        case refuse(Int64)
    }

    /// Tells questions of one period from those of another: an answer that comes late must not close or open anything.
    struct Ticket: Equatable, Sendable { fileprivate let period: Int }

    /// How it stands.
    enum State: Equatable {
        case closed(failures: Int)
        case open(until: Int64)
        /// One question is on its way.
        case probing
    }

    let limits: Limits
    private(set) var state = State.closed(failures: 0)
    /// Grows whenever the state changes in kind.
    private var period = 0

    init(limits: Limits) { self.limits = limits }

    /// Asks for leave to ask. Every ticket has to end in ``succeed(_:)``, ``fail(_:at:)`` or ``abandon(_:at:)``.
    mutating func admit(at now: Int64) -> Admission {
        switch state {
        case .closed:
            return .ask(Ticket(period: period))
        case .open(let end) where now < end:
            return .refuse(end - now)
        case .open:
            enter(.probing)
            return .ask(Ticket(period: period))
        case .probing:
            return .refuse(limits.pause)
        }
    }

    /// The service has answered, whatever it said.
    mutating func succeed(_ ticket: Ticket) {
        guard ticket.period == period else { return }
        if state == .probing { enter(.closed(failures: 0)) } else { state = .closed(failures: 0) }
    }

    /// The service has not answered, or that it is in trouble.
    mutating func fail(_ ticket: Ticket, at now: Int64) {
        guard ticket.period == period else { return }
        switch state {
        case .closed(let failures) where failures + 1 < limits.failures: state = .closed(failures: failures + 1)
        case .closed, .probing: enter(.open(until: now + limits.pause))
        case .open: break
        }
    }

    /// Nobody waited for the answer: it tells nothing. The next question is asked instead.
    mutating func abandon(_ ticket: Ticket, at now: Int64) {
        guard ticket.period == period, state == .probing else { return }
        enter(.open(until: now))
    }

    private mutating func enter(_ next: State) {
        state = next
        period += 1
    }
}
