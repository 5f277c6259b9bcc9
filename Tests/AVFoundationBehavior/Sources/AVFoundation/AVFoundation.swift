// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// Apple's AVFoundation for Linux, as far as keys and downloads concern it: see README.md.

@_exported import Foundation
@_exported import FoundationNetworking

// A type for dispatch queues with the name in AVFoundation's declarations.
public typealias dispatch_queue_t = DispatchQueue
