import Foundation

/// Functions that flush files to the disk, so that the files survive a crash of the system and a loss of power.
package enum Durability {
    /// Waits until a file or a folder is on the disk, with its content, size and times, or with the names in the
    /// folder.
    ///
    /// - Returns: 0, or -1 with the reason in `errno`.
    package static func synchronize(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
        // On Apple platforms fsync(2) leaves data in the drive's cache; F_FULLFSYNC flushes it, but not every file
        // system supports this.
        return fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
        #else
        return fsync(descriptor)
        #endif
    }

    /// Waits until a file's content and its size are on the disk. If the system supports it, the times can be written
    /// later.
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
