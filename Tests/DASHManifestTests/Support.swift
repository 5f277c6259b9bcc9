import DASHManifest

/// A manifest with one Period: two video Representations with separate segment files, and audio in a single file.
let sample = MPD(
    profiles: [MPD.Profile.live],
    duration: ManifestDuration(seconds: 10),
    periods: [
        Period(
            id: "0",
            start: ManifestDuration(seconds: 0),
            duration: ManifestDuration(seconds: 10),
            adaptationSets: [videoSet, audioSet]
        )
    ]
)

/// A dynamic manifest: a Period whose first segment was removed, and a Period at the live edge.
var liveSample: MPD {
    var manifest = MPD(profiles: [MPD.Profile.live], duration: nil, periods: [])
    manifest.type = "dynamic"
    manifest.availabilityStart = ManifestDate("2026-01-01T00:00:00Z")
    manifest.publishTime = ManifestDate("2026-01-01T00:00:22Z")
    manifest.minimumUpdatePeriod = ManifestDuration(seconds: 2)
    manifest.timeShiftBufferDepth = ManifestDuration(seconds: 16)
    manifest.suggestedPresentationDelay = ManifestDuration(seconds: 12)
    manifest.maximumSegmentDuration = ManifestDuration(seconds: 5)
    manifest.periods = [livePeriod("3", start: 0, number: 2, time: 4), livePeriod("4", start: 12, number: 4, time: 12)]
    return manifest
}

/// The dynamic manifest with low latency: the last segment of each Representation may be incomplete.
var lowLatencySample: MPD {
    var manifest = liveSample
    manifest.serviceDescription = lowLatency()
    manifest.clocks = [Descriptor(scheme: "urn:mpeg:dash:utc:http-xsdate:2014", value: "https://time.example.com/")]
    for period in manifest.periods.indices {
        manifest.periods[period].adaptationSets[0].producerReferenceTime = reference
        for index in manifest.periods[period].adaptationSets[0].representations.indices {
            var representation = manifest.periods[period].adaptationSets[0].representations[index]
            representation.template?.availabilityTimeOffset = 3.5
            representation.template?.availabilityTimeComplete = false
            representation.resync = Resync(type: 0, maximumTime: 500)
            manifest.periods[period].adaptationSets[0].representations[index] = representation
        }
    }
    return manifest
}

func lowLatency(target: UInt64 = 2000) -> ServiceDescription {
    ServiceDescription(
        id: 0,
        latency: ServiceDescription.Latency(referenceID: 0, target: target, minimum: 1000, maximum: 4000),
        playbackRates: 0.96...1.04
    )
}

let reference = ProducerReferenceTime(
    id: 0,
    wallClockTime: ManifestDate(microseconds: 1_767_225_600_000_000),
    presentationTime: 0
)

/// A timeline with two segments of four seconds.
private func livePeriod(_ id: String, start: Double, number: UInt64, time: UInt64) -> Period {
    var set = videoSet
    set.representations = set.representations.map { representation in
        var representation = representation
        representation.template = SegmentTemplate(
            timescale: 1000,
            presentationTimeOffset: UInt64(start * 1000),
            startNumber: number,
            initialization: "\(representation.id)/init-\(id).mp4",
            media: "\(representation.id)/$Number$.m4s",
            time: time * 1000,
            durations: [4000, 4000]
        )
        return representation
    }
    return Period(id: id, start: ManifestDuration(seconds: start), adaptationSets: [set])
}

/// The ContentProtection elements of cbcs with one key and Widevine.
var videoSet: AdaptationSet {
    var set = AdaptationSet(
        id: 0,
        contentType: "video",
        mimeType: "video/mp4",
        representations: [video("video-1080", 1080), video("video-360", 360)]
    )
    set.hasAlignedSegments = true
    set.startsWithSAP = 1
    set.roles = [.role("main")]
    set.supplementalProperties = [Descriptor(scheme: Descriptor.switchingScheme, value: "2")]
    set.protections = [
        ContentProtection(scheme: "cbcs", keyID: "a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf"),
        ContentProtection(
            systemID: "edef8ba9-79d6-4ace-a3c8-27dcd51d21ed",
            name: "Widevine",
            pssh: "AAAAOHBzc2gAAAAA7e+LqXnWSs6jyCfc1R0h7QAAABgSEKChoqOkpaanqKmqq6ytrq9I88aJmwY="
        ),
    ]
    return set
}

var audioSet: AdaptationSet {
    var audio = Representation(id: "audio-en", bandwidth: 128_000, codecs: "mp4a.40.2")
    audio.audioSamplingRate = 48_000
    audio.channels = [Descriptor(scheme: Descriptor.channelScheme, value: "2")]
    audio.baseURL = "audio-en/media.mp4"
    audio.base = SegmentBase(timescale: 48_000, indexRange: 800..<900, initializationRange: 0..<800)
    var set = AdaptationSet(id: 1, contentType: "audio", mimeType: "audio/mp4", representations: [audio])
    set.language = "en"
    set.label = "English & more"
    set.hasAlignedSubsegments = true
    set.subsegmentsStartWithSAP = 1
    return set
}

private func video(_ id: String, _ height: UInt32) -> Representation {
    var video = Representation(id: id, bandwidth: UInt64(height) * 1000, codecs: "avc1.640028")
    (video.width, video.height, video.frameRate) = (height / 9 * 16, height, "25")
    video.template = SegmentTemplate(
        timescale: 1000,
        initialization: "\(id)/init.mp4",
        media: "\(id)/$Number$.m4s",
        time: 0,
        durations: [4000, 4000, 2000]
    )
    return video
}
