extension LintRule {
    /// The rules for FRAME-RATE.
    static let appleFrameRateRules: [LintRule] = [
        variant(
            "apple-frame-rate-missing",
            .error,
            "9.15",
            "every variant with video must have FRAME-RATE"
        ) { variant, _ in
            guard variant.attributes.frameRate == nil, variant.attributes.isVideo else { return nil }
            return "the variant has video but no FRAME-RATE: write the maximum frame rate, with three digits after the "
                + "decimal point, such as FRAME-RATE=29.970"
        },
        attributes(
            "apple-i-frame-frame-rate",
            .error,
            "9.15",
            "EXT-X-I-FRAME-STREAM-INF must not have FRAME-RATE",
            at: "FRAME-RATE"
        ) { attributes in
            // The reader stores FRAME-RATE of I-frame variants as an undefined attribute.
            guard attributes.otherAttributes.contains(where: { $0.name == "FRAME-RATE" }) else { return nil }
            return "an I-frame playlist has no frame rate of its own: remove FRAME-RATE"
        },
        variant(
            "apple-frame-rate-unusual",
            .warning,
            "1.18",
            "FRAME-RATE should be 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60, or half of one of these",
            at: "FRAME-RATE"
        ) { variant, _ in
            guard let rate = variant.attributes.frameRate, rate > 0, rate <= 60, !isUsual(rate) else { return nil }
            return "\(Decimal.text(rate) ?? "\(rate)") frames per second is not a rate of film or television: keep the "
                + "rate of the source, and write it with three digits after the decimal point"
        },
        variant(
            "apple-frame-rate-high",
            .error,
            "1.19",
            "video must not have more than 60 frames per second",
            at: "FRAME-RATE"
        ) { variant, _ in
            guard let rate = variant.attributes.frameRate, rate > 60, !variant.attributes.isImmersive else {
                return nil
            }
            return "\(Decimal.text(rate) ?? "\(rate)") frames per second is more than Apple devices play: offer 60 or "
                + "fewer"
        },
        multivariantPlaylist(
            "apple-hdr-only-high-frame-rate",
            .warning,
            "1.20",
            "HDR above 30 frames per second should also be offered at 30 or fewer"
        ) { subject in
            let rates = subject.variants.filter { $0.variant.streamInf.attributes.isHDR }
                .map { $0.variant.streamInf.attributes }
            guard !rates.isEmpty, !rates.contains(where: \.isImmersive),
                rates.allSatisfy({ $0.frameRate ?? 0 > 30 })
            else { return nil }
            return "all HDR variants have more than 30 frames per second, which older devices do not play in HDR: add "
                + "HDR variants with 30 or fewer"
        },
    ]

    /// Returns whether a rate, rounded to three digits, is one of the rates of rule 1.18 or half of one.
    private static func isUsual(_ rate: Double) -> Bool {
        [23.976, 24, 25, 29.97, 30, 50, 59.94, 60].contains { usual in
            abs(rate - usual) < 0.0015 || abs(rate - usual / 2) < 0.0015
        }
    }
}
