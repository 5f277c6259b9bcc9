import ArgumentParser
import KeyServerModule

/// A type of track on the command line.
enum TrackArgument: String, ExpressibleByArgument, CaseIterable {
    case audio
    case video
}

extension TrackArgument? {
    /// The corresponding track kind of the Key Server Module; without the option, the kind is unspecified.
    var kind: TrackKind {
        switch self {
        case .audio?: .audio
        case .video?: .video
        case nil: .unspecified
        }
    }
}
