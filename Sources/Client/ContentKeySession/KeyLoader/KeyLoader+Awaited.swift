/// Preloading and playback: a key that is being preloaded may become needed for playback before it has loaded.
extension KeyLoader {
    /// Marks the key of a request as needed now. If the request waits to be batched, it is sent; its deadline becomes
    /// that of an on-demand request. An attempt in progress and a retry delay are left unchanged, unless the delay is
    /// too long.
    func awaited(_ id: UInt64) async {
        guard let ticket = open[id], ticket.kind == .preload, !ticket.isAwaited else { return }
        let deadline = min(ticket.deadline, clock.now + settings.retry.onDemandDeadline)
        open[id]?.isAwaited = true
        open[id]?.deadline = deadline
        if let pause = ticket.pause, pause.until + settings.retry.minimumAttemptTime > deadline {
            // Report the failure to the viewer now instead of at the deadline.
            return await fail(ticket, .deadlineExceeded(after: pause.failure))
        }
        if !settings.gathersAwaitedKeys { act(collector.awaited { $0.request.id == id }) }
        work.yield(.expire(id, at: deadline))
    }

    /// Returns the deadline of a request, which may be earlier than it was when the request arrived.
    func deadline(of ticket: KeyTicket) -> Duration { open[ticket.request.id]?.deadline ?? ticket.deadline }

    /// Returns the shortest time left among the requests.
    func left(_ tickets: [KeyTicket]) -> Duration { (tickets.map(deadline(of:)).min() ?? .zero) - clock.now }
}
