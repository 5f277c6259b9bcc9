import ArgumentParser
import ToolSupport

/// The length of a part of a stream on the command line.
///
///     length = 1*9DIGIT | duration          10: ten segments; 60s: sixty seconds
enum LengthArgument: ExpressibleByArgument, Hashable {
    /// A number of segments.
    case segments(Int)
    /// A duration.
    case duration(DurationArgument)

    init?(argument: String) {
        if argument.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard argument.utf8.count < 10, let count = Int(argument) else { return nil }
            self = .segments(count)
        } else {
            guard let duration = DurationArgument(argument: argument) else { return nil }
            self = .duration(duration)
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .segments(let count): "\(count)"
        case .duration(let duration): "\(duration)"
        }
    }
}
