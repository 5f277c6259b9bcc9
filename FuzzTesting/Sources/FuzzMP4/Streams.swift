import ByteCoding
import MediaFormats

/// The result of reading a pipe.
struct StreamContents {
    var samples: [MovieStream.StreamSample] = []
    /// The number of `moov` boxes; a file is read with its first one only.
    var movieCount = 0
    /// The error; nil if the end was reached.
    var error: ParseError.Code?

    /// Reads a pipe that delivers `size` bytes at a time.
    init(_ input: [UInt8], pieces size: Int) {
        var stream = MovieStream(maximumHeaderSize: 1 << 16, maximumSampleSize: 1 << 16)
        do throws(ParseError) {
            for start in stride(from: 0, to: input.count, by: size) {
                let end = min(input.count, start + size)
                stream.push(input.span.bytes.extracting(start..<end))
                while let event = try stream.next() {
                    switch event {
                    case .sample(let sample): samples.append(sample)
                    case .movie: movieCount += 1
                    case .fileType: break
                    }
                }
            }
            try stream.finish()
        } catch {
            self.error = error.code
        }
    }
}

/// Checks that a pipe gives the same in one chunk and in many, and the same as the file.
func checkStream(_ input: [UInt8], _ contents: FileContents?) {
    let whole = StreamContents(input, pieces: max(1, input.count))
    // A different size for each input.
    let size = 1 + input.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % 67
    let pieces = StreamContents(input, pieces: size)
    precondition(whole.error == pieces.error, "\(whole.error as Any), in chunks of \(size): \(pieces.error as Any)")
    precondition(whole.samples.elementsEqual(pieces.samples, by: isSame))
    for sample in whole.samples {
        precondition(sample.sample.range.upperBound <= input.count)
        precondition(input[sample.sample.range].elementsEqual(sample.bytes))
    }
    guard whole.error == nil, whole.movieCount == 1, let contents, contents.isComplete else { return }
    for (track, samples) in zip(contents.movie.tracks, contents.samples) {
        let own = whole.samples.filter { $0.sample.trackID == track.id }
        precondition(own.count == samples.count, "\(own.count) samples from a pipe, \(samples.count) from a file")
        for (left, right) in zip(own, samples) {
            precondition(isSame(left.sample, right), "\(left.sample)\n\(right)")
            precondition(left.subsamples == right.protection?.subsamples.entries(in: input.span.bytes) ?? [])
        }
    }
}

private func isSame(_ left: MovieStream.StreamSample, _ right: MovieStream.StreamSample) -> Bool {
    left.sample == right.sample && left.bytes == right.bytes && left.subsamples == right.subsamples
}

/// Returns the subsamples, which are stored in the file, or in the box that was read from it.
private func isSame(_ left: Sample, _ right: Sample) -> Bool {
    var moved = left
    moved.protection?.subsamples = right.protection?.subsamples ?? .none
    return moved == right && left.protection?.subsamples.count == right.protection?.subsamples.count
}
