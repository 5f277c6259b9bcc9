extension KeyLoader {
    /// Schedules the renewal of what was granted just now.
    func renew(_ granted: [KeyTicket]) {
        var leases: [(lease: Duration, identifiers: [String])] = []
        for ticket in granted {
            // The device keeps to the lease in the answer: a preloaded key's may be shorter than what the app was told.
            guard let lease = [settings.lease(ticket.identifier), ticket.request.grantedLease].compactMap(\.self).min()
            else { continue }
            if let index = leases.firstIndex(where: { $0.lease == lease }) {
                leases[index].identifiers.append(ticket.identifier)
            } else {
                leases.append((lease, [ticket.identifier]))
            }
        }
        for (lease, identifiers) in leases { scheduleRenewal(of: identifiers, lease: lease) }
    }

    /// Keys whose leases began together are renewed together. A newer lease voids what was scheduled for an older one.
    func scheduleRenewal(of identifiers: [String], lease: Duration) {
        let now = clock.now
        guard let moment = settings.renewal.moment(for: lease, using: &random) else { return }
        leaseCount += 1
        for identifier in identifiers { leases[identifier] = (now + lease, leaseCount) }
        work.yield(.renew(identifiers, at: now + moment, serial: leaseCount))
    }

    /// Schedules renewals that failed once more, if time may cure what they failed with: the key in use plays for as long as
    /// its lease lasts, and until then there is hope. They wait between one and two of the longest back-offs, so that a
    /// server that is in trouble is not asked for ever more, and half of what is left of the lease at most.
    func renewAgain(_ failed: [(ticket: KeyTicket, failure: KeyFailure)]) {
        let now = clock.now
        var groups: [Duration: [String]] = [:]
        for (ticket, failure) in failed where ticket.kind == .renewal && failure.mayBeCuredByTime && !Task.isCancelled {
            guard let end = leases[ticket.identifier]?.end, end > now + settings.retry.leastForAnAttempt else {
                continue
            }
            groups[end, default: []].append(ticket.identifier)
        }
        guard !groups.isEmpty else { return }
        let pause = settings.retry.longest + settings.retry.longest.random(using: &random)
        for (end, identifiers) in groups.sorted(by: { $0.key < $1.key }) {
            leaseCount += 1
            for identifier in identifiers { leases[identifier] = (end, leaseCount) }
            work.yield(.renew(identifiers, at: now + min(pause, (end - now) / 2), serial: leaseCount))
        }
    }
}

extension KeyFailure {
    /// Whether the same may succeed some time later. A request that was cancelled while the session goes on had no answer
    /// for longer than the session waits.
    fileprivate var mayBeCuredByTime: Bool { kind.rule.pause != .none || kind == .cancelled }
}
