import ArgumentParser
import DRMSignaling
import FPSCrypto
import Foundation
import KeyServer
import KeyServerModule
import KeyStore
import Logging
import ToolSupport

/// The hash of a device on the command line.
struct DeviceArgument: ExpressibleByArgument {
    let device: DeviceHash

    init?(argument: String) {
        guard case .device(let device)? = AdminJSON.client("device:" + argument) else { return nil }
        self.device = device
    }
}

/// The device or session that has a lease, on the command line.
struct PlaybackClientArgument: ExpressibleByArgument {
    let client: PlaybackClient

    init?(argument: String) {
        guard let client = AdminJSON.client(argument) else { return nil }
        self.client = client
    }
}

/// The rented title or asset on the command line.
struct RentalSubjectArgument: ExpressibleByArgument {
    let subject: RentalSubject

    init?(argument: String) {
        guard let bytes = AssetIDArgument(argument: argument)?.bytes, let subject = AdminJSON.rentalSubject(bytes)
        else { return nil }
        self.subject = subject
    }
}

/// The head of an audit log on the command line.
struct HeadArgument: ExpressibleByArgument {
    let head: AuditHead

    init?(argument: String) {
        guard let head = AuditHead(argument) else { return nil }
        self.head = head
    }
}

/// A network on the command line, in CIDR notation.
struct NetworkArgument: ExpressibleByArgument {
    let network: IPNetwork

    init?(argument: String) {
        guard let network = IPNetwork(rawValue: argument) else { return nil }
        self.network = network
    }
}

/// A policy on the command line: a stored one, or one in a file.
///
///     policy = FILE | NAME
///
/// A file is a path that contains `/` or ends with `.json`.
enum PolicyArgument: ExpressibleByArgument {
    case stored(String)
    case file(InputPath)

    init(argument: String) {
        let isFile = argument.contains("/") || argument.hasSuffix(".json")
        self = isFile ? .file(InputPath(argument: argument)) : .stored(argument)
    }

    static var defaultCompletionKind: CompletionKind { .file() }
}

/// A log level on the command line.
struct LogLevelArgument: ExpressibleByArgument {
    let level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }

    static var allValueStrings: [String] { Logger.Level.allCases.map(\.rawValue) }
}

extension AdminRole: ExpressibleByArgument {}
extension CertificateBundleRecord.Kind: ExpressibleByArgument {}
extension ContentTrack: ExpressibleByArgument {}
extension KeyExport.Format: ExpressibleByArgument {}

extension ListenAddress: ExpressibleByArgument {
    package init?(argument: String) { self.init(argument) }
}

extension DurationArgument {
    /// Returns the duration in seconds, for a value that is stored in whole seconds.
    ///
    /// - Throws: `ValidationError`, which names the option, if the duration has a fraction or is out of bounds.
    func wholeSeconds(in range: ClosedRange<Int64>, option: String) throws -> Int64 {
        try require(.seconds(range.lowerBound) ... .seconds(range.upperBound), option: option)
        guard value == .seconds(wholeSeconds) else {
            throw ValidationError("\(option): expected whole seconds, not \(self).")
        }
        return wholeSeconds
    }
}
