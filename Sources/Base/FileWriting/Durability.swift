import Foundation

/// Writing files to the disk for good, so that they survive a crash of the system and a loss of power.
package enum Durability {
    /// Waits until a file or a folder is on the disk: its content, its size, its times; for a folder, its names.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    package static func synchronize(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // There fsync(2) leaves data in the drive's own memory, and refers to F_FULLFSYNC, which not every file system has.
        return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
        #else
        return fsync(descriptor)
        #endif
    }

    /// Waits until a file's content and its size are on the disk. Its times may follow later, where the system can tell
    /// them apart.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    package static func synchronizeContent(_ descriptor: Int32) -> Int32 {
        #if os(Linux)
        return fdatasync(descriptor)
        #else
        return synchronize(descriptor)
        #endif
    }
}
