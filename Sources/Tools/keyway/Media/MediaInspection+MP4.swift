import ByteCoding
import MediaDecryption
import MediaFormats
import Packager
import TextCoding
import ToolSupport

extension MediaInspection {
    /// Inspects an MP4 file.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - initialization: The `moov` box of the initialization segment, if the file is a media segment.
    ///   - listing: The options for listing boxes.
    init(mp4 file: RawSpan, initialization: Movie?, _ listing: BoxListing, _ style: Style) {
        self.init(kind: "mp4", headline: "")
        let tree = BoxTree(reading: file)
        self.listing = (listing.lines(tree, style), "boxes", listing.json(tree.boxes))
        if tree.isTruncated { notes.append("there are more than 100,000 boxes; the rest is not shown") }
        problem = (tree.problem ?? Self.firstProblem(tree.boxes))?.description
        var movie = initialization
        let isSegment = !tree.boxes.contains { $0.type == "moov" }
        if !isSegment {
            do throws(ParseError) {
                movie = try MovieFile(reading: file).movie
            } catch {
                problem = problem ?? error.description
            }
        }
        let fragments = tree.boxes.count { $0.type == "moof" }
        let summaries = movie?.tracks.map { MP4TrackSummary($0, in: file, isSegment: isSegment) } ?? []
        for summary in summaries {
            tables.append(Self.table(summary))
            if let found = summary.problem { problem = problem ?? found.description }
        }
        if isSegment, initialization == nil {
            notes.append(
                "this is a media segment: give --init FILE with its initialization segment, which describes its tracks"
            )
        }
        if tree.boxes.last?.type == "moov", fragments == 0 {
            notes.append(
                "the moov box is at the end: players must load the whole file first, and the file cannot be read from a pipe"
            )
        }
        headline = Self.headline(file.byteCount, summaries, fragments: fragments, isSegment: isSegment)
    }

    private static func firstProblem(_ boxes: [BoxTree.Node]) -> ParseError? {
        for box in boxes {
            if let problem = box.problem ?? firstProblem(box.children) { return problem }
        }
        return nil
    }

    private static func headline(
        _ size: Int,
        _ tracks: [MP4TrackSummary],
        fragments: Int,
        isSegment: Bool
    ) -> String {
        var parts = [
            isSegment ? "MP4 media segment" : fragments > 0 ? "fragmented MP4" : "MP4", MediaFormatting.size(size),
        ]
        if let longest = tracks.map(\.seconds).max(), longest > 0 { parts.append(MediaFormatting.duration(longest)) }
        if fragments > 0 { parts.append(counted(fragments, "fragment")) }
        if !tracks.isEmpty { parts.append(counted(tracks.count, "track")) }
        let schemes = Set(tracks.compactMap { $0.encryption?.scheme?.description }).sorted()
        if !tracks.isEmpty {
            parts.append(schemes.isEmpty ? "clear" : "encrypted (\(schemes.joined(separator: ", ")))")
        }
        return parts.joined(separator: ", ")
    }

    private static func table(_ summary: MP4TrackSummary) -> FieldTable {
        let track = summary.track
        let kinds: [FourCC: String] = [
            "vide": "video", "soun": "audio", "text": "text", "subt": "subtitles", "clcp": "closed captions",
            "meta": "metadata", "tmcd": "time code", "hint": "hints",
        ]
        let kind = kinds[track.kind] ?? track.kind.description
        var fields = FieldCollector()
        fields.add("kind", .text(kind))
        fields.add("codecs", .list(summary.codecs))
        if let entry = track.descriptions.first {
            switch entry.fields {
            case .visual(let visual): fields.add("size", .text("\(visual.width)x\(visual.height)"))
            case .audio(let audio):
                fields.add("sample rate", .decimal(audio.sampleRate, unit: "Hz"))
                fields.add("channels", .number(audio.channelCount))
            case .text, .other: break
            }
        }
        fields.add("language", .text(track.language))
        fields.add("timescale", .number(track.timescale))
        fields.add("duration", MediaFormatting.seconds(summary.seconds))
        fields.add("samples", .number(summary.sampleCount))
        fields.add("sync samples", .number(summary.syncCount))
        if kind == "video", summary.seconds > 0 {
            let rate = (Double(summary.sampleCount) / summary.seconds * 1000).rounded() / 1000
            fields.add("frame rate", .decimal(rate, unit: "fps"))
        }
        fields.add("media", .number(summary.byteCount, unit: "bytes"))
        fields.add("bit rate", MediaFormatting.rate(bytes: summary.byteCount, seconds: summary.seconds))
        if track.descriptions.count > 1 { fields.add("sample descriptions", .number(track.descriptions.count)) }
        if let encryption = summary.encryption { add(encryption, of: summary, to: &fields) }
        if let problem = summary.problem { fields.add("cannot be read to its end", .text(problem.description)) }
        return FieldTable(
            title: "Track \(track.id)",
            remark: kind,
            heading: [Field("track", .number(track.id))],
            fields: fields.fields
        )
    }

    private static func add(
        _ encryption: MP4TrackSummary.Encryption,
        of summary: MP4TrackSummary,
        to fields: inout FieldCollector
    ) {
        fields.add("encryption", .text(encryption.scheme?.description ?? "unknown scheme"))
        fields.add("key ID", encryption.keyID.map { .bytes($0.bytes) })
        if encryption.keyIDs.count > 1 || encryption.keyIDs.first != encryption.keyID, !encryption.keyIDs.isEmpty {
            fields.add("key IDs of samples", .list(encryption.keyIDs.map(\.hexadecimal)))
        }
        if let pattern = encryption.pattern {
            fields.add("pattern", .text("\(pattern.crypt) encrypted, \(pattern.skip) clear blocks of 16 bytes"))
        } else {
            fields.add("pattern", .text("none: all of the protected bytes"))
        }
        if encryption.perSampleIVSize > 0 {
            fields.add("initialization vectors", .text("\(counted(encryption.perSampleIVSize, "byte")) in each sample"))
        }
        if encryption.constantIVSize > 0 {
            fields.add(
                "initialization vectors",
                .text("one for all samples, \(counted(encryption.constantIVSize, "byte")), hidden")
            )
        }
        fields.add("encrypted samples", .number(encryption.sampleCount))
    }
}
