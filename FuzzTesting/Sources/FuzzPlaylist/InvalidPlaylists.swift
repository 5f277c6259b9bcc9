import HLSPlaylist
import Mutations

/// Errors of an app that constructs a playlist: values that a playlist cannot contain. The writer refuses them, or
/// writes a playlist that can be parsed; the resolver and the variant selection do not crash.
func checkInvalidPlaylists(_ playlist: Playlist, choice: Int) {
    var random = Xorshift(seed: UInt64(truncatingIfNeeded: choice))
    let wrong: Playlist
    switch playlist {
    case .media(var media):
        makeInvalidEdit(&media, &random)
        resolve(media)
        wrong = .media(media)
    case .multivariant(var multivariant):
        makeInvalidEdit(&multivariant, &random)
        checkSelection(multivariant, choice: choice)
        wrong = .multivariant(multivariant)
    }
    let written: [UInt8]
    do {
        written = try wrong.write()
    } catch {
        precondition(!error.description.isEmpty)
        return
    }
    do {
        _ = try Playlist.parseLeniently(written, options: options)
    } catch {
        // Lenient parsing accepts everything that does not exceed a limit.
        precondition(error.rule == .limitExceeded, "the written playlist cannot be parsed: \(error)")
    }
}

private func resolve(_ playlist: MediaPlaylist) {
    guard let segments = try? playlist.resolvedSegments() else { return }
    for segment in segments {
        precondition(segment.byteRange.map { $0.lowerBound <= $0.upperBound } ?? true)
        _ = (segment.initialization?.byteRange, segment.programDateTime?.description)
    }
}

private let numbers: [Double] = [-1, .nan, .infinity, -.infinity, 1e300, 1e-300, -0.0, 0.1 + 0.2]
/// NaN is not equal to anything, including itself.
private let equalNumbers = numbers.filter { !$0.isNaN }
private let integers: [UInt64] = [0, 1, 1 << 62, 1 << 63, .max]
private let texts = ["", "\"", "a\nb", "\u{FEFF}", "#EXTM3U", " ", "{$none}", "\u{0}", ","]
private let attributes: [[Attribute]] = [
    [Attribute(name: "X-A", value: "1", isQuoted: true), Attribute(name: "X-A", value: "2", isQuoted: true)],
    [Attribute(name: "x a", value: "1", isQuoted: false)], [Attribute(name: "", value: "", isQuoted: false)],
    [Attribute(name: "URI", value: "\"", isQuoted: true)], [Attribute(name: "X-B", value: "a,b", isQuoted: false)],
]

private func makeInvalidEdit(_ playlist: inout MediaPlaylist, _ random: inout Xorshift) {
    let number = random.pick(numbers)
    let text = random.pick(texts)
    if let place = playlist.segments.indices.randomElement(using: &random) {
        switch random.next() % 10 {
        case 0: playlist.segments[place].duration = number
        case 1: playlist.segments[place].uri = text
        case 2: playlist.segments[place].title = text
        case 3:
            playlist.segments[place].byteRange = ByteRange(length: random.pick(integers), offset: random.pick(integers))
        case 4:
            let range = ByteRange(length: random.pick(integers), offset: random.pick([nil] + integers))
            playlist.segments[place].map = MapTag(uri: text, byteRange: range, otherAttributes: random.pick(attributes))
        case 5: playlist.segments[place].map = nil
        case 6: playlist.segments[place].parts = [PartTag(uri: text, duration: number)]
        case 7: playlist.segments[place].keys = [KeyTag(method: .sampleAES, uri: text)]
        case 8:
            playlist.segments[place].programDateTime = PlaylistDate(seconds: random.pick([.min, .max, 1 << 50]))
        default:
            let date = PlaylistDate(seconds: random.pick([.min, .max, 0]), nanoseconds: random.pick([0, -1, .max]))
            playlist.segments[place].dateRanges = [
                DateRangeTag(
                    id: text,
                    startDate: date,
                    plannedDuration: number,
                    scte35Out: [],
                    otherAttributes: random.pick(attributes)
                )
            ]
        }
    }
    switch random.next() % 6 {
    case 0: playlist.otherLines = [text]
    case 1: playlist.partInf = PartInfTag(partTarget: number, otherAttributes: random.pick(attributes))
    case 2: playlist.start = StartTag(timeOffset: number)
    case 3: playlist.defines = [DefineTag(.value(name: text, value: text)), DefineTag(.queryParameter(name: text))]
    case 4: playlist.mediaSequence = .max
    default: break
    }
}

private func makeInvalidEdit(_ playlist: inout MultivariantPlaylist, _ random: inout Xorshift) {
    let text = random.pick(texts)
    if let place = playlist.variants.indices.randomElement(using: &random) {
        switch random.next() % 7 {
        case 0: playlist.variants[place].hdcpLevel = HDCPLevel(rawValue: random.pick(["TYPE-9", ""]))
        case 1: playlist.variants[place].audio = text
        case 2: playlist.variants[place].streamInf.frameRate = random.pick(equalNumbers)
        case 3: playlist.variants[place].score = random.pick(equalNumbers)
        case 4: playlist.variants[place].codecs = [text, "avc1"]
        case 5:
            let entry = AllowedCPC.Entry(keyFormat: KeyFormat(rawValue: text), labels: [text])
            playlist.variants[place].allowedCPC = AllowedCPC(random.next() % 2 == 0 ? [] : [entry])
        default: playlist.variants[place].uri = text
        }
    }
    switch random.next() % 4 {
    case 0: playlist.otherLines = [text]
    case 1: playlist.start = StartTag(timeOffset: random.pick(numbers), otherAttributes: random.pick(attributes))
    case 2: playlist.renditions.append(MediaTag(type: .audio, groupID: text, name: text))
    default: playlist.defines = [DefineTag(.value(name: text, value: text))]
    }
}
