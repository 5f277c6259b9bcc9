import TextCoding

/// Warnings about parts of an input, which are limited in number: a channel may have any number of parts.
struct LimitedWarnings {
    private static let maximumCount = 50
    private var texts: [String] = []
    private var omittedCount = 0

    mutating func add(_ new: [String]) {
        for text in new {
            if texts.count < Self.maximumCount { texts.append(text) } else { omittedCount += 1 }
        }
    }

    var all: [String] {
        texts + (omittedCount > 0 ? ["\(counted(omittedCount, "more warning")) not listed"] : [])
    }
}
