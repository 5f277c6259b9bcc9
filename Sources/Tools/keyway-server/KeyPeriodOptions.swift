import ArgumentParser
import ToolSupport

/// The lengths of key periods, for the commands that create periods or their schedules.
struct KeyPeriodOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The length of a period, from 1m to 31d, such as 10m.",
            valueName: "duration"
        )
    )
    var length: DurationArgument
    @Option(
        help: ArgumentHelp(
            "How far ahead periods are created, such as 2h; at most 500 periods.",
            valueName: "duration"
        )
    )
    var ahead: DurationArgument

    /// Returns the length of a period and how far ahead periods are created, in seconds.
    ///
    /// - Throws: `ValidationError`, which names the option.
    func seconds() throws -> (length: Int64, ahead: Int64) {
        let length = try length.wholeSeconds(in: 60...31 * 86_400, option: "--length")
        return (length, try ahead.wholeSeconds(in: 0...500 * length, option: "--ahead"))
    }
}
