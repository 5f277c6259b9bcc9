import DASHManifest
import HLSPlaylist

/// The DASH manifest of a presentation without an end. A value without I/O: segments and the time go in, states of the
/// manifest come out.
///
/// The manifest is the state: what it says is what players know, and all that the next run has to.
///
///     stretch 0                                   stretch 1
///     ├──────────────┬───────────────┤  no input  ├─────────────▶
///     Period 0       Period 1                     Period 2
///     key period 0   key period 1                 key period 2
///                                    │            │
///                                    duration     start, counted from availabilityStartTime
///
/// A Period begins with a stretch, with a key period, behind a clear lead, behind a segment that was left out, and where a
/// rendition comes that the one before does not have.
struct LiveManifest: Sendable {
    /// What stays the same.
    struct Settings: Sendable {
        /// Names, and whom the keys are signaled to.
        var options: PlaylistOptions
        /// How long segments can be had once they have been presented, in seconds; nil: for ever, as an event has it.
        var timeShift: Double?
        /// In seconds.
        var targetDuration: UInt64
        /// The place of the rendition whose segments decide where the others' end.
        var leader: Int
        /// How many renditions there are.
        var renditionCount: Int
    }

    /// The line of times of a stretch.
    private struct Stretch {
        var number: Int
        /// When it begins, in the media.
        var origin: MediaTime
        /// When it begins, counted from availabilityStartTime.
        var start: ManifestDuration

        /// When a segment begins, counted from availabilityStartTime.
        func start(of time: MediaTime) -> ManifestDuration {
            let (here, zero) = (time.converted(to: 1_000_000), origin.converted(to: 1_000_000))
            return ManifestDuration(microseconds: start.microseconds &+ here &- zero)
        }
    }

    private let settings: Settings
    /// The state of the manifest.
    private(set) var manifest: MPD
    private var stretch: Stretch?
    /// The Periods of the stretch that may still get segments, in order; the last one may be a draft.
    private var open: [LivePeriod] = []
    /// Whether the last Period lacks a rendition that has come since.
    private var isIncomplete = false
    private var nextID: UInt64 = 0

    /// Begins without segments.
    init(_ settings: Settings) {
        self.settings = settings
        manifest = MPD(profiles: [MPD.Profile.live], duration: nil, periods: [])
        manifest.type = "dynamic"
    }

    /// Takes up a manifest that was read.
    ///
    /// - Throws: ``Refusal`` when it cannot be gone on with.
    init(resuming manifest: MPD, _ settings: Settings) throws(Refusal) {
        self.init(settings)
        guard manifest.type == "dynamic", manifest.minimumUpdatePeriod != nil else { throw .hasEnded }
        let isEvent = manifest.timeShiftBufferDepth == nil
        guard isEvent == (settings.timeShift == nil) else { throw .isOfOtherKind(isEvent: isEvent) }
        guard manifest.availabilityStart != nil, !manifest.periods.isEmpty else { throw .isUnknown }
        for period in manifest.periods {
            guard let id = period.id.flatMap({ UInt64($0) }), id < .max, period.start != nil, period.isCountable else {
                throw .isUnknown
            }
            nextID = max(nextID, id + 1)
        }
        self.manifest = manifest
    }

    /// Why a manifest cannot be gone on with.
    enum Refusal: Error, Hashable {
        /// Players were told that it has.
        case hasEnded
        /// One loses segments, the other does not.
        case isOfOtherKind(isEvent: Bool)
        /// It is none that was written here.
        case isUnknown
    }
}

// Segments come.
extension LiveManifest {
    /// Takes a segment whose file is written, and that playlists name where there are some.
    ///
    /// - Parameters:
    ///   - rendition: What it is a segment of, without segments and keys.
    ///   - index: The place of the rendition among all.
    ///   - bandwidth: What the rendition needs as far as it is known, in bits per second.
    /// - Returns: Whether players are to know a new state.
    /// - Throws: `SignalingError`.
    mutating func append(
        _ segment: LiveSegment,
        of rendition: Rendition,
        at index: Int,
        bandwidth: UInt64,
        now: PlaylistDate
    ) throws -> Bool {
        guard let place = segment.place, let date = segment.entry.date else { return false }
        let isFirst = stretch?.number != place.stretch
        if isFirst { try begin(place, date) }
        let breaksOff = index == settings.leader && (segment.entry.isDiscontinuity || isIncomplete)
        var number = isFirst || breaksOff ? nil : open.lastIndex { $0.takes(place) }
        // What begins a little before the leading rendition belongs to it.
        if number == nil, !breaksOff, open.first?.fits(place) == true { number = open.indices.first }
        let period = try number ?? beginPeriod(place)
        guard open[period].isShown else {
            open[period].add(segment, place, of: rendition, at: index, bandwidth: bandwidth)
            guard open[period].isComplete(settings.renditionCount) else { return false }
            try showDraft()
            publish(now)
            return true
        }
        let id = open[period].id
        guard let shown = manifest.periods.lastIndex(where: { $0.id == id }),
            manifest.periods[shown].append(place, to: rendition.folder, bandwidth: bandwidth)
        else {
            // The sets of a Period that players know do not change: it comes with the next one.
            isIncomplete = true
            return false
        }
        publish(now)
        return true
    }

    private mutating func begin(_ place: LiveSegment.Place, _ date: PlaylistDate) throws {
        try showDraft()
        open = []
        let date = ManifestDate(date)
        // What begins first is the beginning of all.
        let origin = manifest.availabilityStart ?? date
        manifest.availabilityStart = origin
        stretch = Stretch(
            number: place.stretch,
            origin: place.start,
            start: ManifestDuration(microseconds: date.microseconds - origin.microseconds)
        )
    }

    private mutating func beginPeriod(_ place: LiveSegment.Place) throws -> Int {
        try showDraft()
        let start = stretch?.start(of: place.start) ?? ManifestDuration(microseconds: 0)
        open.append(LivePeriod(id: "\(nextID)", beginningWith: place, start: start))
        nextID += 1
        isIncomplete = false
        // No rendition is so far behind the leading one.
        if open.count > 8 { open.removeFirst() }
        return open.count - 1
    }

    /// Changes a representation of the last Period that players know.
    mutating func changeLast(_ id: String, _ change: (inout Representation) -> Void) {
        guard let last = manifest.periods.indices.last else { return }
        manifest.periods[last].change(id, change)
    }

    /// Shows the last Period as it is, unless it is shown already.
    private mutating func showDraft() throws {
        guard let number = open.indices.last, !open[number].isShown else { return }
        let period = try open[number].show(settings.options)
        if let last = manifest.periods.indices.last { manifest.periods[last].close(before: period.start) }
        manifest.periods.append(period)
    }
}

// States go out.
extension LiveManifest {
    /// Makes a state of what has come: says when it is published, and leaves out what can be had no longer.
    private mutating func publish(_ now: PlaylistDate) {
        let milliseconds = ManifestDate(now).microseconds / 1000
        let now = ManifestDate(microseconds: milliseconds * 1000)
        if let timeShift = settings.timeShift, let mediaEnd {
            let depth = ManifestDuration(seconds: timeShift)
            manifest.timeShiftBufferDepth = depth
            // What comes slower than time passes has its window all the same.
            manifest.removeSegments(until: min(now, mediaEnd), timeShift: depth)
        }
        let target = Double(settings.targetDuration)
        manifest.minimumUpdatePeriod = ManifestDuration(seconds: max(1, target / 2))
        let delay = min(3 * target, settings.timeShift.map { $0 - target } ?? .infinity)
        manifest.suggestedPresentationDelay = ManifestDuration(seconds: delay)
        manifest.targetDuration = settings.targetDuration
        // No other state has the same time.
        let next = manifest.publishTime.map { $0.microseconds / 1000 + 1 } ?? milliseconds
        manifest.publishTime = ManifestDate(microseconds: max(milliseconds, next) * 1000)
    }

    /// Says that no segment will be added. An event becomes a film; of what has a window, the rest can be had until it has
    /// passed.
    ///
    /// - Returns: Whether players are to know a new state.
    /// - Throws: `SignalingError`.
    mutating func finish(now: PlaylistDate) throws -> Bool {
        try showDraft()
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

    /// Where the media ends that it names; nil when it names none.
    var mediaEnd: ManifestDate? {
        guard let origin = manifest.availabilityStart else { return nil }
        return manifest.periods.compactMap(\.mediaEnd).max().map { origin.advanced(by: $0) }
    }
}
