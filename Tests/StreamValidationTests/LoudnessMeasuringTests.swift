import Foundation
import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("The loudness of decoded audio")
struct LoudnessMeasuringTests {
    /// A meter with a fixed result that stores what it got.
    private actor Meter: LoudnessMeter {
        let result: LoudnessMeterResult?
        private(set) var parts: [[UInt8]] = []
        private(set) var format: LoudnessStreamFormat?

        init(_ result: LoudnessMeterResult?) { self.result = result }

        func measure(
            _ format: LoudnessStreamFormat,
            nextPart: @Sendable () async -> [UInt8]?
        ) async -> LoudnessMeterResult? {
            self.format = format
            while let part = await nextPart() { parts.append(part) }
            return result
        }
    }

    private static func clip(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PackagerTests/Fixtures/Decrypting")
        return [UInt8](try Data(contentsOf: folder.appending(path: name)))
    }

    /// Validates a playlist of segments with the same content.
    private static func validate(
        _ clip: [UInt8],
        _ meter: Meter,
        tags: String = "",
        end: String = "#EXT-X-ENDLIST\n",
        count: Int = 2
    ) async throws -> MeasuredRendition {
        let list = (0..<count).map { "#EXTINF:3,\n\($0)\n" }.joined()
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:3\n\(tags)\(list)\(end)"
        var files = ["https://films.example/media.m3u8": Array(text.utf8)]
        for index in 0..<2 { files["https://films.example/\(index)"] = clip }
        var validator = StreamValidator(resources: StreamValidatorTests.Resources(files: files))
        validator.loudnessMeter = meter
        let report = try await validator.validate("https://films.example/media.m3u8")
        return try #require(report.presentation.renditions.first)
    }

    private static let result = LoudnessMeterResult(integrated: -23, truePeak: -1)

    @Test("The meter gets all segments, one after the other")
    func parts() async throws {
        let clip = try Self.clip("clear-aac-1.ts")
        let meter = Meter(Self.result)
        let loudness = try await Self.validate(clip, meter).loudness
        #expect(loudness == MeasuredLoudness(outcome: .measured(Self.result), isWhole: true))
        #expect(await meter.parts.count == 2)
        #expect(await meter.format == .transportStream)
        let isSame = await meter.parts.allSatisfy { $0 == clip }
        #expect(isSame)
    }

    @Test("Without all segments, and live, the result is an estimate")
    func estimate() async throws {
        let clip = try Self.clip("clear-aac-1.ts")
        #expect(try await Self.validate(clip, Meter(Self.result), count: 3).loudness?.isWhole == false)
        #expect(try await Self.validate(clip, Meter(Self.result), end: "").loudness?.isWhole == false)
    }

    @Test("Encrypted audio without a key, and a stream that cannot be decoded, are not measured")
    func failures() async throws {
        let key = "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://film\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        let meter = Meter(Self.result)
        let encrypted = try await Self.validate(try Self.clip("sample-aes-ac3-1.ts"), meter, tags: key)
        #expect(encrypted.loudness?.outcome == .needsKey)
        #expect(await meter.parts.isEmpty)
        let sealed = try await Self.validate(
            [UInt8](repeating: 1, count: 64),
            meter,
            tags: "#EXT-X-KEY:METHOD=AES-128,URI=\"https://keys.example/1\"\n"
        )
        #expect(sealed.loudness?.outcome == .needsKey)
        let unknown = try await Self.validate(try Self.clip("clear-aac-1.ts"), Meter(nil))
        #expect(unknown.loudness?.outcome == .notDecoded && unknown.loudness?.failure != nil)
        #expect(try await Self.validate(try Self.clip("clear-video-1.ts"), meter).loudness == nil)
    }

    // MARK: Rules

    /// Returns the findings about the measured loudness of AC-3 with a dialnorm of -24, or of AAC with a box with -23 LKFS.
    private static func findings(
        _ codec: String,
        hasBox: Bool,
        integrated: Double?,
        peak: Double? = nil,
        isWhole: Bool = true,
        declaredPeak: UInt16 = 0
    ) throws -> [String] {
        var made = LoudnessRuleTests.made(codec, hasBox: hasBox, .value)
        let change = made.change
        made.change = { name, index, track in
            change(name, index, &track)
            if declaredPeak > 0 {
                track.format.details.loudness = LoudnessBox([
                    .init(entries: [.init([.init(method: 1, value: 139)], truePeak: declaredPeak)])
                ])
            }
        }
        var presentation = try made.measured()
        let result = LoudnessMeterResult(integrated: integrated, truePeak: peak)
        presentation.renditions[presentation.renditions.count - 1].loudness =
            MeasuredLoudness(outcome: .measured(result), isWhole: isWhole)
        let found = ValidationReport(presentation).findings.filter { $0.rule == "loudness-differs" }
        return found.map { "\($0.level.rawValue) \($0.measured ?? "") \($0.limit ?? "") \($0.confidence.rawValue)" }
    }

    @Test("A loudness beyond the tolerance is one finding")
    func differs() throws {
        #expect(try Self.findings("ac-3", hasBox: false, integrated: -32) == [])
        #expect(try Self.findings("ac-3", hasBox: false, integrated: -32.1) == ["must -32.1 LUFS -24.0 ± 8 LU proved"])
        #expect(try Self.findings("ac-3", hasBox: false, integrated: -15.9) == ["must -15.9 LUFS -24.0 ± 8 LU proved"])
        #expect(try Self.findings("mp4a.40.2", hasBox: true, integrated: -24) == [])
        #expect(
            try Self.findings("mp4a.40.2", hasBox: true, integrated: -24.1) == ["must -24.1 LUFS -23.0 ± 1 LU proved"]
        )
        // The box and the stream are both wrong.
        #expect(
            try Self.findings("mp4a.40.2", hasBox: true, integrated: -40) == ["must -40.0 LUFS -23.0 ± 1 LU proved"]
        )
        #expect(try Self.findings("mp4a.40.2", hasBox: false, integrated: -31) == [])
        #expect(try Self.findings("mp4a.40.2", hasBox: true, integrated: nil) == [])
    }

    @Test("An estimate is advice")
    func differsByEstimate() throws {
        let found = try Self.findings("ac-3", hasBox: false, integrated: -40, isWhole: false)
        #expect(found == ["advice -40.0 LUFS -24.0 ± 8 LU estimate"])
    }

    @Test("A true peak beyond the tolerance is a lesser finding, and none if the loudness is wrong too")
    func peak() throws {
        // -1 dBTP.
        func found(_ peak: Double, integrated: Double = -23) throws -> [String] {
            try Self.findings("mp4a.40.2", hasBox: true, integrated: integrated, peak: peak, declaredPeak: 672)
        }
        #expect(try found(0.9) == [])
        #expect(try found(1.2) == ["should 1.2 dBTP -1.0 ± 2 dB proved"])
        #expect(try found(-3.2) == ["should -3.2 dBTP -1.0 ± 2 dB proved"])
        #expect(try found(1.2, integrated: -20) == ["must -20.0 LUFS -23.0 ± 1 LU proved"])
    }

    @Test("What was not compared is listed with its reason")
    func skipped() throws {
        func reasons(_ loudness: MeasuredLoudness?) throws -> [SkippedCheck] {
            var presentation = try MadePresentation().measured()
            presentation.renditions[presentation.renditions.count - 1].loudness = loudness
            let judgment = Judgment(ValidationReport(presentation), settings: JudgmentSettings())
            return judgment.skipped.filter { $0.rule == "loudness-differs" }
        }
        let none = try reasons(nil)
        #expect(none.map(\.reason) == [.needsDecoding] && none.first?.playlists == ["audio.m3u8"])
        #expect(try reasons(.init(outcome: .notDecoded, isWhole: false)).map(\.reason) == [.needsDecoding])
        #expect(try reasons(.init(outcome: .needsKey, isWhole: false)).map(\.reason) == [.needsKey])
        #expect(try reasons(.init(outcome: .measured(Self.result), isWhole: false)).map(\.reason) == [.notSampled])
        #expect(try reasons(.init(outcome: .measured(Self.result), isWhole: true)).isEmpty)
    }

    @Test("Levels are printed with one digit")
    func texts() {
        let texts = [-23, -0.04, 0, 0.06, -0.25, 1.999].map { ValidationRule.decibelText($0) }
        #expect(texts == ["-23.0", "0.0", "0.0", "0.1", "-0.3", "2.0"])
    }
}
