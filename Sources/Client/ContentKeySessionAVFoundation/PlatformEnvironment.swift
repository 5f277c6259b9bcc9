#if canImport(AVFoundation)
import Foundation

/// The kind of process that the app runs in.
enum PlatformEnvironment: Sendable {
    /// A device.
    case device
    /// A simulator or a preview in Xcode. FairPlay Streaming does not exist there, and creating its session raises an
    /// exception.
    case simulator

    /// The environment of this process.
    static let current: Self = {
        #if targetEnvironment(simulator)
        .simulator
        #else
        ProcessInfo.processInfo.environment["XCODE_RUNNING_FOR_PREVIEWS"] == "1" ? .simulator : .device
        #endif
    }()

    /// The environment for new sessions, which tests replace.
    static let forNewSessions = TaskLocal(wrappedValue: current)
}
#endif
