extension KeyLoader {
    /// Retries or ends failed requests. Requests with the same failure get the same delay, so that they share the next
    /// round trip.
    func recover(_ failed: [(ticket: KeyTicket, failure: KeyFailure)]) async {
        guard !failed.isEmpty else { return }
        let numbers = SeededNumbers(seed: random.next())
        var next: [(pause: Duration, remedy: FailureRule.Remedy, tickets: [KeyTicket])] = []
        var lost: [(ticket: KeyTicket, failure: KeyFailure)] = []
        for (ticket, failure) in failed where open[ticket.request.id] != nil {
            var ticket = ticket
            ticket.history.failures[failure.kind, default: 0] += 1
            let failure = Task.isCancelled ? KeyFailure(.cancelled) : failure
            var numbers = numbers
            let left = left([ticket])
            switch settings.retry.decide(failure, after: ticket.history, left: left, using: &numbers) {
            case .fail(let failure):
                await fail(ticket, failure)
                lost.append((ticket, failure))
            case .retry(let pause, let remedy):
                logFailure(failure, ticket.label, retryAfter: pause)
                open[ticket.request.id]?.pause = (clock.now + pause, failure)
                if let certificate = ticket.apply(remedy) { certificates.drop(certificate) }
                if let index = next.firstIndex(where: { $0.pause == pause && $0.remedy == remedy }) {
                    next[index].tickets.append(ticket)
                } else {
                    next.append((pause, remedy, [ticket]))
                }
            }
        }
        rescheduleRenewals(lost)
        for (pause, remedy, tickets) in next {
            let moment = clock.now + pause
            if remedy == .separateRequests { batchURL = nil }
            if batchURL == nil {
                for ticket in tickets { work.yield(.load([ticket], at: moment)) }
            } else {
                work.yield(.load(tickets, at: moment))
            }
        }
    }
}
