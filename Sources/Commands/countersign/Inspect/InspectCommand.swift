internal import ArgumentParser
internal import CommandLineInterface
internal import ErrorMapping
internal import JSON

/// `countersign inspect`: shows what files hold.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what files hold.",
        discussion: """
            Recognises and shows any CBOR: engagement, request, response and their parts, mobile security object \
            (MSO), session messages, transcripts of readers, apps and pages, VICAL, RICAL, status lists, COSE; the same \
            in base64url; the text of a QR code (mdoc:…); NDEF messages; X.509 certificates (DER or PEM); APDU traces \
            as `countersign request --trace` writes them. The first line names what it is.

            CBOR appears in diagnostic notation (RFC 8949 section 8). Items embedded in tag 24 and in COSE \
            structures are opened, `<<…>>`; heads in more bytes than needed show as _0 to _3; long strings are \
            cut, --full shows them whole.

            Nothing is verified, and nothing is hidden: element values are shown as they are in the file.

            EXAMPLES:
              countersign inspect response.cbor iaca.der
              countersign inspect --full transcript.cbor
              countersign inspect trace.txt

            \(ExitStatus.table([.success, .usage, .malformed]))
            """)

    @Argument(help: ArgumentHelp("The files to show.", valueName: "file"))
    var files: [String]

    @Flag(name: .long, help: "Show long strings in full.")
    var full = false

    @Option(name: .long, help: ArgumentHelp("The longest file that is read, in bytes.", valueName: "bytes"))
    var maxMessage = InputFile.messageLimit

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...(1 << 30)).contains(maxMessage) else {
            throw ValidationError("--max-message takes 1 to \(1 << 30).")
        }
    }

    /// Every file is shown that can be, whatever is wrong with the others.
    func run() throws {
        var reports: [JSONValue] = []
        var status = ExitStatus.success
        for path in files {
            do throws(CommandFailure) {
                let specimen = try Progress.during("Reading") { () throws(CommandFailure) in
                    try self.specimen(at: path)
                }
                if output.json {
                    reports.append(
                        [
                            "file": .string(path), "kind": .string(specimen.kind),
                            "text": .string(specimen.text),
                        ])
                } else {
                    Terminal.result("\(Terminal.safe(path)): \(specimen.kind)\n\(specimen.text)")
                }
            } catch {
                if error.status.rawValue > status.rawValue { status = error.status }
                if output.json { reports.append(["file": .string(path), "error": .string(error.message)]) }
                Terminal.note(Terminal.errorPrefix + error.message)
            }
        }
        if output.json { Terminal.result(JSONValue.array(reports).text) }
        if status != .success { throw ExitCode(status.rawValue) }
    }

    private func specimen(at path: String) throws(CommandFailure) -> Specimen {
        let bytes = try InputFile.read(path, limit: maxMessage)
        return try mapping(Inspection(isFull: full).specimen(in: bytes)) { (error: InspectionError) in
            CommandFailure.malformed("\(Terminal.safe(path)): \(error.message)")
        }
    }
}
