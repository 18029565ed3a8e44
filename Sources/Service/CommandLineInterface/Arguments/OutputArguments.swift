package import ArgumentParser

/// `--json`, which every command takes.
package struct OutputArguments: ParsableArguments {
    @Flag(
        name: .long, help: "Write the result as JSON: Documentation/command-line.md has its members.")
    package var json = false

    package init() {}
}
