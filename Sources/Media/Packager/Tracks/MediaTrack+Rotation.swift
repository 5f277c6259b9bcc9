import ByteCoding
import MediaFormats

extension MediaTrack {
    /// Applies the transformation matrix of `tkhd`, with which phones describe how the camera was held. The matrix is
    /// kept in the init segment, and ``width`` and ``height`` become those of the displayed picture.
    ///
    ///     a b u     x' = a x + c y       a = d = 1: as coded         b = 1, c = -1: rotated by 90°, clockwise
    ///     c d v     y' = b x + d y       a = d = -1: upside down     b = -1, c = 1: rotated by 270°
    ///     x y w
    mutating func applyRotation(_ matrix: [UInt8]) {
        guard kind == .video, let transformation = PictureTransformation(matrix) else { return }
        self.matrix = matrix
        if transformation.swapsSides { swap(&width, &height) }
        notes.append(
            "the picture is \(transformation) for display; the init segment keeps this (the matrix of tkhd), but some "
                + "players ignore it: to be sure, encode an upright picture, as ffmpeg -i IN OUT does"
        )
    }

    /// Checks that an output can represent the track.
    ///
    /// - Throws: ``OutputFailure`` for a rotated picture in a transport stream, and for a second layer that is to be
    ///   encrypted.
    func checkOutput(in container: PackagingJob.Container, _ protection: TrackProtection?) throws(OutputFailure) {
        if container == .ts, let transformation = matrix.flatMap(PictureTransformation.init) {
            throw OutputFailure(
                "the picture is \(transformation) for display, which transport streams cannot signal: use the container "
                    + "fmp4, or encode an upright picture, as ffmpeg -i IN OUT does"
            )
        }
        guard let protection, let layer = secondLayer, protection.scheme != .aes128 else { return }
        throw OutputFailure(
            "the video has \(layer), whose slices cannot be encrypted with \(protection.scheme.rawValue): use the scheme "
                + "aes-128, which encrypts whole segments, or leave the video clear with policy=clear"
        )
    }
}

/// The transformation of a picture for display: rotations by multiples of 90° and reflections.
private struct PictureTransformation: CustomStringConvertible {
    private var a: Int32 = 0
    private var b: Int32 = 0
    private var c: Int32 = 0
    private var d: Int32 = 0

    /// Parses a matrix; nil if it does not change the picture, apart from its size and position.
    init?(_ matrix: [UInt8]) {
        var reader = ByteReader(matrix.span.bytes)
        let numbers = (0..<9).compactMap { _ in (try? reader.readUInt32("matrix")).map { Int32(bitPattern: $0) } }
        guard numbers.count == 9 else { return nil }
        (a, b, c, d) = (numbers[0], numbers[1], numbers[3], numbers[4])
        // Writers that leave the matrix empty mean no transformation.
        guard b != 0 || c != 0 || a < 0 || d < 0 else { return nil }
    }

    /// True if width and height are exchanged.
    var swapsSides: Bool { a == 0 && d == 0 }

    var description: String {
        let isMirrored = Int64(a) * Int64(d) - Int64(b) * Int64(c) < 0
        let angle =
            switch (swapsSides, isMirrored) {
            case (true, false): b > 0 ? "rotated by 90°" : "rotated by 270°"
            case (false, false): b == 0 && c == 0 ? "rotated by 180°" : "rotated by an angle"
            case (_, true): "mirrored"
            }
        return angle
    }
}
