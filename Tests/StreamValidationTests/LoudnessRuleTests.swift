import HLSPlaylist
import MediaFormats
import Testing

@testable import StreamValidation

@Suite("Rules about loudness")
struct LoudnessRuleTests {
    static let box = LoudnessBox([.init(entries: [.init([.init(method: 1, value: 139)])])])

    /// The metadata of a stream.
    enum Stream: Sendable {
        case unknown, none, value
    }

    static func made(
        _ codec: String,
        _ container: TrackFormat.Container = .mp4,
        hasBox: Bool,
        _ stream: Stream
    ) -> MadePresentation {
        var made = MadePresentation(main: MadePresentation.main.replacing("mp4a.40.2", with: codec))
        made.change = { _, _, track in
            guard track.format.kind == .audio else { return }
            (track.format.container, track.format.codecs) = (container, codec)
            track.format.details.loudness = hasBox ? Self.box : nil
            guard stream != .unknown else { return }
            if codec.hasPrefix("mp4a") {
                // A frame with an end only, and one with a level of 92 before it.
                let block: [UInt8] = stream == .none ? [0xE0] : [0xC7, 0x63, 0x70, 0x01, 0xC0]
                for _ in 0..<10 { track.loudness.inspect(aac: block.span.bytes, channelConfiguration: 2) }
            } else {
                track.loudness.add(dialogNormalization: stream == .none ? 0 : 24)
            }
        }
        return made
    }

    /// Returns the violated rules about loudness.
    private static func faults(_ made: MadePresentation) throws -> [String] {
        let ids = Set(ValidationRule.loudnessRules.map(\.id.rawValue))
        return try made.findings().filter { ids.contains(String($0.split(separator: " ")[1])) }
    }

    @Test("Metadata that are missing in every form are one finding", arguments: ["mp4a.40.2", "ac-3", "ec-3"])
    func missing(codec: String) throws {
        for container in [TrackFormat.Container.mp4, .packedAudio, .transportStream] {
            let made = Self.made(codec, container, hasBox: false, .none)
            #expect(try Self.faults(made) == ["should loudness-missing"], "\(container)")
            let rules = try ValidationReport(made.measured()).findings.map(\.rule)
            #expect(rules.filter { $0 == "loudness-missing" }.count == 1)
        }
    }

    @Test("Without a box in MP4, other metadata do not suffice", arguments: ["mp4a.40.2", "ac-3", "ec-3"])
    func box(codec: String) throws {
        #expect(try Self.faults(Self.made(codec, hasBox: false, .value)) == ["should loudness-box-missing"])
        #expect(try Self.faults(Self.made(codec, hasBox: false, .unknown)) == ["should loudness-box-missing"])
        #expect(try Self.faults(Self.made(codec, .packedAudio, hasBox: false, .value)).isEmpty)
        #expect(try Self.faults(Self.made(codec, .packedAudio, hasBox: false, .unknown)).isEmpty)
        #expect(try Self.faults(Self.made(codec, hasBox: true, .value)).isEmpty)
        #expect(try Self.faults(Self.made(codec, hasBox: true, .unknown)).isEmpty)
    }

    @Test("With a box, the stream has metadata too")
    func stream() throws {
        #expect(try Self.faults(Self.made("mp4a.40.2", hasBox: true, .none)) == ["should aac-loudness-missing"])
        #expect(try Self.faults(Self.made("ac-3", hasBox: true, .none)) == ["should dialnorm-missing"])
        #expect(try Self.faults(Self.made("ec-3", hasBox: true, .none)) == ["should dialnorm-missing"])
    }

    @Test("APAC has no box")
    func apac() throws {
        #expect(try Self.faults(Self.made("apac.31.00", hasBox: true, .unknown)) == ["must loudness-box-in-apac"])
        #expect(try Self.faults(Self.made("apac.31.00", hasBox: false, .unknown)).isEmpty)
    }

    @Test("The declared values are those of the box and of the stream")
    func values() throws {
        func declared(_ codec: String, hasBox: Bool) throws -> [DeclaredLoudness.Value] {
            let renditions = try Self.made(codec, hasBox: hasBox, .value).measured().renditions
            return try #require(renditions.last?.declaredLoudness).values
        }
        #expect(try declared("ac-3", hasBox: false) == [.init(source: .dialogNormalization, loudness: -24)])
        #expect(
            try declared("mp4a.40.2", hasBox: true) == [
                .init(source: .box, loudness: -23), .init(source: .programReferenceLevel, loudness: -23),
            ]
        )
    }
}
