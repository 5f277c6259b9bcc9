/// The new keys of a film, which are registered when all is written, just before it is published.
actor KeyDelivery {
    /// Where keys are registered; nil: nowhere.
    nonisolated let registrar: KeyRegistrar?
    private var keys: [KeyRegistrar.Key] = []

    init(_ registrar: KeyRegistrar?) { self.registrar = registrar }

    /// Adds keys that will be registered.
    func add(_ keys: [KeyRegistrar.Key]) { self.keys += keys }

    private func all() -> [KeyRegistrar.Key] { keys }

    /// Registers the keys and publishes. When one of both fails, or a signal comes in between, no key stays registered.
    ///
    /// - Returns: The signal that came before it was published; nil when it is published.
    nonisolated func deliver(then publish: () throws -> Void) async throws -> Int32? {
        guard let registrar else {
            try publish()
            return nil
        }
        let keys = await all()
        let registering = Task { try await registrar.register(keys) }
        let signals = EndSignals { registering.cancel() }
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
