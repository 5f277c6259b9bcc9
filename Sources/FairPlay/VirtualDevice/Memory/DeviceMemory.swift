public import FPSCrypto

/// Where a device keeps what it must not forget between two runs of a program. It encrypts what it is given: who reads
/// it is the device.
public protocol DeviceMemory: Sendable {
    /// What was remembered last; nil when nothing was.
    func recall() throws -> SecretBytes?

    /// Takes the place of what was remembered, for good once this returns.
    func remember(_ image: SecretBytes) throws

    /// Does something while no other run remembers anything. Where there is only one at a time, that is all.
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value
}

extension DeviceMemory {
    /// Does it.
    public func exclusively<Value>(_ body: () throws -> Value) throws -> Value { try body() }
}

extension FPSDevice {
    /// The device of a memory: the same one as before, with the persistent keys that it knew; another, when nothing is
    /// remembered.
    ///
    /// It remembers a new persistent key before the app gets it, and an invalidation before the proof of it leaves. That a
    /// key was replaced at its first play it remembers before it gives out content, and not before the app was given the
    /// new key: whenever the program ends, one of the two can be used. Its clock never goes back, from one run to the next
    /// either.
    ///
    /// Several runs may be the same device at the same time: what one has changed the others see before they use or change
    /// a key.
    ///
    /// - Throws: ``FPSError/memoryFailed``.
    public convenience init(
        profile: DeviceProfile,
        dask: DASkRule,
        memory: any DeviceMemory,
        clock: any DeviceClock = SystemDeviceClock()
    ) throws(FPSError) {
        let image = try Self.remembering { () throws -> DeviceImage in
            try memory.exclusively {
                if let image = try memory.recall() { return try DeviceImage(image) }
                var random = SecureRandom()
                let secret = SecretBytes(count: 32, randomFrom: &random)
                let image = DeviceImage(secret: secret, format: 1, latest: clock.now, vault: KeyVault())
                try memory.remember(image.bytes)
                return image
            }
        }
        self.init(
            profile: profile,
            dask: dask,
            secret: image.secret,
            clock: SteadyDeviceClock(clock, latest: image.latest),
            random: .secure
        )
        withState { state in
            (state.memory, state.vault, state.persistentKeyFormat) = (memory, image.vault, image.format)
            state.savedTime = image.latest
        }
    }

    /// Changes the vault, and writes it down if there is a memory. Where that fails, nothing has changed.
    func changeVault<Value>(
        _ state: inout State,
        _ change: (inout KeyVault) throws(FPSError) -> Value
    ) throws(FPSError) -> Value {
        guard let memory = state.memory else { return try change(&state.vault) }
        let before = (state.vault, state.persistentKeyFormat)
        do {
            return try memory.exclusively {
                try recall(&state, from: memory)
                let value = try change(&state.vault)
                try remember(&state, in: memory)
                return value
            }
        } catch {
            (state.vault, state.persistentKeyFormat) = before
            throw error as? FPSError ?? .memoryFailed.because("\(error)")
        }
    }

    /// Looks at what other runs have written down.
    func recall(_ state: inout State) throws(FPSError) {
        guard let memory = state.memory else { return }
        do {
            try recall(&state, from: memory)
        } catch {
            throw .memoryFailed.because("\(error)")
        }
    }

    /// Writes down what has changed since it was last written, and the time, so that it cannot be set back by much.
    func settleMemory() throws(FPSError) {
        let now = clock.now
        try withState { state throws(FPSError) in
            guard state.memory != nil, !state.unsaved.isEmpty || now &- state.savedTime >= Self.unsavedTime else {
                return
            }
            try changeVault(&state) { _ in }
        }
    }

    private func recall(_ state: inout State, from memory: any DeviceMemory) throws {
        guard let bytes = try memory.recall() else { return }
        let image = try DeviceImage(bytes)
        state.vault = image.vault
        state.persistentKeyFormat = max(state.persistentKeyFormat, image.format)
        // What this run has not written down yet.
        for (id, generation) in state.unsaved { state.vault.catchUp(id, generation) }
    }

    private func remember(_ state: inout State, in memory: any DeviceMemory) throws {
        let image = DeviceImage(
            secret: secret,
            format: state.persistentKeyFormat,
            latest: clock.now,
            vault: state.vault
        )
        try memory.remember(image.bytes)
        (state.unsaved, state.savedTime) = ([:], image.latest)
    }

    private static func remembering<Value>(_ body: () throws -> Value) throws(FPSError) -> Value {
        do {
            return try body()
        } catch {
            throw .memoryFailed.because("what it remembered cannot be read: \(error)")
        }
    }

    /// By how many seconds the clock may be set back between two runs.
    private static let unsavedTime: Int64 = 60
}
