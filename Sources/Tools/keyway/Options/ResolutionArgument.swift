import ArgumentParser
import HLSPlaylist

/// The size of a video on the command line.
///
///     resolution = width "x" height
struct ResolutionArgument: ExpressibleByArgument {
    /// The size.
    let value: Resolution

    init?(argument: String) {
        let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { UInt64($0) }
        guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
        value = Resolution(width: width, height: height)
    }
}
