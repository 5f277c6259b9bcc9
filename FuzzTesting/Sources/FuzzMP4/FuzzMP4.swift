import ByteCoding
import MediaFormats

// MP4 files: every sample is inside the file and every cursor terminates in time; reading from a pipe, in chunks of any
// size, gives the same samples as reading the file; boxes that were parsed can be written and parsed again; the
// verifier accepts what the writers make of a file's tracks.

/// Tests one file with all readers.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: start, count: count))
    checkBoxes(input)
    let findings = MP4Verifier.verify(input.span.bytes)
    precondition(findings.count <= 1000 && findings.allSatisfy { !$0.description.isEmpty })
    let contents = FileContents(input)
    checkStream(input, contents)
    if let contents { checkWriting(input, contents) }
    return 0
}

/// The content of a file, according to its cursors.
struct FileContents {
    let movie: Movie
    /// The samples by track.
    private(set) var samples: [[Sample]] = []
    /// True if all cursors reached their ends.
    private(set) var isComplete: Bool

    init?(_ input: [UInt8]) {
        let bytes = input.span.bytes
        let file: MovieFile
        do throws(ParseError) {
            file = try MovieFile(reading: bytes)
        } catch {
            precondition((0...input.count).contains(error.offset), "\(error)")
            return nil
        }
        movie = file.movie
        isComplete = true
        for track in movie.tracks {
            var cursor = file.samples(of: [track.id])
            let (samples, isComplete) = Self.read(&cursor, bytes)
            self.samples.append(samples)
            self.isComplete = self.isComplete && isComplete
            // A sample takes at least 4 bits of a table, or bytes of the file.
            precondition(samples.count <= 3 * input.count)
            // A file that grows or shrinks while it is read must be detected.
            precondition(input.isEmpty || (try? cursor.next(bytes.extracting(0..<input.count - 1))) == nil)
            for sample in samples { Self.check(sample, track, bytes) }
        }
        checkMerging(file, bytes)
    }

    private static func read(_ cursor: inout MovieSampleCursor, _ file: RawSpan) -> ([Sample], Bool) {
        var samples: [Sample] = []
        do throws(ParseError) {
            while let sample = try cursor.next(file) { samples.append(sample) }
            return (samples, true)
        } catch {
            return (samples, false)
        }
    }

    private static func check(_ sample: Sample, _ track: Track, _ file: RawSpan) {
        precondition(sample.trackID == track.id)
        precondition(sample.offset >= 0 && sample.size >= 0 && sample.range.upperBound <= file.byteCount)
        precondition((1...track.descriptions.count).contains(Int(sample.descriptionIndex)))
        _ = sample.presentationTime
        guard let protection = sample.protection else { return }
        precondition(KeyID(protection.keyID.bytes) == protection.keyID)
        precondition(SampleIV(protection.iv.bytes) == protection.iv)
        guard protection.subsamples.count > 0 else { return }
        let end = protection.subsamples.offset + 6 * protection.subsamples.count
        precondition(protection.subsamples.offset >= 0 && end <= file.byteCount)
        let sum = protection.subsamples.entries(in: file).reduce(0) { $0 + Int($1.clear) + Int($1.protected) }
        precondition(sum == sample.size)
    }

    /// Checks that reading all tracks together gives the same as reading each track alone, until the first error.
    private func checkMerging(_ file: MovieFile, _ bytes: RawSpan) {
        var cursor = file.samples()
        let (merged, isComplete) = Self.read(&cursor, bytes)
        precondition(isComplete == self.isComplete)
        for (track, samples) in zip(movie.tracks, samples) {
            let own = merged.filter { $0.trackID == track.id }
            precondition(own.elementsEqual(samples.prefix(own.count)))
            precondition(!isComplete || own.count == samples.count)
        }
    }
}
