extension TimelineError: CustomStringConvertible {
    /// The reason, as a clause of a sentence.
    public var description: String {
        switch self {
        case .noSegments: "it has no segments"
        case .deltaUpdate: "it is a delta update of a playlist that is not loaded"
        case .sequenceOverflow: "its media sequence numbers exceed 64 bits"
        case .sequenceWentBack(let before, let now): "its media sequence number went back from \(before) to \(now)"
        case .unusableDuration(let number):
            "the duration of segment \(number) is not valid, or the total exceeds three years"
        case .byteRange(let line): "the byte range in line \(line) has no start, or its end exceeds 64 bits"
        }
    }
}
