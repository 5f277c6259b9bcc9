import ByteCoding
import DASHManifest
import DRMSignaling
import Foundation
import MediaFormats
import Testing

@testable import Packager

@Suite("DASH manifest of a presentation")
struct PackagedManifestTests {
    private static func job(
        _ folder: ScratchFolder,
        _ names: [String] = ["film.mp4", "small.mp4"],
        scheme: TrackProtection.Scheme? = .cbcs
    ) throws -> PackagingJob {
        var job = try PipelineFixture.job(names, to: folder.path, scheme: scheme)
        if scheme != nil { job.systems = [.fairPlay, .widevine, .playReady, .common] }
        if scheme == .cenc { job.systems.removeFirst() }
        job.manifests = [.hls, .dash]
        return job
    }

    private static func manifest(_ folder: ScratchFolder) throws -> MPD { try MPD(folder.bytes("main.mpd")) }

    /// Returns the files of a representation's template, init segment first.
    private static func files(_ representation: Representation) throws -> [String] {
        let template = try #require(representation.template)
        var files = [try #require(template.initialization)]
        var number = template.startNumber
        for run in template.timeline {
            for _ in 0...run.repeats {
                files.append(try #require(template.media).replacing("$Number$", with: "\(number)"))
                number += 1
            }
        }
        return files
    }

    @Test("is valid, and all files in it exist", arguments: [nil, TrackProtection.Scheme.cbcs, .cenc])
    func sound(scheme: TrackProtection.Scheme?) throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder, scheme: scheme))
        let manifest = try Self.manifest(folder)
        #expect(MPDChecker().check(manifest) == [])
        #expect(manifest.profiles == [MPD.Profile.live])
        let sets = try #require(manifest.periods.first).adaptationSets
        #expect(sets.map(\.contentType) == ["video", "audio"])
        #expect(sets[0].representations.map(\.id) == ["video-64", "video-48"])
        let named = try sets.flatMap { try $0.representations.flatMap { try Self.files($0) } }
        let there = folder.files().filter { $0.hasSuffix(".m4s") || $0.hasSuffix(".mp4") }
        #expect(named.sorted() == there)
    }

    @Test("contains the URLs of license servers and of the certificate, and Clear Key in an element of its own")
    func licenseURLs() throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder, ["film.mp4"])
        let base = "https://keys.example.com/?a=1&b="
        for system in job.systems { job.licenseURLs.servers[system] = base + system.name }
        job.licenseURLs.fairPlayCertificate = base + "certificate"
        try PipelineFixture.package(job)
        let manifest = try Self.manifest(folder)
        #expect(MPDChecker().check(manifest) == [])
        let text = String(decoding: try folder.bytes("main.mpd"), as: UTF8.self)
        #expect(text.contains("xmlns:dashif=\"https://dashif.org/CPS\""))
        for set in try #require(manifest.periods.first).adaptationSets {
            let elements = Dictionary(set.protections.map { ($0.systemID ?? "", $0) }) { $1 }
            let clearKey = "e2719d58-a985-b3c9-781a-b030af78d30e"
            #expect(elements[clearKey]?.value == "ClearKey1.0" && elements[clearKey]?.licenseURL == base + "common")
            #expect(elements["1077efec-c0b2-4d02-ace3-3c1e52e2fb4b"]?.licenseURL == nil)
            for system in [ProtectionSystem.fairPlay, .widevine, .playReady] {
                let element = try #require(elements[system.systemID?.description ?? ""])
                #expect(element.licenseURL == base + system.name)
                #expect(element.certificateURL == (system == .fairPlay ? base + "certificate" : nil))
            }
        }
        // A player selects elements by namespace, so those of other namespaces are not read.
        let other = text.replacing("https://dashif.org/CPS", with: "urn:other")
        let sets = try MPD(Array(other.utf8)).periods.flatMap(\.adaptationSets)
        #expect(sets.flatMap(\.protections).allSatisfy { $0.licenseURL == nil && $0.certificateURL == nil })
    }

    @Test("URLs that no manifest would contain are rejected")
    func unusedLicenseURLs() throws {
        let folder = try ScratchFolder()
        let changes: [(option: String, change: (inout PackagingJob) -> Void)] = [
            ("license-url", { ($0.systems, $0.licenseURLs.servers) = ([.fairPlay], [.widevine: "https://a"]) }),
            ("certificate-url", { ($0.systems, $0.licenseURLs.fairPlayCertificate) = ([.widevine], "https://a") }),
            ("license-url", { ($0.manifests, $0.licenseURLs.servers) = ([.hls], [.fairPlay: "https://a"]) }),
            ("certificate-url", { ($0.manifests, $0.licenseURLs.fairPlayCertificate) = ([.hls], "https://a") }),
        ]
        for (option, change) in changes {
            var job = try Self.job(folder)
            change(&job)
            let failure = #expect(throws: JobFailure.self) { try job.validate() }
            #expect(failure?.option == option)
        }
    }

    @Test("specifies the same key data as the init segment", arguments: [TrackProtection.Scheme.cbcs, .cenc])
    func protection(scheme: TrackProtection.Scheme) throws {
        let folder = try ScratchFolder()
        try PipelineFixture.package(try Self.job(folder, ["film.mp4"], scheme: scheme))
        let protections = try #require(try Self.manifest(folder).periods.first?.adaptationSets.first).protections
        #expect(protections.first?.value == scheme.rawValue)
        #expect(protections.first?.defaultKeyID == ContentKeyID(PipelineFixture.keyID)?.uuid)
        let boxes = try movieFile(folder.bytes("video-64/init.mp4")).movie.protectionSystemHeaders
        let inFile = boxes.map { box in
            ProtectionSystemSpecificHeader(
                systemID: SystemID(box.systemID)!,
                keyIDs: box.keyIDs?.map { ContentKeyID($0)! },
                data: box.data
            ).base64
        }
        #expect(!protections.compactMap(\.pssh).isEmpty)
        let areThere = protections.compactMap(\.pssh).allSatisfy { inFile.contains($0) }
        #expect(areThere, "a pssh box of the manifest is not in the file")
        let systems = scheme == .cbcs ? ["94ce86fb"] : []
        #expect(
            protections.compactMap { $0.systemID?.prefix(8) }.map(String.init) == systems + [
                "edef8ba9", "9a04f079", "1077efec",
            ]
        )
        let object = try #require(protections.compactMap(\.playReadyObject).first)
        let header = try PlayReadyObject([UInt8](try #require(Data(base64Encoded: object)))).header()
        #expect(header?.keys.map(\.algorithm) == [scheme == .cenc ? .counter : .chaining])
        let fairPlay = protections.first { $0.systemID?.hasPrefix("94ce86fb") == true }
        #expect(fairPlay?.pssh == nil)
    }

    @Test("references the index of a single file, and the index references its segments", arguments: [false, true])
    func singleFile(hasClearLead: Bool) throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder, ["film.mp4"])
        job.isSingleFile = true
        if hasClearLead { job.clearLead = RationalTime(1, timescale: 1) }
        let report = try PipelineFixture.package(job)
        let manifest = try Self.manifest(folder)
        #expect(MPDChecker().check(manifest) == [])
        #expect(manifest.profiles == [MPD.Profile.onDemand])
        #expect(manifest.periods.count == (hasClearLead ? 2 : 1))
        var indexed: [Range<Int>] = []
        for period in manifest.periods {
            for representation in period.adaptationSets.flatMap(\.representations) where representation.id == "video-64"
            {
                let bytes = try folder.bytes(try #require(representation.baseURL))
                let range = try #require(representation.base?.indexRange)
                let box = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
                #expect(box[4..<8].elementsEqual("sidx".utf8))
                let index = try Self.index(box)
                var place = Int(range.upperBound) + Int(index.firstOffset)
                for reference in index.references {
                    indexed.append(place..<place + Int(reference.size))
                    place += Int(reference.size)
                }
                let start = Double(index.earliestPresentationTime) / Double(index.timescale)
                #expect(abs(start - (period.start?.seconds ?? 0)) < 0.001)
            }
        }
        let video = try #require(report.renditions.first { $0.track.kind == .video })
        #expect(indexed == video.segments.compactMap(\.resource.byteRange))
    }

    private static func index(_ box: [UInt8]) throws -> SegmentIndexBox {
        let content = Array(box.dropFirst(8))
        var reader = ByteReader(content.span.bytes)
        return try SegmentIndexBox(reading: &reader)
    }

    @Test("has a Period for the clear lead, without a key")
    func clearLead() throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder, ["film.mp4"])
        job.clearLead = RationalTime(1, timescale: 1)
        try PipelineFixture.package(job)
        let manifest = try Self.manifest(folder)
        #expect(MPDChecker().check(manifest) == [])
        try #require(manifest.periods.count == 2)
        for set in manifest.periods[0].adaptationSets {
            #expect(set.protections.isEmpty)
            #expect(set.representations.first?.template?.initialization?.hasSuffix("init-clear.mp4") == true)
        }
        for set in manifest.periods[1].adaptationSets {
            #expect(set.protections.count == 5)
            let template = try #require(set.representations.first?.template)
            #expect(template.startNumber == 2 && template.presentationTimeOffset == UInt64(template.timescale))
        }
    }

    @Test("has a subtitle file for each Period, with times relative to the Period")
    func subtitles() throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/de.vtt"
        let text = "WEBVTT\n\n00:00.500 --> 00:01.500\nboth\n\n00:02.000 --> 00:02.500\nlate\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        var job = try PipelineFixture.job(["film.mp4"], to: folder.path + "/out", scheme: .cbcs)
        job.inputs.append(PackagingJob.Input(path: path))
        job.manifests = [.hls, .dash]
        job.clearLead = RationalTime(1, timescale: 1)
        try PipelineFixture.package(job)
        let manifest = try MPD(folder.bytes("out/main.mpd"))
        #expect(MPDChecker().check(manifest) == [])
        let sets = manifest.periods.compactMap(\.adaptationSets.last)
        #expect(sets.map(\.contentType) == ["text", "text"])
        let files = try sets.compactMap(\.representations.first?.baseURL).map { name in
            String(decoding: try folder.bytes("out/" + name), as: UTF8.self)
        }
        try #require(files.count == 2)
        #expect(files[0].contains("00:00:00.500 --> 00:00:01.500\nboth") && !files[0].contains("late"))
        #expect(files[1].contains("00:00:00.000 --> 00:00:00.500\nboth"))
        #expect(files[1].contains("00:00:01.000 --> 00:00:01.500\nlate"))
    }

    @Test("has an adaptation set for each key, between which players may switch")
    func keys() throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder)
        job.keys = try .random()
        job.inputs[1].policy = .trackClass(.uhd)
        try PipelineFixture.package(job)
        let manifest = try Self.manifest(folder)
        #expect(MPDChecker().check(manifest) == [])
        let sets = try #require(manifest.periods.first).adaptationSets
        let videos = sets.filter { $0.contentType == "video" }
        try #require(videos.count == 2)
        #expect(Set(sets.compactMap { $0.protections.first?.defaultKeyID }).count == sets.count)
        #expect(videos[0].supplementalProperties == [Descriptor(scheme: Descriptor.switchingScheme, value: "1")])
        #expect(videos[1].supplementalProperties == [Descriptor(scheme: Descriptor.switchingScheme, value: "0")])
    }

    @Test("is written without playlists if it is the only format")
    func alone() throws {
        let folder = try ScratchFolder()
        var job = try Self.job(folder, ["film.mp4"], scheme: .cenc)
        job.manifests = [.dash]
        try PipelineFixture.package(job)
        let names = folder.files()
        #expect(names.contains("main.mpd") && !names.contains { $0.hasSuffix(".m3u8") })
        let error = #expect(throws: JobFailure.self) { try PipelineFixture.package(job) }
        #expect(error?.option == "out", "existing output is not replaced")
    }

    @Test("is rejected if DASH does not support the options")
    func refusals() throws {
        let folder = try ScratchFolder()
        let changes: [(inout PackagingJob) throws -> Void] = [
            { $0.manifests = [] },
            { ($0.scheme, $0.container, $0.systems) = (.sampleAES, .ts, [.fairPlay]) },
            { job in
                (job.scheme, job.systems) = (.aes128, [.identity])
                job.keyURI = try KeyURITemplate("https://keys.example/{kid}")
            },
            { job in
                job.systems = [.identity]
                job.keyURI = try KeyURITemplate("https://keys.example/{kid}")
            },
        ]
        for (place, change) in changes.enumerated() {
            var job = try Self.job(folder)
            try change(&job)
            let error = #expect(throws: JobFailure.self) { try job.validate() }
            #expect(error?.option == "manifests", "\(place)")
        }
    }
}
