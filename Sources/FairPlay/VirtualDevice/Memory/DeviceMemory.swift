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

    /// True if the memory cannot be written. The device then plays keys whose use changes only the recorded time; it
    /// does not record that time. The default implementation returns false.
    var isReadOnly: Bool { get }
}

extension DeviceMemory {
    /// False.
    public var isReadOnly: Bool { false }

    /// Calls the closure without a lock.
    public func exclusively<Value>(_ body: () throws -> Value) throws -> Value { try body() }
}

extension FPSDevice {
    /// Creates the device that is stored in a memory, with its persistent keys, or a new device if the memory is empty.
    ///
    /// The device saves a new persistent key before the app gets it, and an invalidation before it creates the proof.
    /// It saves the replacement of a key at first playback after the app got the new key and before the key decrypts
    /// content, so that one of the two keys is always usable, whenever the program ends. The clock of the device never
    /// goes back, not even between two runs: it saves the time at the start of a run, before it decides about a key, and
    /// once a minute during playback. Only ``setClock(backTo:)`` sets the clock back.
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
            // Without a lock first, because a lock cannot be acquired in a folder that is read-only.
            if let image = try memory.recall() { return try DeviceImage(image) }
            return try memory.exclusively {
                if let image = try memory.recall() { return try DeviceImage(image) }
                var random = SecureRandom()
                let image = DeviceImage(
                    secret: SecretBytes(count: 32, randomFrom: &random),
                    format: 1,
                    latest: clock.now,
                    corrections: ClockCorrections(),
                    vault: KeyVault()
                )
                try memory.remember(image.bytes)
                return image
            }
        }
        self.init(
            profile: profile,
            dask: dask,
            secret: image.secret,
            clock: clock,
            random: .secure
        )
        withState { state in
            (state.memory, state.vault, state.persistentKeyFormat) = (memory, image.vault, image.format)
            (state.savedTime, state.corrections) = (image.latest, image.corrections)
        }
        monotonicClock.advance(to: image.latest)
        // A device whose time cannot be saved still returns the properties of its keys. Loading a key reports the error.
        _ = try? savedTime()
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

    /// Saves the changes since the last save, and the time if at least `unsaved` seconds have passed since the saved
    /// time. If the memory is read-only, the time is not saved.
    ///
    /// - Returns: The time, in seconds since 1970, which is not later than the saved time.
    @discardableResult
    func savedTime(unsavedFor unsaved: Int64 = 1) throws(FPSError) -> Int64 {
        let now = clock.now
        try withState { state throws(FPSError) in
            guard let memory = state.memory else { return }
            if state.unsaved.isEmpty {
                guard now &- state.savedTime >= unsaved, !memory.isReadOnly else { return }
            }
            try changeVault(&state) { _ in }
        }
        return now
    }

    /// Saves the time once a minute, for keys that do not outlive this run: they can be used even if that fails.
    func saveTimeIfPossible() { _ = try? savedTime(unsavedFor: Self.unsavedTime) }

    func recall(_ state: inout State, from memory: any DeviceMemory) throws {
        guard let bytes = try memory.recall() else { return }
        let image = try DeviceImage(bytes)
        state.vault = image.vault
        state.persistentKeyFormat = max(state.persistentKeyFormat, image.format)
        let isCorrected = image.corrections.count > state.corrections.count
        if isCorrected {
            (state.corrections, state.savedTime) = (image.corrections, image.latest)
            state.correctionTimes.append(image.corrections.latest)
            monotonicClock.set(to: image.latest)
        } else {
            monotonicClock.advance(to: image.latest)
        }
        // Apply the changes that this process has not saved yet.
        for (id, generation) in state.unsaved {
            state.vault.updateGeneration(id, generation)
            if !isCorrected, state.started.contains(id) { state.vault.records[id]?.ceiling = .max }
        }
    }

    func remember(_ state: inout State, in memory: any DeviceMemory) throws {
        let image = DeviceImage(
            secret: secret,
            format: state.persistentKeyFormat,
            latest: clock.now,
            corrections: state.corrections,
            vault: state.vault
        )
        try memory.remember(image.bytes)
        (state.unsaved, state.started, state.savedTime) = ([:], [], image.latest)
    }

    private static func remembering<Value>(_ body: () throws -> Value) throws(FPSError) -> Value {
        do {
            return try body()
        } catch {
            throw .memoryFailed.because("the stored state of the device cannot be read: \(error)")
        }
    }

    /// The maximum number of seconds for which the time is not saved during playback.
    static var unsavedTime: Int64 { 60 }
}
