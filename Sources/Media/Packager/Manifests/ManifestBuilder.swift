import DASHManifest
import HLSPlaylist

/// Builds a DASH manifest. A value type without I/O: it receives segments, for live with the current time, and returns
/// new versions of the manifest. The manifest of VOD is that of an event which is published when it is complete.
///
/// The manifest of a live presentation contains all of the state: the data that players use is also all that the next
/// run needs.
///
///     part 0                                      part 1
///     ├──────────────┬───────────────┤  no input  ├─────────────▶
///     Period 0       Period 1                     Period 2
///     key period 0   key period 1                 key period 2
///                                    │            │
///                                    duration     start, relative to availabilityStartTime
///
/// A Period starts with a part of the presentation, with a key period, after a clear lead, after a dropped segment, and
/// where a rendition appears that the previous Period does not have.
struct ManifestBuilder: Sendable {
    /// The settings, which do not change.
    struct Settings: Sendable {
        /// The file names and the DRM systems.
        var options: PlaylistOptions
        /// True for VOD: the manifest is published when it is complete.
        var isVOD = false
        /// The time shift buffer depth in seconds; nil for an event, which keeps all segments.
        var timeShift: Double?
        /// The Target Duration in seconds; 0 for VOD, whose manifest does not specify it.
        var targetDuration: UInt64 = 0
        /// The URL of a server of the time for players; nil for none.
        var timeServer: String?
        /// The values for low latency; nil to list only complete segments.
        var lowLatency: ManifestLowLatency?
        /// The index of the leading rendition, whose segment boundaries the others follow.
        var leader: Int
        /// The number of renditions.
        var renditionCount: Int
    }

    /// The timeline of a part.
    private struct Epoch {
        var number: Int
        /// The media time of the start.
        var origin: RationalTime
        /// The start in the presentation; for live relative to availabilityStartTime.
        var start: ManifestDuration

        /// Converts a media time to a time in the presentation.
        func time(of time: RationalTime) -> ManifestDuration {
            let (here, zero) = (time.converted(to: 1_000_000), origin.converted(to: 1_000_000))
            return ManifestDuration(microseconds: start.microseconds &+ here &- zero)
        }
    }

    private let settings: Settings
    /// The current version of the manifest.
    private(set) var manifest: MPD
    private var epoch: Epoch?
    /// The Periods of the part to which segments may still be added, in order. The last one may be a draft; with VOD all
    /// of them are.
    private var open: [ManifestPeriod] = []
    /// The segments that are listed and not complete, by rendition index, with the IDs of their Periods.
    private var incomplete: [Int: (number: UInt64, period: String)] = [:]
    /// The end of the last segment in the presentation.
    private var end = ManifestDuration(microseconds: 0)
    /// True if the last Period lacks a rendition that has appeared since.
    private var isIncomplete = false
    private var nextID: UInt64 = 0

    /// Creates a manifest without segments.
    init(_ settings: Settings) {
        self.settings = settings
        manifest = MPD(profiles: [MPD.Profile.live], duration: nil, periods: [])
        if !settings.isVOD { manifest.type = "dynamic" }
    }

    /// Continues a parsed manifest.
    ///
    /// - Throws: ``ResumeError`` if the manifest cannot be continued.
    init(resuming manifest: MPD, _ settings: Settings) throws(ResumeError) {
        self.init(settings)
        guard manifest.type == "dynamic", manifest.minimumUpdatePeriod != nil else { throw .hasEnded }
        let isEvent = manifest.timeShiftBufferDepth == nil
        guard isEvent == (settings.timeShift == nil) else { throw .typeMismatch(isEvent: isEvent) }
        guard manifest.availabilityStart != nil, !manifest.periods.isEmpty else { throw .notWrittenByPackager }
        for period in manifest.periods {
            guard let id = period.id.flatMap({ UInt64($0) }), id < .max, period.start != nil, period.isCountable else {
                throw .notWrittenByPackager
            }
            nextID = max(nextID, id + 1)
        }
        self.manifest = manifest
    }

    /// The reason why a manifest cannot be continued.
    enum ResumeError: Error, Hashable {
        /// The presentation is complete.
        case hasEnded
        /// One of the manifest and the settings is an event, the other is not.
        case typeMismatch(isEvent: Bool)
        /// The manifest was not written by the packager.
        case notWrittenByPackager
    }
}

// MARK: - Adding segments
extension ManifestBuilder {
    /// Adds a segment whose file has been written and which is listed in the playlists, if there are any. With VOD, the
    /// segments of a part must be added between those of its neighbors, and in a part first those of the leading
    /// rendition. With low latency, a segment is added when its first part is available, and again when more is.
    ///
    /// - Parameters:
    ///   - rendition: The description of the segment's rendition.
    ///   - index: The index of the rendition.
    ///   - bandwidth: The bandwidth of the rendition measured so far, in bits per second.
    ///   - now: The current time; nil for VOD.
    /// - Returns: Whether a new version of the manifest must be written.
    /// - Throws: `SignalingError`.
    @discardableResult
    mutating func append(
        _ segment: Rendition.Segment,
        of rendition: Rendition,
        at index: Int,
        bandwidth: UInt64 = 0,
        now: PlaylistDate? = nil
    ) throws -> Bool {
        guard !segment.isGap else { return false }
        if let known = incomplete[index], known.number == segment.number {
            if !segment.isOpen { incomplete[index] = nil }
            return try update(segment, of: rendition, at: index, inPeriod: known.period, bandwidth: bandwidth, now: now)
        }
        // Until the bandwidth is measured, that of the previous Period is the best estimate.
        let bandwidth = segment.isOpen && bandwidth == 0 ? lastBandwidth(of: rendition.folder) : bandwidth
        let isFirst = epoch?.number != segment.part
        if isFirst, let date = segment.date { try begin(segment.part, at: segment.start, date) }
        guard let epoch else { return false }
        end = max(end, epoch.time(of: segment.end))
        let breaksOff = index == settings.leader && (segment.isDiscontinuity || isIncomplete)
        var number = isFirst || breaksOff ? nil : open.lastIndex { $0.includes(segment) }
        // A segment that starts slightly before the leading rendition belongs to its Period.
        if number == nil, !breaksOff, open.first?.fits(segment) == true { number = open.indices.first }
        let period = try number ?? beginPeriod(segment)
        if segment.isOpen { incomplete[index] = (segment.number, open[period].id) }
        guard open[period].isPublished else {
            open[period].add(segment, of: rendition, at: index, bandwidth: bandwidth)
            guard let now, open[period].isComplete(settings.renditionCount) else { return false }
            try publishDrafts()
            publish(now)
            return true
        }
        let id = open[period].id
        guard let now, let periodIndex = manifest.periods.lastIndex(where: { $0.id == id }),
            manifest.periods[periodIndex].append(segment, to: rendition.folder, bandwidth: bandwidth)
        else {
            // The adaptation sets of a published Period must not change: the rendition is added to the next one.
            isIncomplete = true
            return false
        }
        publish(now)
        return true
    }

    /// Updates a segment that is listed, of which more is available. Returns whether a new version of the manifest must be
    /// written.
    private mutating func update(
        _ segment: Rendition.Segment,
        of rendition: Rendition,
        at index: Int,
        inPeriod id: String,
        bandwidth: UInt64,
        now: PlaylistDate?
    ) throws -> Bool {
        if let epoch { end = max(end, epoch.time(of: segment.end)) }
        guard let now else { return false }
        if let draft = open.firstIndex(where: { $0.id == id && !$0.isPublished }) {
            open[draft].replaceLast(segment, of: rendition, at: index, bandwidth: bandwidth)
            guard open[draft].isComplete(settings.renditionCount) else { return false }
            try publishDrafts()
        } else {
            guard let period = manifest.periods.lastIndex(where: { $0.id == id }),
                manifest.periods[period].changeLast(segment, of: rendition.folder, bandwidth: bandwidth)
            else { return false }
        }
        publish(now)
        return true
    }

    private func lastBandwidth(of id: String) -> UInt64 {
        let representations = manifest.periods.reversed().lazy.flatMap(\.adaptationSets).flatMap(\.representations)
        return representations.first { $0.id == id }?.bandwidth ?? 0
    }

    /// Begins a part of a live presentation.
    private mutating func begin(_ part: Int, at origin: RationalTime, _ date: PlaylistDate) throws {
        let date = ManifestDate(date)
        // The first segment defines availabilityStartTime.
        let start = manifest.availabilityStart ?? date
        manifest.availabilityStart = start
        try begin(
            part,
            at: origin,
            start: ManifestDuration(microseconds: date.microseconds - start.microseconds)
        )
    }

    /// Begins a part of the presentation: after the previous one, or for live at its date.
    ///
    /// - Parameter origin: The media time at which the part starts.
    mutating func begin(_ part: Int, at origin: RationalTime, start: ManifestDuration? = nil) throws {
        try publishDrafts()
        open = []
        epoch = Epoch(number: part, origin: origin, start: start ?? end)
    }

    private mutating func beginPeriod(_ segment: Rendition.Segment) throws -> Int {
        if !settings.isVOD { try publishDrafts() }
        // The first Period starts with its part.
        let origin = (open.isEmpty ? epoch?.origin : nil) ?? segment.start
        let start = epoch?.time(of: origin) ?? ManifestDuration(microseconds: 0)
        open.append(ManifestPeriod(id: "\(nextID)", of: segment, origin: origin, start: start))
        nextID += 1
        isIncomplete = false
        // No rendition lags that far behind the leading one.
        if open.count > 8, !settings.isVOD { open.removeFirst() }
        return open.count - 1
    }

    /// Changes a representation of the last published Period.
    mutating func changeLast(_ id: String, _ change: (inout Representation) -> Void) {
        guard let last = manifest.periods.indices.last else { return }
        manifest.periods[last].change(id, change)
    }

    /// Removes the representations without segments, and the Periods that become empty.
    mutating func removeEmptyPeriods() { manifest.removeEmptyPeriods() }

    /// Adds drafts to the manifest.
    private mutating func publishDrafts() throws {
        for index in open.indices where !open[index].isPublished {
            var period = try open[index].publish(settings.options)
            if let start = manifest.availabilityStart { settings.lowLatency?.apply(to: &period, start: start) }
            endLastPeriod(at: open[index].start)
            manifest.periods.append(period)
        }
    }

    /// Sets the duration of the last Period: always for VOD, and for live only if there is a gap after it.
    private mutating func endLastPeriod(at next: ManifestDuration) {
        guard let last = manifest.periods.indices.last else { return }
        guard settings.isVOD, let start = manifest.periods[last].start else {
            return manifest.periods[last].close(before: next)
        }
        manifest.periods[last].duration = ManifestDuration(microseconds: next.microseconds - start.microseconds)
    }
}

// MARK: - Publishing
extension ManifestBuilder {
    /// Creates a new version of the manifest: updates the publish time, and removes segments that are no longer
    /// available.
    private mutating func publish(_ now: PlaylistDate) {
        let milliseconds = ManifestDate(now).microseconds / 1000
        let now = ManifestDate(microseconds: milliseconds * 1000)
        if let timeShift = settings.timeShift, let mediaEnd {
            let depth = ManifestDuration(seconds: timeShift)
            manifest.timeShiftBufferDepth = depth
            // The window also applies to media that arrives slower than real time.
            manifest.removeSegments(until: min(now, mediaEnd), timeShift: depth)
        }
        let target = Double(settings.targetDuration)
        manifest.minimumUpdatePeriod = ManifestDuration(seconds: max(1, target / 2))
        let delay = min(3 * target, settings.timeShift.map { $0 - target } ?? .infinity)
        manifest.suggestedPresentationDelay = ManifestDuration(seconds: delay)
        manifest.targetDuration = settings.targetDuration
        manifest.clocks = settings.timeServer.map { [Descriptor(scheme: Descriptor.timeServerScheme, value: $0)] } ?? []
        settings.lowLatency?.apply(to: &manifest)
        // The publish time of every version is different.
        let next = manifest.publishTime.map { $0.microseconds / 1000 + 1 } ?? milliseconds
        manifest.publishTime = ManifestDate(microseconds: max(milliseconds, next) * 1000)
    }

    /// Marks a live presentation as complete. An event becomes a static manifest; with a window, the remaining segments
    /// are available until the window has passed.
    ///
    /// - Returns: Whether a new version of the manifest must be written.
    /// - Throws: `SignalingError`.
    mutating func finish(now: PlaylistDate) throws -> Bool {
        try publishDrafts()
        guard let start = manifest.availabilityStart, let mediaEnd else { return false }
        publish(now)
        manifest.duration = ManifestDuration(microseconds: mediaEnd.microseconds - start.microseconds)
        manifest.minimumUpdatePeriod = nil
        if settings.timeShift == nil {
            manifest.type = "static"
            manifest.suggestedPresentationDelay = nil
            settings.lowLatency?.remove(from: &manifest)
        }
        return true
    }

    /// Completes the manifest of VOD, and returns it.
    ///
    /// - Throws: `SignalingError`.
    mutating func finish() throws -> MPD {
        try publishDrafts()
        endLastPeriod(at: end)
        manifest.duration = end
        return manifest
    }

    /// The end of the media in the manifest, if any.
    var mediaEnd: ManifestDate? {
        guard let origin = manifest.availabilityStart else { return nil }
        return manifest.periods.compactMap(\.mediaEnd).max().map { origin.advanced(by: $0) }
    }
}
