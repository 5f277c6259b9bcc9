/// A key that is loaded ahead may be needed before it is there: then somebody waits for the request under way.
extension KeyLoader {
    /// Somebody waits from now on. What waits for others goes, and the deadline is that of a key that somebody waits for; an
    /// attempt that is on its way, or its pause, is left as it is, unless the pause takes too long.
    func awaited(_ id: UInt64) async {
        guard let ticket = open[id], ticket.kind == .preload, !ticket.isAwaited else { return }
        let deadline = min(ticket.deadline, clock.now + settings.retry.onDemandDeadline)
        open[id]?.isAwaited = true
        open[id]?.deadline = deadline
        if let pause = ticket.pause, pause.until + settings.retry.leastForAnAttempt > deadline {
            // The viewer is told now, and not when the time is over.
            return await giveUp(ticket, .outOfTime(after: pause.failure))
        }
        act(collector.awaited { $0.request.id == id })
        work.yield(.expire(id, at: deadline))
    }

    /// When a request must have been answered, which may be sooner than when it began.
    func deadline(of ticket: KeyTicket) -> Duration { open[ticket.request.id]?.deadline ?? ticket.deadline }

    /// The least time that one of them has.
    func left(_ tickets: [KeyTicket]) -> Duration { (tickets.map(deadline(of:)).min() ?? .zero) - clock.now }
}
