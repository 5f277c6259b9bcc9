import HLSPlaylist

/// Makes one change and parses the written result. `choice`, a number from the input, selects the change: testing all
/// of them would take a hundred times as long as parsing.
func checkEdits(_ playlist: Playlist, choice: Int, isValid: Bool, hasReferences: Bool) {
    let edited: Playlist
    let copied: Playlist
    switch playlist {
    case .media(let media):
        let edits = mediaEdits(media)
        edited = .media(edits[choice / 4 % edits.count])
        copied = .media(copy(media))
    case .multivariant(let multivariant):
        let edits = multivariantEdits(multivariant)
        edited = .multivariant(edits[choice / 4 % edits.count])
        copied = .multivariant(copy(multivariant))
    }
    check(edited, isValid, hasReferences)
    if !hasReferences, choice % 4 == 0 { check(copied, isValid, false) }
}

/// Writes a playlist and parses it again. A strictly valid one must stay valid, with the same meaning; otherwise, if it
/// can be written, it must have at least the same segments, variants and renditions.
func check(_ edited: Playlist, _ isValid: Bool, _ hasReferences: Bool) {
    let written: [UInt8]
    do {
        written = try edited.write()
    } catch {
        precondition(!isValid, "a valid playlist was not written: \(error)")
        return
    }
    let again: Playlist
    do {
        again = try Playlist.parseLeniently(written, options: options).playlist
    } catch {
        // The added key may exceed the limit of key formats.
        precondition(error.rule == .limitExceeded, "the written playlist cannot be parsed: \(error)")
        return
    }
    if isValid {
        do {
            let strict = try Playlist(strictlyParsing: written, options: options)
            precondition(isSame(normalized(strict), normalized(edited)), "the written playlist differs")
            let same = try strict.write()
            precondition(same == written)
        } catch {
            preconditionFailure("the written playlist is not valid: \(error)")
        }
    }
    // A reference that was undefined may now be defined; a tag that was refused as a duplicate may now be the first.
    if hasReferences { return }
    switch (edited, again) {
    case (.media(let left), .media(let right)):
        precondition(left.segments.map(\.uri) == right.segments.map(\.uri))
        precondition(left.segments.map(\.keys) == right.segments.map(\.keys))
    case (.multivariant(let left), .multivariant(let right)):
        precondition(left.variants == right.variants && left.renditions == right.renditions)
        precondition(left.sessionKeys == right.sessionKeys)
    // Without a tag that only one kind of playlist has, it is parsed as the other kind.
    default: precondition(!isValid || isEmpty(edited))
    }
}

func isEmpty(_ playlist: Playlist) -> Bool {
    switch playlist {
    case .media(let media): media.segments.isEmpty
    case .multivariant(let multivariant): multivariant.variants.isEmpty
    }
}

/// Normalizes permitted differences: a comment between the header and the first segment belongs to either, and a
/// duration that is written again has microseconds.
func normalized(_ playlist: Playlist) -> Playlist {
    guard case .media(var media) = playlist else { return playlist }
    func take(_ tags: inout [SegmentTag]) {
        for case .other(let line) in tags { media.otherLines.append(line) }
        tags.removeAll { if case .other = $0 { true } else { false } }
    }
    for index in media.segments.indices {
        var tags = media.segments[index].tags
        take(&tags)
        media.segments[index].tags = tags
        let duration = media.segments[index].duration
        if duration < 1e9 { media.segments[index].duration = (duration * 1e6).rounded() / 1e6 }
    }
    var tags = media.upcoming.tags
    take(&tags)
    media.upcoming.tags = tags
    return .media(media)
}

func mediaEdits(_ playlist: MediaPlaylist) -> [MediaPlaylist] {
    var edits: [MediaPlaylist] = []
    func edit(_ change: (inout MediaPlaylist) -> Void) {
        var copy = playlist
        change(&copy)
        edits.append(copy)
    }
    edit { $0.mediaSequence = 4711 }
    edit { $0.targetDuration = 77 }
    edit { $0.version = $0.version == nil ? 12 : nil }
    edit { $0.otherLines.append("# a comment") }
    edit { $0.defines.append(DefineTag(.value(name: "fuzz_added", value: "x"))) }
    edit { if !$0.defines.isEmpty { $0.defines[0] = DefineTag(.value(name: $0.defines[0].name, value: "other")) } }
    edit { $0.isEnded.toggle() }
    edit { $0.start = StartTag(timeOffset: -12.5, isPrecise: true) }
    edit { $0.partInf = PartInfTag(partTarget: 0.334) }
    edit {
        $0.serverControl = ServerControlTag(canSkipUntil: 36, holdBack: 18, partHoldBack: 1.5, canBlockReload: true)
    }
    edit { $0.skip = SkipTag(skippedSegments: 3, recentlyRemovedDateRanges: ["a", "b"]) }
    edit { $0.preloadHints.append(PreloadHintTag(kind: .part, uri: "fuzz/part.m4s", byteRangeStart: 8)) }
    edit { $0.renditionReports.append(RenditionReportTag(uri: "fuzz.m3u8", lastMediaSequenceNumber: 3, lastPart: 1)) }
    edit { $0.upcoming.tags.append(.part(PartTag(uri: "fuzz/part.m4s", duration: 0.25, isIndependent: true))) }
    for place in places([0, playlist.segments.count / 2, playlist.segments.count - 1], below: playlist.segments.count) {
        edit { $0.segments[place].uri = "fuzz/edited.m4s" }
        edit { $0.segments[place].title = "edited" }
        edit { $0.segments[place].isDiscontinuity.toggle() }
        edit { $0.segments[place].isGap.toggle() }
        edit { $0.segments[place].byteRange = ByteRange(length: 77, offset: 5) }
        edit { $0.segments[place].tags.append(.dateRange(dateRange)) }
        edit { $0.segments[place].tags.append(.bitrate(4711)) }
        edit { $0.segments[place].keys.append(.fairPlay(uri: "skd://fuzz")) }
        edit { $0.segments[place].keys = [] }
        edit { $0.segments[place].map = MapTag(uri: "fuzz.mp4") }
        edit { $0.segments[place].tags.reverse() }
        edit { $0.segments[place].programDateTime = PlaylistDate(seconds: 1_767_225_600, nanoseconds: 5) }
        edit { try? $0.removeFirst(place) }
        edit { try? $0.trim(to: 0..<place) }
        edit { try? $0.replaceSegments(place..<place + 1, with: []) }
        edit { try? $0.replaceSegments(place..<place, with: [MediaSegment(uri: "fuzz/new.m4s", duration: 6.006)]) }
    }
    return edits
}

private let dateRange = DateRangeTag(
    id: "fuzz",
    startDate: PlaylistDate(seconds: 1_767_225_600),
    cue: [.once],
    plannedDuration: 30,
    scte35Out: [0xFC, 0x30],
    otherAttributes: [Attribute(name: "X-FUZZ", value: "x", isQuoted: true)]
)

/// Edits each possible position once, in the same order each time, so that findings are reproducible.
private func places(_ places: [Int], below count: Int) -> [Int] {
    Set(places).filter { (0..<count).contains($0) }.sorted()
}

func multivariantEdits(_ playlist: MultivariantPlaylist) -> [MultivariantPlaylist] {
    var edits: [MultivariantPlaylist] = []
    func edit(_ change: (inout MultivariantPlaylist) -> Void) {
        var copy = playlist
        change(&copy)
        edits.append(copy)
    }
    let added = Variant(StreamInfTag(VariantAttributes(bandwidth: 4711)), uri: "fuzz/new.m3u8")
    edit { $0.version = $0.version == nil ? 12 : nil }
    edit { $0.otherLines.append("# a comment") }
    edit { $0.defines.append(DefineTag(.value(name: "fuzz_added", value: "x"))) }
    edit { if !$0.defines.isEmpty { $0.defines.removeLast() } }
    edit { $0.sessionKeys.append(SessionKeyTag(.fairPlay(uri: "skd://fuzz"))) }
    edit { $0.sessionData.append(SessionDataTag(dataID: "fuzz.added", value: "x", language: "en")) }
    edit { $0.contentSteering = ContentSteeringTag(serverURI: "fuzz.json", pathwayID: "fuzz") }
    edit { $0.iFrameVariants.append(IFrameStreamInfTag(VariantAttributes(bandwidth: 4711), uri: "fuzz/i.m3u8")) }
    edit { if !$0.iFrameVariants.isEmpty { $0.iFrameVariants[0].bandwidth = 4711 } }
    edit { $0.renditions.append(MediaTag(type: .audio, groupID: "fuzz", name: "added")) }
    edit { if !$0.renditions.isEmpty { $0.renditions[0].name = "edited" } }
    edit { if !$0.renditions.isEmpty { $0.renditions.removeFirst() } }
    edit { $0.variants.append(added) }
    edit { $0.variants.insert(added, at: 0) }
    edit { $0.variants.reverse() }
    for place in places([0, playlist.variants.count - 1], below: playlist.variants.count) {
        edit { $0.variants[place].uri = "fuzz/edited.m3u8" }
        edit { $0.variants[place].bandwidth = 4711 }
        edit { $0.variants.remove(at: place) }
    }
    return edits
}

/// Returns the same playlist, constructed and not parsed.
func copy(_ playlist: MediaPlaylist) -> MediaPlaylist {
    var copy = MediaPlaylist(
        version: playlist.version,
        // A constructed playlist has no tag for the value 0.
        targetDuration: max(playlist.targetDuration, 1),
        segments: playlist.segments.map { segment in
            MediaSegment(
                uri: segment.uri,
                duration: segment.duration,
                title: segment.title,
                byteRange: segment.byteRange,
                programDateTime: segment.programDateTime,
                isDiscontinuity: segment.isDiscontinuity,
                isGap: segment.isGap,
                tags: segment.tags
            )
        }
    )
    copy.isIndependentSegments = playlist.isIndependentSegments
    copy.start = playlist.start
    copy.defines = playlist.defines
    copy.mediaSequence = playlist.mediaSequence
    copy.discontinuitySequence = playlist.discontinuitySequence
    copy.playlistType = playlist.playlistType
    copy.isIFramesOnly = playlist.isIFramesOnly
    copy.partInf = playlist.partInf
    copy.serverControl = playlist.serverControl
    copy.skip = playlist.skip
    copy.otherLines = playlist.otherLines
    copy.upcoming = playlist.upcoming
    copy.preloadHints = playlist.preloadHints
    copy.renditionReports = playlist.renditionReports
    copy.isEnded = playlist.isEnded
    return copy
}

/// Returns the same playlist, constructed and not parsed.
func copy(_ playlist: MultivariantPlaylist) -> MultivariantPlaylist {
    var copy = MultivariantPlaylist()
    copy.version = playlist.version
    copy.isIndependentSegments = playlist.isIndependentSegments
    copy.start = playlist.start
    copy.defines = playlist.defines
    copy.contentSteering = playlist.contentSteering
    copy.sessionData = playlist.sessionData
    copy.sessionKeys = playlist.sessionKeys
    copy.renditions = playlist.renditions
    copy.variants = playlist.variants
    copy.iFrameVariants = playlist.iFrameVariants
    copy.otherLines = playlist.otherLines
    return copy
}
