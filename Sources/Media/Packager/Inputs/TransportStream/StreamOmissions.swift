import MediaFormats

/// The streams of a transport stream that are not packaged, and why.
struct StreamOmissions {
    /// A stream that could not be identified when its part was described.
    private struct Unidentified {
        let stream: any ElementaryStream
        /// The reason; nil if it had no packets.
        let reason: String?
        /// Where it was searched: `in the first 8000 bytes`.
        let bound: String
    }

    /// The streams in formats that cannot be packaged.
    private var unsupported: [Omission] = []
    /// Subtitles that are omitted as soon as they have packets: many programs list subtitles that are rarely sent.
    private var rare: [UInt16: Omission] = [:]
    /// The streams that have not been identified in any part.
    private var unidentified: [Unidentified] = []
    /// The labels of the streams that have been identified, and of those for which packets have arrived.
    private var identified: Set<String> = []
    private var received: Set<String> = []
    /// The streams without video, audio or subtitles, and those that are missing in a part.
    private var skipped = LimitedWarnings()

    /// Adds a stream in a format that cannot be packaged.
    ///
    /// - Parameters:
    ///   - label: `PID 257 (MPEG-2 video)`.
    ///   - kind: The kind of media; nil for data.
    mutating func addUnsupported(_ stream: ProgramMapTable.Stream, label: String, _ kind: MediaTrack.Kind?) {
        let name = "\(label), stream type 0x\(String(stream.type.rawValue, radix: 16)),"
        guard let kind else {
            let text = "\(name) cannot be packaged; the stream is skipped"
            if !skipped.all.contains(text) { skipped.add([text]) }
            return
        }
        let omission = Omission(kind, name, "cannot be packaged")
        guard !unsupported.contains(omission) else { return }
        if kind == .subtitles { rare[stream.pid] = omission } else { unsupported.append(omission) }
    }

    /// Records a packet.
    ///
    /// - Parameter stream: Its stream; nil if the stream cannot be packaged.
    mutating func addPacket(_ pid: UInt16, of stream: (any ElementaryStream)?) {
        if let omission = rare.removeValue(forKey: pid) { unsupported.append(omission) }
        if let stream { received.insert(stream.label) }
    }

    /// Records that a stream has a track. A part may start with it if it was not identified before.
    mutating func addIdentified(_ stream: any ElementaryStream) {
        identified.insert(stream.label)
        unidentified.removeAll { $0.stream.label == stream.label }
    }

    /// Records that a stream has no track in a part.
    ///
    /// - Parameter bound: Where it was searched.
    mutating func addUnidentified(_ stream: any ElementaryStream, _ bound: String) {
        if identified.contains(stream.label) {
            skipped.add(["\(stream.label): \(stream.notReadyReason) \(bound); the stream is skipped"])
        } else if !unidentified.contains(where: { $0.stream.label == stream.label }) {
            let reason = received.contains(stream.label) ? stream.notReadyReason : nil
            unidentified.append(Unidentified(stream: stream, reason: reason, bound: bound))
        }
    }

    /// The video, audio and subtitles that are not packaged although they have packets.
    var all: [Omission] {
        let unreadable = unidentified.filter { received.contains($0.stream.label) }
        return unsupported
            + unreadable.map { entry in
                let reason = entry.reason.map { "\($0) \(entry.bound)" } ?? entry.stream.notReadyReason
                let kind: MediaTrack.Kind = entry.stream.isVideo ? .video : .audio
                return Omission(kind, entry.stream.label, "cannot be packaged: \(reason)")
            }
    }

    /// The warnings about the other streams.
    var warnings: [String] {
        skipped.all
            + unidentified.filter { !received.contains($0.stream.label) }.map {
                "\($0.stream.label): it has no packets \($0.bound); the stream is skipped"
            }
    }
}
