import ArgumentParser
import KeyServerModule

/// What a key or a policy is for, on the command line.
enum TrackArgument: String, ExpressibleByArgument, CaseIterable {
    case audio
    case video
}

extension TrackArgument? {
    /// The same for the Key Server Module; without the option, anything goes.
    var kind: TrackKind {
        switch self {
        case .audio?: .audio
        case .video?: .video
        case nil: .unspecified
        }
    }
}
