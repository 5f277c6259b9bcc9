import DASHManifest
import HLSPlaylist

/// The DASH manifest of a live presentation. A value type without I/O: it receives segments with the current time, and
/// returns new versions of the manifest.
///
/// The manifest contains all of the state: the data that players use is also all that the next run needs.
///
///     epoch 0                                     epoch 1
///     ├──────────────┬───────────────┤  no input  ├─────────────▶
///     Period 0       Period 1                     Period 2
///     key period 0   key period 1                 key period 2
///                                    │            │
///                                    duration     start, relative to availabilityStartTime
///
/// A Period starts with an epoch, with a key period, after a clear lead, after a dropped segment, and where a rendition
/// appears that the previous Period does not have.
struct LiveManifest: Sendable {
    /// The settings, which do not change.
    struct Settings: Sendable {
        /// The file names and the DRM systems.
        var options: PlaylistOptions
        /// The time shift buffer depth in seconds; nil for an event, which keeps all segments.
        var timeShift: Double?
        /// The Target Duration in seconds.
        var targetDuration: UInt64
        /// The index of the leading rendition, whose segment boundaries the others follow.
        var leader: Int
        /// The number of renditions.
        var renditionCount: Int
    }

    /// The timeline of an epoch.
    private struct Epoch {
        var number: Int
        /// The media time of the start.
        var origin: RationalTime
        /// The start relative to availabilityStartTime.
        var start: ManifestDuration

        /// Returns the start of a segment relative to availabilityStartTime.
        func start(of time: RationalTime) -> ManifestDuration {
            let (here, zero) = (time.converted(to: 1_000_000), origin.converted(to: 1_000_000))
            return ManifestDuration(microseconds: start.microseconds &+ here &- zero)
        }
    }

    private let settings: Settings
    /// The current version of the manifest.
    private(set) var manifest: MPD
    private var epoch: Epoch?
    /// The Periods of the epoch to which segments may still be added, in order; the last one may be a draft.
    private var open: [LivePeriod] = []
    /// True if the last Period lacks a rendition that has appeared since.
    private var isIncomplete = false
    private var nextID: UInt64 = 0

    /// Creates a manifest without segments.
    init(_ settings: Settings) {
        self.settings = settings
        manifest = MPD(profiles: [MPD.Profile.live], duration: nil, periods: [])
        manifest.type = "dynamic"
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
extension LiveManifest {
    /// Adds a segment whose file has been written and which is listed in the playlists, if there are any.
    ///
    /// - Parameters:
    ///   - rendition: The description of the segment's rendition, without segments and keys.
    ///   - index: The index of the rendition.
    ///   - bandwidth: The bandwidth of the rendition measured so far, in bits per second.
    /// - Returns: Whether a new version of the manifest must be written.
    /// - Throws: `SignalingError`.
    mutating func append(
        _ segment: LiveSegment,
        of rendition: Rendition,
        at index: Int,
        bandwidth: UInt64,
        now: PlaylistDate
    ) throws -> Bool {
        guard let position = segment.position, let date = segment.entry.date else { return false }
        let isFirst = epoch?.number != position.epoch
        if isFirst { try begin(position, date) }
        let breaksOff = index == settings.leader && (segment.entry.isDiscontinuity || isIncomplete)
        var number = isFirst || breaksOff ? nil : open.lastIndex { $0.includes(position) }
        // A segment that starts slightly before the leading rendition belongs to its Period.
        if number == nil, !breaksOff, open.first?.fits(position) == true { number = open.indices.first }
        let period = try number ?? beginPeriod(position)
        guard open[period].isPublished else {
            open[period].add(segment, position, of: rendition, at: index, bandwidth: bandwidth)
            guard open[period].isComplete(settings.renditionCount) else { return false }
            try publishDraft()
            publish(now)
            return true
        }
        let id = open[period].id
        guard let periodIndex = manifest.periods.lastIndex(where: { $0.id == id }),
            manifest.periods[periodIndex].append(position, to: rendition.folder, bandwidth: bandwidth)
        else {
            // The adaptation sets of a published Period must not change: the rendition is added to the next one.
            isIncomplete = true
            return false
        }
        publish(now)
        return true
    }

    private mutating func begin(_ position: LiveSegment.Position, _ date: PlaylistDate) throws {
        try publishDraft()
        open = []
        let date = ManifestDate(date)
        // The first segment defines availabilityStartTime.
        let origin = manifest.availabilityStart ?? date
        manifest.availabilityStart = origin
        epoch = Epoch(
            number: position.epoch,
            origin: position.start,
            start: ManifestDuration(microseconds: date.microseconds - origin.microseconds)
        )
    }

    private mutating func beginPeriod(_ position: LiveSegment.Position) throws -> Int {
        try publishDraft()
        let start = epoch?.start(of: position.start) ?? ManifestDuration(microseconds: 0)
        open.append(LivePeriod(id: "\(nextID)", beginningWith: position, start: start))
        nextID += 1
        isIncomplete = false
        // No rendition lags that far behind the leading one.
        if open.count > 8 { open.removeFirst() }
        return open.count - 1
    }

    /// Changes a representation of the last published Period.
    mutating func changeLast(_ id: String, _ change: (inout Representation) -> Void) {
        guard let last = manifest.periods.indices.last else { return }
        manifest.periods[last].change(id, change)
    }

    /// Adds the last Period to the manifest, unless it is already included.
    private mutating func publishDraft() throws {
        guard let number = open.indices.last, !open[number].isPublished else { return }
        let period = try open[number].publish(settings.options)
        if let last = manifest.periods.indices.last { manifest.periods[last].close(before: period.start) }
        manifest.periods.append(period)
    }
}

// MARK: - Publishing
extension LiveManifest {
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
        // The publish time of every version is different.
        let next = manifest.publishTime.map { $0.microseconds / 1000 + 1 } ?? milliseconds
        manifest.publishTime = ManifestDate(microseconds: max(milliseconds, next) * 1000)
    }

    /// Marks the presentation as complete. An event becomes a static manifest; with a window, the remaining segments
    /// are available until the window has passed.
    ///
    /// - Returns: Whether a new version of the manifest must be written.
    /// - Throws: `SignalingError`.
    mutating func finish(now: PlaylistDate) throws -> Bool {
        try publishDraft()
        guard let start = manifest.availabilityStart, let mediaEnd else { return false }
        publish(now)
        manifest.duration = ManifestDuration(microseconds: mediaEnd.microseconds - start.microseconds)
        manifest.minimumUpdatePeriod = nil
        if settings.timeShift == nil {
            manifest.type = "static"
            manifest.suggestedPresentationDelay = nil
        }
        return true
    }

    /// The end of the media in the manifest, if any.
    var mediaEnd: ManifestDate? {
        guard let origin = manifest.availabilityStart else { return nil }
        return manifest.periods.compactMap(\.mediaEnd).max().map { origin.advanced(by: $0) }
    }
}
