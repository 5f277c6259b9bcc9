import MediaFormats

/// The names of sample formats and handler types for messages (registry of MP4RA; QuickTime File Format).
enum SampleFormatName {
    /// Returns the name of a sample entry's format with its type, such as `AV1 (av01)`; the type alone if it is not
    /// known.
    static func name(of entry: SampleEntry) -> String {
        if let object = objectName(of: entry) { return "\(object) in \(entry.format)" }
        return formats[entry.format].map { "\($0) (\(entry.format))" } ?? "\(entry.format)"
    }

    /// Returns the name of a handler type with its code, such as `timecode (tmcd)`.
    static func name(ofHandler type: FourCC) -> String { handlers[type].map { "\($0) (\(type))" } ?? "\(type)" }

    /// The name of the codec in an entry for MPEG-4 systems, which many codecs use; nil for other entries.
    private static func objectName(of entry: SampleEntry) -> String? {
        guard ["mp4a", "mp4v", "mp4s"].contains(entry.format), let box = entry.boxes.first("esds"),
            let descriptor = try? box.parse(as: ElementaryStreamDescriptorBox.self)
        else { return nil }
        return objects[descriptor.objectType]
    }

    /// Returns whether an entry is for still pictures, such as cover art.
    static func isStillPicture(_ entry: SampleEntry) -> Bool {
        if ["jpeg", "png ", "gif ", "tiff", "mjp2", "8BPS", "WRLE"].contains(entry.format) { return true }
        guard entry.format == "mp4v", let name = objectName(of: entry) else { return false }
        return ["JPEG", "PNG", "JPEG 2000"].contains(name)
    }

    private static let objects: [UInt8: String] = [
        0x20: "MPEG-4 Visual", 0x21: "H.264", 0x23: "HEVC", 0x60: "MPEG-2 video", 0x61: "MPEG-2 video",
        0x62: "MPEG-2 video", 0x63: "MPEG-2 video", 0x64: "MPEG-2 video", 0x65: "MPEG-2 video",
        0x69: "MPEG audio (MP3 or MP2)", 0x6A: "MPEG-1 video", 0x6B: "MPEG audio (MP3 or MP2)", 0x6C: "JPEG",
        0x6D: "PNG", 0x6E: "JPEG 2000", 0xA0: "EVRC", 0xA1: "SMV", 0xA3: "VC-1", 0xA4: "Dirac", 0xA5: "AC-3",
        0xA6: "E-AC-3",
        0xA9: "DTS", 0xAA: "DTS-HD", 0xAB: "DTS-HD", 0xAC: "DTS Express", 0xAD: "Opus", 0xB1: "VP9", 0xDD: "Vorbis",
        0xE0: "DVD subtitles", 0xE1: "QCELP",
    ]

    private static let handlers: [FourCC: String] = [
        "tmcd": "timecode", "meta": "timed metadata", "hint": "streaming hints", "auxv": "auxiliary video",
        "pict": "pictures", "clcp": "closed captions", "text": "text", "sbtl": "subtitles", "subt": "subtitles",
        "subp": "DVD subtitles", "data": "data", "odsm": "object descriptors", "sdsm": "scene description",
        "MPEG": "multiplexed MPEG", "musi": "music", "sprt": "sprites", "url ": "links", "vbi ": "VBI data",
    ]

    private static let formats: [FourCC: String] = [
        // Video.
        "av01": "AV1", "vp08": "VP8", "vp09": "VP9", "vvc1": "VVC", "vvi1": "VVC", "evc1": "EVC", "lvc1": "LCEVC",
        "apch": "ProRes 422 HQ", "apcn": "ProRes 422", "apcs": "ProRes 422 LT", "apco": "ProRes 422 Proxy",
        "ap4h": "ProRes 4444", "ap4x": "ProRes 4444 XQ", "aprh": "ProRes RAW HQ", "aprn": "ProRes RAW",
        "AVdn": "DNxHD", "AVdh": "DNxHR", "mp4v": "MPEG-4 Visual", "s263": "H.263", "h263": "H.263", "H263": "H.263",
        "mjpa": "Motion JPEG", "mjpb": "Motion JPEG", "jpeg": "JPEG", "png ": "PNG", "mjp2": "JPEG 2000",
        "dvc ": "DV", "dvcp": "DV", "dvpp": "DVCPRO", "dv5n": "DVCPRO50", "dv5p": "DVCPRO50", "dvh5": "DVCPRO HD",
        "dvhp": "DVCPRO HD", "mx5p": "MPEG-2 IMX", "xdvc": "XDCAM", "xd5b": "XDCAM", "m2v1": "MPEG-2 video",
        "mpg2": "MPEG-2 video", "CFHD": "CineForm", "vc-1": "VC-1", "SVQ1": "Sorenson Video",
        "SVQ3": "Sorenson Video 3", "cvid": "Cinepak", "rle ": "QuickTime Animation", "2vuy": "uncompressed video",
        "v210": "uncompressed video",
        "dav1": "Dolby Vision with AV1", "mvc1": "H.264 MVC", "svc1": "H.264 SVC",
        // Audio.
        "Opus": "Opus", "fLaC": "FLAC", "alac": "Apple Lossless", ".mp3": "MP3", "mp3 ": "MP3", "samr": "AMR",
        "sawb": "AMR-WB", "ac-4": "AC-4", "dtsc": "DTS", "dtsh": "DTS-HD", "dtsl": "DTS-HD Lossless",
        "dtse": "DTS Express", "dtsx": "DTS:X", "mlpa": "TrueHD", "mha1": "MPEG-H Audio", "mhm1": "MPEG-H Audio",
        "iamf": "IAMF", "ipcm": "PCM", "fpcm": "PCM", "lpcm": "PCM", "sowt": "PCM", "twos": "PCM", "in24": "PCM",
        "in32": "PCM", "fl32": "PCM", "fl64": "PCM", "raw ": "PCM", "NONE": "PCM", "ulaw": "µ-law PCM",
        "alaw": "A-law PCM", "ima4": "IMA ADPCM", "QDM2": "QDesign Music", "qclp": "QCELP", "agsm": "GSM",
        "MAC3": "MACE", "apac": "Apple Positional Audio", FourCC(rawValue: 0x6D73_0055): "MP3",
        // Text.
        "tx3g": "timed text", "text": "QuickTime text", "stpp": "TTML", "wvtt": "WebVTT", "c608": "CEA-608 captions",
        "c708": "CEA-708 captions", "sbtt": "text subtitles", "stxt": "text", "mp4s": "DVD subtitles",
    ]
}
