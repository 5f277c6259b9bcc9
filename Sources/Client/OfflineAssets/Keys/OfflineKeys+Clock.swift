public import ContentKeySession

extension OfflineKeys {
    /// Sets the clock of a device that has seen a time far ahead back to the time of the key server.
    ///
    /// The time counts only if an attacker between the device and the server cannot have written it: over https, or from a
    /// server on this computer. It extends no key.
    ///
    /// - Returns: The number of seconds by which the clock was set back; 0 if it was not ahead.
    /// - Throws: ``OfflineKeyError`` `unauthenticated-time`, `clock-not-corrected`, `no-connection`, `no-server`,
    ///   `no-token`, `malformed-response`, or `unsupported-operation` for a device whose clock cannot be set.
    public func correctClock() async throws(OfflineKeyError) -> Int64 {
        let client = try syncClient("clock")
        let time = try await client.serverTime()
        do throws(ContentKeyError) {
            return try await device.correctClock(to: time)
        } catch {
            throw OfflineKeyError(
                code: error.code.rawValue,
                place: client.service.challengeURL,
                reason: error.reason ?? "\(error)"
            )
        }
    }
}

extension OfflineTitle {
    /// Returns the title with the device's information about its keys: their state is what the device would decide now,
    /// whatever the system clock shows. Keys that the device has no information about are unchanged.
    public func confirmed(by device: any PersistentKeyDevice) async -> OfflineTitle {
        guard let time = await device.trustedTime else { return self }
        var title = self
        for (identifier, key) in keys where key.kind == .fairPlay {
            guard let bytes = key.bytes?.bytes, let facts = try? await device.facts(ofPersistableKey: bytes) else {
                continue
            }
            title.keys[identifier]?.entry = key.entry.confirmed(by: facts, at: time)
        }
        return title
    }
}
