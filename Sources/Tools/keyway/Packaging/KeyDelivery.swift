/// The new keys of a VOD presentation, which are registered after all files are written, just before publication.
actor KeyDelivery {
    /// The registrar of the keys; nil if they are not registered.
    nonisolated let registrar: KeyRegistrar?
    private var keys: [KeyRegistrar.Key] = []

    init(_ registrar: KeyRegistrar?) { self.registrar = registrar }

    /// Adds keys to register.
    func add(_ keys: [KeyRegistrar.Key]) { self.keys += keys }

    private func all() -> [KeyRegistrar.Key] { keys }

    /// Registers the keys, and then publishes the presentation. If either fails, or a signal arrives in between, the
    /// registered keys are deleted.
    ///
    /// - Returns: The signal that arrived before publication; nil if the presentation was published.
    nonisolated func deliver(then publish: () throws -> Void) async throws -> Int32? {
        guard let registrar else {
            try publish()
            return nil
        }
        let keys = await all()
        let registering = Task { try await registrar.register(keys) }
        let signals = TerminationSignals { registering.cancel() }
        defer { signals.end() }
        do {
            try await registering.value
            if signals.number == nil {
                try publish()
                return nil
            }
        } catch {
            await registrar.withdrawWithNotes()
            if let signal = signals.number { return signal }
            throw error
        }
        await registrar.withdrawWithNotes()
        return signals.number
    }
}
