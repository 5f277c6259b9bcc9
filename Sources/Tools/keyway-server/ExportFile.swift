import FileWriting
import Foundation
import ToolSupport

/// The destination of exported keys: a new file that only its owner can read, an existing pipe or device, or standard
/// output for `-`. An existing file is never replaced, and an incomplete export leaves no file.
struct ExportFile {
    /// Nil for standard output.
    private let output: OutputFile?

    init(_ path: String) throws {
        guard path != "-" else {
            output = nil
            return
        }
        do throws(FileError) {
            if case .regular = try OutputTarget(path) {
                throw FileError(.create, path: path, code: EEXIST, reason: "it already exists; use a new name")
            }
            output = try OutputFile(path, access: .owner)
        } catch {
            let isInput = error.code == EEXIST || error.code == EISDIR
            throw CommandFailure(kind: isInput ? .input : .file, what: "\(error)")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        guard let output else { return try FileHandle.standardOutput.write(contentsOf: Data(bytes)) }
        try failing { () throws(FileError) in try output.write(bytes) }
    }

    func close() throws { try failing { () throws(FileError) in try output?.finish() } }

    private func failing(_ work: () throws(FileError) -> Void) throws {
        do throws(FileError) { try work() } catch { throw CommandFailure.file("\(error)") }
    }
}
