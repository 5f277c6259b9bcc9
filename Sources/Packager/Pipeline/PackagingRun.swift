import ByteCoding
import DASHManifest
import MediaFormats

/// Carries out a plan: takes samples from the inputs, lets ``Segmenter`` decide where segments end, and writes them.
package final class PackagingRun {
    /// How far the work is.
    package struct Progress: Sendable {
        /// How many bytes of the inputs have been read.
        package var bytesRead: Int
        /// How many bytes the inputs have; nil when one of them is a pipe.
        package var bytesTotal: Int?
        /// How many bytes have been written.
        package var bytesWritten: Int
    }

    private struct TrackState {
        /// Samples about which nothing is decided yet, from `head` on.
        var waiting: [MediaSample] = []
        var head = 0
        /// The samples of the open segment.
        var open: [MediaSample] = []
    }

    private struct InputState {
        /// The places of its tracks in ``sampled``; nil for a track that is not wanted.
        var tracks: [Int?]
        /// When its last sample is decoded, in the presentation.
        var reached = MediaTime(.min / 2, timescale: 1)
        var hasEnded = false
    }

    private let plan: PackagingPlan
    private let folder: PresentationFolder
    private var segmenter: Segmenter
    /// The places in the plan of the renditions that are made of samples; the segmenter's tracks, ``states`` and
    /// ``outputs`` are in this order.
    private let sampled: [Int]
    private var outputs: [RenditionOutput] = []
    private var states: [TrackState]
    private var inputs: [InputState]

    /// Prepares a run; the output folder is made.
    ///
    /// - Throws: ``FileFailure``; what writers throw.
    package init(_ plan: PackagingPlan) throws {
        self.plan = plan
        folder = try PresentationFolder(path: plan.job.output)
        // What a killed run has put away may be back now.
        try plan.checkOutput()
        let sampled = plan.renditions.indices.filter { plan.renditions[$0].media.kind != .subtitles }
        guard !sampled.isEmpty else {
            throw JobFailure("input", "there are subtitles alone: give the film that they belong to as well")
        }
        self.sampled = sampled
        segmenter = Segmenter(
            tracks: sampled.map { place in
                let rendition = plan.renditions[place]
                return Segmenter.Track(
                    isVideo: rendition.media.kind == .video,
                    name: "\(plan.inputs[rendition.input].name) (\(rendition.folder))"
                )
            },
            target: plan.job.segmentDuration
        )
        states = [TrackState](repeating: TrackState(), count: sampled.count)
        inputs = plan.inputs.indices.map { input in
            InputState(
                tracks: plan.inputs[input].tracks.indices.map { track in
                    sampled.firstIndex { plan.renditions[$0].input == input && plan.renditions[$0].track == track }
                }
            )
        }
        for place in sampled {
            let rendition = plan.renditions[place]
            outputs.append(
                try RenditionOutput(
                    rendition,
                    writer: plan.writer(for: rendition),
                    folder: folder,
                    job: plan.job,
                    expectedSegments: plan.mostSegments
                )
            )
        }
    }

    /// Reads the inputs to their ends, writes all segments, then the playlists, and moves all into place.
    ///
    /// - Parameter progress: Called after each segment.
    /// - Returns: What was written.
    /// - Throws: ``InputFailure``, `Segmenter.Failure`, ``FileFailure``, ``JobFailure``, `SignallingError`.
    package func run(progress: (Progress) -> Void = { _ in }) throws -> PackagingReport {
        try writeSegments(progress)
        let renditions = try finish()
        let playlists = try PresentationPlaylists(renditions, options: PlaylistOptions(plan.job))
        var files = plan.job.manifests.contains(.hls) ? try playlists.files() : []
        if plan.job.manifests.contains(.dash) {
            files.append((plan.job.names.dash, try MPD(renditions, PlaylistOptions(plan.job)).bytes))
        }
        for file in files {
            let output = try FileOutput(path: folder.stagedPath(file.path))
            try output.write(file.bytes.span.bytes)
            try output.finish()
        }
        try folder.publish()
        return PackagingReport(
            renditions: renditions,
            playlists: playlists,
            warnings: plan.warnings,
            bytesRead: plan.inputs.reduce(0) { $0 + $1.position },
            bytesWritten: outputs.reduce(0) { $0 + $1.byteCount }
        )
    }

    private func writeSegments(_ progress: (Progress) -> Void) throws {
        while let index = nextInput() {
            guard let (track, sample) = try plan.inputs[index].next() else {
                inputs[index].hasEnded = true
                for case let track? in inputs[index].tracks {
                    try carryOut(try segmenter.end(track: track), progress)
                }
                continue
            }
            guard let track = inputs[index].tracks[track] else { continue }
            let timing = Segmenter.Timing(sample, in: plan.renditions[sampled[track]].media)
            inputs[index].reached = timing.decode
            states[track].waiting.append(sample)
            try carryOut(try segmenter.add(timing, track: track), progress)
        }
    }

    /// Ends all renditions, in the order of the plan; subtitles are cut where the leading rendition is.
    private func finish() throws -> [Rendition] {
        let written = try outputs.map { try $0.finish() }
        let leader = written.first { $0.track.kind == .video } ?? written[0]
        let origin = plan.job.container == .ts ? TransportTimeline.origin : 0
        return try plan.renditions.indices.map { place in
            if let index = sampled.firstIndex(of: place) { return written[index] }
            let planned = plan.renditions[place]
            guard let input = plan.inputs[planned.input] as? WebVTTInput else {
                throw InputFailure(plan.inputs[planned.input].name, "its subtitles are no WebVTT")
            }
            return try SubtitleOutput(planned: planned, input: input, manifests: plan.job.manifests)
                .write(along: leader.segments, map: WebVTTTimestampMap(mpegTS: UInt64(origin)), to: folder)
        }
    }

    /// The input that is behind: its last sample was decoded first.
    private func nextInput() -> Int? {
        var first: Int?
        for index in inputs.indices where !inputs[index].hasEnded {
            if let other = first, inputs[other].reached <= inputs[index].reached { continue }
            first = index
        }
        return first
    }

    private func carryOut(_ decisions: [Segmenter.Decision], _ progress: (Progress) -> Void) throws {
        for decision in decisions {
            switch decision {
            case .append(let track):
                let sample = states[track].waiting[states[track].head]
                states[track].open.append(sample)
                states[track].head += 1
                if states[track].head > 512, states[track].head * 2 > states[track].waiting.count {
                    states[track].waiting.removeFirst(states[track].head)
                    states[track].head = 0
                }
            case .cut(let track):
                try close(track)
                progress(
                    Progress(
                        bytesRead: plan.inputs.reduce(0) { $0 + $1.position },
                        bytesTotal: plan.inputs.reduce(0) { sum, input in
                            sum.flatMap { sum in input.byteCount.map { sum + $0 } }
                        },
                        bytesWritten: outputs.reduce(0) { $0 + $1.byteCount }
                    )
                )
            }
        }
    }

    /// Writes the open segment of a track. One without samples, in a gap, is no segment: the one before it lasts longer.
    private func close(_ track: Int) throws {
        guard let first = states[track].open.first else { return }
        let rendition = plan.renditions[sampled[track]]
        let media = rendition.media
        let start = first.presentationTime + media.timing.presentationOffset
        let end: Int64
        if states[track].head < states[track].waiting.count {
            end = states[track].waiting[states[track].head].presentationTime + media.timing.presentationOffset
        } else {
            end =
                (states[track].open.map { $0.presentationTime + Int64($0.duration) }.max() ?? 0)
                + media.timing.presentationOffset
        }
        do {
            try outputs[track].write(
                states[track].open,
                start: MediaTime(start, timescale: media.timescale),
                end: MediaTime(end, timescale: media.timescale)
            )
        } catch let failure as SampleFailure {
            throw InputFailure(plan.inputs[rendition.input].name, "\(failure)")
        }
        states[track].open.removeAll(keepingCapacity: true)
    }
}

extension Segmenter.Timing {
    fileprivate init(_ sample: MediaSample, in track: MediaTrack) {
        let decode = sample.decodeTime + track.timing.presentationOffset
        self.init(
            decode: MediaTime(decode, timescale: track.timescale),
            presentation: MediaTime(decode + Int64(sample.compositionOffset), timescale: track.timescale),
            isSync: sample.isSync
        )
    }
}

extension PackagingPlan {
    /// What writes a rendition's segments.
    fileprivate func writer(for rendition: Rendition) throws -> any SegmentWriter {
        do {
            return try job.container.writer(
                for: rendition.media,
                protection: rendition.protection,
                systems: try rendition.protection.map { try job.protectionHeaders(keyID: $0.keyID) } ?? []
            )
        } catch let failure as OutputFailure {
            throw InputFailure(inputs[rendition.input].name, "\(failure)")
        } catch let error as ParseError {
            throw InputFailure(inputs[rendition.input].name, "\(error)")
        }
    }
}
