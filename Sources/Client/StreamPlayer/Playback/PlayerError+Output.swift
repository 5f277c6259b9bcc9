import FileWriting
import Foundation

extension PlayerError {
    /// Creates the error for an output that failed.
    init(output error: any Error, _ place: String) {
        self.init(.output(Self.reason(error)), place)
    }

    /// Returns the reason of the system, such as a full disk.
    private static func reason(_ error: any Error) -> String {
        if let error = error as? FileError { return error.description }
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        guard
            let system = [error as NSError, underlying].compactMap({ $0 }).first(where: {
                $0.domain == NSPOSIXErrorDomain
            })
        else { return "the output cannot be written" }
        return "the output cannot be written: \(String(cString: strerror(Int32(truncatingIfNeeded: system.code))))"
    }
}
