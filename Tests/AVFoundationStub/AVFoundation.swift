// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stub of Apple's AVFoundation, for type-checking on Linux: see README.md. It does nothing.

@_exported import Foundation
@_exported import FoundationNetworking

// A type for dispatch queues with the name in AVFoundation's declarations.
public typealias dispatch_queue_t = DispatchQueue

// Foundation on Linux has this name, but marks it unavailable.
extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { .default }
}
