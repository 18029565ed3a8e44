internal import ArgumentParser
internal import JSON

/// `countersignd schema`: the JSON Schema of the configuration.
struct SchemaCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema", abstract: "Print the JSON Schema of the configuration.",
        discussion: """
            Editors complete and check a file by it that begins with

              { "$schema": "/usr/share/countersign/countersignd.schema.json",

            What only several values together show, --check finds.
            """)

    func run() { print(ConfigurationMember.schema.text) }
}
