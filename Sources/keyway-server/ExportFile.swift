import Foundation
import KeyStore

/// What keys are written to: a new file that only its owner may read, a pipe or a device that is there, or standard output
/// for `-`.
struct ExportFile {
    private let handle: FileHandle
    /// The file that was created; nil when none was.
    private let created: String?

    init(_ path: String) throws {
        guard path != "-" else {
            (handle, created) = (.standardOutput, nil)
            return
        }
        let place = try OutputPlace(path)
        let flags: Int32
        switch place.kind {
        case .missing: (flags, created) = (O_CREAT | O_EXCL | O_NOFOLLOW, place.path)
        case .stream: (flags, created) = (O_NOCTTY, nil)
        case .file: throw CommandFailure("\(path) exists already; give the name of a new file")
        case .unusable(let what):
            throw CommandFailure("\(path) is \(what); give the name of a new file, or - for standard output")
        }
        let file = open(place.path, O_WRONLY | O_CLOEXEC | flags, 0o600)
        guard file >= 0 else {
            throw CommandFailure("\(path) cannot be created: \(String(cString: strerror(errno)))", kind: .file)
        }
        handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: Data(bytes)) }

    func close() throws {
        guard created != nil else { return }
        try handle.synchronize()
        try handle.close()
    }

    /// Half an export is none.
    func abandon() {
        guard let created else { return }
        try? handle.close()
        unlink(created)
    }
}
