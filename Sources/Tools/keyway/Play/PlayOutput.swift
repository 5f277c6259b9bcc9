import FileWriting
import Foundation
import StreamPlayer

/// Where `keyway play` puts the clear media.
struct PlayOutput {
    let output: any MediaOutput
    /// For people.
    let name: String
    let isStandardOutput: Bool
    let isFolder: Bool

    /// `path`: nil for nowhere, `-` for standard output, a folder, which is there or ends with a slash, or a file.
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
        } catch let failure as FileFailure {
            throw CommandFailure(failure)
        } catch {
            throw .file("\(path) cannot be made: \(lastSystemError())")
        }
    }
}
