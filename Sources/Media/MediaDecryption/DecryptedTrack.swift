package import MediaFormats

/// The result of decrypting a track or an elementary stream.
package struct DecryptedTrack: Hashable, Sendable {
    /// The name of the track or stream, for example `track 1` or `PID 256`.
    package var name: String
    /// The sample format, for example `avc1`, `mp4a` or `H.264`.
    package var format: String
    /// The encryption scheme, for example `cbcs`, `cenc`, `SAMPLE-AES` or `AES-128`.
    package var scheme: String
    /// The IDs of the keys that were used, in the order of their first use; empty if the media contain no key IDs.
    package var keyIDs: [KeyID] = []
    /// The number of decrypted samples, access units or frames, or of decrypted segments if whole segments are
    /// encrypted.
    package var decrypted = 0
    /// The number of samples that were not encrypted.
    package var clear = 0

    /// Creates an empty report.
    package init(name: String, format: String, scheme: String) {
        self.name = name
        self.format = format
        self.scheme = scheme
    }

    /// Adds the counts and key IDs of another segment of the same track.
    package mutating func add(_ other: DecryptedTrack) {
        decrypted += other.decrypted
        clear += other.clear
        for id in other.keyIDs where !keyIDs.contains(id) { keyIDs.append(id) }
    }
}
