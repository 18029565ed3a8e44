internal import ArgumentParser

/// `--json`, which every command takes.
struct OutputArguments: ParsableArguments {
    @Flag(
        name: .long, help: "Write the result as JSON: Documentation/command-line.md has its members.")
    var json = false
}
