import DASHManifest

/// The values of a manifest that lists segments from their first part on (ISO/IEC 23009-1, annex K; DASH-IF, Low-latency
/// Modes for DASH). Durations are in seconds.
///
///     segment N            0.33                          2
///     ├────part────┼────part────┼── ... ──┼────part──────┤
///                  ▲ listed, and available: end - availabilityTimeOffset
struct ManifestLowLatency: Hashable, Sendable {
    /// The maximum duration of a part.
    var partDuration: Double
    /// The intended duration of segments.
    var segmentDuration: Double
    /// The Target Duration.
    var targetDuration: Double

    /// The shortest time between two requests for the manifest.
    private static let shortestUpdatePeriod = 0.5
    /// The target of the latency, in parts: as PART-HOLD-BACK in playlists.
    private static let targetParts = 3.0
    /// The range in which a change of the playback rate is hardly noticed.
    private static let playbackRates = 0.96...1.04
    private static let referenceID: UInt32 = 0

    /// The time between requests for the manifest: a player learns about a segment when it reloads the manifest.
    private var updatePeriod: Double { max(Self.shortestUpdatePeriod, partDuration) }

    /// The smallest latency at which playback is continuous: the first part of a segment exists one part after its start,
    /// and a player learns about it at most one update period later.
    private var minimumLatency: Double { partDuration + updatePeriod }

    private var targetLatency: Double { Self.targetParts * partDuration + updatePeriod }

    /// Sets the values of the whole presentation.
    func apply(to manifest: inout MPD) {
        if manifest.minimumUpdatePeriod != nil {
            manifest.minimumUpdatePeriod = ManifestDuration(seconds: updatePeriod)
        }
        if manifest.suggestedPresentationDelay != nil {
            manifest.suggestedPresentationDelay = ManifestDuration(seconds: targetLatency)
        }
        manifest.minimumBufferTime = ManifestDuration(seconds: min(2, minimumLatency))
        manifest.serviceDescription = ServiceDescription(
            id: 0,
            latency: ServiceDescription.Latency(
                referenceID: Self.referenceID,
                target: Self.milliseconds(targetLatency),
                minimum: Self.milliseconds(minimumLatency),
                maximum: Self.milliseconds(targetLatency + 2 * targetDuration)
            ),
            playbackRates: Self.playbackRates
        )
    }

    /// Removes the values that do not apply to a presentation that has ended: all segments are complete.
    func remove(from manifest: inout MPD) {
        manifest.serviceDescription = nil
        for period in manifest.periods.indices {
            for set in manifest.periods[period].adaptationSets.indices {
                for index in manifest.periods[period].adaptationSets[set].representations.indices {
                    let path: WritableKeyPath<MPD, SegmentTemplate?> =
                        \.periods[period].adaptationSets[set].representations[index].template
                    manifest[keyPath: path]?.availabilityTimeOffset = nil
                    manifest[keyPath: path]?.availabilityTimeComplete = nil
                }
            }
        }
    }

    /// Sets the values of a Period.
    ///
    /// - Parameter start: availabilityStartTime.
    func apply(to period: inout Period, start: ManifestDate) {
        let wallClockTime = period.start.map { start.advanced(by: $0) }
        for set in period.adaptationSets.indices {
            for index in period.adaptationSets[set].representations.indices {
                apply(to: &period.adaptationSets[set].representations[index])
            }
            let templates = period.adaptationSets[set].representations.compactMap(\.template)
            guard let wallClockTime, let first = templates.first,
                templates.allSatisfy({ $0.timescale == first.timescale })
            else { continue }
            period.adaptationSets[set].producerReferenceTime = ProducerReferenceTime(
                id: Self.referenceID,
                wallClockTime: wallClockTime,
                presentationTime: first.presentationTimeOffset
            )
        }
    }

    private func apply(to representation: inout Representation) {
        guard let timescale = representation.template?.timescale else { return }
        let offset = segmentDuration - partDuration
        guard offset > 0 else { return }
        representation.template?.availabilityTimeOffset = (offset * 1000).rounded() / 1000
        representation.template?.availabilityTimeComplete = false
        let part = (partDuration * Double(timescale)).rounded()
        representation.resync = Resync(type: 0, maximumTime: UInt64(exactly: part))
    }

    private static func milliseconds(_ seconds: Double) -> UInt64 { UInt64(max(0, (seconds * 1000).rounded())) }
}
