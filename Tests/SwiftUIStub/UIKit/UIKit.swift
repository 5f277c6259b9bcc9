// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub for type-checking: see ../README.md.

public import Foundation

@MainActor open class UIResponder: NSObject {}
@MainActor open class UIView: UIResponder {}

@MainActor open class UIApplication: UIResponder {
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
    func application(
        _ application: UIApplication,
        handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    )
}

@MainActor open class UIDevice: NSObject {
    public class var current: UIDevice { UIDevice() }
    open var systemName: String { "" }
    open var systemVersion: String { "" }
    open var model: String { "" }
}
