import Foundation
import Packager
import ToolSupport

/// The upload of live presentations.
extension PackagingSettings {
    /// Returns the URL of a server; nil for a path.
    static func uploadURL(_ text: String) -> URL? {
        let isURL = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
        return isURL ? URL(string: text) : nil
    }

    /// Returns the folder into which the presentation is written: the output, or the work folder of an upload.
    func outputFolder() throws(JobFailure) -> String {
        let output = out?.value ?? ""
        guard let url = Self.uploadURL(output) else {
            try refuseUploadOptions()
            return output
        }
        guard flags["live"] != nil || flags["event"] != nil else {
            throw JobFailure("out", "only live and event streams are uploaded: give a folder, or add live")
        }
        if let workFolder { return workFolder.value }
        // The name is the same in each run, so that another run continues the presentation.
        let name = "\(url.host() ?? "")\(url.port.map { "-\($0)" } ?? "")\(url.path())"
        let safe = name.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "-" }
        // Not in a folder for temporary files, where others could create it first.
        let state = ProcessInfo.processInfo.environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = FileManager.default.homeDirectoryForCurrentUser.path + "/.local/state"
        return "\(state ?? home)/keyway/\(String(safe))"
    }

    private func refuseUploadOptions() throws(JobFailure) {
        for name in ["work-folder", "upload-token", "upload-timeout"]
        where PackagingSetting.named(name)?.location(self) != nil {
            throw JobFailure(name, "applies only to uploads: give a URL as out, or leave it out")
        }
    }

    /// Returns the server to which the presentation is uploaded; nil for none.
    func uploadTarget() throws(CommandFailure) -> LiveUpload.Target? {
        guard let url = Self.uploadURL(out?.value ?? "") else { return nil }
        let text = url.absoluteString
        return LiveUpload.Target(
            base: text.hasSuffix("/") ? String(text.dropLast()) : text,
            token: try uploadToken?.value.text(option: "--upload-token"),
            timeout: (uploadTimeout?.value ?? PackagingDefault.uploadTimeout).value
        )
    }
}
