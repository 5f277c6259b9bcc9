import ByteCoding
import DRMSignaling
import FPSCrypto
import HLSPlaylist
import MediaFormats
import SampleEncryption
import Testing

@testable import Packager

/// Renditions as a run could have written them.
enum Renditions {
    static let keyID = [UInt8](0x10..<0x20)

    static func protection(_ scheme: TrackProtection.Scheme = .cbcs, keyID: [UInt8] = keyID) throws -> TrackProtection {
        TrackProtection(
            scheme: scheme,
            keyID: keyID,
            key: SecretBytes(copying: [UInt8](repeating: 0xA5, count: 16)),
            iv: try CipherIV([UInt8](0xE0..<0xF0))
        )
    }

    static func videoTrack(width: Int, height: Int, range: DynamicRange? = .sdr) throws -> MediaTrack {
        // Main profile, level 3.1, without parameter sets.
        let bytes: [UInt8] = [1, 0x4D, 0x40, 0x1F, 0xFF, 0xE0, 0]
        var reader = ByteReader(bytes.span.bytes)
        return MediaTrack(
            format: .h264(try AVCConfigurationBox(reading: &reader)),
            sampleEntry: nil,
            timescale: 90_000,
            timing: TrackTiming(timescale: 90_000),
            width: width,
            height: height,
            codecs: "avc1.4d401f",
            videoRange: range
        )
    }

    static func audioTrack(
        _ format: MediaTrack.Format = .aac(configuration: [0x11, 0x90]),
        codecs: String = "mp4a.40.2",
        channels: String = "2",
        language: String = "und"
    ) -> MediaTrack {
        MediaTrack(
            format: format,
            sampleEntry: nil,
            timescale: 48_000,
            timing: TrackTiming(timescale: 48_000),
            language: language,
            codecs: codecs,
            channels: channels,
            sampleRate: 48_000
        )
    }

    static func subtitlesTrack(language: String) -> MediaTrack {
        MediaTrack(
            format: .webVTT,
            sampleEntry: nil,
            timescale: 1000,
            timing: TrackTiming(timescale: 1000),
            language: language,
            codecs: "wvtt"
        )
    }

    /// Segments in separate files. Every video segment has two key frames, the second in its middle.
    static func segments(
        _ sizes: [Int],
        duration: RationalTime,
        suffix: String,
        hasKeyFrames: Bool = false,
        clearLead: Int = 0,
        protection: TrackProtection? = nil,
        isSingleFile: Bool = false
    ) -> [Rendition.Segment] {
        var offset = 1000
        return sizes.enumerated().map { index, size in
            defer { offset += size }
            let start = duration.value * Int64(index)
            let frames = [start, start + duration.value / 2].enumerated().map { place, time in
                KeyFrame(
                    offset: place * (size / 2),
                    size: size / 4,
                    presentation: RationalTime(time, timescale: duration.timescale)
                )
            }
            var segment = Rendition.Segment(
                resource: isSingleFile
                    ? Rendition.Resource(uri: "media.mp4", byteRange: offset..<offset + size)
                    : Rendition.Resource(uri: "\(index + 1).\(suffix)"),
                byteCount: size,
                start: RationalTime(start, timescale: duration.timescale),
                duration: duration,
                keyFrames: hasKeyFrames ? frames : []
            )
            segment.number = UInt64(index) + 1
            segment.isInClearLead = index < clearLead
            segment.protection = segment.isInClearLead ? nil : protection
            if ["m4s", "mp4"].contains(suffix) {
                segment.initialization = initialization(
                    isClearLead: segment.isInClearLead,
                    isSingleFile: isSingleFile
                )
            }
            return segment
        }
    }

    private static func initialization(isClearLead: Bool, isSingleFile: Bool) -> Rendition.Resource {
        guard isSingleFile else { return Rendition.Resource(uri: isClearLead ? "init-clear.mp4" : "init.mp4") }
        return Rendition.Resource(uri: "media.mp4", byteRange: isClearLead ? 600..<1000 : 0..<600)
    }

    /// Creates the playlists of renditions, whose segments get the EXT-X-KEY tags that a writer would have set.
    static func playlists(_ renditions: [Rendition], options: PlaylistOptions) throws -> PresentationPlaylists {
        let signaled = try renditions.map { rendition in
            var rendition = rendition
            for (index, segment) in rendition.segments.enumerated() {
                guard let protection = segment.protection, let trackClass = rendition.trackClass else { continue }
                rendition.segments[index].keys = try options.keys(protection, trackClass, start: nil)
            }
            return rendition
        }
        return try PresentationPlaylists(signaled, options: options)
    }

    static func video(
        _ folder: String = "video-1080",
        width: Int = 1920,
        height: Int = 1080,
        sizes: [Int] = [3_000_000, 4_000_000, 2_000_000],
        duration: RationalTime = RationalTime(540_540, timescale: 90_000),
        protection: TrackProtection? = nil,
        clearLead: Int = 0,
        isSingleFile: Bool = false,
        suffix: String = "m4s",
        range: DynamicRange? = .sdr
    ) throws -> Rendition {
        Rendition(
            track: try videoTrack(width: width, height: height, range: range),
            folder: folder,
            name: folder,
            protection: protection,
            segments: segments(
                sizes,
                duration: duration,
                suffix: suffix,
                hasKeyFrames: protection?.scheme != .aes128,
                clearLead: clearLead,
                protection: protection,
                isSingleFile: isSingleFile
            ),
            frameRate: 29.97002997
        )
    }

    static func audio(
        _ folder: String = "audio-en",
        name: String = "English",
        language: String = "eng",
        role: String? = nil,
        group: String? = nil,
        format: MediaTrack.Format = .aac(configuration: [0x11, 0x90]),
        codecs: String = "mp4a.40.2",
        channels: String = "2",
        sizes: [Int] = [96_000, 97_000, 95_000],
        protection: TrackProtection? = nil,
        suffix: String = "m4s"
    ) -> Rendition {
        Rendition(
            track: audioTrack(format, codecs: codecs, channels: channels, language: language),
            folder: folder,
            name: name,
            group: group,
            role: role,
            protection: protection,
            segments: segments(
                sizes,
                duration: RationalTime(288_768, timescale: 48_000),
                suffix: suffix,
                protection: protection
            )
        )
    }

    static func subtitles(
        _ folder: String,
        name: String,
        language: String,
        role: String? = nil
    ) -> Rendition {
        Rendition(
            track: subtitlesTrack(language: language),
            folder: folder,
            name: name,
            role: role,
            segments: segments([900, 400, 0], duration: RationalTime(6_006, timescale: 1000), suffix: "vtt")
        )
    }

    static func options(
        _ systems: [ProtectionSystem] = [.fairPlay],
        keyURI: KeyURITemplate = .fairPlay
    ) -> PlaylistOptions {
        var options = PlaylistOptions()
        options.systems = systems
        options.keyURI = keyURI
        return options
    }
}

extension PresentationPlaylists {
    /// Returns the linter's findings for the files, and checks that they parse to the values from which they were
    /// written.
    ///
    /// - Parameters:
    ///   - allowed: Rules that must have findings.
    ///   - tolerated: Rules that may have findings.
    func check(
        except allowed: Set<RuleID> = [],
        tolerating tolerated: Set<RuleID> = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let files = try files()
        let multivariantFile = try #require(files.last)
        #expect(multivariantFile.path == path, sourceLocation: sourceLocation)
        let findings = Linter().check(
            presentation: try LintFile(name: path, bytes: multivariantFile.bytes)
        ) { uri in
            files.first { $0.path == uri }.flatMap { try? LintFile(name: $0.path, bytes: $0.bytes) }
        }
        for finding in findings where !allowed.union(tolerated).contains(finding.diagnostic.rule) {
            Issue.record("\(finding)", sourceLocation: sourceLocation)
        }
        #expect(
            Set(findings.map(\.diagnostic.rule)).isSuperset(of: allowed),
            "a rule that was allowed to find something no longer does",
            sourceLocation: sourceLocation
        )
        #expect(
            try MultivariantPlaylist(parsing: multivariantFile.bytes) == multivariant,
            sourceLocation: sourceLocation
        )
        for (file, original) in zip(files, media) {
            #expect(file.path == original.path, sourceLocation: sourceLocation)
            #expect(try MediaPlaylist(parsing: file.bytes) == original.playlist, sourceLocation: sourceLocation)
        }
        #expect(files.count == media.count + 1, sourceLocation: sourceLocation)
    }

    /// Returns the text of a file.
    func text(_ path: String) throws -> String {
        let file = try #require(try files().first { $0.path == path }, "\(path) is missing")
        return String(decoding: file.bytes, as: UTF8.self)
    }
}
