import MediaFormats

/// Stereo and projected video: several views in layers of one track (MV-HEVC), described by the `vexu` box (Apple, ISO
/// Base Media File Format and Apple HEVC Stereo Video).
///
///     vexu
///       eyes
///         stri    version and flags, 1 byte: bit 0 left eye, bit 1 right eye
///       proj
///         prji    version and flags, 4 letters: rect, equi, hequ, prim
extension MediaTrack {
    /// The REQ-VIDEO-LAYOUT attribute (RFC 8216bis, 4.4.6.2); empty for flat video with one view.
    var videoLayout: [String] {
        guard let usage = sampleEntry?.boxes.first("vexu") else { return [] }
        var specifiers: [String] = []
        if let views = usage.content(at: ["eyes", "stri"])?.dropFirst(4).first, views & 3 == 3 {
            specifiers.append("CH-STEREO")
        }
        switch usage.content(at: ["proj", "prji"]).map({ String(decoding: $0.dropFirst(4), as: UTF8.self) }) {
        case "equi": specifiers.append("PROJ-EQUI")
        case "hequ": specifiers.append("PROJ-HEQU")
        case "prim": specifiers.append("PROJ-PRIM")
        default: break
        }
        return specifiers.isEmpty ? [] : [specifiers.joined(separator: "/")]
    }

    /// The description of a second layer or view in the samples; nil if there is none.
    var secondLayer: String? {
        guard let boxes = sampleEntry?.boxes else { return nil }
        if boxes.first("lhvC") != nil { return "a second HEVC layer (MV-HEVC)" }
        if boxes.first("mvcC") != nil { return "a second H.264 view (MVC)" }
        return nil
    }

    /// Adds a note if players would show only one of two views.
    mutating func checkViews() {
        guard sampleEntry?.boxes.first("lhvC") != nil, sampleEntry?.boxes.first("vexu") == nil else { return }
        notes.append(
            "the video has a second HEVC layer (lhvC), but no vexu box that describes its views: players show only the "
                + "first one"
        )
    }
}
