import DASHManifest
import HLSPlaylist

/// Takes up the DASH manifest. It holds what playlists do not say: timescales, times of the media, keys of Periods. So it is
/// read, and what it lacks is not asked of segments.
extension LiveRestart {
    /// The manifest that is there; nil: there is none, or none is wanted.
    ///
    /// - Throws: ``JobFailure`` when it cannot be read.
    func readManifest() throws -> MPD? {
        guard job.manifests.contains(.dash), let bytes = folder.read(job.names.dash) else { return nil }
        guard let manifest = try? MPD(bytes), manifest.periods.allSatisfy(\.isCountable) else {
            throw refusal("cannot be read as a manifest: begin anew (overwrite)")
        }
        return manifest
    }

    /// Holds that a run tells the same players of its segments as the one before did: others would wait for ever.
    ///
    /// - Throws: ``JobFailure``.
    func checkManifests(_ plan: PackagingPlan) throws {
        let hasPlaylists = plan.renditions.contains { folder.read("\($0.folder)/\(job.names.media)") != nil }
        let hasManifest = folder.read(job.names.dash) != nil
        if hasManifest, !job.manifests.contains(.dash) {
            throw refusal("is there, and would not go on: write dash as well, begin anew (overwrite)")
        }
        if hasPlaylists, !job.manifests.contains(.hls) {
            throw JobFailure(
                "manifests",
                "\(job.output) has playlists, which would not go on: write hls as well, begin anew (overwrite), or name "
                    + "another folder"
            )
        }
        if hasManifest, !hasPlaylists, job.manifests.contains(.hls) {
            throw refusal(
                "is there without playlists, which would begin in the middle: write dash alone, begin anew (overwrite)"
            )
        }
    }

    /// The state of the manifest, from the one that is there; nil when none is wanted.
    ///
    /// - Parameter states: The renditions, taken up from their playlists where there are some.
    /// - Throws: ``JobFailure`` when it cannot be continued.
    func manifest(_ plan: PackagingPlan, _ states: [LiveRendition], targetDuration: UInt64) throws -> LiveManifest? {
        guard job.manifests.contains(.dash) else { return nil }
        let settings = LiveManifest.Settings(
            options: PlaylistOptions(job),
            timeShift: live.timeShift(targetDuration: targetDuration),
            targetDuration: targetDuration,
            leader: plan.renditions.firstIndex { $0.media.kind == .video } ?? 0,
            renditionCount: plan.renditions.count
        )
        guard let read = try readManifest() else { return LiveManifest(settings) }
        do throws(LiveManifest.Refusal) {
            var manifest = try LiveManifest(resuming: read, settings)
            guard job.manifests.contains(.hls) else { return manifest }
            for state in states { manifest.takeSegments(of: state.folder, namedBy: state.media) }
            return manifest
        } catch {
            switch error {
            case .hasEnded: throw refusal("has ended, and players have been told so: begin anew (overwrite)")
            case .isOfOtherKind(let isEvent): throw refusal("is \(isEvent ? "an event" : "no event"): say so")
            case .isUnknown: throw refusal("is none that was written here: begin anew (overwrite)")
            }
        }
    }

    private func refusal(_ what: String) -> JobFailure {
        JobFailure("out", "\(job.output)/\(job.names.dash) \(what), or name another folder")
    }
}

extension LiveManifest {
    /// Adds the segments that a playlist names and the manifest does not: playlists are replaced first, and the run may have
    /// been killed in between. Those that would need a Period of their own are left out: no player of DASH knows them.
    mutating func takeSegments(of folder: String, namedBy playlist: LivePlaylist) {
        changeLast(folder) { representation in
            guard var template = representation.template, var end = template.timelineRange?.upperBound else { return }
            for (place, entry) in playlist.entries.enumerated() {
                guard let next = template.nextNumber, playlist.sequence &+ UInt64(place) &+ 1 == next else { continue }
                let map = entry.map.map { "\(folder)/\($0.uri)" }
                let units = (entry.duration * Double(template.timescale)).rounded()
                guard !entry.isDiscontinuity, map == template.initialization, let duration = UInt64(exactly: units),
                    duration > 0
                else { break }
                template.append(duration: duration, at: end)
                end = template.timelineRange?.upperBound ?? end
            }
            representation.template = template
        }
    }
}

extension LivePlaylist {
    /// Takes the segments that a manifest names, where there are no playlists.
    ///
    /// - Parameters:
    ///   - folder: That of the rendition.
    ///   - lastNumber: The greatest number that a file has: no other segment gets it.
    mutating func takeSegments(namedBy manifest: MPD, of folder: String, lastNumber: UInt64) {
        var last = lastNumber
        for period in manifest.periods {
            guard let start = period.start, let origin = manifest.availabilityStart,
                let representation = period.adaptationSets.flatMap(\.representations).first(where: { $0.id == folder }),
                let template = representation.template, template.timescale > 0
            else { continue }
            let map = template.initialization.map { MapTag(uri: String($0.dropFirst(folder.count + 1))) }
            for segment in template.segments {
                let name = template.media?.replacing("$Number$", with: "\(segment.number)") ?? ""
                let seconds = Double(segment.time) - Double(template.presentationTimeOffset)
                let date = PlaylistDate(origin.advanced(by: start))
                append(
                    Entry(
                        uri: String(name.dropFirst(folder.count + 1)),
                        duration: Double(segment.duration) / Double(template.timescale),
                        date: date.advanced(by: seconds / Double(template.timescale)).inMilliseconds,
                        map: map
                    )
                )
                last = max(last, segment.number)
            }
        }
        goOn(behind: last)
    }
}

extension MPD {
    /// The Target Duration of a live presentation, in seconds. maxSegmentDuration is a second longer, since durations are
    /// rounded, and sound is cut up to a frame later than video. Nil when it has none.
    var targetDuration: UInt64? {
        get { maximumSegmentDuration.flatMap { UInt64(exactly: ($0.seconds - 1).rounded()) } }
        set { maximumSegmentDuration = newValue.map { ManifestDuration(seconds: Double($0) + 1) } }
    }
}
