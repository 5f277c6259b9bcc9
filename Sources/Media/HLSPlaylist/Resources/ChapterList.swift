import TextCoding

/// The chapters of a presentation: the JSON resource of EXT-X-SESSION-DATA with the DATA-ID `com.apple.hls.chapters`.
///
///     [{"chapter": 1, "start-time": 0, "duration": 60, "titles": [{"language": "en", "title": "…"}],
///       "images": [{"image-category": "…", "pixel-width": 1, "pixel-height": 1, "url": "…"}]}]
public struct ChapterList: Hashable, Sendable {
    /// The DATA-ID of EXT-X-SESSION-DATA.
    public static let dataID = "com.apple.hls.chapters"

    /// An image of a chapter.
    public struct Image: Hashable, Sendable {
        /// The category of the image.
        public var category: String
        /// The width in pixels.
        public var width: Int
        /// The height in pixels.
        public var height: Int
        /// The URL of the image.
        public var url: String

        /// Creates an image; its size is in pixels.
        public init(category: String, width: Int, height: Int, url: String) {
            self.category = category
            self.width = width
            self.height = height
            self.url = url
        }
    }

    /// A chapter.
    public struct Chapter: Hashable, Sendable {
        /// The number of the chapter, from 1.
        public var number: Int?
        /// The start time in seconds.
        public var start: Double
        /// The duration in seconds; nil means up to the next chapter.
        public var duration: Double?
        /// The titles by language; `und` for an undefined language.
        public var titles: [String: String]
        /// The images.
        public var images: [Image]

        /// Creates a chapter; times are in seconds.
        public init(
            number: Int? = nil,
            start: Double,
            duration: Double? = nil,
            titles: [String: String] = [:],
            images: [Image] = []
        ) {
            self.number = number
            self.start = start
            self.duration = duration
            self.titles = titles
            self.images = images
        }
    }

    /// The chapters.
    public var chapters: [Chapter]

    /// Creates a list.
    public init(chapters: [Chapter]) { self.chapters = chapters }

    /// Parses a list. Unknown members are ignored.
    ///
    /// - Throws: ``PlaylistError`` with ``RuleID/malformedJSON``.
    public init(parsing bytes: [UInt8]) throws(PlaylistError) {
        chapters = []
        for item in try JSONResource(parsing: bytes).items() {
            var chapter = Chapter(
                number: try item.member("chapter")?.wholeNumber(),
                start: try item.required("start-time").number(),
                duration: try item.member("duration")?.number()
            )
            for title in try item.member("titles")?.items() ?? [] {
                chapter.titles[try title.required("language").text()] = try title.required("title").text()
            }
            for image in try item.member("images")?.items() ?? [] {
                chapter.images.append(
                    Image(
                        category: try image.required("image-category").text(),
                        width: try image.required("pixel-width").wholeNumber(),
                        height: try image.required("pixel-height").wholeNumber(),
                        url: try image.required("url").text()
                    )
                )
            }
            chapters.append(chapter)
        }
    }

    /// The JSON in UTF-8.
    public var json: [UInt8] {
        let list = chapters.map { chapter in
            let titles = chapter.titles.sorted { $0.key < $1.key }.map { language, title in
                JSONValue.object(["language": .string(language), "title": .string(title)])
            }
            let images = chapter.images.map { image in
                JSONValue.object([
                    "image-category": .string(image.category), "pixel-width": .integer(image.width),
                    "pixel-height": .integer(image.height), "url": .string(image.url),
                ])
            }
            return JSONValue.object([
                "chapter": chapter.number.map { .integer($0) }, "start-time": JSONValue(seconds: chapter.start),
                "duration": chapter.duration.map(JSONValue.init(seconds:)),
                "titles": titles.isEmpty ? nil : .array(titles), "images": images.isEmpty ? nil : .array(images),
            ])
        }
        return JSONValue.array(list).encoded()
    }
}
