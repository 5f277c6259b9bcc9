public import FPSCrypto

/// Persistent storage for the state of a device between runs of a program. An implementation must encrypt the image,
/// because anyone who can read it can impersonate the device.
public protocol DeviceMemory: Sendable {
    /// Returns the image that was stored last, if any.
    func recall() throws -> SecretBytes?

    /// Stores an image, which replaces the previous image. The image is durable when this function returns.
    func remember(_ image: SecretBytes) throws

    /// Calls a closure while no other process can store an image. The default implementation, for use by a single
    /// process, only calls the closure.
    func exclusively<Value>(_ body: () throws -> Value) throws -> Value
}

extension DeviceMemory {
    /// Calls the closure without a lock.
    public func exclusively<Value>(_ body: () throws -> Value) throws -> Value { try body() }
}

extension FPSDevice {
    /// Creates the device that is stored in a memory, with its persistent keys, or a new device if the memory is empty.
    ///
    /// The device saves a new persistent key before the app gets it, and an invalidation before it creates the proof.
    /// It saves the replacement of a key at first playback after the app got the new key and before the key decrypts
    /// content, so that one of the two keys is always usable, whenever the program ends. The clock of the device never
    /// goes back, not even between two runs.
    ///
    /// Several processes can use the same device at the same time: each process reads the changes of the others before
    /// it uses or changes a key.
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
            clock: MonotonicDeviceClock(clock, latest: image.latest),
            random: .secure
        )
        withState { state in
            (state.memory, state.vault, state.persistentKeyFormat) = (memory, image.vault, image.format)
            state.savedTime = image.latest
        }
    }

    /// Changes the vault, and saves it if there is a memory. If saving fails, the vault is unchanged.
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

    /// Reads the changes that other processes have saved.
    func recall(_ state: inout State) throws(FPSError) {
        guard let memory = state.memory else { return }
        do {
            try recall(&state, from: memory)
        } catch {
            throw .memoryFailed.because("\(error)")
        }
    }

    /// Saves the changes since the last save, and the time, so that the clock cannot be set back by much.
    func saveMemory() throws(FPSError) {
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
        // Apply the changes that this process has not saved yet.
        for (id, generation) in state.unsaved { state.vault.updateGeneration(id, generation) }
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
            throw .memoryFailed.because("the stored state of the device cannot be read: \(error)")
        }
    }

    /// The maximum number of seconds by which the clock can be set back between two runs.
    private static let unsavedTime: Int64 = 60
}
