import DASHManifest
import HLSPlaylist
import Testing

@testable import Packager

@Suite("DASH manifest of a live presentation")
struct LiveManifestTests {
    private let start = PlaylistDate(seconds: 1_800_000_000)

    private func settings(timeShift: Double? = 30) -> ManifestBuilder.Settings {
        ManifestBuilder.Settings(
            options: PlaylistOptions(),
            timeShift: timeShift,
            targetDuration: 6,
            leader: 0,
            renditionCount: 2
        )
    }

    /// Appends a segment of six seconds, counted from 0; the first rendition is video. An open segment has one part.
    private func append(
        _ number: Int,
        _ index: Int,
        to manifest: inout ManifestBuilder,
        period: Int = 0,
        epoch: Int = 0,
        delay: Double = 0,
        isDiscontinuity: Bool = false,
        isOpen: Bool = false,
        seconds: Int64 = 6,
        bandwidth: UInt64 = 100_000
    ) throws -> Bool {
        let (name, scale) = index == 0 ? ("video", UInt32(90_000)) : ("audio", 48_000)
        let time = RationalTime(Int64(number) * 6 * Int64(scale), timescale: scale)
        let date = start.advanced(by: 6 * Double(number) + delay)
        var segment = Rendition.Segment(
            resource: Rendition.Resource(uri: "\(number + 1).m4s"),
            byteCount: 60_000,
            start: time,
            duration: RationalTime(isOpen ? Int64(scale) / 3 : seconds * Int64(scale), timescale: scale)
        )
        if isOpen { segment.expectedDuration = RationalTime(seconds * Int64(scale), timescale: scale) }
        segment.initialization = Rendition.Resource(uri: "init-\(period).mp4")
        (segment.number, segment.period, segment.part) = (UInt64(number + 1), period, epoch)
        (segment.date, segment.isDiscontinuity) = (date, isDiscontinuity)
        let track = try index == 0 ? Renditions.videoTrack(width: 64, height: 48) : Renditions.audioTrack()
        return try manifest.append(
            segment,
            of: Rendition(track: track, folder: name, name: name),
            at: index,
            bandwidth: bandwidth,
            now: date.advanced(by: 6)
        )
    }

    private func numbers(_ manifest: ManifestBuilder) -> [[UInt64]] {
        manifest.manifest.periods.map { period in
            period.adaptationSets.flatMap(\.representations).compactMap(\.template?.nextNumber)
        }
    }

    @Test("publish a Period when all renditions have a segment in it")
    func drafts() throws {
        var manifest = ManifestBuilder(settings())
        #expect(try !append(0, 0, to: &manifest))
        #expect(try !append(1, 0, to: &manifest))
        #expect(try append(0, 1, to: &manifest))
        #expect(numbers(manifest) == [[3, 2]])
        #expect(try append(1, 1, to: &manifest))
        #expect(numbers(manifest) == [[3, 3]])
    }

    @Test("publish a Period without a rendition that does not appear, and start another one when it does")
    func late() throws {
        var manifest = ManifestBuilder(settings(timeShift: nil))
        for number in 0..<3 { #expect(try append(number, 0, to: &manifest) == (number == 2)) }
        #expect(numbers(manifest) == [[4]])
        #expect(try !append(2, 1, to: &manifest), "the adaptation sets of this Period are published")
        #expect(try append(3, 1, to: &manifest) == false)
        #expect(try !append(3, 0, to: &manifest), "the next Period is published with both renditions")
        #expect(try append(4, 1, to: &manifest))
        #expect(numbers(manifest) == [[4], [5, 6]])
        #expect(MPDChecker().check(manifest.manifest) == [])
    }

    @Test("list an open segment when the bandwidth is known, and change its duration when more is known")
    func openSegments() throws {
        var settings = settings(timeShift: nil)
        settings.lowLatency = ManifestLowLatency(partDuration: 0.33, segmentDuration: 6, targetDuration: 6)
        var manifest = ManifestBuilder(settings)
        let ends = { (manifest: ManifestBuilder) in
            manifest.manifest.periods.flatMap(\.adaptationSets).flatMap(\.representations).map { representation in
                let end = representation.template?.timelineRange?.upperBound ?? 0
                return Double(end) / Double(representation.template?.timescale ?? 1)
            }
        }
        for index in 0...1 { #expect(try !append(0, index, to: &manifest, isOpen: true, bandwidth: 0)) }
        #expect(try !append(0, 0, to: &manifest))
        #expect(try append(0, 1, to: &manifest))
        #expect(ends(manifest) == [6, 6])
        #expect(try append(1, 0, to: &manifest, isOpen: true))
        #expect(ends(manifest) == [12, 6] && numbers(manifest) == [[3, 2]])
        #expect(try !append(1, 0, to: &manifest, isOpen: true), "nothing has changed")
        #expect(try append(1, 0, to: &manifest, isOpen: true, seconds: 7), "its key frame is late")
        #expect(ends(manifest) == [13, 6])
        #expect(try append(1, 0, to: &manifest, seconds: 5), "a splice ended it")
        #expect(ends(manifest) == [11, 6] && numbers(manifest) == [[3, 2]])
        #expect(try append(1, 1, to: &manifest, isOpen: true))
        #expect(try !append(1, 1, to: &manifest), "it is as long as expected")
        // The bandwidth of a new Period is that of the previous one.
        #expect(try !append(2, 0, to: &manifest, period: 1, isOpen: true, bandwidth: 0))
        #expect(try append(2, 1, to: &manifest, period: 1, isOpen: true, bandwidth: 0))
        #expect(numbers(manifest) == [[3, 3], [4, 4]])
        let bandwidths = manifest.manifest.periods[1].adaptationSets.flatMap(\.representations).map(\.bandwidth)
        #expect(bandwidths == [100_000, 100_000])
        #expect(MPDChecker().check(manifest.manifest) == [])
    }

    @Test("start a Period with each key period, and audio that lags behind is added to the previous one")
    func keyPeriods() throws {
        var manifest = ManifestBuilder(settings(timeShift: nil))
        for number in 0..<2 { for index in 0...1 { _ = try append(number, index, to: &manifest) } }
        #expect(try !append(2, 0, to: &manifest, period: 1))
        #expect(numbers(manifest) == [[3, 3]])
        #expect(try append(2, 1, to: &manifest, period: 1))
        #expect(numbers(manifest) == [[3, 3], [4, 4]])
        let period = manifest.manifest.periods[1]
        #expect(period.start == ManifestDuration(seconds: 12))
        let offsets = period.adaptationSets.flatMap(\.representations).map { $0.template?.presentationTimeOffset }
        #expect(offsets == [12 * 90_000, 12 * 48_000])
        #expect(MPDChecker().check(manifest.manifest) == [])
    }

    @Test("specify the end of an epoch if the next one starts later, and count dates from the first one")
    func stretches() throws {
        var manifest = ManifestBuilder(settings(timeShift: nil))
        for index in 0...1 { _ = try append(0, index, to: &manifest) }
        #expect(manifest.manifest.periods[0].duration == nil)
        for index in 0...1 {
            _ = try append(1, index, to: &manifest, epoch: 1, delay: 100, isDiscontinuity: true)
        }
        #expect(manifest.manifest.periods.map(\.start?.seconds) == [0, 106])
        #expect(manifest.manifest.periods.map(\.duration?.seconds) == [6, nil])
        #expect(manifest.manifest.availabilityStart == ManifestDate(start))
        // A dropped segment is also between two Periods.
        for index in 0...1 {
            _ = try append(3, index, to: &manifest, epoch: 1, delay: 100, isDiscontinuity: true)
        }
        #expect(manifest.manifest.periods.map(\.start?.seconds) == [0, 106, 118])
        #expect(manifest.manifest.periods.map(\.duration?.seconds) == [6, 6, nil])
        #expect(MPDChecker().check(manifest.manifest) == [])
    }

    @Test("remove segments outside of the window, and Periods with their last segments")
    func window() throws {
        var manifest = ManifestBuilder(settings())
        var before: MPD?
        for number in 0..<40 {
            for index in 0...1 {
                guard try append(number, index, to: &manifest, period: number / 10) else { continue }
                let after = manifest.manifest
                let found = before.map { MPDChecker().check(reloadFrom: $0, to: after) } ?? []
                #expect(found + MPDChecker().check(after) == [])
                before = after
            }
        }
        #expect(manifest.manifest.periods.map(\.id) == ["3"])
        let template = manifest.manifest.periods[0].adaptationSets[0].representations[0].template
        #expect(template?.startNumber == 36 && template?.segmentCount == 5)
        #expect(manifest.manifest.timeShiftBufferDepth == ManifestDuration(seconds: 30))
        #expect(try manifest.finish(now: start.advanced(by: 240)))
        #expect(manifest.manifest.type == "dynamic" && manifest.manifest.minimumUpdatePeriod == nil)
        #expect(manifest.manifest.duration == ManifestDuration(seconds: 240))
        #expect(MPDChecker().check(manifest.manifest) == [])
    }

    @Test("cannot be continued if they are complete, are of another type, or were not written by the packager")
    func refusals() throws {
        var manifest = ManifestBuilder(settings())
        for index in 0...1 { _ = try append(0, index, to: &manifest) }
        let whole = manifest.manifest
        let resume = { (change: (inout MPD) -> Void) -> ManifestBuilder.ResumeError? in
            var read = whole
            change(&read)
            do throws(ManifestBuilder.ResumeError) {
                _ = try ManifestBuilder(resuming: read, self.settings())
                return nil
            } catch {
                return error
            }
        }
        #expect(resume { _ in } == nil)
        #expect(resume { $0.minimumUpdatePeriod = nil } == .hasEnded)
        #expect(resume { $0.type = "static" } == .hasEnded)
        #expect(resume { $0.timeShiftBufferDepth = nil } == .typeMismatch(isEvent: true))
        #expect(resume { $0.periods[0].id = "main" } == .notWrittenByPackager)
        #expect(resume { $0.periods = [] } == .notWrittenByPackager)
        #expect(resume { $0.availabilityStart = nil } == .notWrittenByPackager)
        let endless = SegmentTemplate.Run(time: 0, duration: 1, repeats: .max / 2)
        let refusal = resume { $0.periods[0].adaptationSets[0].representations[0].template?.timeline = [endless] }
        #expect(refusal == .notWrittenByPackager)
    }
}
