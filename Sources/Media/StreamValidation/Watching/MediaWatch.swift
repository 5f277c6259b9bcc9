import HLSPlaylist

/// The loads of the media of one watched Media Playlist, and what they show.
struct MediaWatch: Sendable {
    /// A resource to load, or one that was loaded, to be judged in the order of the playlist.
    enum Work: Sendable {
        /// A segment, with the number of segments before it that no snapshot contained, and the time until which the
        /// server must have it at least.
        case segment(SegmentTracker.Segment, missed: UInt64, until: Duration)
        /// A Partial Segment, with the time at which a snapshot first listed it.
        case part(SegmentTracker.Part, listed: Duration)
        /// Segments that must be available: the oldest one that is listed, and the last one that was removed.
        case check(oldest: SegmentTracker.Segment?, removed: SegmentTracker.Segment?, until: Duration)
        /// The response to a request for a hinted resource.
        case hint(HintedParts.Response)
        /// A key that is used for the first time.
        case key(KeyTag)
    }

    /// The state of the measurements.
    private struct Loaded {
        var reader: SegmentReader
        var contents = SegmentContents()
        var hints = HintedParts()
        var owners = KeyIDOwners()
        var decryption: PartDecryption?
    }

    let index: Int
    let rendition: MeasuredRendition
    /// The name of the Multivariant Playlist; nil without one.
    let multivariant: String?
    let resources: any ValidationResources
    let settings: StreamWatch.Settings
    let keys: StreamWatch.Keys?
    let time: WatchTime
    let state: WatchState

    /// The time after the listing of a part, after which the decoder is not used: the watch must not become late.
    private static let decodingTime = Duration.seconds(2)

    /// Requests hinted resources before they exist, one at a time, and queues the responses.
    func request(
        _ hints: AsyncStream<SegmentReader.Resource>,
        _ works: AsyncStream<Work>.Continuation
    ) async {
        for await hint in hints {
            var response = HintedParts.Response(resource: hint)
            do throws(ResourceFailure) {
                response.bytes = try await resources.load(
                    StreamResourceRequest(
                        url: hint.url,
                        byteRange: hint.byteRange,
                        purpose: .segment,
                        maximumSize: settings.loading.segmentLimit
                    )
                ).bytes
            } catch {
                // A response after a timeout of the client says nothing about the server.
                guard error.status != nil else { continue }
                response.reason = error.reason
            }
            guard !Task.isCancelled else { return }
            works.yield(.hint(response))
        }
    }

    /// Loads and measures what is queued.
    func measure(_ works: AsyncStream<Work>) async {
        var loaded = Loaded(
            reader: SegmentReader(
                resources: resources,
                maximumSize: settings.loading.segmentLimit,
                isIFrames: rendition.isIFrames
            )
        )
        if let keys { loaded.decryption = PartDecryption(keys.source, keys.decoder, playlist: rendition.name) }
        for await work in works {
            switch work {
            case .segment(let segment, let missed, let until):
                await measure(segment, missed: missed, until, &loaded)
            case .part(let part, let listed): await measure(part, listed: listed, &loaded)
            case .check(let oldest, let removed, let until):
                if let oldest { await check(oldest, loaded.reader, loaded.contents, isListed: true, until) }
                if let removed { await check(removed, loaded.reader, loaded.contents, isListed: false, until) }
            case .hint(let response):
                if let finding = loaded.hints.take(response) { await state.observe(finding) }
            case .key(let tag): await checkAnnouncement(of: tag)
            }
            guard !Task.isCancelled else { return }
        }
    }

    private func measure(
        _ segment: SegmentTracker.Segment,
        missed: UInt64,
        _ until: Duration,
        _ loaded: inout Loaded
    ) async {
        var segment = segment
        if !segment.measured.isGap {
            let result = await loaded.reader.read(segment.resource, map: segment.map, isSealed: segment.isSealed)
            guard !Task.isCancelled else { return }
            if result.bytes == nil, time.now > until {
                // This watch was too slow, not the server.
                await state.skip()
                return
            }
            segment.measured.initialization = result.initialization
            (segment.measured.outcome, segment.measured.http) = (result.outcome, result.http)
            if result.bytes == nil { loaded.contents.noteMissing(segment) }
            if let bytes = result.bytes, let finding = loaded.contents.take(bytes, of: segment, in: rendition.name) {
                await state.observe(finding)
            }
            // For whole segments, the rule is checked when they are judged.
            let place = ValidationFinding.Place(rendition, segment.measured)
            _ = loaded.owners.take(result.initialization, segment.measured.keys, place)
        }
        await state.append(segment.measured, to: index, missed: missed)
    }

    // MARK: Parts

    private func measure(_ part: SegmentTracker.Part, listed: Duration, _ loaded: inout Loaded) async {
        guard !part.tag.isGap else {
            loaded.contents.skip(part)
            return
        }
        let result = await loaded.reader.read(part.resource, map: part.map, isSealed: part.isSealed)
        guard !Task.isCancelled else { return }
        await state.countPart(byteCount: result.bytes?.count ?? 0)
        let age = time.now - listed
        for finding in loaded.contents.take(result, of: part, in: rendition, age: age) { await state.observe(finding) }
        guard let bytes = result.bytes else { return }
        let place = ValidationFinding.Place(rendition.name, part)
        if let finding = loaded.hints.take(bytes, of: part, place) { await state.observe(finding) }
        if let finding = loaded.owners.take(result.initialization, part.keys, place) { await state.observe(finding) }
        let output = await loaded.decryption?.open(
            .init(
                part: part,
                bytes: bytes,
                initialization: loaded.reader.initializationBytes,
                mayDecode: age < Self.decodingTime
            )
        )
        guard let output, !Task.isCancelled else { return }
        if let (key, reason) = output.failure {
            await state.observe(
                ValidationFinding(
                    rule: "key-get",
                    level: .critical,
                    place: place,
                    message: "The key \(key.printedURI) is not available: \(reason)."
                )
            )
        }
        for finding in output.decryptions.flatMap({ DecryptionFault.findings($0, place) }) {
            await state.observe(finding)
        }
    }

    /// Loads the Multivariant Playlist, which must announce a key that is used now if it announces others.
    private func checkAnnouncement(of tag: KeyTag) async {
        guard let multivariant, await state.mustBeAnnounced(tag) else { return }
        let request = StreamResourceRequest(
            url: multivariant,
            purpose: .playlist,
            maximumSize: settings.loading.playlistLimit
        )
        guard let bytes = try? await resources.load(request).bytes,
            let file = try? LintFile(name: multivariant, bytes: bytes, options: ParsingOptions(url: multivariant)),
            case .multivariant(let playlist) = file.playlist,
            !playlist.sessionKeys.contains(where: { $0.key.uri == tag.uri })
        else { return }
        await state.observe(
            "key-not-announced",
            .init(rendition.name),
            "The key \(MeasuredKey.ID(tag, playlist: rendition.name, keyID: nil).printedURI) is used, but the Multivariant "
                + "Playlist has no EXT-X-SESSION-KEY for it, although it has some for other keys."
        )
    }

    // MARK: Segments that must be available

    /// Loads a segment again.
    private func check(
        _ segment: SegmentTracker.Segment,
        _ reader: SegmentReader,
        _ contents: SegmentContents,
        isListed: Bool,
        _ until: Duration
    ) async {
        // That is a finding already.
        guard !contents.isMissing(segment) else { return }
        let place = ValidationFinding.Place(rendition, segment.measured)
        do throws(ResourceFailure) {
            let fingerprint = try await reader.fingerprint(of: segment.resource)
            guard let known = contents.fingerprint(of: segment), known != fingerprint else { return }
            await state.observe(
                "live-segment-content",
                place,
                "The segment has other bytes than when it was loaded first.",
                measured: "\(fingerprint.byteCount) bytes",
                limit: "the same \(known.byteCount) bytes"
            )
        } catch {
            guard !Task.isCancelled, time.now <= until else { return }
            await state.observe(
                isListed ? "live-oldest-segment-missing" : "live-removed-segment-missing",
                place,
                isListed
                    ? "The oldest segment of the playlist cannot be loaded: \(error.reason)."
                    : "A segment that was just removed from the playlist cannot be loaded: \(error.reason)."
            )
        }
    }
}
