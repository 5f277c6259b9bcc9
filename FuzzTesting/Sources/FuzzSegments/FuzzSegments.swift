import ByteCoding
import StreamValidation

/// The measurement of segments: 2 bytes with the size of an init segment, the init segment, and a media segment. What is
/// measured stays within the segment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let size = min(Int(input[0]) << 8 | Int(input[1]), input.count - 2)
    let (initialization, segment) = (Array(input[2..<2 + size]), Array(input[(2 + size)...]))
    for isTruncated in [false, true] {
        var probe = SegmentProbe()
        if size > 0 { _ = try? probe.initialize(initialization.span.bytes) }
        guard let measurement = try? probe.measure(segment.span.bytes, isTruncated: isTruncated) else { continue }
        precondition(measurement.byteCount == segment.count)
        for track in measurement.tracks {
            precondition(track.encryptedSampleCount <= track.sampleCount && track.keyIDs.count <= 16)
            if let start = track.start, let end = track.end { precondition(start.value <= end.value) }
        }
    }
    return 0
}
