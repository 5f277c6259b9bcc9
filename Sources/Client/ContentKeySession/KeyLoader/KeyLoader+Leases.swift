extension KeyLoader {
    /// Schedules the renewal of newly granted leases.
    func renew(_ granted: [KeyTicket]) {
        var leases: [(lease: Duration, identifiers: [String])] = []
        for ticket in granted {
            // The device enforces the lease in the CKC: a preloaded key's lease may be shorter than the lease reported
            // to the app.
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

    /// Schedules one renewal for keys whose leases started together. A newer lease cancels the renewal scheduled for an
    /// older one.
    func scheduleRenewal(of identifiers: [String], lease: Duration) {
        let now = clock.now
        guard let moment = settings.renewal.moment(for: lease, using: &random) else { return }
        leaseCount += 1
        for identifier in identifiers { leases[identifier] = (now + lease, leaseCount) }
        work.yield(.renew(identifiers, at: now + moment, serial: leaseCount))
    }

    /// Schedules failed renewals again if a later attempt may succeed: the key in use is valid until its lease ends.
    /// The delay is one to two times the longest backoff, so that an overloaded server does not receive ever more
    /// requests, and at most half of the remaining lease.
    func rescheduleRenewals(_ failed: [(ticket: KeyTicket, failure: KeyFailure)]) {
        let now = clock.now
        var groups: [Duration: [String]] = [:]
        for (ticket, failure) in failed where ticket.kind == .renewal && failure.isTemporary && !Task.isCancelled {
            guard let end = leases[ticket.identifier]?.end, end > now + settings.retry.minimumAttemptTime else {
                continue
            }
            groups[end, default: []].append(ticket.identifier)
        }
        guard !groups.isEmpty else { return }
        let pause = settings.retry.maximumBackoff + settings.retry.maximumBackoff.random(using: &random)
        for (end, identifiers) in groups.sorted(by: { $0.key < $1.key }) {
            leaseCount += 1
            for identifier in identifiers { leases[identifier] = (end, leaseCount) }
            work.yield(.renew(identifiers, at: now + min(pause, (end - now) / 2), serial: leaseCount))
        }
    }
}

extension KeyFailure {
    /// True if the same request may succeed later. A request that was cancelled while the session continues had no
    /// response within the session's timeout.
    fileprivate var isTemporary: Bool { kind.rule.pause != .none || kind == .cancelled }
}
