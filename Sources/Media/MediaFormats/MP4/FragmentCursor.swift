public import ByteCoding

/// An iterator over the samples of one track in the fragments of a file. It stores one fragment at a time.
public struct FragmentCursor: Sendable {
    private let trackID: UInt32
    private let extends: TrackExtendsBox
    private let descriptionCount: Int
    private let isClear: Bool
    private var protection: ProtectionCursor
    private let endsAtMissingTail: Bool
    /// True if a truncated fragment at the end of the file was not read.
    private(set) var lacksFragment = false
    /// The offset of the next box in the file.
    private var nextBox: Int
    private var fragment: MovieFragment?
    /// The number of runs in the fragment. A separate property, because access through the optional is slow.
    private var runsCount = 0
    private var runIndex = -1
    private var trackFragmentIndex = -1
    private var sampleIndex = 0
    private var sampleNumber = 0
    private var position = 0
    private var decodeTime: UInt64
    /// The distance from an offset in the file to the offset in the span.
    private var spanShift = 0
    private var runCount = 0
    private var run = MovieFragment.Run.none
    private var defaults: (duration: UInt32, size: UInt32, flags: UInt32, description: UInt32) = (0, 0, 0, 1)

    /// Creates an iterator that starts before the first fragment.
    ///
    /// - Parameters:
    ///   - track: the track.
    ///   - offset: the offset of a box in the file, from which fragments are searched.
    ///   - decodeTime: the decode time of the first sample, if its fragment does not specify one.
    ///   - endsAtMissingTail: whether the samples end before a truncated fragment, instead of with an error.
    public init(_ track: Track, from offset: Int, decodeTime: UInt64 = 0, endsAtMissingTail: Bool = false) {
        trackID = track.id
        self.endsAtMissingTail = endsAtMissingTail
        extends = track.extends ?? TrackExtendsBox(trackID: track.id)
        descriptionCount = track.descriptions.count
        isClear = track.descriptions.allSatisfy { $0.commonEncryption == nil }
        protection = ProtectionCursor(track)
        nextBox = offset
        self.decodeTime = decodeTime
    }

    /// Returns the next sample; nil at the end of the file.
    ///
    /// - Throws: `ParseError` if a box is truncated or inconsistent with another.
    public mutating func next(_ file: RawSpan) throws(ParseError) -> Sample? {
        var sample = Sample.none
        return try next(file, into: &sample) ? sample : nil
    }

    /// Reads the next sample into `sample`. Returns false at the end of the file.
    mutating func next(_ file: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        while true {
            if try nextInFragment(file, into: &sample) { return true }
            guard try loadNext(file) else { return false }
        }
    }

    private mutating func loadNext(_ file: RawSpan) throws(ParseError) -> Bool {
        while nextBox < file.byteCount {
            if endsAtMissingTail, file.byteCount - nextBox < 8 { return false }
            let box = try TopLevelBox(in: file, at: nextBox)
            nextBox = box.end
            guard box.header.type == "moof" else { continue }
            guard box.end <= file.byteCount else {
                if endsAtMissingTail {
                    lacksFragment = true
                    return false
                }
                throw ParseError(
                    .truncated,
                    reading: "moof box",
                    offset: box.header.offset,
                    reason: "\(box.end - file.byteCount) bytes are missing"
                )
            }
            let offset = box.header.offset
            try load(file, box: offset, content: box.content, fileOffset: offset)
            return true
        }
        return false
    }

    /// Loads a fragment.
    ///
    /// - Parameters:
    ///   - span: the bytes that contain the fragment.
    ///   - box: the offset of the moof box in the span.
    ///   - content: the range of its content in the span.
    ///   - fileOffset: the offset of the moof box in the file.
    mutating func load(_ span: RawSpan, box: Int, content: Range<Int>, fileOffset: Int) throws(ParseError) {
        fragment = try MovieFragment(reading: span, content: content, fileOffset: fileOffset, extends: extends)
        runsCount = fragment?.runs.count ?? 0
        runIndex = -1
        trackFragmentIndex = -1
        sampleIndex = 0
        spanShift = box - fileOffset
    }

    /// Sets the decode time of the next sample, if its fragment does not specify one.
    mutating func `continue`(at decodeTime: UInt64) { self.decodeTime = decodeTime }

    /// Reads the next sample of the loaded fragment into `sample`. Returns false at its end.
    mutating func nextInFragment(_ span: RawSpan, into sample: inout Sample) throws(ParseError) -> Bool {
        while runIndex < 0 || sampleIndex >= runCount {
            runIndex += 1
            guard runIndex < runsCount else {
                fragment = nil
                runIndex = -1
                runsCount = 0
                return false
            }
            try beginRun()
        }
        try readSample(span, into: &sample)
        return true
    }

    /// Skips the rest of the current fragment, and returns the number and the duration of its samples; nil if another
    /// fragment follows. At most 100,000 samples are counted.
    mutating func restOfLastFragment(_ file: RawSpan) -> (sampleCount: Int, duration: UInt64)? {
        var (count, duration): (Int, UInt64) = (0, 0)
        var sample = Sample.none
        while count < 100_000, (try? nextInFragment(file, into: &sample)) == true {
            count += 1
            duration += UInt64(sample.duration)
        }
        guard (try? loadNext(file)) != true else { return nil }
        return (count, duration)
    }

    private mutating func beginRun() throws(ParseError) {
        guard let fragment else { return }
        run = fragment.runs[runIndex]
        runCount = run.count
        sampleIndex = 0
        position = run.dataOffset
        guard run.track != trackFragmentIndex else { return }
        trackFragmentIndex = run.track
        let trackFragment = fragment.tracks[trackFragmentIndex]
        defaults = (trackFragment.duration, trackFragment.size, trackFragment.flags, trackFragment.descriptionIndex)
        if let time = trackFragment.decodeTime { decodeTime = time }
        guard trackFragment.descriptionIndex > 0, trackFragment.descriptionIndex <= descriptionCount else {
            throw error("sample description \(trackFragment.descriptionIndex) does not exist")
        }
        if !isClear { protection.start(trackFragment.auxiliary, base: trackFragment.base + spanShift) }
    }

    private func error(_ reason: String) -> ParseError {
        ParseError(
            .invalidValue,
            reading: "sample \(sampleNumber + 1) of track \(trackID)",
            offset: run.entries + sampleIndex * run.entrySize,
            reason: reason
        )
    }

    private mutating func readSample(_ span: RawSpan, into sample: inout Sample) throws(ParseError) {
        var entryOffset = run.entries + sampleIndex * run.entrySize
        var duration = defaults.duration
        var size = defaults.size
        var flags = sampleIndex == 0 ? run.firstSampleFlags ?? defaults.flags : defaults.flags
        var compositionOffset: Int32 = 0
        if run.fields & 0x100 != 0 {
            duration = span.load(entryOffset, as: UInt32.self)
            entryOffset += 4
        }
        if run.fields & 0x200 != 0 {
            size = span.load(entryOffset, as: UInt32.self)
            entryOffset += 4
        }
        if run.fields & 0x400 != 0 {
            flags = span.load(entryOffset, as: UInt32.self)
            entryOffset += 4
        }
        // Composition offsets are unsigned in version 0, but some files contain negative numbers.
        if run.fields & 0x800 != 0 { compositionOffset = span.load(entryOffset, as: Int32.self) }
        guard decodeTime < 1 << 62 else { throw error("the decode time is not below 2^62") }
        guard position < 1 << 62 else { throw error("the sample offset is not below 2^62") }
        sample.trackID = trackID
        sample.offset = position
        sample.size = Int(size)
        sample.decodeTime = decodeTime
        sample.duration = duration
        sample.compositionOffset = compositionOffset
        sample.isSync = SampleFlags(rawValue: flags).isSync
        sample.descriptionIndex = defaults.description
        sample.protection =
            isClear
            ? nil
            : try protection.next(span, description: defaults.description, run: run.number, size: Int(size))
        position += Int(size)
        decodeTime += UInt64(duration)
        sampleIndex += 1
        sampleNumber += 1
    }
}
