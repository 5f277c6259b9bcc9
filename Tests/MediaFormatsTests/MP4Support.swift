import ByteCoding
import Foundation
import MediaFormats

/// The clips in Fixtures, created by mp4-make.
enum MP4Fixture: String, CaseIterable, Sendable {
    case progressive, fragmented, hybrid, encrypted

    private func url(_ suffix: String) throws -> URL {
        let name = "Fixtures/mp4-\(rawValue).\(suffix)"
        guard let url = Bundle.module.url(forResource: name, withExtension: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return url
    }

    var bytes: [UInt8] { get throws { Array(try Data(contentsOf: url("mp4"))) } }

    /// Lines of track, offset, size, presentation time, decode time, K for a sync sample, as ffprobe prints them.
    var packets: [String] {
        get throws {
            String(decoding: try Data(contentsOf: url("txt")), as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }
}

/// Returns the bytes of a box, including its header.
func written<Kind: Box>(_ box: Kind) -> [UInt8] {
    var writer = BoxWriter()
    box.write(to: &writer)
    return writer.bytes
}

func written(_ body: (inout BoxWriter) -> Void) -> [UInt8] {
    var writer = BoxWriter()
    body(&writer)
    return writer.bytes
}

/// Reads a box with its header, and requires that no bytes are left.
func parsed<Kind: Box>(_: Kind.Type, _ bytes: [UInt8]) throws(ParseError) -> Kind {
    var reader = ByteReader(bytes.span.bytes)
    let header = try BoxHeader(reading: &reader)
    var content = try reader.split(header.contentSize(of: reader.remaining), "box")
    let box = try Kind(reading: &content)
    try content.finish("box")
    try reader.finish("box")
    return box
}

/// Reads a box without a header.
func read<Value>(
    _ bytes: [UInt8],
    _ body: (inout ByteReader) throws(ParseError) -> Value
) throws(ParseError) -> Value {
    var reader = ByteReader(bytes.span.bytes)
    return try body(&reader)
}

/// Returns all samples of a file.
func samples(of bytes: [UInt8]) throws(ParseError) -> [Sample] {
    let file = bytes.span.bytes
    var cursor = try MovieFile(reading: file).samples()
    var samples: [Sample] = []
    while let sample = try cursor.next(file) { samples.append(sample) }
    return samples
}

/// Returns the samples as in the lists of packets: with presentation offsets, by index of the track.
func lines(_ samples: [Sample], _ movie: Movie) throws -> [String] {
    var offsets: [UInt32: (Int, Int64)] = [:]
    for (index, track) in movie.tracks.enumerated() {
        offsets[track.id] = (index, try track.timing().presentationOffset)
    }
    return samples.map { sample in
        let (index, offset) = offsets[sample.trackID] ?? (-1, 0)
        let times = "\(sample.presentationTime + offset) \(Int64(sample.decodeTime) + offset)"
        return "\(index) \(sample.offset) \(sample.size) \(times) \(sample.isSync ? "K" : "_")"
    }
}

/// A progressive file with one video track, whose tables are given as the boxes after `stsd`.
struct TestMovie {
    var tables: (inout BoxWriter) -> Void
    var data = [UInt8](repeating: 0xAA, count: 64)
    var description = SampleEntry(format: "avc1", fields: .visual(VisualSampleFields(width: 16, height: 16)), boxes: [])
    var edits: [EditListBox.Entry] = []
    var references = DataReferenceBox()

    static func table(_ type: FourCC, version: UInt8 = 0, _ numbers: [UInt32]) -> (inout BoxWriter) -> Void {
        { writer in writer.fullBox(type, version: version) { writer in for number in numbers { writer.write(number) } }
        }
    }

    /// The media data are first: they start at byte 8, after the header of `mdat`.
    var bytes: [UInt8] {
        written { writer in
            writer.box("mdat") { $0.write(data) }
            writer.box("moov") { writer in
                MovieHeaderBox(timescale: 1000, duration: 0, nextTrackID: 2).write(to: &writer)
                writer.box("trak") { writer in
                    TrackHeaderBox(trackID: 1).write(to: &writer)
                    if !edits.isEmpty { writer.box("edts") { EditListBox(entries: edits).write(to: &$0) } }
                    writer.box("mdia") { writer in
                        MediaHeaderBox(timescale: 100).write(to: &writer)
                        HandlerBox(handlerType: "vide", name: "").write(to: &writer)
                        writer.box("minf") { writer in
                            VideoMediaHeaderBox().write(to: &writer)
                            writer.box("dinf") { references.write(to: &$0) }
                            writer.box("stbl") { writer in
                                SampleDescriptionBox(entries: [description]).write(to: &writer)
                                tables(&writer)
                            }
                        }
                    }
                }
            }
        }
    }
}
