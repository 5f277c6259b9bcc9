package import MediaFormats

/// What was done to a track or an elementary stream.
package struct DecryptedTrack: Hashable, Sendable {
    /// What it is called: `track 1`, `PID 256`.
    package var name: String
    /// What its samples are: `avc1`, `mp4a`; `H.264`.
    package var format: String
    /// How they were encrypted: `cbcs`, `cenc` ...; `SAMPLE-AES`, `AES-128`.
    package var scheme: String
    /// The keys that were used, in the order of their first use; empty where media do not name keys.
    package var keyIDs: [KeyID] = []
    /// How many samples, access units or frames were decrypted; segments where whole ones are encrypted.
    package var decrypted = 0
    /// How many samples were clear before.
    package var clear = 0

    /// Makes a report of nothing done yet.
    package init(name: String, format: String, scheme: String) {
        self.name = name
        self.format = format
        self.scheme = scheme
    }

    /// Adds what was done in another segment of the same track.
    package mutating func add(_ other: DecryptedTrack) {
        decrypted += other.decrypted
        clear += other.clear
        for id in other.keyIDs where !keyIDs.contains(id) { keyIDs.append(id) }
    }
}
