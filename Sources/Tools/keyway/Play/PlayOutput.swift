import FileWriting
import Foundation
import StreamPlayer
import ToolSupport

/// The output of `keyway play` for clear media.
struct PlayOutput {
    let output: any MediaOutput
    /// The name of the output in messages.
    let name: String
    let isStandardOutput: Bool
    let isFolder: Bool

    /// Creates the output at `path`: nil for none, `-` for standard output, an existing folder or a path that ends with
    /// a slash for a folder, otherwise a file.
    init(_ path: String?) throws(CommandFailure) {
        var isThere: ObjCBool = false
        let isFolder =
            path.map {
                $0.hasSuffix("/")
                    || (FileManager.default.fileExists(atPath: $0, isDirectory: &isThere) && isThere.boolValue)
            } ?? false
        (isStandardOutput, self.isFolder) = (path == "-", isFolder)
        guard let path else {
            (output, name) = (DiscardingOutput(), "nowhere")
            return
        }
        name = path == "-" ? "standard output" : path
        do {
            if path == "-" {
                output = StreamOutput(.standardOutput)
            } else if isFolder {
                output = try FolderOutput(path)
            } else {
                output = StreamOutput(try OutputFile(path, visibility: .growing))
            }
        } catch let failure as FileError {
            throw CommandFailure(failure)
        } catch {
            throw .file("cannot create \(path): \(lastSystemError())")
        }
    }
}
