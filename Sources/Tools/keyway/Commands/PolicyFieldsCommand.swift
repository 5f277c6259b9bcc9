import ArgumentParser
import KeyServerModule
import ToolSupport

/// `keyway policy fields`.
struct PolicyFieldsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fields",
        abstract: "List the fields of a policy, with their values, their defaults, and how they are merged."
    )

    @OptionGroup var output: JSONOption

    func run() throws {
        var report = Report(kind: "policyFields", headline: "The fields of a policy document; all are optional")
        report.tables = [FieldTable(title: "Fields", blocks: PolicyField.all.flatMap(tables))]
        try ReportOptions.print(report, json: output.json)
    }

    /// Returns the tables of a field and of the parts of its value.
    private func tables(_ field: PolicyField) -> [FieldTable] {
        [
            table(
                field.name,
                [
                    ("meaning", field.summary), ("values", field.values), ("if missing", field.ifMissing),
                    ("merged", field.merged),
                ]
            )
        ] + field.members.map { table("\(field.name).\($0.name)", [("meaning", $0.summary), ("values", $0.values)]) }
    }

    private func table(_ name: String, _ fields: [(label: String, text: String)]) -> FieldTable {
        FieldTable(
            title: name,
            heading: [Field("field", .text(name))],
            fields: fields.map { Field($0.label, .text($0.text.filter { $0 != "`" })) }
        )
    }
}
