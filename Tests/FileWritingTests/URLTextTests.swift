import Foundation
import Testing

@testable import FileWriting

@Suite("URLs in place of paths")
struct URLTextTests {
    @Test(
        "are recognized by their scheme",
        arguments: [
            ("s3://bucket/film.mp4", "s3"), ("HTTPS://example.com", "https"), ("file:///film.mp4", "file"),
            ("git+ssh://host/x", "git+ssh"),
        ]
    )
    func schemes(text: String, scheme: String) { #expect(URLText.scheme(of: text) == scheme) }

    @Test(
        "are not paths with colons",
        arguments: ["film.mp4", "a:b", "./s3://b", "/s3://b", "C:/x", "://x", "1a://x", "a b://x", "", "s3:/b"]
    )
    func paths(text: String) {
        #expect(URLText.scheme(of: text) == nil)
        #expect(URLText.refusal(ofInput: text) == nil && URLText.refusal(ofOutput: text) == nil)
    }

    @Test("are refused with what to give instead")
    func advice() {
        #expect(
            URLText.refusal(ofInput: "s3://b/x.mp4")
                == "s3://b/x.mp4 is a URL, but input is read from files: download it first (aws s3 cp s3://b/x.mp4 .)"
        )
        #expect(URLText.refusal(ofInput: "file:///b/x.mp4")?.hasSuffix("give the path /b/x.mp4") == true)
        #expect(URLText.refusal(ofInput: "srt://host:9000")?.hasSuffix("standard input") == true)
        #expect(URLText.refusal(ofInput: "udp://:5000")?.hasSuffix("--live receives from the network") == true)
        #expect(URLText.refusal(ofOutput: "udp://:5000")?.hasSuffix("upload from there") == true)
        #expect(
            URLText.refusal(ofOutput: "s3://b/x")
                == "s3://b/x looks like a URL, but output is written to files: give a path, and upload from there "
                + "(aws s3 cp --recursive PATH s3://b/x)"
        )
    }

    @Test("explain why a file with such a name does not exist")
    func error() {
        let missing = FileError(.open, path: "https://example.com/a.mp4", code: ENOENT)
        #expect(missing.description.hasPrefix("https://example.com/a.mp4 is a URL, but input is read from files: "))
        let denied = FileError(.open, path: "https://example.com/a.mp4", code: EACCES)
        #expect(denied.description.hasPrefix("cannot open https://example.com/a.mp4: "))
    }
}
