import FPSCrypto
import HLSPlaylist
import MediaDecryption
import SampleEncryption
import Testing

@testable import StreamValidation

/// Low-latency channels whose key changes each minute, with one fault of the encryption each.
@Suite("Each part of a low-latency channel is opened with its key alone", .timeLimit(.minutes(10)))
struct PartKeyTests {
    /// A channel, and the keys that its key server has.
    struct Situation {
        var channel: LiveChannel
        var key: @Sendable (_ uri: String) -> SecretBytes = { _ in DecryptionVerdictTests.videoKey }
    }

    /// A fault, and the rules with the playlists in which it is found.
    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: Set<String>
        /// Puts the fault in.
        var put: @Sendable (inout Situation, PartKeyTests) -> Void
    }

    /// The clear frames of a fragment, and the vector with which they were encrypted.
    let excerpt: EncryptedExcerpt
    let clear: [EncryptedExcerpt.Frame]

    init() throws {
        let media = try MediaGenerator()
        let bytes = media.map(period: 0) + media.video(start: 0, count: 1, duration: 1)
        let movie = try MP4Decryptor.movie(of: bytes.span.bytes)
        excerpt = try #require(EncryptedExcerpt.excerpts(of: bytes.span.bytes, movie: movie, isTruncated: false).first)
        clear = try #require(excerpt.decrypted(key: DecryptionVerdictTests.videoKey, iv: nil))
    }

    @Test("A fault is found by its rule", arguments: faults)
    func fault(_ fault: Fault) throws {
        var situation = Situation(channel: try LowLatencyFaultTests.channel())
        fault.put(&situation, self)
        let found = try watch(situation)
        #expect(found == fault.expected, "\(found)")
    }

    private func watch(_ situation: Situation) throws -> Set<String> {
        let vector = try #require(excerpt.mediaIV).paddedWithZeros.bytes
        let key = situation.key
        let source = KeyRuleTests.Source { ValidationLicense(key: key($0.tag.uri ?? ""), iv: vector) }
        let stream: [UInt8] = (excerpt.parameterSets + clear.flatMap(\.self)).flatMap { [0, 0, 0, 1] + $0 }
        let time = situation.channel.time
        var settings = StreamWatch.Settings()
        settings.limit = .seconds(150)
        var watch = StreamWatch(resources: situation.channel, settings: settings, clock: time) {
            LiveChannel.date(time.seconds)
        }
        (watch.keySource, watch.decoder) = (source, DecryptionVerdictTests.Comparison(clear: stream))
        let report = time.run { [watch] in try? await watch.run(LiveChannel.host + "main.m3u8") }
        return StreamWatchTests.findings(try #require(report ?? nil))
    }

    /// Changes the samples of the fourth part of segment 120, and of the segment.
    private static func changeMedia(
        _ channel: inout LiveChannel,
        _ body: @escaping @Sendable (inout ArraySlice<UInt8>) -> Void
    ) {
        channel.respond = { path, _, response in
            guard path == "hd-120-part3.m4s" || path == "hd-120.m4s" else { return }
            let size = MediaGenerator.fragmentSize
            let start = path == "hd-120.m4s" ? 3 * size : 0
            body(&response.bytes[start + MediaGenerator.mediaOffset..<start + size])
        }
    }

    static let faults: [Fault] = [
        Fault(testDescription: "no fault", expected: []) { _, _ in },
        Fault(testDescription: "a part has another key", expected: ["key-wrong hd"]) { situation, test in
            let first = test.excerpt.samples[0].range
            changeMedia(&situation.channel) { media in
                // The end of the first picture, a slice.
                for offset in first.upperBound - min(300, first.count / 2)..<first.upperBound - 4 {
                    media[media.startIndex + offset] ^= 0x55
                }
            }
        },
        Fault(testDescription: "a part is in the clear", expected: ["key-not-encrypted hd"]) { situation, test in
            let bytes = test.clear.flatMap { frame in
                frame.flatMap { unit in (0..<4).map { UInt8(truncatingIfNeeded: unit.count >> (24 - 8 * $0)) } + unit }
            }
            changeMedia(&situation.channel) { $0 = ArraySlice(bytes + $0.dropFirst(bytes.count)) }
        },
        Fault(testDescription: "a part has another vector", expected: ["key-iv-wrong hd"]) { situation, _ in
            situation.channel.respond = { path, _, response in
                guard path.hasPrefix("hd-init"),
                    let box = response.bytes.indices.first(where: { response.bytes[$0...].starts(with: "tenc".utf8) })
                else { return }
                // After the version, the flags, the pattern, the key ID and the size of the constant vector.
                response.bytes[box + 29] ^= 0x55
            }
        },
        Fault(testDescription: "the key changes in the playlist and not in the media", expected: ["key-boundary hd"]) {
            situation,
            _ in
            let other = SecretBytes(copying: [UInt8](repeating: 7, count: 16))
            situation.key = { $0 == "skd://hd/12" ? other : DecryptionVerdictTests.videoKey }
        },
        Fault(testDescription: "the init segment is that of the period before", expected: ["enc-rotation hd"]) {
            situation,
            _ in
            situation.channel.change = { name, _, snapshot in
                guard name == "hd" else { return }
                for index in snapshot.segments.indices where snapshot.segments[index].map == "hd-init12.mp4" {
                    snapshot.segments[index].map = "hd-init11.mp4"
                }
                if snapshot.upcomingMap == "hd-init12.mp4" { snapshot.upcomingMap = "hd-init11.mp4" }
            }
        },
        Fault(testDescription: "keys are announced in time", expected: []) { situation, _ in
            situation.channel.announced = { now in
                let period = Int(now + 606) / 60
                return (period - 2...period + 1).flatMap { ["skd://hd/\($0)", "skd://sd/\($0)"] }
            }
        },
        Fault(testDescription: "a key is not announced", expected: ["key-not-announced hd"]) { situation, _ in
            situation.channel.announced = { now in
                let period = Int(now + 606) / 60
                return (period - 2...period + 1).flatMap { ["skd://hd/\(min($0, 11))", "skd://sd/\($0)"] }
            }
        },
    ]
}
