import ByteCoding
import HLSPlaylist

/// A validator of a whole presentation: it loads the playlists and the segments, measures what is in them, and judges it
/// by the rules of HLS and of Apple's authoring specification.
///
///     let validator = StreamValidator(resources: resources)
///     let report = try await validator.validate("https://cdn.example.com/film/main.m3u8")
///     for finding in report.findings { print(finding) }
///
/// Most rules need no key: the headers of pictures, the times and the sizes stay clear in encrypted segments.
public struct StreamValidator: Sendable {
    /// The settings of a validation.
    public struct Settings: Sendable {
        /// Which segments are loaded.
        public var sampling = SegmentSampling.all
        /// The number of Media Playlists whose segments are loaded at the same time.
        public var concurrency = 4
        /// The maximum size of a playlist in bytes.
        public var playlistLimit = 16 << 20
        /// The maximum size of a segment in bytes.
        public var segmentLimit = 64 << 20
        /// The maximum number of Media Playlists.
        public var playlistCount = 256
        /// The number of bytes of segments after which no more segments are loaded; nil for no limit.
        public var byteLimit: UInt64?
        /// The maximum number of bytes of segments in memory at the same time, as far as bit rates tell their sizes. A
        /// larger segment is loaded alone.
        public var memoryLimit = 32 << 20

        /// Creates the default settings.
        public init() {}
    }

    let resources: any ValidationResources
    let settings: Settings
    /// The source of keys, with which encrypted segments are opened; nil, the default, requests no key.
    public var keySource: (any ValidationKeySource)?
    /// A decoder that checks decrypted media; nil, the default, leaves pictures undecided.
    public var decoder: (any ExternalDecoder)?

    /// A meter with which all of the audio is decoded to compare its loudness with what is declared; nil, the default, decodes
    /// nothing.
    public var loudnessMeter: (any LoudnessMeter)?

    /// The state that the tasks that load Media Playlists share.
    private struct Shared: Sendable {
        let tally: ProgressTally
        let memory: SegmentMemory
    }

    /// Creates a validator.
    public init(resources: any ValidationResources, settings: Settings = Settings()) {
        (self.resources, self.settings) = (resources, settings)
    }

    /// Validates a presentation.
    ///
    /// - Parameters:
    ///   - url: The URL or path of a Multivariant Playlist or a Media Playlist.
    ///   - progress: A function that is called after each segment.
    /// - Throws: ``ResourceFailure`` if the URL cannot be loaded, or its resource is not a playlist.
    public func validate(
        _ url: String,
        progress: (@Sendable (ValidationProgress) -> Void)? = nil
    ) async throws(ResourceFailure) -> ValidationReport {
        guard keySource != nil else {
            var presentation = try await load(url, progress: progress)
            await measureLoudness(&presentation)
            return ValidationReport(presentation)
        }
        // Segments that are kept to be opened count as memory, too.
        var settings = settings
        let limit = settings.memoryLimit / 4
        settings.memoryLimit -= limit
        let kept = KeptResources(resources, limit: limit)
        var validator = StreamValidator(resources: kept, settings: settings)
        (validator.keySource, validator.decoder, validator.loudnessMeter) = (keySource, decoder, loudnessMeter)
        var presentation = try await validator.load(url, progress: progress)
        kept.stopKeeping()
        await validator.decrypt(&presentation)
        await validator.measureLoudness(&presentation)
        return ValidationReport(presentation)
    }

    /// Loads and measures a presentation, without judging it.
    ///
    /// - Throws: ``ResourceFailure``, as ``validate(_:progress:)``.
    public func load(
        _ url: String,
        progress: (@Sendable (ValidationProgress) -> Void)? = nil
    ) async throws(ResourceFailure) -> MeasuredPresentation {
        let shared = Shared(
            tally: ProgressTally(byteLimit: settings.byteLimit, report: progress),
            memory: SegmentMemory(limit: settings.memoryLimit)
        )
        var presentation = try await loadWithoutReferences(url, shared)
        await ReferenceLoader(resources: resources) { [self] url async throws(ResourceFailure) in
            try await loadWithoutReferences(url, shared)
        }.load(into: &presentation)
        for (host, _) in presentation.tlsHosts { presentation.tls[host] = await resources.observeTLS(of: host) }
        presentation.isCutOff = shared.tally.isAtLimit
        return presentation
    }

    /// Loads and measures a presentation without its session data and its interstitials.
    private func loadWithoutReferences(
        _ url: String,
        _ shared: Shared
    ) async throws(ResourceFailure) -> MeasuredPresentation {
        let (root, http) = try await playlist(url, variables: nil)
        switch root.playlist {
        case .media(let playlist):
            var rendition = Self.rendition(root, playlist, MeasuredRendition.Roles())
            rendition.http = http
            return MeasuredPresentation(multivariant: nil, renditions: [await measured(rendition, shared)])
        case .multivariant(let playlist):
            let plan = PlaylistReferences(root)
            let variables = playlist.variables
            var loaded: [Int: Child] = [:]
            await withTaskGroup(of: (Int, Child).self) { group in
                var waiting = plan.references.prefix(settings.playlistCount).enumerated().makeIterator()
                func start() {
                    guard let (index, reference) = waiting.next() else { return }
                    group.addTask { (index, await self.child(reference, variables, shared)) }
                }
                for _ in 0..<max(1, settings.concurrency) { start() }
                while let (index, child) = await group.next() {
                    loaded[index] = child
                    start()
                }
            }
            var presentation = MeasuredPresentation(multivariant: root, renditions: [])
            presentation.http = http
            for (_, child) in loaded.sorted(by: { $0.key < $1.key }) {
                switch child {
                case .rendition(let rendition): presentation.renditions.append(rendition)
                case .missing(let missing): presentation.missing.append(missing)
                }
            }
            for reference in plan.references.dropFirst(settings.playlistCount) {
                let reason =
                    "there are more than \(settings.playlistCount) Media Playlists, the maximum of this validation"
                presentation.missing.append(
                    .init(uri: reference.uri, line: reference.roles.firstLine, reason: reason)
                )
            }
            return presentation
        }
    }

    private enum Child: Sendable {
        case rendition(MeasuredRendition)
        case missing(MeasuredPresentation.MissingPlaylist)
    }

    /// Loads a Media Playlist and measures its segments.
    private func child(
        _ reference: PlaylistReferences.Reference,
        _ variables: [String: String],
        _ shared: Shared
    ) async -> Child {
        func missing(_ reason: String) -> Child {
            .missing(.init(uri: reference.uri, line: reference.roles.firstLine, reason: reason))
        }
        do {
            let (file, http) = try await playlist(reference.uri, variables: variables)
            guard case .media(let playlist) = file.playlist else { return missing("it is a Multivariant Playlist") }
            var rendition = Self.rendition(file, playlist, reference.roles)
            rendition.http = http
            return .rendition(await measured(rendition, shared))
        } catch {
            return missing(error.reason)
        }
    }

    // MARK: Playlists

    private func playlist(
        _ url: String,
        variables: [String: String]?
    ) async throws(ResourceFailure) -> (file: LintFile, http: HTTPObservation?) {
        let resource = try await resources.load(
            StreamResourceRequest(url: url, purpose: .playlist, maximumSize: settings.playlistLimit)
        )
        let options = ParsingOptions(url: resource.url, importedVariables: variables)
        do {
            let file = try LintFile(name: resource.url, bytes: resource.bytes, options: options)
            guard !file.diagnostics.contains(where: { $0.rule == .missingExtM3U }) else {
                throw ResourceFailure(reason: "it is not a playlist")
            }
            return (file, resource.http)
        } catch let error as PlaylistError {
            throw ResourceFailure(reason: error.description)
        } catch let error as ResourceFailure {
            throw error
        } catch {
            throw ResourceFailure(reason: "\(error)")
        }
    }

    private static func rendition(
        _ file: LintFile,
        _ playlist: MediaPlaylist,
        _ roles: MeasuredRendition.Roles
    ) -> MeasuredRendition {
        let lines = file.lines.compactMap { line in if case .uri = line.content { line.number } else { nil } }
        let resolved = try? playlist.resolvedSegments()
        let segments = resolved.map { segments in
            segments.map { MeasuredSegment($0, line: lines.indices.contains($0.index) ? lines[$0.index] : 0) }
        }
        return MeasuredRendition(
            name: file.name,
            file: file,
            playlist: playlist,
            roles: roles,
            segments: segments ?? []
        )
    }

    // MARK: Segments

    /// Loads and measures the segments of a rendition in their order.
    private func measured(_ rendition: MeasuredRendition, _ shared: Shared) async -> MeasuredRendition {
        var rendition = rendition
        var reader = SegmentReader(
            resources: resources,
            maximumSize: settings.segmentLimit,
            isIFrames: rendition.isIFrames
        )
        let chosen = settings.sampling.indices(of: rendition.segments)
        let resolved = try? rendition.playlist.resolvedSegments()
        shared.tally.plan(chosen.count, seconds: chosen.reduce(0) { $0 + rendition.segments[$1].duration })
        var size = SegmentSize(rendition)
        for index in rendition.segments.indices {
            guard !Task.isCancelled, chosen.contains(index), !shared.tally.isAtLimit,
                let segment = resolved?.segment(at: index)
            else { continue }
            let taken = await shared.memory.take(size.estimate(rendition.segments[index]))
            // The bytes are released here, before the memory is given back.
            let (outcome, formats, http) = await measured(segment, rendition.name, &reader)
            await shared.memory.giveBack(taken)
            rendition.segments[index].outcome = outcome
            (rendition.segments[index].initialization, rendition.segments[index].http) = (formats, http)
            let count = rendition.segments[index].byteCount ?? 0
            size.largest = max(size.largest, count)
            shared.tally.add(seconds: rendition.segments[index].duration, byteCount: count)
        }
        return rendition
    }

    private func measured(
        _ segment: ResolvedSegment,
        _ playlist: String,
        _ reader: inout SegmentReader
    ) async -> (MeasuredSegment.Outcome, [TrackFormat], HTTPObservation?) {
        let result = await reader.read(segment, of: playlist)
        return (result.outcome, result.initialization, result.http)
    }
}
