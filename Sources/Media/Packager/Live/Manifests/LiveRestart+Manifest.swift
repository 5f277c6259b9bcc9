import DASHManifest
import HLSPlaylist

/// Continuing the DASH manifest. It contains data that playlists lack: timescales, media times, keys of Periods.
/// Therefore it is parsed; missing segments are taken from the playlists, and segment files are not read.
extension LiveRestart {
    /// Returns the existing manifest; nil if there is none, or if the job writes none.
    ///
    /// - Throws: ``JobFailure`` if it cannot be parsed.
    func readManifest() throws -> MPD? {
        guard job.manifests.contains(.dash), let bytes = folder.read(job.names.dash) else { return nil }
        guard let manifest = try? MPD(bytes), manifest.periods.allSatisfy(\.isCountable) else {
            throw refusal("is not a valid manifest: start over with overwrite")
        }
        return manifest
    }

    /// Checks that the run continues every playlist and manifest of the earlier run: otherwise its players would wait
    /// forever.
    ///
    /// - Throws: ``JobFailure``.
    func checkManifests(_ plan: PackagingPlan) throws {
        let hasPlaylists = plan.renditions.contains { folder.read("\($0.folder)/\(job.names.media)") != nil }
        let hasManifest = folder.read(job.names.dash) != nil
        if hasManifest, !job.manifests.contains(.dash) {
            throw refusal("exists and would not be updated: add dash to manifests, start over with overwrite")
        }
        if hasPlaylists, !job.manifests.contains(.hls) {
            throw JobFailure(
                "manifests",
                "\(job.output) has playlists, which would not be updated: add hls to manifests, start over with "
                    + "overwrite, or choose another folder"
            )
        }
        if hasManifest, !hasPlaylists, job.manifests.contains(.hls) {
            throw refusal(
                "exists without playlists, which would start in the middle: write only dash, start over with overwrite"
            )
        }
    }

    /// Returns the state of the manifest, from the existing one if there is one; nil if the job writes none.
    ///
    /// - Parameter states: The renditions, with the state of their playlists.
    /// - Throws: ``JobFailure`` if the manifest cannot be continued.
    func manifest(_ plan: PackagingPlan, _ states: [LiveRendition], targetDuration: UInt64) throws -> ManifestBuilder? {
        guard job.manifests.contains(.dash) else { return nil }
        let settings = ManifestBuilder.Settings(
            options: PlaylistOptions(job),
            timeShift: live.timeShift(targetDuration: targetDuration),
            targetDuration: targetDuration,
            timeServer: live.timeServer,
            lowLatency: live.partDuration.map { part in
                ManifestLowLatency(
                    partDuration: part.seconds,
                    segmentDuration: job.segmentDuration.seconds,
                    targetDuration: Double(targetDuration)
                )
            },
            leader: plan.renditions.firstIndex { $0.media.kind == .video } ?? 0,
            renditionCount: plan.renditions.count
        )
        guard let read = try readManifest() else { return ManifestBuilder(settings) }
        do throws(ManifestBuilder.ResumeError) {
            var manifest = try ManifestBuilder(resuming: read, settings)
            guard job.manifests.contains(.hls) else { return manifest }
            for state in states { manifest.endOpenSegment(of: state.folder, listedIn: state.media) }
            for state in states { manifest.addMissingSegments(of: state.folder, listedIn: state.media) }
            return manifest
        } catch {
            switch error {
            case .hasEnded: throw refusal("is complete and cannot be continued: start over with overwrite")
            case .typeMismatch(let isEvent):
                throw refusal("is \(isEvent ? "an event: use event" : "not an event: use live")")
            case .notWrittenByPackager: throw refusal("was not written by the packager: start over with overwrite")
            }
        }
    }

    private func refusal(_ what: String) -> JobFailure {
        JobFailure("out", "\(job.output)/\(job.names.dash) \(what), or choose another folder")
    }
}

extension ManifestBuilder {
    /// Ends the segment that was open when the earlier run was killed: its listed duration was an estimate, and in the
    /// playlist it is the duration of its parts. If its file is lost, the segment is removed.
    mutating func endOpenSegment(of folder: String, listedIn playlist: RenditionPlaylist) {
        changeLast(folder) { representation in
            guard var template = representation.template, template.availabilityTimeComplete == false,
                let next = template.nextNumber, next > playlist.sequence &+ 1
            else { return }
            let index = next &- 2 &- playlist.sequence
            guard index < UInt64(playlist.segments.count) else { return }
            let segment = playlist.segments[Int(index)]
            let units = (segment.duration.seconds * Double(template.timescale)).rounded()
            if segment.isGap {
                template.removeLast()
            } else if let duration = UInt64(exactly: units), let listed = template.timeline.last?.duration,
                // Durations in playlists are rounded to microseconds.
                abs(Double(duration) - Double(listed)) > Double(template.timescale) / 1000, duration > 0
            {
                template.changeLastDuration(to: duration)
            }
            representation.template = template
        }
        removeEmptyPeriods()
    }

    /// Adds segments that are in a playlist but not in the manifest: playlists are replaced first, and the run may have
    /// been killed in between. Segments that require a new Period are skipped, because no DASH player has used them.
    mutating func addMissingSegments(of folder: String, listedIn playlist: RenditionPlaylist) {
        changeLast(folder) { representation in
            guard var template = representation.template, var end = template.timelineRange?.upperBound else { return }
            for (index, segment) in playlist.segments.enumerated() {
                guard let next = template.nextNumber, playlist.sequence &+ UInt64(index) &+ 1 == next else { continue }
                let map = segment.initialization.map { "\(folder)/\($0.uri)" }
                let units = (segment.duration.seconds * Double(template.timescale)).rounded()
                guard !segment.isDiscontinuity, map == template.initialization, let duration = UInt64(exactly: units),
                    duration > 0
                else { break }
                template.append(duration: duration, at: end)
                end = template.timelineRange?.upperBound ?? end
            }
            representation.template = template
        }
    }
}

extension RenditionPlaylist {
    /// Adds the segments of a manifest, if there are no playlists.
    ///
    /// - Parameters:
    ///   - folder: The folder of the rendition.
    ///   - lastNumber: The greatest number of an existing segment file, which must not be used again.
    mutating func addMissingSegments(listedIn manifest: MPD, of folder: String, lastNumber: UInt64) {
        var last = lastNumber
        for period in manifest.periods {
            guard let start = period.start, let origin = manifest.availabilityStart,
                let representation = period.adaptationSets.flatMap(\.representations).first(where: { $0.id == folder }),
                let template = representation.template, template.timescale > 0
            else { continue }
            let map = template.initialization.map { Rendition.Resource(uri: String($0.dropFirst(folder.count + 1))) }
            for segment in template.segments {
                let name = template.media?.replacing("$Number$", with: "\(segment.number)") ?? ""
                let seconds = Double(segment.time) - Double(template.presentationTimeOffset)
                let date = PlaylistDate(origin.advanced(by: start))
                var known = Rendition.Segment(
                    resource: Rendition.Resource(uri: String(name.dropFirst(folder.count + 1))),
                    duration: RationalTime(Int64(clamping: segment.duration), timescale: template.timescale)
                )
                known.initialization = map
                known.date = date.advanced(by: seconds / Double(template.timescale)).inMilliseconds
                append(known)
                last = max(last, segment.number)
            }
        }
        continueNumbering(after: last)
    }
}

extension MPD {
    /// The Target Duration of a live presentation in seconds; nil if the manifest has none. maxSegmentDuration is one
    /// second longer, because durations are rounded, and audio segments end up to a frame later than video segments.
    var targetDuration: UInt64? {
        get { maximumSegmentDuration.flatMap { UInt64(exactly: ($0.seconds - 1).rounded()) } }
        set { maximumSegmentDuration = newValue.map { ManifestDuration(seconds: Double($0) + 1) } }
    }
}
