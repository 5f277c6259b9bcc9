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
}
